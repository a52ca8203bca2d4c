internal import StorageAPI

// Written by scripts/make-conformance-models, as all in this folder is: change the declarations there, and run it.
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

struct Passage {
    var text: String = ""
    var page: Int = 0
}

extension Passage: Storable, DeclaredModel {
    static var declaration: String {
        """
        @Storable struct Passage {
            @Searchable var text: String = ""
            var page: Int = 0
        }
        """
    }

    typealias Key = Never

    static var schema: ModelSchema {
        ModelSchema(
            "Passage",
            [
                Property("text", String.self, default: { "" }).searchable(),
                Property("page", Int.self, default: { 0 }),
            ])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        text = try row.read(String.self)
        page = try row.read(Int.self)
    }

    func write(into row: inout RowWriter) {
        row.write(text)
        row.write(page)
    }

    static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.text, \.page]
        return properties.firstIndex(of: property)
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

extension Article: Storable, DeclaredModel {
    static var declaration: String {
        """
        @Storable struct Article {
            var id: Int
            @Searchable(weight: 2) var title: String = ""
            @Searchable var body: String? = nil
            @Searchable var tags: [String] = []
            var year: Int = 0
            var passages: [Passage] = []
            var about: Ref<Article>? = nil
        }
        """
    }

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "Article",
            [
                Property("id", Int.self, .key),
                Property("title", String.self, default: { "" }).searchable(weight: 2),
                Property("body", String?.self).searchable(),
                Property("tags", [String].self, default: { [] }).searchable(),
                Property("year", Int.self, default: { 0 }),
                Property("passages", [Passage].self, default: { [] }),
                Property("about", Ref<Article>?.self),
            ])
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

    func writeKey(into row: inout RowWriter) {
        row.write(id)
    }

    static func key(of record: Self) -> Key? { record.id }

    static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.id, \.title, \.body, \.tags, \.year, \.passages, \.about]
        return properties.firstIndex(of: property)
    }

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
