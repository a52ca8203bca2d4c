import Foundation
import MemoryBackend
import SQLiteBackend
import StorageKit
import Synchronization
import TestSupport
import Testing

/// Tests the reports that a store's instruments receive.
@Suite struct InstrumentTests {
    @Storable struct Crate: Equatable {
        var id: Int
        var name: String
        var parts: [Part] = []
    }

    @Storable struct Part: Equatable {
        var id: Int
    }

    /// Keeps the reports that it receives.
    final class Journal: Store.Instrument {
        private let entries = Mutex<[(call: Store.Call, end: Store.Call.End?)]>([])
        @TaskLocal static var name: String?
        private let names = Mutex<[String?]>([])

        func begin(_ call: Store.Call) -> (@Sendable (Store.Call.End) -> Void)? {
            names.withLock { $0.append(Self.name) }
            let place = entries.withLock { entries in
                entries.append((call, nil))
                return entries.count - 1
            }
            return { end in self.entries.withLock { $0[place].end = end } }
        }

        /// Returns the reports since the last call.
        func take() -> [(call: Store.Call, end: Store.Call.End?)] {
            entries.withLock { entries in
                defer { entries = [] }
                return entries
            }
        }

        func takeNames() -> [String?] {
            names.withLock { names in
                defer { names = [] }
                return names
            }
        }
    }

    private func withJournal(_ body: (Store, Journal) async throws -> Void) async throws {
        let journal = Journal()
        let store = try await Store(InMemoryBackend(), models: Crate.self, options: .init(instruments: [journal]))
        _ = journal.take()
        _ = journal.takeNames()
        try await body(store, journal)
        try await store.close()
    }

    private let crate = Crate(id: 1, name: "four", parts: [Part(id: 1), Part(id: 2)])

    @Test func `a delete by a condition reads no keys where the engine finds them by itself`() async throws {
        try await withDatabase { path in
            let journal = Journal()
            let store = try await Store(
                SQLiteBackend(path: path), models: Crate.self, options: .init(instruments: [journal]))
            try await store.insert((1...50).map { Crate(id: $0, name: "n", parts: [Part(id: 1), Part(id: 2)]) })
            _ = journal.take()
            let count = try await store.delete(Crate.self).where { $0.id <= 40 }.run()
            expect(count, equals: 40)
            let end = try #require(journal.take().first?.end)
            expect(end.rowsRead, equals: 0)
            expect(end.rowsWritten, equals: 120)
            try await store.close()
        }
    }

    @Test func `a store that is opened without async has instruments and a clock`() throws {
        let journal = Journal()
        let time = Date(timeIntervalSince1970: 1_000_000)
        let models: [any Storable.Type] = [Crate.self, Part.self]
        let store = try Store.Blocking.open(
            InMemoryBackend(), models: models,
            options: .init(history: .init(keys: [Crate.self]), instruments: [journal], clock: { time }))
        _ = journal.take()
        try store.blocking.insert(Crate(id: 1, name: "a"))
        expect(journal.take().map(\.call.operation), equals: ["insert"])
        try store.blocking.close()
        let other = try Store.Blocking.open(
            InMemoryBackend(), models: Crate.self, Part.self, options: .init(instruments: [journal]))
        try other.blocking.close()
    }

    @Test func `a save and a find are told with their rows and bytes`() async throws {
        try await withJournal { store, journal in
            try await store.insert(crate)
            let write = try #require(journal.take().first)
            expect(write.call.operation == "insert" && write.call.model == "Crate")
            expect(write.call.backend == "memory" && write.call.isWriting && write.call.waitingWriters == 0)
            expect(write.end?.rowsWritten, equals: 3)
            // A key and a name of four bytes; for each part the owner's key, the place and the key.
            expect(write.end?.bytesWritten, equals: 8 + 4 + 2 * 24)
            expect(write.end?.error == nil)
            try await expect(store.find(Crate.self, key: 1), equals: crate)
            let read = try #require(journal.take().first)
            expect(read.call.operation == "find" && !read.call.isWriting)
            expect(read.end?.rowsRead == 3 && read.end?.rowsWritten == 0)
            expect(read.end?.bytesRead ?? 0 > 0 && read.end?.duration ?? .zero > .zero)
        }
    }

    @Test func `each verb, query, stream, block and transaction is one call`() async throws {
        try await withJournal { store, journal in
            try await store.save([crate, Crate(id: 2, name: "b")])
            _ = try await store.select(Crate.self).all()
            _ = try await store.select(Crate.self).count()
            for try await _ in store.select(Crate.self).stream() {}
            _ = try await store.update(Crate.self).set(\.name, to: "c").run()
            try store.blocking.save(crate)
            _ = try store.blocking.select(Crate.self).keys()
            try await store.read { snapshot in _ = try snapshot.find(Crate.self, key: 1) }
            try await store.transaction { tx in
                try tx.save(crate)
                try tx.delete(crate)
            }
            let told = journal.take()
            expect(
                told.map(\.call.operation),
                equals: [
                    "save", "select", "select", "stream", "update", "save", "select", "read", "transaction",
                ])
            expect(told.map(\.call.isWriting), equals: [true, false, false, false, true, true, false, false, true])
            expect(told.allSatisfy { $0.end != nil && $0.end?.error == nil })
            expect(told[3].end?.rowsRead, equals: 4)
            expect(told[8].call.model == nil)
        }
    }

    @Test func `a call that fails is told with its error`() async throws {
        struct Other: Error {}
        try await withJournal { store, journal in
            try await store.insert(crate)
            await expectError(.duplicateKey) { try await store.insert(crate) }
            await #expect(throws: Other.self) { try await store.transaction { _ in throw Other() } }
            let told = journal.take()
            expect(told.map { $0.end?.error?.code }, equals: [nil, .duplicateKey, .cancelled])
            expect(told[1].end?.error?.operation, equals: "insert")
        }
    }

    @Test func `a call is told of in its task`() async throws {
        try await withJournal { store, journal in
            try await Journal.$name.withValue("request") {
                try await store.insert(crate)
                _ = try await store.select(Crate.self).all()
            }
            expect(journal.takeNames(), equals: ["request", "request"])
        }
    }

    @Test func `a stream that is left early has ended`() async throws {
        try await withJournal { store, journal in
            try await store.insert((1...600).map { Crate(id: $0, name: "") })
            _ = journal.take()
            for try await crate in store.select(Crate.self).stream() where crate.id == 2 { break }
            expect(journal.take().map { $0.end?.error == nil }, equals: [true])
        }
    }

    @Test func `observed queries and explanations work as without`() async throws {
        try await withJournal { store, _ in
            try await store.insert(crate)
            for try await crates in store.select(Crate.self).values() {
                expect(crates, equals: [crate])
                break
            }
            try await expect(store.select(Crate.self).where { $0.id == 1 }.explain().access, equals: .key)
        }
    }
}
