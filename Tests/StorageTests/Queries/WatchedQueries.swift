import Logging
import StorageDriver
import StorageKit

/// A backend that passes the calls to another one, and its readers' queries to a closure, which answers them.
struct WatchedQueries: StorageBackend {
    typealias Rows = @Sendable (any StorageReader, QueryPlan, QueryArguments) throws(StorageError) -> Cursor

    static let scheme = "watched"
    private let base: any StorageBackend
    private let rows: Rows

    init(_ base: any StorageBackend, rows: @escaping Rows) {
        self.base = base
        self.rows = rows
    }

    init(url: StorageURL) throws(StorageError) {
        throw StorageError(.configuration, "This backend has no URL; it is made around another one.")
    }

    func open(logger: Logger) throws(StorageError) -> any StorageEngine {
        Engine(base: try base.open(logger: logger), rows: rows)
    }

    private final class Engine: StorageEngine {
        let base: any StorageEngine
        let rows: Rows

        init(base: any StorageEngine, rows: @escaping Rows) {
            self.base = base
            self.rows = rows
        }

        var info: BackendInfo { base.info }
        func reader(_ scope: ReadScope) throws(StorageError) -> any StorageReader {
            Reader(base: try base.reader(scope), rows: rows)
        }
        func write(_ body: (any StorageWriter) throws(StorageError) -> Void) throws(StorageError) {
            try base.write(body)
        }
        func close() throws(StorageError) { try base.close() }
    }

    private final class Reader: StorageReader {
        let base: any StorageReader
        let answer: Rows

        init(base: any StorageReader, rows: @escaping Rows) {
            self.base = base
            answer = rows
        }

        func tables() throws(StorageError) -> [TableSchema] { try base.tables() }
        func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
            try answer(base, plan, arguments)
        }
        func greatestKey(in table: TableSchema) throws(StorageError) -> Int64 { try base.greatestKey(in: table) }
        func end() { base.end() }
    }
}
