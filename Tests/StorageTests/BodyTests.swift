import CSQLite
import Foundation
import MemoryBackend
import SQLiteBackend
import StorageKit
import Synchronization
import TestSupport
import Testing

/// Each body of the user's with each call that cannot be made in it. The store refuses the calls before its engine takes
/// part, and cases of the conformance suite prove a few of them on each engine.
@Suite("T9 Misuse never hangs")
struct BodyTests {
    @Storable struct Item: Equatable {
        var id: Int
        var text = ""
    }
    @Storable struct Late {
        var id: Int
    }

    /// A call in a body.
    typealias Call = @Sendable (Store) throws -> Void
    /// Runs one call inside a body of the store.
    typealias Body = @Sendable (Store, @escaping @Sendable () -> Void) async throws -> Void

    static let changes: [(name: String, call: Call)] = [
        ("close", { try $0.blocking.close() }),
        ("insert", { try $0.blocking.insert(Item(id: 9)) }),
        ("insert nothing new", { try $0.blocking.insert([Item(id: 8), Item(id: 9)]) }),
        ("save", { try $0.blocking.save(Item(id: 9)) }),
        ("update", { try $0.blocking.update(Item(id: 1, text: "x")) }),
        ("partial update", { try $0.blocking.update(Item.self).set(\.text, to: "x").run() }),
        ("delete", { try $0.blocking.delete(Item.self, key: 1) }),
        ("delete by a condition", { try $0.blocking.delete(Item.self).where { $0.id == 1 }.run() }),
        ("truncate", { try $0.blocking.truncate(Item.self) }),
        ("transaction", { try $0.blocking.transaction { _ in } }),
        (
            "prepare",
            {
                try $0.blocking.prepare([
                    RecordSchema(name: "New", properties: [.init(name: "id", kind: .column(.int64), isKey: true)])
                ])
            }
        ),
        ("records", { try $0.blocking.records("Item").delete() }),
        ("a model used first", { _ = try $0.blocking.select(Late.self).count() }),
    ]

    static let reads: [(name: String, call: Call)] = [
        ("find", { _ = try $0.blocking.find(Item.self, key: 1) }),
        ("all", { _ = try $0.blocking.select(Item.self).all() }),
        ("count", { _ = try $0.blocking.select(Item.self).count() }),
        ("forEach", { try $0.blocking.select(Item.self).forEach { _ in } }),
        ("only", { _ = try $0.blocking.select(Item.self).only { $0.text }.all() }),
        ("group", { _ = try $0.blocking.select(Item.self).group { $0.text }.all { $0.count } }),
        ("read", { try $0.blocking.read { _ in } }),
        ("records", { _ = try $0.blocking.records("Item").all() }),
    ]

    static let writing: [(name: String, body: Body)] = [
        ("transaction", { store, call in try await store.transaction { _ in call() } }),
        ("blocking.transaction", { store, call in try store.blocking.transaction { _ in call() } }),
        ("savepoint", { store, call in try await store.transaction { tx in try tx.savepoint { call() } } }),
        (
            "a loop in a transaction",
            { store, call in try await store.transaction { tx in try tx.select(Item.self).forEach { _ in call() } } }
        ),
        (
            "a copy's progress, of the target",
            { store, call in
                let source = try await Store(InMemoryBackend(), models: Item.self)
                try await source.insert(Item(id: 100))
                try await store.copy(from: source, replacing: true) { _ in call() }
                try await source.close()
            }
        ),
    ]

    static let reading: [(name: String, body: Body)] = [
        ("read", { store, call in try await store.read { _ in call() } }),
        ("blocking.read", { store, call in try store.blocking.read { _ in call() } }),
        ("loop", { store, call in try store.blocking.select(Item.self).forEach { _ in call() } }),
        (
            "loop in an order",
            { store, call in try store.blocking.select(Item.self).order { $0.text }.forEach { _ in call() } }
        ),
        ("loop over records", { store, call in try store.blocking.records("Item").forEach { _ in call() } }),
        (
            "loop in a read block",
            { store, call in try await store.read { tx in try tx.select(Item.self).forEach { _ in call() } } }
        ),
        (
            "differences",
            { store, call in
                let other = try await Store(InMemoryBackend(), models: Item.self)
                try await store.differences(from: other) { _ in call() }
                try await other.differences(from: store) { _ in call() }
                try await other.close()
            }
        ),
        (
            "a copy's progress, of the source",
            { store, call in
                let target = try await Store(InMemoryBackend(), models: Item.self)
                try await target.copy(from: store) { _ in call() }
                try await target.close()
            }
        ),
    ]

