import Logging
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

@Suite("Logging")
struct LoggingTests {
    @Storable struct Note: Equatable {
        var id: Int
        var text = ""
    }

    @Test
    func `the path is logged at debug, schema changes at notice, statements with their time at trace`() async throws {
        try await withFolder { folder in
            let lines = LogLines()
            let logger = lines.logger(.trace)
            let path = folder.appending(path: "a.db").path
            let store = try await Store(SQLiteBackend(path: path), models: Note.self, options: .init(logger: logger))
            try await store.save(Note(id: 1, text: "secret"))
            try await store.close()
            let all = lines.all
            expect(all.contains { $0.level == .debug && $0.metadata.description.contains(path) })
            expect(all.contains { $0.level == .notice && $0.metadata.description.contains("Note") })
            let insert = all.first { $0.level == .trace && $0.message.hasPrefix("INSERT INTO \"Note\"") }
            expect(insert?.metadata.description.contains("duration"), equals: true)
            expect(!all.contains { ($0.message + $0.metadata.description).contains("secret") })
        }
    }
}
