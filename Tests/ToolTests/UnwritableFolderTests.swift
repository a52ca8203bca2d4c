import Foundation
import TestSupport
import Testing

/// A store in a folder that the reader may not write, as one in an application's bundle. Root may write any, so the reader is
/// another user then.
@Suite("Stores in folders without the right to write")
struct UnwritableFolderTests {
    private static let isRoot = getuid() == 0
    private static let canTry = !isRoot || FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")

    private static func reader(_ tool: Tool, _ arguments: [String]) -> Process {
        let process = tool.process(arguments)
        guard isRoot, let program = process.executableURL else { return process }
        process.executableURL = URL(filePath: "/usr/bin/setpriv")
        process.arguments = ["--reuid=65534", "--regid=65534", "--clear-groups", program.path] + arguments
        return process
    }

    /// Runs a body with a folder of a store with one record, which its owner may write, and the reader may not.
    private static func withStore(
        _ backend: String, _ body: (Tool, _ url: String, _ folder: String) async throws -> Void
    ) async throws {
        let tool = try Tool(folder: TemporaryFolder())
        let folder = tool.folder.path("bundle")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let url = "\(backend):bundle/store"
        try Data("id,name\n1,one\n".utf8).write(to: tool.folder.url.appending(path: "a.csv"))
        try await tool.output("import", url, "--model", "Item", "a.csv")
        try setPermissions(0o555, folder)
        defer { try? setPermissions(0o755, folder) }
        try await body(tool, url, folder)
    }

    private static func setPermissions(_ permissions: Int, _ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
    }

    @Test(.enabled(if: canTry), arguments: ["sqlite", "archive"], [0o444, 0o644])
    func `it is read, and no file stays beside it`(_ backend: String, _ permissions: Int) async throws {
        try await Self.withStore(backend) { tool, url, folder in
            try Self.setPermissions(permissions, folder + "/store")
            let before = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            for command in ["select", "count"] {
                let run = try await Self.reader(tool, [command, url, "Item"]).result()
                expect(run.isSuccess && run.output.contains("1"), "\(run.error)")
            }
            let insert = try await Self.reader(tool, ["insert", url, "Item", "id=2", "name=two"]).result()
            expect(!insert.isSuccess)
            try expect(FileManager.default.contentsOfDirectory(atPath: folder).sorted(), equals: before)
        }
    }

    @Test(.enabled(if: canTry && isRoot, "only root may write the folder all the same"))
    func `a database that its owner changes meanwhile is read as it is`() async throws {
        try await Self.withStore("sqlite") { tool, url, _ in
            let shell = Self.reader(tool, ["shell", url])
            let (input, output) = (Pipe(), Pipe())
            (shell.standardInput, shell.standardOutput) = (input, output)
            var pieces = output.fileHandleForReading.pieces().makeAsyncIterator()
            let ending = try shell.start()
            var text = ""
            func read(until word: String) async throws {
                while !text.contains(word), let piece = await pieces.next() {
                    text += String(decoding: piece, as: UTF8.self)
                }
                try #require(text.contains(word), "\(text)")
            }
            try input.fileHandleForWriting.write(contentsOf: Data("select Item\n".utf8))
            try await read(until: "one")
            try await tool.output("insert", url, "Item", "id=2", "name=two")
            try input.fileHandleForWriting.write(contentsOf: Data("select Item\n".utf8))
            try await read(until: "two")
            try input.fileHandleForWriting.close()
            await ending.wait()
        }
    }

    @Test(.enabled(if: canTry && FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3")))
    func `a log that cannot be read there is named`() async throws {
        try await Self.withStore("sqlite") { tool, _, folder in
            try Self.setPermissions(0o755, folder)
            // A copy of a database that is being written, without the file that belongs to the log.
            let process = tool.process([
                "bundle/store", "UPDATE Item SET name = 'two'",
                ".shell cp bundle/store bundle/copy && cp bundle/store-wal bundle/copy-wal",
            ])
            process.executableURL = URL(filePath: "/usr/bin/sqlite3")
            try #require(try await process.result().isSuccess)
            try Self.setPermissions(0o555, folder)
            let run = try await Self.reader(tool, ["select", "sqlite:bundle/copy", "Item"]).result()
            expect(run.status == 74 && run.error.contains("copy-wal has commits"), "\(run.error)")
        }
    }
}
