import Foundation
import StorageAPI

// Books with pictures, other bytes, long texts and lists of references; and a model that is written from right to left.

struct Tag: Storable, Sendable {
    typealias Key = Int
    var id: Int
    var name: String

    static var schema: ModelSchema {
        ModelSchema("Tag", [Property("id", Int.self, .key), Property("name", String.self)])
    }
    init(id: Int, name: String) { (self.id, self.name) = (id, name) }
    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        name = try row.read(String.self)
    }
    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(name)
    }
    func writeKey(into row: inout RowWriter) { row.write(id) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
    }
}

struct Scan: Storable, Sendable {
    typealias Key = String
    var name: String
    var bytes: Data

    static var schema: ModelSchema {
        ModelSchema("Scan", [Property("name", String.self), Property("bytes", Data.self)])
    }
    init(name: String, bytes: Data) { (self.name, self.bytes) = (name, bytes) }
    init(reading row: inout RowReader) throws(StorageError) {
        name = try row.read(String.self)
        bytes = try row.read(Data.self)
    }
    func write(into row: inout RowWriter) {
        row.write(name)
        row.write(bytes)
    }
    func writeKey(into row: inout RowWriter) { row.write(name) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
    }
}

struct Book: Storable, Sendable {
    typealias Key = Int
    var id: Int
    var title: String
    var shelf: String?
    var notes: String
    var cover: Data?
    var genre: Ref<Tag>
    var tags: [Ref<Tag>]
    var scans: [Scan]

    static var schema: ModelSchema {
        ModelSchema(
            "Book",
            [
                Property("id", Int.self, .key), Property("title", String.self),
                Property("shelf", String?.self),
                Property("notes", String.self), Property("cover", Data?.self),
                Property("genre", Ref<Tag>.self),
                Property("tags", [Ref<Tag>].self), Property("scans", [Scan].self),
            ])
    }
    init(
        id: Int, title: String, shelf: String?, notes: String, cover: Data?, genre: Int, tags: [Int],
        scans: [Scan] = []
    ) {
        (self.id, self.title, self.shelf, self.notes, self.cover) = (id, title, shelf, notes, cover)
        (self.genre, self.tags, self.scans) = (Ref(key: genre), tags.map { Ref(key: $0) }, scans)
    }
    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        title = try row.read(String.self)
        shelf = try row.read(String?.self)
        notes = try row.read(String.self)
        cover = try row.read(Data?.self)
        genre = try row.read(Ref<Tag>.self)
        tags = try row.read([Ref<Tag>].self)
        scans = try row.read([Scan].self)
    }
    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(title)
        row.write(shelf)
        row.write(notes)
        row.write(cover)
        row.write(genre)
        row.write(tags)
        row.write(scans)
    }
    func writeKey(into row: inout RowWriter) { row.write(id) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
    }
}

extension BrowserFixture {
    /// Makes 21 books.
    static func shelf(_ store: Store) async throws {
        try await store.insert(
            ["novel", "poetry", "travel", "ink & paper", "سفر"].enumerated().map {
                Tag(id: $0 + 1, name: $1)
            })
        let covers: [Data?] = [
            picture, Data("<script>document.title='hit'</script>".utf8),
            Data("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>".utf8),
            Data("%PDF-1.7\n".utf8), nil,
            picture?.prefix(60), Data(),
        ]
        try await store.insert(
            (1...21).map { id in
                Book(
                    id: id, title: id == 4 ? "كتاب ٤" : "Book \(id)",
                    shelf: id % 7 == 0 ? nil : "shelf \(id % 3)",
                    notes: id == 1
                        ? (1...120).map { "Line \($0) of the notes.\n" }.joined() : "Short, \"quoted\"; \(id)",
                    cover: covers[id % covers.count], genre: 1 + id % 2,
                    tags: id == 1 ? [5, 4, 3, 2] : [1 + id % 4],
                    scans: id == 1 ? [Scan(name: "front", bytes: picture ?? Data())] : [])
            })
    }

    /// Puts one more book on the shelf.
    static func shelve(_ store: Store) async throws {
        let id = try await store.select(Book.self).count() + 1
        try await store.insert(
            Book(id: id, title: "Book \(id)", shelf: "shelf 1", notes: "", cover: nil, genre: 1, tags: [])
        )
    }

    /// A picture of 48 by 32 points.
    private static let picture = Data(
        base64Encoded:
            "iVBORw0KGgoAAAANSUhEUgAAADAAAAAgAgMAAAApuhOPAAAADFBMVEUUaV/j8O3IoDwAAADwt76IAAAAi0lEQVR42q3O"
            + "MQ5BQRSF4e+9Z3qNXiHWYQmaIbEaS9GoptHYh1JiA0qVSEYezcsEQSFuTvPfc+/JaeJ4X1R7mF+gEqYprB12KUxrCIzK2ZCq"
            + "wBKTDmrov6b1Yk4LaGJOf+m2XeE277p9/LnA9Z3TwglVzJs4mDCLeVN327aknTlCD8xi/t6NEIuenDuKtyJia0+kNwAAAABJ"
            + "RU5ErkJggg==")
}
