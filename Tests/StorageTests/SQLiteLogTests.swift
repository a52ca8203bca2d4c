import Foundation
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

@Suite("SQLite's write-ahead log")
struct SQLiteLogTests {
    @Storable struct Counter: Equatable {
        var id: Int
        var count = 0
        var text = ""
    }

    @Test func `the log stays below 1,100 pages beside a small database, and closing removes it`() async throws {
        try await withDatabase { path in
            try await Store(SQLiteBackend(path: path, durability: .relaxed), models: Counter.self).thenClose { store in
                let text = String(repeating: "x", count: 3000)
                for count in 1...3000 { try await store.save(Counter(id: 1, count: count, text: text)) }
                try expect(size(path + "-wal") < 1100 * 4096)
                try await expect(store.find(Counter.self, key: 1)?.count, equals: 3000)
            }
            expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        }
    }

    @Test func `a log that one transaction has made large is cut by later ones`() async throws {
        try await withDatabase { path in
            try await Store(SQLiteBackend(path: path, durability: .relaxed), models: Counter.self).thenClose { store in
                let text = String(repeating: "x", count: 3500)
                try await store.insert((1...15_000).map { Counter(id: $0, text: text) })
                try await store.truncate(Counter.self)
                for count in 1...10 { try await store.save(Counter(id: 1, count: count)) }
                try expect(size(path + "-wal") <= 40_960_000)
            }
        }
    }

    private func size(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    }
}
