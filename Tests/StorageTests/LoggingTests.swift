import Logging
import SQLiteBackend
import StorageKit
import Synchronization
import TestSupport
import Testing

/// Keeps what is logged.
struct Recorder: LogHandler {
    final class Lines: Sendable {
        let all = Mutex<[(level: Logger.Level, message: String, metadata: String)]>([])
    }

    let lines: Lines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let line = (event.level, event.message.description, event.metadata?.description ?? "")
        lines.all.withLock { $0.append(line) }
    }
}

@Suite("Logging")
struct LoggingTests {
    @Storable struct Note: Equatable {
        var id: Int
        var text = ""
    }

    @Test
    func `the path is logged at debug, schema changes at notice, statements with their time at trace`() async throws {
        try await withFolder { folder in
            let lines = Recorder.Lines()
            let logger = Logger(label: "test", factory: { _ in Recorder(lines: lines) })
            let path = folder.appending(path: "a.db").path
            let store = try await Store(SQLiteBackend(path: path), models: Note.self, options: .init(logger: logger))
            try await store.save(Note(id: 1, text: "secret"))
            try await store.close()
            let all = lines.all.withLock { $0 }
            expect(all.contains { $0.level == .debug && $0.metadata.contains(path) })
            expect(all.contains { $0.level == .notice && $0.metadata.contains("Note") })
            let insert = all.first { $0.level == .trace && $0.message.hasPrefix("INSERT INTO \"Note\"") }
            expect(insert?.metadata.contains("duration"), equals: true)
            expect(!all.contains { ($0.message + $0.metadata).contains("secret") })
        }
    }
}
