import Logging
import Synchronization

/// What was logged while opening a store file.
final class FileLog: Sendable {
    private let lines = Mutex<[String]>([])

    /// Level and message of each line.
    var taken: [String] { lines.withLock { $0 } }

    var logger: Logger { Logger(label: "test") { _ in Taker { line in self.lines.withLock { $0.append(line) } } } }

    private struct Taker: LogHandler {
        let take: @Sendable (String) -> Void
        var logLevel = Logger.Level.info
        var metadata = Logger.Metadata()

        init(take: @escaping @Sendable (String) -> Void) { self.take = take }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { take("\(event.level): \(event.message)") }
    }
}
