internal import Dispatch
import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

// Reads run on the caller's thread, if no actor waits for it in the meantime and the engine is on this machine (clause T7).

extension Store {
    /// Returns whether a read runs on the calling thread.
    ///
    /// - Parameter caller: the actor that the caller runs on; nil for none.
    @inlinable @inline(__always)
    func readsHere(_ caller: (any Actor)?) -> Bool { caller == nil && !readsWait }

    /// Runs a body on the caller's thread or on a reader thread, in the caller's task: cancelling the task ends the read.
    @usableFromInline
    nonisolated(nonsending) func reads<T: Sendable, E: Error>(
        _ body: sending () throws(E) -> T
    ) async throws(E) -> T {
        // A function, since the compiler (6.3) crashes on `#isolation == nil`.
        readsHere(#isolation) ? try body() : try await ReaderThreadHop(readers).run(body)
    }
}

/// Threads for the reads of actors and for reads that wait for a server. Each thread is created when it is first needed.
/// When all are in use, later reads wait their turn.
final class ReaderThreads: Sendable {
    private struct State {
        var made = 0
        /// The idle threads.
        var idle: [DispatchQueue] = []
        var waiting = Waiting()
    }

    /// The queue of waiting reads, first in, first out. Taking the first costs the same however many are waiting.
    private struct Waiting {
        private var bodies: [(@Sendable () -> Void)?] = []
        private var first = 0

        mutating func append(_ body: @escaping @Sendable () -> Void) { bodies.append(body) }

        mutating func popFirst() -> (@Sendable () -> Void)? {
            guard first < bodies.count else { return nil }
            defer {
                first += 1
                // Half of the places are free by then, so each is moved once.
                if first > 32, first * 2 > bodies.count {
                    bodies.removeFirst(first)
                    first = 0
                }
            }
            return bodies[first].take()
        }
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: the maximum number; nil for the number of processors.
    init(limit: Int?) { self.limit = max(limit ?? ProcessInfo.processInfo.activeProcessorCount, 1) }

    func run(_ body: @escaping @Sendable () -> Void) {
        let thread = state.withLock { state -> DispatchQueue? in
            if let idle = state.idle.popLast() { return idle }
            guard state.made < limit else {
                state.waiting.append(body)
                return nil
            }
            state.made += 1
            // A serial queue has a separate thread while it works, even if all threads of the runtime are blocked.
            return DispatchQueue(label: "storage.reader-\(state.made)")
        }
        thread?.async { self.work(on: thread, body) }
    }

    private func work(on thread: DispatchQueue?, _ first: @Sendable () -> Void) {
        first()
        while let next = next(for: thread) { next() }
    }

    private func next(for thread: DispatchQueue?) -> (@Sendable () -> Void)? {
        state.withLock { state in
            if let next = state.waiting.popFirst() { return next }
            if let thread { state.idle.append(thread) }
            return nil
        }
    }
}

/// One read on a reader thread. Only this call uses the actor, which is how a task changes threads.
private actor ReaderThreadHop {
    private let target: VerbTarget

    init(_ threads: ReaderThreads) { target = VerbTarget(threads) }

    nonisolated var unownedExecutor: UnownedSerialExecutor { target.asUnownedSerialExecutor() }

    func run<T: Sendable, E: Error>(_ body: sending () throws(E) -> T) throws(E) -> T { try body() }

    /// Serial, since its actor has one call.
    private final class VerbTarget: SerialExecutor {
        private let threads: ReaderThreads

        init(_ threads: ReaderThreads) { self.threads = threads }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            threads.run { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }
}
