// Written by scripts/make-conformance-models, as all in this folder is: change the declarations there, and run it.
internal import Foundation
internal import StorageAPI

struct Stamped {
    var id: Int
    var title: String = ""
    var created: Date = Date(timeIntervalSinceReferenceDate: 0)
    var modified: Date? = nil
    var parts: [Pen] = []
    var next: Ref<Stamped>? = nil
    var others: [Ref<Stamped>] = []
}

extension Stamped: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int.self, .key)),
            .init(\.title, Property("title", String.self, default: { "" })),
            .init(
                \.created,
                Property("created", Date.self, .created, default: { Date(timeIntervalSinceReferenceDate: 0) })),
            .init(\.modified, Property("modified", Date?.self, .modified)),
            .init(\.parts, Property("parts", [Pen].self, default: { [] })),
            .init(\.next, Property("next", Ref<Stamped>?.self, onDelete: .nullify)),
            .init(\.others, Property("others", [Ref<Stamped>].self, onDelete: .nullify, default: { [] })),
        ]
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

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

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

extension AuditLine: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int?.self, .key)),
            .init(\.text, Property("text", String.self, default: { "" })),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int?.self)
        text = try row.read(String.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(text)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }
    mutating func assign(_ key: Key) { id = key }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int?> { QueryExpression(_propertyPath, 0) }
        var text: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
    }
}
