// Written by scripts/make-conformance-models, as all in this folder is: change the declarations there, and run it.
internal import Foundation
internal import StorageAPI

struct Slot {
    var id: Int
    var line: Int = 0
    var place: Int = 0
    var code: String? = nil
    var link: URL? = nil
}

extension Slot: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int.self, .key)),
            .init(\.line, Property("line", Int.self, .indexed, default: { 0 })),
            .init(\.place, Property("place", Int.self, .indexed, default: { 0 })),
            .init(\.code, Property("code", String?.self, .unique)),
            .init(\.link, Property("link", URL?.self)),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        line = try row.read(Int.self)
        place = try row.read(Int.self)
        code = try row.read(String?.self)
        link = try row.read(URL?.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(line)
        row.write(place)
        row.write(code)
        row.write(link)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var line: QueryExpression<Int> { QueryExpression(_propertyPath, 1) }
        var place: QueryExpression<Int> { QueryExpression(_propertyPath, 2) }
        var code: QueryExpression<String?> { QueryExpression(_propertyPath, 3) }
        var link: QueryExpression<URL?> { QueryExpression(_propertyPath, 4) }
    }
}

struct Trap {
    var id: Int
    var spring: Spring
}

extension Trap: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int.self, .key)),
            .init(\.spring, Property("spring", Spring.self)),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        spring = try row.read(Spring.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(spring)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var spring: QueryExpression<Spring> { QueryExpression(_propertyPath, 1) }
    }
}
