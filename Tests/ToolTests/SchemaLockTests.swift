import Foundation
import TestSupport
import Testing

@Suite("storage schema --lock")
struct SchemaLockToolTests {
    @Test(arguments: Engine.one(.sqlite))
    func `a lock is written, compared, and replaced on demand`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        let arguments = ["schema", Tool.file, "--lock", "Schema.lock"]
        try await expect(tool.run(arguments).output.contains("Schema.lock has the schema of"))
        let written = try String(contentsOfFile: tool.folder.path("Schema.lock"), encoding: .utf8)
        try await expect(tool.run(arguments).output, equals: "Schema.lock is the schema of the store.\n")
        try await tool.output("alter", Tool.file, "Person", "--index", "age")
        let difference = try await tool.run(arguments)
        expect(difference.status, equals: 1)
        expect(difference.output.contains("age loses its index"))
        expect(difference.error.contains("--overwrite"))
        try expect(String(contentsOfFile: tool.folder.path("Schema.lock"), encoding: .utf8), equals: written)
        try await expect(tool.run(arguments + ["--overwrite"]).status, equals: 0)
        try expect(String(contentsOfFile: tool.folder.path("Schema.lock"), encoding: .utf8) != written)
        try Data("no lock".utf8).write(to: URL(filePath: tool.folder.path("Schema.lock")))
        try await expect(
            tool.failure(65, "schema", Tool.file, "--lock", "Schema.lock").contains("not a lock of a schema"))
        try await expect(tool.run(["schema", Tool.file, "Person", "--lock", "x"]).status, equals: 64)
    }

    @Test(arguments: Engine.one(.archive))
    func `pages that are not built are told with what builds them`(engine: Engine) async throws {
        var tool = try await Tool(engine)
        tool.environment = ["PATH": "/nowhere", "STORAGE_BROWSER": ""]
        try await expect(
            tool.failure(64, "browse", Tool.file).contains("swift build -c release --package-path Browser"))
        try await expect(tool.failure(66, "browse", "missing.db").contains("There is no file"))
        tool.environment["STORAGE_BROWSER"] = "/nowhere/storage-browser"
        try await expect(tool.failure(64, "browse", Tool.file).contains("STORAGE_BROWSER names /nowhere"))
    }
}