    @Test func `in a transaction every call of the store itself is busy at once`() async throws {
        for body in Self.writing { try await check(body, Self.changes + Self.reads) }
    }

    @Test func `in a read block and in a loop writing and closing are busy at once`() async throws {
        for body in Self.reading { try await check(body, Self.changes) }
    }

    @Test func `with SQLite's own handle writing and closing are busy at once`() async throws {
        let body: (String, Body) = ("handle", { store, call in try await store.withUnsafeSQLiteHandle { _ in call() } })
        try await check(body, Self.changes)
        let nested: (String, Body) = (
            "transaction", { store, call in try await store.transaction { _ in call() } }
        )
        // A task that begins on the calling thread.
        try await check(
            nested,
            [("handle", { store in try Self.immediately { try await store.withUnsafeSQLiteHandle { _ in } } })])
    }

    @Test func `closing by a task that begins on the body's thread is busy`() async throws {
        let close: (String, Call) = ("close", { store in try Self.immediately { try await store.close() } })
        for body in Self.writing + Self.reading { try await check(body, [close]) }
    }

    @Test func `a body's end lets everything go on`() async throws {
        try await withStore(.sqlite) { store in
            try await store.insert(Item(id: 1))
            await #expect(throws: CancellationError.self) {
                try await store.read { _ in throw CancellationError() }
            }
            #expect(throws: CancellationError.self) {
                try store.blocking.select(Item.self).forEach { _ in throw CancellationError() }
            }
            try store.blocking.read { _ in
                // Reading is another snapshot, and does not wait.
                try expect(store.blocking.select(Item.self).count(), equals: 1)
                try store.blocking.read { _ in }
            }
            try store.blocking.insert(Item(id: 2))
            try store.blocking.close()
        }
    }

    /// Runs each call in the body, each on a store of its own, and expects `busy` before long.
    private func check(
        _ body: (name: String, body: Body), _ calls: [(name: String, call: Call)]
    ) async throws {
        try await withStore(.sqlite) { store in
            try await store.insert(Item(id: 1))
            for call in calls {
                let codes = Mutex<[StorageError.Code?]>([])
                let ended = await endsInTime {
                    try await body.body(store) {
                        let code: StorageError.Code?
                        do {
                            try call.call(store)
                            code = nil
                        } catch {
                            code = (error as? StorageError)?.code
                        }
                        codes.withLock { $0.append(code) }
                    }
                }
                expect(ended, "\(call.name) in \(body.name) hangs")
                let found = codes.withLock { $0 }
                expect(!found.isEmpty && found.allSatisfy { $0 == .busy }, "\(call.name) in \(body.name): \(found)")
            }
            try await expect(store.select(Item.self).all().count, equals: 1)
        }
    }

    /// Returns whether the body ends within ten minutes, which a busy machine does not pass, and abandons one that hangs.
    private func endsInTime(_ body: @escaping @Sendable () async throws -> Void) async -> Bool {
        await withCheckedContinuation { continuation in
            let isAnswered = Atomic(false)
            let answer = { @Sendable (ended: Bool) in
                guard !isAnswered.exchange(true, ordering: .relaxed) else { return }
                continuation.resume(returning: ended)
            }
            DispatchQueue.global().asyncAfter(deadline: .now() + 600) { answer(false) }
            Task.detached {
                do { try await body() } catch { Issue.record(error) }
                answer(true)
            }
        }
    }

    /// Expects the error that an asynchronous call throws before it waits for anything.
    private static func immediately(_ body: @escaping @Sendable () async throws -> Void) throws {
        let failure = Mutex<(any Error)?>(nil)
        Task.immediate {
            do { try await body() } catch { failure.withLock { $0 = error } }
        }
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
