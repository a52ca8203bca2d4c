import Foundation
import StorageKit
import TestSupport
import Testing

/// A limit on the size of files stands for a full disk: writing fails in the same place, at the same time each run.
@Suite struct FullDiskTests {
    /// Runs the tool where no file may have more than 128 blocks, of 512 or 1,024 bytes, and expects it to fail.
    private func failure(_ tool: Tool, _ arguments: String...) async throws -> String {
        let process = tool.process(arguments)
        let executable = try #require(process.executableURL)
        process.executableURL = URL(filePath: "/bin/sh")
        // Without the trap the system would end the process, which a full disk does not.
        process.arguments =
            ["-c", #"trap "" XFSZ; ulimit -f 128; exec "$0" "$@""#, executable.path] + arguments
        let run = try await process.result()
        // The types of a new model, which precede it, end with an empty line.
        let message = run.error.components(separatedBy: "\n\n").last ?? ""
        expect(run.status == 74 && !run.wasKilled, "\(arguments): \(message)")
        expect(message.hasPrefix("storage: ") && message.split(separator: "\n").count == 1, "\(message)")
        return message
    }

    /// A store that fits, and lines that do not, however well they are compressed.
    private func tool(_ engine: Engine) async throws -> Tool {
        let tool = try await Tool(engine)
        let lines = (0..<8000).map { _ in #"{"first":"\#(UUID())","second":1}"# + "\n" }
        try Data(lines.joined().utf8).write(to: tool.folder.url.appending(path: "lines.ndjson"))
        return tool
    }

    /// The files; an archive's lock stays after an attempt to write.
    private func names(_ tool: Tool) throws -> Set<String> {
        try Set(tool.folder.contents.keys).subtracting([Tool.file + "-lock"])
    }

    @Test(arguments: Engine.allCases)
    func `an import that finds no room leaves the store as it was, and no new one`(_ engine: Engine) async throws {
        let tool = try await tool(engine)
        let names = try names(tool)
        _ = try await failure(tool, "import", Tool.file, "--model", "Pair", "lines.ndjson")
        _ = try await failure(tool, "import", "\(engine.rawValue):new.store", "--model", "Pair", "lines.ndjson")
        try expect(self.names(tool), equals: names)
        try await expect(tool.output("count", Tool.file, "Pair"), equals: "2\n")
        try await expect(tool.output("verify", Tool.file), equals: "2 models, nothing is wrong.\n")
        try await expect(tool.people(engine), equals: Person.samples)
    }

    @Test(arguments: Engine.allCases)
    func `what is copied, backed up or exported without room is not there at all`(_ engine: Engine) async throws {
        let tool = try await tool(engine)
        try await tool.output("import", Tool.file, "--model", "Pair", "lines.ndjson")
        let store = try tool.folder.contents[Tool.file]
        let names = try names(tool)
        for other in Engine.allCases { _ = try await failure(tool, "copy", Tool.file, "\(other.rawValue):new.store") }
        _ = try await failure(tool, "backup", Tool.file, "backup.store")
        _ = try await failure(tool, "export", Tool.file, "Pair", "--output", "pairs.json")
        _ = try await failure(tool, "compact", Tool.file)
        try expect(self.names(tool), equals: names)
        try expect(tool.folder.contents[Tool.file], equals: store)
    }
}
