internal import Dispatch
import StorageDriver
import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Counts the running calls, so that closing can wait for them and refuse later ones.
final class RunningCalls: Sendable {
    private struct State {
        var isClosed = false
        /// True if the closing call has ended.
        var hasEnded = false
        /// Later closing calls, which wait for the end of the first.
        var closing: [DispatchSemaphore] = []
        var running = 0
        var streams: [ObjectIdentifier: @Sendable () -> Void] = [:]
        /// The number of user closures that each thread is inside.
        var closures: [Thread: Int] = [:]
    }

    private typealias Thread = UInt

    private let state = Mutex(State())
    private let idle = DispatchSemaphore(value: 0)

    func begin() throws(StorageError) {
        let isOpen = state.withLock { state in
            if !state.isClosed { state.running += 1 }
            return !state.isClosed
        }
        guard isOpen else { throw StorageError.storeClosed }
    }

    func end() {
        let isLast = state.withLock { state in
            state.running -= 1
            return state.isClosed && state.running == 0
        }
        if isLast { idle.signal() }
    }

    /// Runs a user's closure that reads, and marks the thread in the meantime, because a call from the closure must not
    /// wait for its end.
    func runClosure<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
        let thread = Self.thread
        state.withLock { $0.closures[thread, default: 0] += 1 }
        defer {
            state.withLock { state in
                let others = (state.closures[thread] ?? 1) - 1
                state.closures[thread] = others > 0 ? others : nil
            }
        }
        return try body()
    }

    /// True if the caller is inside such a closure.
    var isInClosure: Bool {
        let thread = Self.thread
        return state.withLock { !$0.closures.isEmpty && $0.closures[thread] != nil }
    }

    /// True if a call is running.
    var isRunning: Bool { state.withLock { $0.running > 0 } }

    /// The calling thread. It does not change during a closure, which is synchronous.
    #if canImport(Glibc)
    private static var thread: Thread { pthread_self() }
    #else
    // A number on some systems and a pointer on others, but of a word's size on all.
    private static var thread: Thread { unsafeBitCast(pthread_self(), to: Thread.self) }
    #endif

    /// Refuses later calls, ends waiting streams, and waits for running calls. Returns false if it was already closed. A
    /// caller that gets true must call ``endClosing()``.
    func close() -> Bool {
        let (wasOpen, isIdle, streams) = state.withLock { state in
            defer {
                state.isClosed = true
                state.streams = [:]
            }
            return (!state.isClosed, state.running == 0, Array(state.streams.values))
        }
        guard wasOpen else { return false }
        if !isIdle { idle.wait() }
        for end in streams { end() }
        return true
    }

    /// Resumes the calls that wait for the end of the closing call.
    func endClosing() {
        let waiting = state.withLock { state in
            defer { state.closing = [] }
            state.hasEnded = true
            return state.closing
        }
        for semaphore in waiting { semaphore.signal() }
    }

    /// Waits until the closing call has ended.
    func waitUntilClosed() {
        let semaphore = state.withLock { state -> DispatchSemaphore? in
            guard !state.hasEnded else { return nil }
            let semaphore = DispatchSemaphore(value: 0)
            state.closing.append(semaphore)
            return semaphore
        }
        semaphore?.wait()
    }

    /// Ends the stream's session when the store closes, unless the stream is removed first.
    func add(_ stream: AnyObject, end: @escaping @Sendable () -> Void) throws(StorageError) {
        let isOpen = state.withLock { state in
            if !state.isClosed { state.streams[ObjectIdentifier(stream)] = end }
            return !state.isClosed
        }
        guard isOpen else { throw StorageError.storeClosed }
    }

    func remove(_ stream: ObjectIdentifier) {
        state.withLock { _ = $0.streams.removeValue(forKey: stream) }
    }
}
