import ArchiveBackend
import Foundation
import MemoryBackend
import PostgreSQLBackend
import SQLiteBackend
import StorageKit

// Searches through a store beside the full-text indexes of the databases, in one run. Times of SQLite and archives are those of
// the processor in this process, all threads together; those of PostgreSQL are on the clock, since most of it is in the server.
//   SearchBench sqlite CORPUS [SAVES]   beside FTS5 with external content and triggers
//   SearchBench archive CORPUS          building and opening, beside an archive without an index
//   SearchBench postgresql CORPUS       beside tsvector with GIN, at the server of STORAGE_POSTGRESQL
//   SearchBench corpus FILE             makes a corpus of the packages that apt-cache dumpavail prints
//   SearchBench equal CORPUS [QUERIES] [SEED]   hits and relevances of random queries, on all engines

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count > 1 else {
    print("usage: SearchBench sqlite|archive|postgresql|equal CORPUS")
    exit(64)
}
if arguments[0] == "corpus" {
    try Corpus.write(packages: FileHandle.standardInput.readToEnd() ?? Data(), to: arguments[1])
    exit(0)
}
let corpus = try Corpus(arguments[1])
let number = arguments.count > 2 ? Int(arguments[2]) : nil
let folder = FileManager.default.temporaryDirectory.appending(path: "search-bench-\(getpid())").path
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(atPath: folder) }
do {
    switch arguments[0] {
    case "sqlite": try await measureSQLite(saves: number ?? 10_000)
    case "archive": try await measureArchive()
    case "postgresql": try await measurePostgreSQL()
    case "equal":
        let isEqual = try await compareEngines(
            queries: number ?? 1000, seed: arguments.count > 3 ? UInt64(arguments[3]) ?? 1 : 1)
        if !isEqual { exit(1) }
    default: throw Failure("unknown: \(arguments[0])")
    }
} catch {
    print("SearchBench: \(error)")
    exit(1)
}
