import ArchiveBackend
import CBaseline
import Foundation
import KeyedArchives
import StorageAPI

/// Runs one case in callgrind, which counts the instructions of the case alone.
enum Counting {
    /// Prints how many operations the instructions are for.
    static func run(_ arguments: ArraySlice<String>, folder: URL) throws {
        let arguments = Array(arguments)
        guard arguments.count == 3, let count = Int(arguments[1]), let rounds = Int(arguments[2]), count > 0 else {
            return print("usage: ArchiveBench count encode|decode|save|tasks|find|open RECORDS ROUNDS")
        }
        let records = Sample.make(0..<count)
        let path = folder.appendingPathComponent("count.karch").path
        let body = try body(arguments[0], records, path)
        // The first round, which is not counted, prepares what is kept.
        for round in 0...rounds {
            cbaseline_count(round > 0 ? 1 : 0)
            try body(round)
            cbaseline_count(0)
        }
        print("operations", count * rounds)
    }

    private static func body(_ name: String, _ records: [Sample], _ path: String) throws -> (Int) throws -> Void {
        switch name {
        case "encode": return { _ in consume(try KeyedArchive.encode(records)) }
        case "decode":
            let archive = try KeyedArchive.encode(records)
            return { _ in consume(try KeyedArchive.decode([Sample].self, from: archive)) }
        default: break
        }
        let backend = ArchiveBackend(path: path, durability: .relaxed, compaction: .manual)
        let store = try Store.Blocking.open(backend, models: Sample.self)
        try store.blocking.insert(records)
        switch name {
        case "save": return { try save(records, store, $0) }
        case "tasks": return { saveInTasks(records, store, $0) }
        case "find":
            return { _ in for record in records { consume(try store.blocking.find(Sample.self, key: record.id)) } }
        default:
            waitFor {
                try await store.compact()
                try await store.close()
            }
            return { _ in consume(try Store.Blocking.open(backend, models: Sample.self)) }
        }
    }

    /// Saves by 64 tasks at a time, whose commits are put together.
    private static func saveInTasks(_ records: [Sample], _ store: Store, _ round: Int) {
        waitFor {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<64 {
                    group.addTask {
                        for index in stride(from: task, to: records.count, by: 64) {
                            var record = records[index]
                            record.age = 1000 + round
                            try await store.save(record)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    private static func save(_ records: [Sample], _ store: Store, _ round: Int) throws {
        for index in records.indices {
            var record = records[(index * 7919) % records.count]
            // A record that is stored as it is already costs nothing.
            record.age = 1000 + round
            try store.blocking.save(record)
        }
    }
}
