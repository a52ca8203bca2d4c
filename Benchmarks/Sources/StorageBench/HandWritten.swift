import CBaseline
import Foundation

/// What a careful Swift programmer would write on sqlite3 for one model: the yardstick for reading.
// Unchecked: only the main thread uses it.
struct HandWritten: @unchecked Sendable {
    let database: OpaquePointer

    init(path: String) {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK, let handle else {
            fatalError("cannot open \(path)")
        }
        database = handle
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = NORMAL")
        run("PRAGMA cache_size = -65536")
        run("PRAGMA wal_autocheckpoint = 10000")
    }

    func run(_ sql: String) {
        guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
            fatalError("\(sql): \(String(cString: sqlite3_errmsg(database)))")
        }
    }

    func makeTable() {
        run("DROP TABLE IF EXISTS Record")
        run(
            """
            CREATE TABLE Record (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, age INTEGER NOT NULL, \
            height REAL NOT NULL, photo BLOB, tags TEXT NOT NULL) STRICT
            """)
    }

    func fetchAll() -> [Record] {
        var statement: OpaquePointer?
        sqlite3_prepare_v3(
            database, "SELECT id, name, age, height, photo, tags FROM Record ORDER BY id", -1, 0, &statement, nil)
        guard let statement else { fatalError("cannot prepare") }
        defer { sqlite3_finalize(statement) }
        var records: [Record] = []
        while sqlite3_step(statement) == SQLITE_ROW { records.append(Self.record(statement)) }
        return records
    }

    @inline(__always)
    private static func record(_ statement: OpaquePointer) -> Record {
        let photo: Data?
        if let bytes = sqlite3_column_blob(statement, 4) {
            photo = Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, 4)))
        } else {
            photo = nil
        }
        return Record(
            id: Int(sqlite3_column_int64(statement, 0)), name: text(statement, 1),
            age: Int(sqlite3_column_int64(statement, 2)), height: sqlite3_column_double(statement, 3), photo: photo,
            tags: text(statement, 5))
    }

    @inline(__always)
    private static func text(_ statement: OpaquePointer, _ column: Int32) -> String {
        let bytes = sqlite3_column_text(statement, column)
        return String(
            decoding: UnsafeBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column))),
            as: UTF8.self)
    }
}
