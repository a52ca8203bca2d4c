import CSQLite
import Foundation
import Logging
import SQLiteBackend
import StorageKit
import Synchronization
import Testing

/// Runs a test with the path of a database that is not there yet.
func withDatabase<T>(_ body: (String) async throws -> T) async throws -> T {
    try await withFolder { try await body($0.appending(path: "a.db").path) }
}

extension Store {
    /// Runs the body and closes the store, also after a failure.
    @discardableResult
    func thenClose<T>(_ body: (Store) async throws -> T) async throws -> T {
        do {
            let result = try await body(self)
            try await close()
            return result
        } catch {
            try? await close()
            throw error
        }
    }
}

/// The rows that another program reads, each with its values as text: NULL as "nil".
func sqliteRows(_ path: String, _ sql: String) throws -> [[String]] {
    var rows: [[String]] = []
    try otherProgram(path) { database in
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(database, sql, -1, &statement, nil)
        try #require(code == SQLITE_OK, "\(sql): \(String(cString: sqlite3_errmsg(database)))")
        defer { sqlite3_finalize(statement) }
        while sqlite3_step(statement) == SQLITE_ROW {
            rows.append(
                (0..<sqlite3_column_count(statement)).map { column in
                    sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "nil"
                })
        }
    }
    return rows
}

/// The first column of what another program reads.
func sqliteColumn(_ path: String, _ sql: String) throws -> [String] { try sqliteRows(path, sql).map { $0[0] } }

/// Runs statements as another program.
func sqliteRun(_ path: String, _ statements: String...) throws {
    try otherProgram(path) { for statement in statements { run(statement, $0) } }
}

/// The lines that a logger has received.
final class LogLines: Sendable {
    struct Line: Sendable {
        let level: Logger.Level
        let message: String
        let metadata: Logger.Metadata
    }

    private let state = Mutex<[Line]>([])

    var all: [Line] { state.withLock { $0 } }
    func messages(at level: Logger.Level) -> [String] { all.filter { $0.level == level }.map(\.message) }

    func logger(_ level: Logger.Level) -> Logger {
        var logger = Logger(label: "test", factory: { _ in Handler(lines: self) })
        logger.logLevel = level
        return logger
    }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let entry = Line(
                level: event.level, message: event.message.description, metadata: event.metadata ?? [:])
            lines.state.withLock { $0.append(entry) }
        }
    }
}
