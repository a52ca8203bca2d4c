import Foundation
import SQLiteBackend
import StorageAPI
import StorageSync

// The costs of synchronisation, hub and replica in this process, both on SQLite. Times of the processor are of all threads, so of
// both sides together.
//   SyncBench [PART…]                  saves, patches, changes, first, quiet, memory; without names all of them
//   SyncBench many [REPLICAS] [SECONDS]   replicas that exchange each second at a hub on PostgreSQL; 1000 for 600 s
//   SyncBench memory-of CASE WAY HUB REPLICA   the greatest memory of a process with one message

let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sync-bench-\(getpid())")
let parts: [(name: String, run: () async throws -> Void)] = [
    ("saves", saves), ("patches", patches), ("changes", changes), ("first", first), ("quiet", quiet),
    ("memory", memory),
]

/// An empty store whose history keeps the notes.
func open(_ name: String, durability: SQLiteBackend.Durability = .full) async throws -> Store {
    try await open(path: folder.appendingPathComponent("\(name).db").path, durability: durability)
}

func open(
    path: String, durability: SQLiteBackend.Durability = .full, cacheMebibytes: Int = 64
) async throws -> Store {
    try await Store(
        SQLiteBackend(path: path, durability: durability, cacheMebibytes: cacheMebibytes), models: Note.self,
        options: .init(history: .init(records: [Note.self])))
}

do {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "memory-of" {
        try await memory(of: arguments.dropFirst())
        exit(0)
    }
    if arguments.first == "many" {
        try await many(arguments.dropFirst())
        exit(0)
    }
    if arguments.first == "devices" {
        try await devices(arguments.dropFirst())
        exit(0)
    }
    let known = parts.map(\.name)
    try require(arguments.allSatisfy(known.contains), "the parts are \(known.joined(separator: " "))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    print("| | measured | goal | |\n|---|---|---|---|")
    for part in parts where arguments.isEmpty || arguments.contains(part.name) { try await part.run() }
} catch {
    print("SyncBench: \(error)")
    exit(1)
}
