import CBaseline

/// A table and an FTS5 index of its texts, kept by triggers: the way that SQLite's documentation recommends.
final class FTS5 {
    private let handle: OpaquePointer
    private var statements: [String: OpaquePointer] = [:]

    init(_ path: String, tokenizer: String?) throws {
        var opened: OpaquePointer?
        guard sqlite3_open(path, &opened) == SQLITE_OK, let opened else { throw Failure("\(path) cannot be opened") }
        handle = opened
        try run("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-65536")
        try run("CREATE TABLE IF NOT EXISTS d(id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL) STRICT")
        guard let tokenizer else { return }
        try run(
            """
            CREATE VIRTUAL TABLE IF NOT EXISTS f USING fts5(title, body, content='d', content_rowid='id',
                tokenize='\(tokenizer)');
            CREATE TRIGGER IF NOT EXISTS di AFTER INSERT ON d BEGIN
                INSERT INTO f(rowid, title, body) VALUES (new.id, new.title, new.body);
            END;
            CREATE TRIGGER IF NOT EXISTS dd AFTER DELETE ON d BEGIN
                INSERT INTO f(f, rowid, title, body) VALUES('delete', old.id, old.title, old.body);
            END;
            CREATE TRIGGER IF NOT EXISTS du AFTER UPDATE ON d BEGIN
                INSERT INTO f(f, rowid, title, body) VALUES('delete', old.id, old.title, old.body);
                INSERT INTO f(rowid, title, body) VALUES (new.id, new.title, new.body);
            END
            """)
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    private var failure: Failure { Failure(String(cString: sqlite3_errmsg(handle))) }

    func run(_ text: String) throws {
        guard sqlite3_exec(handle, text, nil, nil, nil) == SQLITE_OK else { throw failure }
    }

    private func statement(_ text: String) throws -> OpaquePointer {
        if let known = statements[text] { return known }
        var made: OpaquePointer?
        guard sqlite3_prepare_v3(handle, text, -1, 1, &made, nil) == SQLITE_OK, let made else { throw failure }
        statements[text] = made
        return made
    }

    private func bind(_ text: String, _ place: Int32, _ statement: OpaquePointer) {
        // SQLite copies the text, whose bytes need not stay in place until the statement is reset.
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                _ = sqlite3_bind_text(
                    statement, place, $0.baseAddress, Int32($0.count), copied)
            }
        }
    }

    func write(_ document: Document, _ text: String = "INSERT INTO d VALUES(?,?,?)") throws {
        let statement = try statement(text)
        defer { sqlite3_reset(statement) }
        sqlite3_bind_int64(statement, 1, document.id)
        bind(document.title, 2, statement)
        bind(document.body, 3, statement)
        guard sqlite3_step(statement) == SQLITE_DONE else { throw failure }
    }

    /// The keys that a statement with a text as its argument finds, with their texts read.
    func keys(_ text: String, _ argument: String) throws -> [Int64] {
        let statement = try statement(text)
        defer { sqlite3_reset(statement) }
        bind(argument, 1, statement)
        var keys: [Int64] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW:
                keys.append(sqlite3_column_int64(statement, 0))
                for column in 1..<max(sqlite3_column_count(statement), 1) { _ = sqlite3_column_text(statement, column) }
            case SQLITE_DONE: return keys
            default: throw failure
            }
        }
    }

    func best(_ match: String) throws -> [Int64] {
        try keys(
            "SELECT d.id, d.title, d.body FROM f JOIN d ON d.id = f.rowid WHERE f MATCH ? ORDER BY rank LIMIT 10", match
        )
    }

    func count(_ match: String) throws -> Int { try keys("SELECT rowid FROM f WHERE f MATCH ?", match).count }

    func integer(_ text: String) throws -> Int {
        let statement = try statement(text)
        defer { sqlite3_reset(statement) }
        guard sqlite3_step(statement) == SQLITE_ROW else { throw failure }
        return Int(sqlite3_column_int64(statement, 0))
    }

    /// A query of the toolkit in the language of FTS5.
    static func match(_ text: String) -> String { text.replacing("*", with: " *").replacing(" -", with: " NOT ") }
}
