import ArchiveBackend
import Foundation
import MemoryBackend
import SQLiteBackend
import StorageKit
import Synchronization
import TestSupport
import Testing

@Suite("S13 Steps that fill records in parts")
struct BackfillTests {
    @Storable("Person") struct Whole {
        var id: Int
        var name = ""
        var height: Double = .nan
    }
    @Storable("Person") struct Filled: Equatable {
        var id: Int
        var first: String? = nil
        var height = 0.0
    }

    /// An action of a test between two calls of the store, which runs once.
    private final class Action: Sendable, Store.Instrument {
        private let action = Mutex<(@Sendable () throws -> Void)?>(nil)

        func set(_ action: @escaping @Sendable () throws -> Void) { self.action.withLock { $0 = action } }

        func run() {
            let action = action.withLock { $0.take() }
            do { try action?() } catch { Issue.record("\(error)") }
        }

        func begin(_ call: Store.Call) -> (@Sendable (Store.Call.End) -> Void)? {
            if call.operation == "transaction" { run() }
            return nil
        }
    }

    private static func filling(
        _ size: Int = 10, duringOpening: Bool = true, progress: (@Sendable (Store.BackfillProgress) -> Void)? = nil
    ) -> Store.Options {
        .backfilling(
            "first", Filled.self, size: size, duringOpening: duringOpening, where: { $0.first == nil },
            progress: progress
        ) { person, old in
            person.first = String(try old.value("name", as: String.self).prefix { $0 != " " })
        }
    }

    private static let backends: [any StorageBackend.Type] = [SQLiteBackend.self, ArchiveBackend.self]

    /// A store with 25 people of the earlier version.
    private static func withPeople(_ engine: String, _ body: (_ url: String) async throws -> Void) async throws {
        try await withFolder { folder in
            let url = "\(engine):\(folder.appending(path: "a.store").path)"
            try await Store(url: url, backends: backends, models: Whole.self).thenClose { store in
                try await store.insert((1...25).map { Whole(id: $0, name: "A\($0) B") })
            }
            try await body(url)
        }
    }

    private static func names(_ store: Store) async throws -> [String?] {
        try await store.select(Filled.self).all().map(\.first)
    }

    @Test func `a record that changes after it was found is looked at again before it is filled`() async throws {
        try await Self.withPeople("sqlite") { url in
            let other = try await Store(url: url, backends: Self.backends, models: Filled.self)
            let action = Action()
            var options = Self.filling(duringOpening: false)
            options.instruments = [action]
            let store = try await Store(url: url, backends: Self.backends, models: Filled.self, options: options)
            // Others write between the read that finds the first part and the transaction that fills it.
            action.set {
                try other.blocking.save(Filled(id: 3, first: "Own"))
                try other.blocking.save(Filled(id: 4, first: nil, height: 2))
                try other.blocking.delete(Filled.self, key: 5)
            }
            try await store.backfill()
            var expected = (1...25).map { Optional("A\($0)") }
            expected[2] = "Own"
            expected.remove(at: 4)
            try await expect(Self.names(store), equals: expected)
            try await expect(store.find(Filled.self, key: 4)?.height, equals: 2)
            try await other.close()
            try await store.close()
        }
    }

    @Test func `a cancelled step ends after a part, and goes on`() async throws {
        try await Self.withPeople("sqlite") { url in
            let action = Action()
            let store = try await Store(
                url: url, backends: Self.backends, models: Filled.self,
                options: Self.filling(duringOpening: false) { _ in action.run() })
            let filling = Task {
                action.set { withUnsafeCurrentTask { $0?.cancel() } }
                try await store.backfill()
            }
            await expectError(.cancelled) { try await filling.value }
            try await expect(store.select(Filled.self).where { $0.first != nil }.count(), equals: 10)
            try await store.backfill()
            try await expect(Self.names(store), equals: (1...25).map { "A\($0)" })
            try await store.close()
        }
    }

    @Test(arguments: ["sqlite", "archive"])
    func `a read-only store opens if it need not wait for the step, or has run it`(_ engine: String) async throws {
        try await Self.withPeople(engine) { url in
            // The tables are as the program declares them, and only the step is missing.
            try await Store(url: url, backends: Self.backends, models: Filled.self).thenClose { _ in }
            let readOnly = url + "?readonly=true"
            let refused = await expectError(.schemaMismatch) {
                try await Store(url: readOnly, backends: Self.backends, models: Filled.self, options: Self.filling())
            }
            expect(refused?.message.contains("first"), equals: true)
            try await Store(
                url: readOnly, backends: Self.backends, models: Filled.self,
                options: Self.filling(duringOpening: false)
            ).thenClose { store in
                await expectError(.unsupported) { try await store.backfill() }
                try await expect(Self.names(store), equals: Array(repeating: nil, count: 25))
            }
            try await Store(url: url, backends: Self.backends, models: Filled.self, options: Self.filling()).thenClose {
                _ in
            }
            try await Store(url: readOnly, backends: Self.backends, models: Filled.self, options: Self.filling())
                .thenClose { store in
                    try await store.backfill()
                    try await expect(Self.names(store), equals: (1...25).map { "A\($0)" })
                }
        }
    }

    @Test func `a store on the caller's thread fills when it is opened, or when it is told to`() throws {
        for (isWaiting, before) in [(false, [nil, nil]), (true, ["Ada", "Plato"])] {
            let place = InMemoryBackend.Place()
            let old = try Store.Blocking.open(InMemoryBackend(place), models: Whole.self)
            try old.blocking.insert([Whole(id: 1, name: "Ada Lovelace"), Whole(id: 2, name: "Plato")])
            try old.blocking.close()
            let store = try Store.Blocking.open(
                InMemoryBackend(place), models: Filled.self, options: Self.filling(1, duringOpening: isWaiting))
            try expect(store.blocking.select(Filled.self).all().map(\.first), equals: before)
            try store.blocking.backfill()
            try expect(store.blocking.select(Filled.self).all().map(\.first), equals: ["Ada", "Plato"])
            try store.blocking.close()
        }
    }
}
