import Dispatch
import Foundation

/// Runs work that Ctrl-C, or a polite kill, cancels, so that it can end as it should.
enum Interruption {
    /// - Throws: errors of the work: a cancellation if a signal arrived.
    static func cancelling<T: Sendable>(_ work: @escaping @Sendable () async throws -> T) async throws -> T {
        let task = Task { try await work() }
        let sources = [SIGINT, SIGTERM].map { number in
            // The default would end the process before the source hears of it.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { task.cancel() }
            source.resume()
            return (number, source)
        }
        defer {
            for (number, source) in sources {
                source.cancel()
                signal(number, SIG_DFL)
            }
        }
        return try await task.value
    }
}
