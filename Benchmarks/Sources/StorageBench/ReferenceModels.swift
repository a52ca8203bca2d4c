import GRDB
import StorageAPI

/// A record that others refer to.
struct Author: Equatable, Storable, Codable, FetchableRecord, TableRecord {
    var id: Int
    var name: String
    var born: Int

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "Author", [Property("id", Int.self, .key), Property("name", String.self), Property("born", Int.self)])
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(name)
        row.write(born)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var name: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
        var books: Inverse<Book> { inverse(\.author) }
    }
}

extension Author {
    @inline(__always)
    init(reading row: inout RowReader) throws(StorageError) {
        let p0 = try row.read(Int.self)
        let p1 = try row.read(String.self)
        let p2 = try row.read(Int.self)
        self.init(id: p0, name: p1, born: p2)
    }
}

/// A record that many books refer to.
struct Tag: Equatable, Storable, Codable, FetchableRecord, TableRecord {
    var id: Int
    var name: String

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema("Tag", [Property("id", Int.self, .key), Property("name", String.self)])
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

extension Tag {
    @inline(__always)
    init(reading row: inout RowReader) throws(StorageError) {
        let p0 = try row.read(Int.self)
        let p1 = try row.read(String.self)
        self.init(id: p0, name: p1)
    }
}

/// A record that refers to one author and to several tags.
struct Book: Equatable, Storable {
    var id: Int
    var title: String
    var year: Int
    var author: Ref<Author>
    var tags: [Ref<Tag>]

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "Book",
            [
                Property("id", Int.self, .key), Property("title", String.self), Property("year", Int.self),
                Property("author", Ref<Author>.self, onDelete: .cascade), Property("tags", [Ref<Tag>].self),
            ])
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(title)
        row.write(year)
        row.write(author)
        row.write(tags)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var year: QueryExpression<Int> { QueryExpression(_propertyPath, 2) }
        var author: QueryExpression<Ref<Author>> { QueryExpression(_propertyPath, 3) }
        var tags: QueryExpression<[Ref<Tag>]> { QueryExpression(_propertyPath, 4) }
    }
}

extension Book {
    @inline(__always)
    init(reading row: inout RowReader) throws(StorageError) {
        let p0 = try row.read(Int.self)
        let p1 = try row.read(String.self)
        let p2 = try row.read(Int.self)
        let p3 = try row.read(Ref<Author>.self)
        let p4 = try row.read([Ref<Tag>].self)
        self.init(id: p0, title: p1, year: p2, author: p3, tags: p4)
    }
}

/// A book with its author and tags as GRDB's prefetching requests load it.
struct BookInfo: Codable, FetchableRecord {
    var book: BookRow
    var writer: Author
    var tags: [Tag]

    static func first(_ count: Int) -> QueryInterfaceRequest<BookInfo> {
        BookRow.including(required: BookRow.author).including(all: BookRow.tags).order(Column("id")).limit(count)
            .asRequest(of: BookInfo.self)
    }
}

struct BookRow: Codable, FetchableRecord, TableRecord {
    static let databaseTableName = "Book"
    static let author = belongsTo(Author.self, using: ForeignKey(["author"])).forKey("writer")
    static let bookTags = hasMany(BookTagRow.self, using: ForeignKey(["book"])).order(Column("position"))
    static let tags = hasMany(Tag.self, through: bookTags, using: BookTagRow.tag).forKey("tags")
    var id: Int
    var title: String
    var year: Int
    var authorID: Int

    enum CodingKeys: String, CodingKey {
        case id, title, year
        case authorID = "author"
    }
}

struct BookTagRow: TableRecord {
    static let databaseTableName = "BookTag"
    static let tag = belongsTo(Tag.self, using: ForeignKey(["tag"]))
}
