import Logging
import Synchronization

/// What a logger has taken.
final class FileLog: Sendable {
    private let state = Mutex<[(level: Logger.Level, message: String)]>([])

    func messages(at level: Logger.Level) -> [String] {
        state.withLock { lines in lines.filter { $0.level == level }.map(\.message) }
    }

    func logger(_ level: Logger.Level) -> Logger {
        var logger = Logger(label: "test", factory: { _ in Handler(lines: self) })
        logger.logLevel = level
        return logger
    }

    private struct Handler: LogHandler {
        let lines: FileLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let line = (event.level, event.message.description)
            lines.state.withLock { $0.append(line) }
        }
    }
}
