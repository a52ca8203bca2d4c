internal import Foundation
internal import StorageAPI
import StorageDriver
internal import Synchronization

extension Conformance {
    /// T5 and T9: closing beside another call that closes, and inside a decoder.
    static let closingCases: [ConformanceCase] = [
        ConformanceCase(
            "closing/twice-at-once", for: [.t5: [4]], "A second call that closes returns when the engine is closed."
        ) { t in
            let (closed, returned) = (Count(), Count())
            let tooEarly = Mutex(false)
            let second = Mutex<Store?>(nil)
            let backend = WatchedBackend(try await t.place.backend()) {
                // The first call is at its end. The second one has this long to return before it.
                guard let store = second.withLock({ $0 }) else { return }
                Thread.detachNewThread {
                    try? store.blocking.close()
                    tooEarly.withLock { $0 = closed.value == 0 }
                    returned.add()
                }
                Thread.sleep(forTimeInterval: 0.05)
            } onClosed: {
                closed.add()
            }
            let store = try await Store(backend, models: Pen.self)
            try await store.insert(Pen(id: 1))
            second.withLock { $0 = store }
            try await store.close()
            returned.wait(for: 1)
            second.withLock { $0 = nil }
            try t.expect(!tooEarly.withLock { $0 }, "The second call returned while the first was closing.")
            try await store.close()
        },
        ConformanceCase(
            "closing/in-decoder", for: [.t9: [3]], "Closing a store while it decodes a value is busy, and no deadlock."
        ) { t in
            let store = try await t.open(Trap.self)
            try await store.insert(Trap(id: 1, spring: Spring(number: Spring.next.add(1, ordering: .relaxed).newValue)))
            let number = Spring.next.load(ordering: .relaxed)
            let codes = Mutex<[StorageError.Code?]>([])
            Spring.actions.withLock { actions in
                actions[number] = {
                    let code = Self.code { try store.store.blocking.close() }
                    codes.withLock { $0.append(code) }
                }
            }
            defer { Spring.actions.withLock { $0[number] = nil } }
            let reads: [() async throws -> Int] = [
                { try await store.find(Trap.self, key: 1) == nil ? 0 : 1 },
                { try await store.all(Trap.self).count }, { try store.blocking.all(Trap.self).count },
                { try await store.read { try $0.all(Trap.self).count } },
                { try await store.transaction { _, tx in try tx.all(Trap.self).count } },
            ]
            for read in reads { try t.expect(try await read(), equals: 1) }
            let found = codes.withLock { $0 }
            try t.expect(found, equals: Array(repeating: .busy, count: reads.count))
            Spring.actions.withLock { $0[number] = nil }
            try t.expect(try await store.select(Trap.self).count(), equals: 1, "The store is closed.")
        },
    ]

    private static func code(_ body: () throws -> Void) -> StorageError.Code? {
        do { try body() } catch { return (error as? StorageError)?.code }
        return nil
    }
}

/// An embedded value whose decoder runs an action of the case that stored it.
struct Spring: Codable, Sendable {
    static let actions = Mutex<[Int: @Sendable () -> Void]>([:])
    static let next = Atomic(0)

    let number: Int

    init(number: Int) { self.number = number }

    init(from decoder: any Decoder) throws {
        let number = try decoder.singleValueContainer().decode(Int.self)
        self.number = number
        Self.actions.withLock { $0[number] }?()
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }
}

/// A backend that tells when its engine is being closed, and when it is.
struct WatchedBackend: ForwardingBackend {
    let backend: any StorageBackend
    let onClosing: @Sendable () -> Void
    let onClosed: @Sendable () -> Void

    init(
        _ backend: any StorageBackend, onClosing: @escaping @Sendable () -> Void,
        onClosed: @escaping @Sendable () -> Void
    ) {
        (self.backend, self.onClosing, self.onClosed) = (backend, onClosing, onClosed)
    }

    func forward(to engine: any StorageEngine) -> ForwardingEngine {
        ForwardingEngine(engine) { [onClosing, onClosed] in
            $0.close = { (engine) throws(StorageError) in
                onClosing()
                try engine.close()
                onClosed()
            }
        }
    }
}
