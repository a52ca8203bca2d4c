import ArchiveBackend
import Foundation
import SQLiteBackend
import StorageAPI

// ArchiveBench [RECORDS [codec|bulk|single|tasks|commits|opening]]: the archive's figures as ratios, with 100,000 records and (opening, commits) RECORDS of them.
// ArchiveBench open PATH: opens a store and says how fast, and what memory it took; in a separate process for that.
// ArchiveBench count CASE RECORDS ROUNDS: one case for callgrind.

let arguments = CommandLine.arguments
if arguments.count > 2, arguments[1] == "open" {
    try StoreBench.open(arguments[2])
} else {
    let folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("archive-bench-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    if arguments.count > 1, arguments[1] == "count" {
        try Counting.run(arguments.dropFirst(2), folder: folder)
    } else {
        let large = arguments.count > 1 ? Int(arguments[1]) ?? 1_000_000 : 1_000_000
        try StoreBench(folder: folder, count: 100_000, large: large).run(arguments.count > 2 ? arguments[2] : "all")
    }
}
