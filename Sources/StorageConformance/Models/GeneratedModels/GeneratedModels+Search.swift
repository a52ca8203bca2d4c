// Written by scripts/make-conformance-models, as all in this folder is: change the declarations there, and run it.
internal import Foundation
internal import StorageAPI

struct Passage {
    var text: String = ""
    var page: Int = 0
}

extension Passage: ListedModel {
    typealias Key = Never

    static var fields: [ListedField<Self>] {
        [
            .init(\.text, Property("text", String.self, default: { "" }).searchable()),
            .init(\.page, Property("page", Int.self, default: { 0 })),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        text = try row.read(String.self)
        page = try row.read(Int.self)
    }

    func write(into row: inout RowWriter) {
        row.write(text)
        row.write(page)
    }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var text: QueryExpression<String> { QueryExpression(_propertyPath, 0) }
        var page: QueryExpression<Int> { QueryExpression(_propertyPath, 1) }
    }
}

struct Article {
    var id: Int
    var title: String = ""
    var body: String? = nil
    var tags: [String] = []
    var year: Int = 0
    var passages: [Passage] = []
    var about: Ref<Article>? = nil
}

extension Article: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int.self, .key)),
            .init(\.title, Property("title", String.self, default: { "" }).searchable(weight: 2)),
            .init(\.body, Property("body", String?.self).searchable()),
            .init(\.tags, Property("tags", [String].self, default: { [] }).searchable()),
            .init(\.year, Property("year", Int.self, default: { 0 })),
            .init(\.passages, Property("passages", [Passage].self, default: { [] })),
            .init(\.about, Property("about", Ref<Article>?.self)),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        title = try row.read(String.self)
        body = try row.read(String?.self)
        tags = try row.read([String].self)
        year = try row.read(Int.self)
        passages = try row.read([Passage].self)
        about = try row.read(Ref<Article>?.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(title)
        row.write(body)
        row.write(tags)
        row.write(year)
        row.write(passages)
        row.write(about)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var title: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
        var body: QueryExpression<String?> { QueryExpression(_propertyPath, 2) }
        var tags: QueryExpression<[String]> { QueryExpression(_propertyPath, 3) }
        var year: QueryExpression<Int> { QueryExpression(_propertyPath, 4) }
        var passages: QueryExpression<[Passage]> { QueryExpression(_propertyPath, 5) }
        var about: QueryExpression<Ref<Article>?> { QueryExpression(_propertyPath, 6) }
    }
}

struct Notice {
    var id: Int
    var text: String = ""
    var until: Date? = nil
}

extension Notice: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int.self, .key)),
            .init(\.text, Property("text", String.self, default: { "" }).searchable()),
            .init(\.until, Property("until", Date?.self, .expires)),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        text = try row.read(String.self)
        until = try row.read(Date?.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(text)
        row.write(until)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var text: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
        var until: QueryExpression<Date?> { QueryExpression(_propertyPath, 2) }
    }
}

struct Response {
    var id: Int
    var to: Ref<Notice>? = nil
    var others: [Ref<Notice>] = []
    var last: Ref<Response>? = nil
}

extension Response: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int.self, .key)),
            .init(\.to, Property("to", Ref<Notice>?.self, onDelete: .nullify)),
            .init(\.others, Property("others", [Ref<Notice>].self, onDelete: .nullify, default: { [] })),
            .init(\.last, Property("last", Ref<Response>?.self, onDelete: .nullify)),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        to = try row.read(Ref<Notice>?.self)
        others = try row.read([Ref<Notice>].self)
        last = try row.read(Ref<Response>?.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(to)
        row.write(others)
        row.write(last)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var to: QueryExpression<Ref<Notice>?> { QueryExpression(_propertyPath, 1) }
        var others: QueryExpression<[Ref<Notice>]> { QueryExpression(_propertyPath, 2) }
        var last: QueryExpression<Ref<Response>?> { QueryExpression(_propertyPath, 3) }
    }
}
