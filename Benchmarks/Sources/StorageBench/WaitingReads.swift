import CBaseline
import Foundation
import SQLiteBackend
import StorageAPI

/// Lets reads of an actor wait until all are there, and counts the instructions for each of them from then on. Many that wait
/// take as many as few.
enum WaitingReads {
    static func count(_ number: Int, _ repetitions: Int) async throws {
        let path = folder.appendingPathComponent("waiting.db").path
        let store = try Store.Blocking.open(SQLiteBackend(path: path, durability: .relaxed), models: Link.self)
        try store.blocking.insert(Link(id: 0, above: nil))
        for round in 0...repetitions {
            let caller = Caller(store)
            try await withThrowingTaskGroup(of: Void.self) { group in
                // There are no more threads for reads than processors.
                let blocked = ProcessInfo.processInfo.activeProcessorCount
                for _ in 0..<blocked { group.addTask { try await caller.block() } }
                for _ in 0..<blocked { await caller.blocked.wait() }
                for _ in 0..<number { group.addTask { try await caller.find() } }
                // The last read waits when the actor takes the next call.
                while await caller.calls < number { await Task.yield() }
                cbaseline_count(round > 0 ? 1 : 0)
                for _ in 0..<blocked { caller.gate.signal() }
                try await group.waitForAll()
                cbaseline_count(0)
            }
        }
        print("operations", number * repetitions)
    }

    private actor Caller {
        private let store: Store
        nonisolated let gate = DispatchSemaphore(value: 0)
        nonisolated let blocked = Arrivals()
        private(set) var calls = 0

        init(_ store: Store) { self.store = store }

        /// Occupies a thread for reads until the gate is opened.
        func block() async throws {
            let (gate, blocked) = (gate, blocked)
            try await store.read { _ in
                blocked.arrive()
                gate.wait()
            }
        }

        func find() async throws {
            calls += 1
            guard try await store.find(Link.self, key: 0) != nil else { throw BenchmarkError("the link is gone") }
        }
    }

    /// Counts arrivals for a task that waits for each without a thread.
    private final class Arrivals: Sendable {
        private let (stream, continuation) = AsyncStream<Void>.makeStream()

        func arrive() { continuation.yield() }
        func wait() async { for await _ in stream { return } }
    }
}
