import CBaseline
import StorageAPI

/// The code that a careful Swift programmer would write to load books with their authors and tags: one query for each,
/// and one string for each tag's text.
final class ReferencesByHand {
    private let database: Database

    init(_ database: Database) { self.database = database }

    func load(_ count: Int) throws -> Int {
        let books = try books(count)
        return books.reduce(0) { $0 + $1.0.id + $1.1.id + $1.2.reduce(0) { $0 + $1.id } }
    }

    private func books(_ count: Int) throws -> [(Book, Author, [Tag])] {
        var rows: [(Book, Author, [Tag])] = []
        rows.reserveCapacity(count)
        let sql = "SELECT b.id, b.title, b.year, a.id, a.name, a.born FROM Book b JOIN Author a ON a.id = b.author"
        try each("\(sql) ORDER BY b.id LIMIT \(count)") { row in
            let author = Author(id: int(row, 3), name: text(row, 4), born: int(row, 5))
            let book = Book(
                id: int(row, 0), title: text(row, 1), year: int(row, 2), author: Ref(key: author.id), tags: [])
            rows.append((book, author, []))
        }
        var known: [Int: Tag] = [:]
        var place = 0
        let tags = "SELECT x.book, t.id, t.name FROM BookTag x JOIN Tag t ON t.id = x.tag WHERE x.book IN"
        try each("\(tags) (SELECT id FROM Book ORDER BY id LIMIT \(count)) ORDER BY x.book, x.position") { row in
            let (book, id) = (int(row, 0), int(row, 1))
            while rows[place].0.id != book { place += 1 }
            let tag = known[id] ?? Tag(id: id, name: text(row, 2))
            known[id] = tag
            rows[place].0.tags.append(Ref(key: id))
            rows[place].2.append(tag)
        }
        return rows
    }

    private func each(_ sql: String, _ body: (OpaquePointer) -> Void) throws {
        var prepared: OpaquePointer?
        try database.check(sqlite3_prepare_v3(database.handle, sql, -1, 0, &prepared, nil))
        guard let prepared else { throw BenchmarkError("cannot prepare \(sql)") }
        defer { sqlite3_finalize(prepared) }
        while sqlite3_step(prepared) == SQLITE_ROW { body(prepared) }
    }

    private func int(_ row: OpaquePointer, _ column: Int32) -> Int { Int(sqlite3_column_int64(row, column)) }

    private func text(_ row: OpaquePointer, _ column: Int32) -> String {
        let bytes = sqlite3_column_text(row, column)
        return String(
            decoding: UnsafeBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(row, column))), as: UTF8.self)
    }
}
