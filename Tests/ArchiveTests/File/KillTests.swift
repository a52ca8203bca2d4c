import ArchiveBackend
import Foundation
import StorageAPI
import TestSupport
import Testing

/// Processes that are killed while they write.
@Suite struct KillTests {
    /// `STORAGE_KILLS=200 swift test --filter KillTests` kills that many.
    private static let kills =
        ProcessInfo.processInfo.environment["STORAGE_KILLS"].flatMap(Int.init)
        ?? TestExtent.count(5)

    @Test func `a killed writer has stored all that it was told is stored`() async throws {
        let folder = URL(filePath: NSTemporaryDirectory()).appending(path: "kill-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "a.karch").path
        for _ in 0..<Self.kills {
            let (commits, turns) = KillSwitch.random()
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, commits = commits as Int, turns = turns as Int] in
                try WriterLoop.run(path, KillSwitch(afterCommits: commits, turns: turns))
            }
            try WriterLoop.check(path)
        }
        report("a file's writer killed", ["kept what was acknowledged": Self.kills])
    }
}

/// Appends pairs of entries with one number, now and then rewrites, and notes each number that a call has returned for.
enum WriterLoop {
    static func run(_ path: String, _ killing: KillSwitch) throws {
        let opened = try openFile(path)
        let notes = try openNotes(path + ".acknowledged")
        var items = opened.items
        for number in (items.count / 2)... {
            let pair = [FileItem("n/\(number).a", noiseBytes(number % 900)), FileItem("n/\(number).b", "\(number)")]
            try opened.file.append { (writer) throws(StorageError) in try writer.add(pair) }
            items += pair
            try notes.write(contentsOf: Data("\(number)\n".utf8))
            killing.committed()
            if number % 50 == 49 { try opened.file.rewrite(items) }
        }
    }

    private static func openNotes(_ path: String) throws -> FileHandle {
        if !FileManager.default.fileExists(atPath: path) { try Data().write(to: URL(filePath: path)) }
        let notes = try FileHandle(forWritingTo: URL(filePath: path))
        try notes.seekToEnd()
        return notes
    }

    /// All pairs are whole and in order, and none that was noted is missing.
    static func check(_ path: String) throws {
        let noted = (try? String(contentsOfFile: path + ".acknowledged", encoding: .utf8)) ?? ""
        let last = noted.split(separator: "\n").last.flatMap { Int($0) } ?? -1
        let opened = try openFile(path)
        let items = opened.items
        try opened.file.close()
        expect(items.count.isMultiple(of: 2) && items.count / 2 > last)
        for (index, item) in items.enumerated() {
            try #require(item.name == "n/\(index / 2).\(index.isMultiple(of: 2) ? "a" : "b")")
        }
    }
}
