internal import StorageAPI
import StorageDriver
internal import Synchronization

extension Conformance {
    /// T1: transactions that are repeated.
    static let repeatingCases: [ConformanceCase] = [
        ConformanceCase(
            "transactions/repeated", for: [.t1: [3]],
            "A transaction is repeated where another is in its way, as often as is asked, and leaves one trace."
        ) { t in
            let collisions = Collisions()
            let store = try await Store(CollidingBackend(t.place.backend(), collisions), models: Pen.self)
            let attempts = Count()
            // Before the body, and in a call of it.
            collisions.set(begins: 2, writes: 0)
            try await store.transaction(retries: 2) { tx in
                attempts.add()
                try tx.insert(Pen(id: 1))
            }
            try t.expect(attempts.value, equals: 1)
            collisions.set(begins: 1, writes: 2)
            try await store.transaction(retries: 3) { tx in
                attempts.add()
                try tx.delete(Pen.self, key: 1)
                try tx.savepoint { _ = try tx.insert(Pen(id: attempts.value)) }
            }
            try t.expect(attempts.value, equals: 4)
            collisions.set(begins: 0, writes: 2)
            let error = try await t.expectError(.conflict) {
                try await store.transaction(retries: 1) { tx in
                    attempts.add()
                    try tx.insert(Pen(id: 9))
                }
            }
            try t.expect(error.model, equals: "Pen")
            try t.expect(attempts.value, equals: 6)
            try t.expect(try await store.select(Pen.self).keys(), equals: [4])
            try await store.close()
        },
        ConformanceCase(
            "transactions/body-not-repeated", for: [.t1: [2, 3]],
            "An error of a body's own is never a reason to repeat it, whatever its code, and comes out unchanged."
        ) { t in
            let collisions = Collisions()
            let store = try await Store(CollidingBackend(t.place.backend(), collisions), models: Pen.self)
            let attempts = Count()
            for code in [StorageError.Code.busy, .conflict, .io] {
                let error = try await t.expectError(code) {
                    try await store.transaction(retries: 3) { tx throws(StorageError) in
                        attempts.add()
                        try tx.insert(Pen(id: 1))
                        throw StorageError(code, "The body's own.")
                    }
                }
                try t.expect(error.message, equals: "The body's own.")
                try t.expect(error.operation == nil, "The error is another.")
            }
            try t.expect(attempts.value, equals: 3)
            // Also where a call has met another before.
            collisions.set(begins: 0, writes: 1)
            try await t.expectError(.busy) {
                try await store.transaction(retries: 3) { tx in
                    attempts.add()
                    do { try tx.insert(Pen(id: 1)) } catch { throw StorageError(.busy, "The body's own.") }
                }
            }
            try t.expect(attempts.value, equals: 4)
            try t.expect(try await store.select(Pen.self).count(), equals: 0)
            try await store.close()
        },
    ]
}

/// The number of times that a backend finds another one in its way.
private final class Collisions: Sendable {
    private let left = Mutex((begins: 0, writes: 0))

    func set(begins: Int, writes: Int) { left.withLock { $0 = (begins, writes) } }

    func begin() throws(StorageError) {
        let collides = left.withLock { left in
            left.begins -= 1
            return left.begins >= 0
        }
        if collides { throw StorageError(.busy, "Somebody else writes.") }
    }

    func write() throws(StorageError) {
        let collides = left.withLock { left in
            left.writes -= 1
            return left.writes >= 0
        }
        if collides { throw StorageError(.conflict, "Somebody else is in the way.") }
    }
}

/// A backend in whose way another one is.
private struct CollidingBackend: ForwardingBackend {
    let backend: any StorageBackend
    let collisions: Collisions

    init(_ backend: any StorageBackend, _ collisions: Collisions) {
        (self.backend, self.collisions) = (backend, collisions)
    }

    func forward(to engine: any StorageEngine) -> ForwardingEngine {
        ForwardingEngine(engine) { [collisions] in
            $0.begin = { () throws(StorageError) in try collisions.begin() }
            $0.writer = { CollidingWriter($0, collisions) }
        }
    }
}

private final class CollidingWriter: ForwardingWriter {
    private let collisions: Collisions

    init(_ writer: any StorageWriter, _ collisions: Collisions) {
        self.collisions = collisions
        super.init(writer)
    }

    override func write(_ batch: borrowing RowBatch) throws(StorageError) -> Int {
        if batch.plan.operation == .insert { try collisions.write() }
        return try writer.write(batch)
    }
}
