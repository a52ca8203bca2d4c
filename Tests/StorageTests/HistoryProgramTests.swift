import Foundation
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

@Storable("Memo") private struct Memo: Equatable {
    var id: Int
    var text = ""
}

/// The history of programs that start anew for each command.
@Suite struct HistoryProgramTests {
    @discardableResult private func command<T: Sendable>(
        _ folder: URL, author: String? = nil, _ body: (Store) async throws -> T
    ) async throws -> T {
        let store = try await Store(
            SQLiteBackend(path: folder.appending(path: "memos.db").path, durability: .relaxed), models: Memo.self,
            options: .init(history: .init(records: [Memo.self]), author: author))
        let result = try await body(store)
        try await store.close()
        return result
    }

    @Test func `an author of the options signs every write that names no other`() async throws {
        try await withFolder { folder in
            try await command(folder, author: "memo") { store in
                try await store.insert(Memo(id: 1))
                try await store.save([Memo(id: 1, text: "a"), Memo(id: 2)])
                try await store.transaction { tx in
                    expect(tx.author, equals: "memo")
                    tx.author = "Ann"
                    try tx.delete(Memo.self, key: 2)
                }
                try store.blocking.insert(Memo(id: 3))
                try await store.update(Memo.self).where { $0.id == 3 }.set(\.text, to: "b").run()
            }
            let authors = try await command(folder) { try await $0.commits().commits.map(\.author) }
            expect(authors, equals: ["memo", "memo", "Ann", "memo", "memo"])
        }
    }

    @Test func `each command undoes the commit before, by the author or by anyone`() async throws {
        try await withFolder { folder in
            try await command(folder, author: "memo") { store in
                for id in 1...3 { try await store.insert(Memo(id: id)) }
            }
            try await command(folder, author: "other") { try await $0.insert(Memo(id: 4)) }
            await expectError(.notFound) {
                try await command(folder, author: "memo") { try await $0.undoLast() }
            }
            let number = try await command(folder, author: "memo") { try await $0.undoLast(author: "memo") }
            try await command(folder, author: "memo") { try await $0.undoLast(.author("memo")) }
            try await command(folder, author: "memo") { try await $0.undoLast(.anyone) }
            try await command(folder, author: "memo") { store in
                try await expect(store.select(Memo.self).keys(), equals: [1])
                let last = try await store.commits(last: 1).commits.first
                expect(last?.author, equals: "memo")
                expect(last?.origin, equals: .undo)
                try await store.undo(number)
                try await expect(store.select(Memo.self).keys(), equals: [1, 3])
            }
        }
    }

    @Test func `a history of records without types binds a store that is open already`() async throws {
        try await withFolder { folder in
            let path = folder.appending(path: "memos.db").path
            let first = try await Store(SQLiteBackend(path: path, durability: .relaxed), models: Memo.self)
            let second = try await Store(SQLiteBackend(path: path, durability: .relaxed))
            try await first.insert(Memo(id: 1))
            await expectError(.configuration) { try await first.commits(last: 1) }
            await expectError(.invalidQuery) {
                try await second.keepHistory(.records, ofRecords: ["Memos"])
            }
            try await second.keepHistory(.records, ofRecords: ["Memo"], keeping: .commits(10))
            try await first.save(Memo(id: 1, text: "a"))
            try await expect(first.commits(last: 5).commits.map(\.number), equals: [1])
            try await second.undoLast(.anyone)
            try await expect(first.find(Memo.self, key: 1), equals: Memo(id: 1))
            try await expect(second.historyStatus()?.keeping, equals: .commits(10))
            try await second.keepHistory(.off, ofRecords: ["Memo"])
            try await first.delete(Memo.self, key: 1)
            try await expect(second.commits(last: 9).commits.count, equals: 2)
        }
    }
}
