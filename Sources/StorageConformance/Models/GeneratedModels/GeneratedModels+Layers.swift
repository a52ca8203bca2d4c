internal import StorageAPI

// Written by scripts/make-conformance-models, as all in this folder is: change the declarations there, and run it.
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

struct Stamped {
    var id: Int
    var title: String = ""
    var created: Date = Date(timeIntervalSinceReferenceDate: 0)
    var modified: Date? = nil
    var parts: [Pen] = []
    var next: Ref<Stamped>? = nil
    var others: [Ref<Stamped>] = []
}

extension Stamped: Storable, DeclaredModel {
    static var declaration: String {
        """
        @Storable struct Stamped {
            var id: Int
            var title: String = ""
            @Created var created: Date = Date(timeIntervalSinceReferenceDate: 0)
            @Modified var modified: Date? = nil
            var parts: [Pen] = []
            @Reference(onDelete: .nullify) var next: Ref<Stamped>? = nil
            @Reference(onDelete: .nullify) var others: [Ref<Stamped>] = []
        }
        """
    }

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "Stamped",
            [
                Property("id", Int.self, .key),
                Property("title", String.self, default: { "" }),
                Property("created", Date.self, .created, default: { Date(timeIntervalSinceReferenceDate: 0) }),
                Property("modified", Date?.self, .modified),
                Property("parts", [Pen].self, default: { [] }),
                Property("next", Ref<Stamped>?.self, onDelete: .nullify),
                Property("others", [Ref<Stamped>].self, onDelete: .nullify, default: { [] }),
            ])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        title = try row.read(String.self)
        created = try row.read(Date.self)
        modified = try row.read(Date?.self)
        parts = try row.read([Pen].self)
        next = try row.read(Ref<Stamped>?.self)
        others = try row.read([Ref<Stamped>].self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(title)
        row.write(created)
        row.write(modified)
        row.write(parts)
        row.write(next)
        row.write(others)
    }

    func writeKey(into row: inout RowWriter) {
        row.write(id)
    }

    static func key(of record: Self) -> Key? { record.id }

    static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.id, \.title, \.created, \.modified, \.parts, \.next, \.others]
        return properties.firstIndex(of: property)
    }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var title: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
        var created: QueryExpression<Date> { QueryExpression(_propertyPath, 2) }
        var modified: QueryExpression<Date?> { QueryExpression(_propertyPath, 3) }
        var parts: QueryExpression<[Pen]> { QueryExpression(_propertyPath, 4) }
        var next: QueryExpression<Ref<Stamped>?> { QueryExpression(_propertyPath, 5) }
        var others: QueryExpression<[Ref<Stamped>]> { QueryExpression(_propertyPath, 6) }
    }
}

struct AuditLine {
    var id: Int? = nil
    var text: String = ""
}

extension AuditLine: Storable, DeclaredModel {
    static var declaration: String {
        """
        @Storable struct AuditLine {
            var id: Int? = nil
            var text: String = ""
        }
        """
    }

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "AuditLine",
            [
                Property("id", Int?.self, .key),
                Property("text", String.self, default: { "" }),
            ])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int?.self)
        text = try row.read(String.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(text)
    }

    func writeKey(into row: inout RowWriter) {
        row.write(id)
    }

    static func key(of record: Self) -> Key? { record.id }

    mutating func assign(_ key: Key) { id = key }

    static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.id, \.text]
        return properties.firstIndex(of: property)
    }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int?> { QueryExpression(_propertyPath, 0) }
        var text: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
    }
}
