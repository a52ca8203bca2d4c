package import Foundation
import Synchronization

/// The bytes that a process writes while it runs, to a pipe or a terminal. A task waits for them without a thread of the tests.
package final class Incoming: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var isEnded = false
        /// Wakes the task that waits for more.
        var arrival: AsyncStream<Void>.Continuation?
    }

    private let state = Mutex(State())

    /// - Parameter descriptor: the end to read from. It is closed when every process has closed the other one.
    package init(_ descriptor: Int32) {
        // A thread of its own, and no source of Dispatch: on Linux that tells only once of an end that comes with the last
        // bytes, and ends the program where the source is cancelled then.
        Thread.detachNewThread { [weak self] in
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = Foundation.read(descriptor, &buffer, buffer.count)
                if count < 0 && errno == EINTR { continue }
                // A terminal that every process has closed gives an error, and a pipe gives nothing.
                self?.append(buffer.prefix(max(count, 0)))
                if count <= 0 { break }
            }
            close(descriptor)
        }
    }

    package convenience init(_ pipe: Pipe) {
        self.init(fcntl(pipe.fileHandleForReading.fileDescriptor, F_DUPFD_CLOEXEC, 0))
    }

    private func append(_ bytes: ArraySlice<UInt8>) {
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

    /// Waits for the end of a line, and takes the line; the rest of the output if there is no further line.
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
        let end = ContinuousClock.now + maximumWait
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
