import Foundation
import TestSupport
import Testing

@Suite("storage doctor of a file")
struct DoctorToolTests {
    @Test(arguments: Engine.allCases)
    func `a file that opens has notes alone, and points to verify`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        let text = try await tool.output("doctor", Tool.file)
        expect(text.contains("note  store: The store opens") && text.contains("storage verify"))
        expect(text.hasSuffix("notes.\n") && text.contains("0 errors, 0 warnings"))
        let lines = try await tool.output("doctor", Tool.file, "--json").split(separator: "\n")
        for line in lines {
            let finding = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            expect(finding?["severity"] as? String == "note" && finding?["check"] is String)
        }
        try await expect(tool.output("doctor", Tool.file, "--quiet"), equals: "")
        try await expect(tool.failure(66, "doctor", "missing.db").contains("missing.db"))
        try await expect(tool.run(["doctor", Tool.file, "--transaction-age", "-1"]).status, equals: 64)
    }

    @Test(arguments: Engine.allCases)
    func `a file that does not open is an error, and another schema a warning`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        try await tool.output("schema", Tool.file, "--lock", "Schema.lock")
        try await expect(
            tool.output("doctor", Tool.file, "--lock", "Schema.lock").contains(
                "has the schema of Schema.lock"))
        try await tool.output("alter", Tool.file, "Person", "--index", "age")
        let changed = try await tool.run(["doctor", Tool.file, "--lock", "Schema.lock"])
        expect(
            changed.status == 1 && changed.output.contains("warning")
                && changed.output.contains(
                    "age loses "
                        + "its index")
        )

        let path = tool.folder.path(Tool.file)
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes.replaceSubrange(
            bytes.count / 2..<bytes.count, with: Data(repeating: 0xAA, count: bytes.count - bytes.count / 2))
        for place in 20..<min(90, bytes.count) { bytes[place] = 0xFF }
        try bytes.write(to: URL(filePath: path))
        let broken = try await tool.run(["doctor", Tool.file])
        expect(broken.status == 1 && broken.output.contains("store:") && broken.output.contains("1 error"))
    }
}
