import Logging
import Synchronization

/// A log of calls.
final class FileLog: Sendable {
    private let lines = Mutex<[String]>([])
    private let level: Logger.Level

    init(_ level: Logger.Level = .info) { self.level = level }

    /// Level and message of each line.
    var taken: [String] { lines.withLock { $0 } }

    var logger: Logger {
        Logger(label: "test") { _ in Taker(logLevel: self.level) { line in self.lines.withLock { $0.append(line) } } }
    }

    private struct Taker: LogHandler {
        var logLevel: Logger.Level
        let take: @Sendable (String) -> Void
        var metadata = Logger.Metadata()

        init(logLevel: Logger.Level, take: @escaping @Sendable (String) -> Void) {
            (self.logLevel, self.take) = (logLevel, take)
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { take("\(event.level): \(event.message)") }
    }
}
