package import Foundation
import Synchronization

/// The bytes that a process writes while it runs, to a pipe or a terminal. A task waits for them without a thread.
package final class Incoming: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var isEnded = false
        /// Wakes the task that waits for more.
        var arrival: AsyncStream<Void>.Continuation?
    }

    private let state = Mutex(State())
    private nonisolated(unsafe) let source: any DispatchSourceRead

    /// - Parameter descriptor: the end to read from, which is closed with the value.
    package init(_ descriptor: Int32) {
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor)
        source.setCancelHandler { close(descriptor) }
        source.setEventHandler { [weak self] in self?.read(descriptor) }
        source.activate()
    }

    package convenience init(_ pipe: Pipe) { self.init(dup(pipe.fileHandleForReading.fileDescriptor)) }

    deinit { source.cancel() }

    private func read(_ descriptor: Int32) {
        let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
            var result = 0
            repeat {
                result = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
            } while result < 0 && errno == EINTR
            count = max(result, 0)
        }
        // A terminal that every process has closed gives an error, and a pipe gives nothing.
        if bytes.isEmpty { source.cancel() }
        state.withLock { state in
            state.bytes += bytes
            state.isEnded = bytes.isEmpty
            state.arrival?.yield()
        }
    }

    /// Waits until the text has come, or the end, and takes all that has come.
    package nonisolated(nonsending) func take(
        until text: String, fileID: String = #fileID, line: Int = #line
    ) async throws -> String {
        try await take(fileID, line) { bytes, isEnded in
            isEnded || String(decoding: bytes, as: UTF8.self).contains(text) ? bytes.count : nil
        }
    }

    /// Waits for the end of a line, and takes the line; what is left where there is none any more.
    package nonisolated(nonsending) func takeLine(fileID: String = #fileID, line: Int = #line) async throws -> String {
        let taken = try await take(fileID, line) { bytes, isEnded in
            bytes.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? (isEnded ? bytes.count : nil)
        }
        return taken.hasSuffix("\n") ? String(taken.dropLast()) : taken
    }

    /// Waits for the end, and takes all that is left.
    package nonisolated(nonsending) func takeRest(fileID: String = #fileID, line: Int = #line) async throws -> String {
        try await take(fileID, line) { bytes, isEnded in isEnded ? bytes.count : nil }
    }

    /// - Parameter part: the number of bytes to take, or nil to wait for more.
    /// - Throws: `StillWaiting` after the longest wait.
    private nonisolated(nonsending) func take(
        _ fileID: String, _ line: Int, _ part: (_ bytes: [UInt8], _ isEnded: Bool) -> Int?
    ) async throws -> String {
        let end = ContinuousClock.now + longestWait
        while true {
            let (arrivals, continuation) = AsyncStream<Void>.makeStream()
            let taken: [UInt8]? = state.withLock { state in
                guard let count = part(state.bytes, state.isEnded) else {
                    state.arrival = continuation
                    return nil
                }
                defer { state.bytes.removeFirst(count) }
                return Array(state.bytes.prefix(count))
            }
            if let taken { return String(decoding: taken, as: UTF8.self) }
            let limit = Task {
                try await Task.sleep(until: end, clock: .continuous)
                continuation.finish()
            }
            defer { limit.cancel() }
            var hasArrived = false
            for await _ in arrivals {
                hasArrived = true
                break
            }
            guard hasArrived else { throw StillWaiting(place: "\(fileID):\(line)") }
        }
    }
}
