import CBaseline
import Foundation

/// The code that a careful Swift programmer would write on sqlite3 for these models.
final class HandWritten: Contestant {
    let name = "Swift by hand"
    let works: Set<Work> = [
        .insert, .fetch, .fetchItems, .stream, .streamAsync, .find, .findInBlock, .page, .update, .delete, .upsert,
        .saveEach, .saveEachBlocking,
    ]
    private let sample: Sample
    private let database: Database
    private var records: [Record] = []

    init(_ folder: URL, _ sample: Sample) throws {
        self.sample = sample
        database = try Database(folder.appendingPathComponent("swift.db").path)
    }

    func clear(_ table: Table) throws { try database.clear(table) }

    func make(_ work: Work, round: Int) { records = Changed(work, sample, round).records }

    private static let columns = "id, name, age, height, photo, tags"
    private static let insert = "INSERT INTO Record (\(columns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
    private static let update =
        "UPDATE Record SET name = ?2, age = ?3, height = ?4, photo = ?5, tags = ?6 WHERE id = ?1"
    private static let replace =
        " ON CONFLICT (id) DO UPDATE SET name = excluded.name, age = excluded.age, height = excluded.height,"
        + " photo = excluded.photo, tags = excluded.tags"
    private static let upsert = insert + replace

    func run(_ work: Work) throws -> Outcome {
        switch work {
        case .insert: try writeAll(Self.insert)
        case .update: try writeAll(Self.update)
        case .upsert: try writeAll(Self.upsert)
        case .saveEach, .saveEachBlocking: try saveEach()
        case .delete: try delete()
        case .fetch: return .models(try fetch("SELECT \(Self.columns) FROM Record ORDER BY id"))
        case .fetchItems: return .models(try fetchItems())
        case .stream, .streamAsync: return .sum(try stream())
        case .find: return .sum(try find())
        case .findInBlock:
            try database.execute("BEGIN")
            defer { try? database.execute("COMMIT") }
            return .sum(try find())
        case .page: return .models(try pages())
        default: throw BenchmarkError("\(work.rawValue) is not written by hand in Swift")
        }
        return .written
    }

    // MARK: Writing

    private func transaction(_ body: () throws -> Void) throws {
        try database.execute("BEGIN IMMEDIATE")
        try body()
        try database.execute("COMMIT")
    }

    private func writeAll(_ sql: String) throws {
        try transaction {
            try withStatement(sql) { statement in for record in records { try write(record, statement) } }
        }
    }

    private func saveEach() throws {
        try withStatement(Self.upsert) { statement in
            for record in records { try transaction { try write(record, statement) } }
        }
    }

    private func write(_ record: Record, _ statement: OpaquePointer) throws {
        var (name, tags) = (record.name, record.tags)
        // The bytes stay where they are until the statement is reset, so SQLite need not copy them.
        let code = name.withUTF8 { name in
            tags.withUTF8 { tags in
                sqlite3_bind_int64(statement, 1, Int64(record.id))
                bind(name, 2, statement)
                sqlite3_bind_int64(statement, 3, Int64(record.age))
                sqlite3_bind_double(statement, 4, record.height)
                bind(tags, 6, statement)
                return withPhoto(record.photo, statement) { step(statement) }
            }
        }
        try database.check(code)
    }

    private func bind(_ text: UnsafeBufferPointer<UInt8>, _ index: Int32, _ statement: OpaquePointer) {
        text.withMemoryRebound(to: CChar.self) {
            _ = cbaseline_bind_text(statement, index, $0.baseAddress, Int32($0.count))
        }
    }

    private func withPhoto(_ photo: Data?, _ statement: OpaquePointer, _ body: () -> Int32) -> Int32 {
        guard let photo else {
            sqlite3_bind_null(statement, 5)
            return body()
        }
        return photo.withUnsafeBytes {
            _ = cbaseline_bind_blob(statement, 5, $0.baseAddress, Int32($0.count))
            return body()
        }
    }

    private func step(_ statement: OpaquePointer) -> Int32 {
        defer { sqlite3_reset(statement) }
        return sqlite3_step(statement)
    }

    private func delete() throws {
        try transaction {
            try withStatement("DELETE FROM Record WHERE id = ?1") { statement in
                for key in sample.deleted {
                    sqlite3_bind_int64(statement, 1, Int64(key))
                    try database.check(step(statement))
                }
            }
        }
    }

    func insertItems() throws { try database.check(cbaseline_insert_items(database.handle, sample.items.count)) }

    // MARK: Reading

    private func withStatement<T>(_ sql: String, _ body: (OpaquePointer) throws -> T) throws -> T {
        var prepared: OpaquePointer?
        try database.check(sqlite3_prepare_v3(database.handle, sql, -1, 0, &prepared, nil))
        guard let prepared else { throw BenchmarkError("cannot prepare \(sql)") }
        defer { sqlite3_finalize(prepared) }
        return try body(prepared)
    }

    private func fetch(_ sql: String) throws -> [Record] {
        try withStatement(sql) { statement in
            var records: [Record] = []
            while sqlite3_step(statement) == SQLITE_ROW { records.append(Self.record(statement)) }
            return records
        }
    }

    private func fetchItems() throws -> [Item] {
        try withStatement("SELECT id, first, second, third, label FROM Item ORDER BY id") { statement in
            var items: [Item] = []
            while sqlite3_step(statement) == SQLITE_ROW { items.append(Self.item(statement)) }
            return items
        }
    }

    private func stream() throws -> Int64 {
        try withStatement("SELECT \(Self.columns) FROM Record ORDER BY id") { statement in
            var sum: Int64 = 0
            while sqlite3_step(statement) == SQLITE_ROW { sum += Self.record(statement).sum }
            return sum
        }
    }

    private func find() throws -> Int64 {
        try withStatement("SELECT \(Self.columns) FROM Record WHERE id = ?1") { statement in
            var sum: Int64 = 0
            for key in sample.keys {
                sqlite3_bind_int64(statement, 1, key)
                if sqlite3_step(statement) == SQLITE_ROW { sum += Self.record(statement).sum }
                sqlite3_reset(statement)
            }
            return sum
        }
    }

    private func pages() throws -> [Record] {
        let sql = "SELECT \(Self.columns) FROM Record WHERE age >= ?1 AND age < ?2 ORDER BY name, id LIMIT ?3"
        return try withStatement(sql) { statement in
            var records: [Record] = []
            for age in sample.pages {
                sqlite3_bind_int64(statement, 1, Int64(age))
                sqlite3_bind_int64(statement, 2, Int64(age + Sample.page.width))
                sqlite3_bind_int64(statement, 3, Int64(Sample.page.limit))
                while sqlite3_step(statement) == SQLITE_ROW { records.append(Self.record(statement)) }
                sqlite3_reset(statement)
            }
            return records
        }
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
    private static func item(_ statement: OpaquePointer) -> Item {
        Item(
            id: Int(sqlite3_column_int64(statement, 0)), first: Int(sqlite3_column_int64(statement, 1)),
            second: Int(sqlite3_column_int64(statement, 2)), third: Int(sqlite3_column_int64(statement, 3)),
            label: text(statement, 4))
    }

    @inline(__always)
    private static func text(_ statement: OpaquePointer, _ column: Int32) -> String {
        let bytes = sqlite3_column_text(statement, column)
        return String(
            decoding: UnsafeBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column))),
            as: UTF8.self)
    }
}
