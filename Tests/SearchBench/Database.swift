import CSQLite
import StorageSearch

/// A SQLite database, as an expert would set it up for an index.
final class Database {
    struct Failure: Error { let message: String }

    let handle: OpaquePointer?
    private var statements: [String: OpaquePointer] = [:]

    init(_ path: String) throws {
        var handle: OpaquePointer?
        guard sqlite3_open(path, &handle) == SQLITE_OK else { throw Failure(message: path) }
        self.handle = handle
        try run(
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=10000; PRAGMA cache_size=-65536"
        )
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    func run(_ text: String) throws {
        guard sqlite3_exec(handle, text, nil, nil, nil) == SQLITE_OK else { throw failure(text) }
    }

    func failure(_ text: String) -> Failure {
        Failure(message: text + ": " + String(cString: sqlite3_errmsg(handle)))
    }

    /// A statement, which is prepared once.
    func statement(_ text: String) throws -> OpaquePointer {
        if let statement = statements[text] { return statement }
        var statement: OpaquePointer?
        guard sqlite3_prepare_v3(handle, text, -1, 1, &statement, nil) == SQLITE_OK, let statement else {
            throw failure(text)
        }
        statements[text] = statement
        return statement
    }

    /// Runs a statement, and calls `row` for each row of the result.
    func run(_ text: String, _ values: [Int], _ data: [UInt8]? = nil, _ row: (OpaquePointer) throws -> Void = { _ in })
        throws
    {
        let statement = try statement(text)
        defer { sqlite3_reset(statement) }
        for (index, value) in values.enumerated() { sqlite3_bind_int64(statement, Int32(index + 1), Int64(value)) }
        // The bytes stay where they are while the statement runs.
        try (data ?? []).withUnsafeBytes { bytes in
            if data != nil {
                sqlite3_bind_blob(statement, Int32(values.count + 1), bytes.baseAddress, Int32(bytes.count), nil)
            }
            while true {
                switch sqlite3_step(statement) {
                case SQLITE_ROW: try row(statement)
                case SQLITE_DONE: return
                default: throw failure(text)
                }
            }
        }
    }

    func integer(_ text: String) throws -> Int {
        var result = 0
        try run(text, []) { result = Int(sqlite3_column_int64($0, 0)) }
        return result
    }

    static func bytes(_ statement: OpaquePointer, _ column: Int32) -> [UInt8] {
        // SQLite's bytes are valid until the statement goes on.
        [UInt8](
            UnsafeRawBufferPointer(
                start: sqlite3_column_blob(statement, column), count: Int(sqlite3_column_bytes(statement, column))))
    }
}

/// The tables of an index in SQLite. Keys are integers of eight bytes.
struct SQLiteTables: SearchStorage {
    let database: Database

    init(_ database: Database) throws {
        self.database = database
        try database.run(
            "CREATE TABLE IF NOT EXISTS documents(id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE) STRICT")
        for table in SearchTable.allCases {
            try database.run("CREATE TABLE IF NOT EXISTS \(table)(id INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT")
        }
    }

    private func storing<Result>(_ body: () throws -> Result) throws(SearchFailure) -> Result {
        do { return try body() } catch let error as SearchFailure { throw error } catch { throw .storage(error) }
    }

    func document(of key: [UInt8]) throws(SearchFailure) -> Int? {
        try storing {
            var number: Int?
            try database.run("SELECT id FROM documents WHERE key=?", [], key) {
                number = Int(sqlite3_column_int64($0, 0))
            }
            return number
        }
    }

    func key(of document: Int) throws(SearchFailure) -> [UInt8]? {
        try storing {
            var key: [UInt8]?
            try database.run("SELECT key FROM documents WHERE id=?", [document]) { key = Database.bytes($0, 0) }
            return key
        }
    }

    func add(document: Int, key: [UInt8]) throws(SearchFailure) {
        try storing { try database.run("INSERT INTO documents VALUES(?,?)", [document], key) }
    }

    func remove(document: Int) throws(SearchFailure) {
        try storing { try database.run("DELETE FROM documents WHERE id=?", [document]) }
    }

    private static let row = [
        "SELECT data FROM pending WHERE id=?", "SELECT data FROM segments WHERE id=?",
        "SELECT data FROM blocks WHERE id=?",
    ]

    func row(_ table: SearchTable, _ number: Int) throws(SearchFailure) -> [UInt8]? {
        try storing {
            var data: [UInt8]?
            try database.run(Self.row[table.rawValue], [number]) { data = Database.bytes($0, 0) }
            return data
        }
    }

    func rows(
        _ table: SearchTable, _ range: ClosedRange<Int>, _ body: (Int, [UInt8]) throws(SearchFailure) -> Void
    ) throws(SearchFailure) {
        try storing {
            try database.run(
                "SELECT id,data FROM \(table) WHERE id BETWEEN ? AND ? ORDER BY id",
                [range.lowerBound, range.upperBound]
            ) {
                try body(Int(sqlite3_column_int64($0, 0)), Database.bytes($0, 1))
            }
        }
    }

    func numbers(
        _ table: SearchTable, _ range: ClosedRange<Int>, limit: Int, _ body: (Int) -> Void
    ) throws(SearchFailure) {
        try storing {
            try database.run(
                "SELECT id FROM \(table) WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?",
                [range.lowerBound, range.upperBound, limit]
            ) { body(Int(sqlite3_column_int64($0, 0))) }
        }
    }

    func put(_ table: SearchTable, _ number: Int, _ bytes: [UInt8]) throws(SearchFailure) {
        try storing { try database.run("INSERT OR REPLACE INTO \(table) VALUES(?,?)", [number], bytes) }
    }

    func remove(_ table: SearchTable, _ range: ClosedRange<Int>) throws(SearchFailure) {
        try storing {
            try database.run("DELETE FROM \(table) WHERE id BETWEEN ? AND ?", [range.lowerBound, range.upperBound])
        }
    }
}
