// Written by scripts/make-conformance-models, as all in this folder is: change the declarations there, and run it.
internal import Foundation
internal import StorageAPI

struct Pair {
    var first: String
    var second: String
    var note: String = ""
    var nodes: [Node] = []
}

extension Pair: ListedModel {
    typealias Key = (String, String)

    static var fields: [ListedField<Self>] {
        [
            .init(\.first, Property("first", String.self, .key)),
            .init(\.second, Property("second", String.self, .key)),
            .init(\.note, Property("note", String.self, default: { "" })),
            .init(\.nodes, Property("nodes", [Node].self, default: { [] })),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        first = try row.read(String.self)
        second = try row.read(String.self)
        note = try row.read(String.self)
        nodes = try row.read([Node].self)
    }

    func write(into row: inout RowWriter) {
        row.write(first)
        row.write(second)
        row.write(note)
        row.write(nodes)
    }

    func writeKey(into row: inout RowWriter) {
        row.write(first)
        row.write(second)
    }
    static func key(of record: Self) -> Key? { (record.first, record.second) }
    static func values(of key: Key) -> [Value] { [Value(key.0), Value(key.1)] }
    static func readKey(_ row: inout RowReader) throws(StorageError) -> Key {
        (try row.read(String.self), try row.read(String.self))
    }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var first: QueryExpression<String> { QueryExpression(_propertyPath, 0) }
        var second: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
        var note: QueryExpression<String> { QueryExpression(_propertyPath, 2) }
        var nodes: QueryExpression<[Node]> { QueryExpression(_propertyPath, 3) }
    }
}

struct Triple {
    var note: String = ""
    var code: UUID
    var number: Int64
    var kind: Kind
}

extension Triple: ListedModel {
    typealias Key = (UUID, Int64, Kind)

    static var fields: [ListedField<Self>] {
        [
            .init(\.note, Property("note", String.self, default: { "" })),
            .init(\.code, Property("code", UUID.self, .key)),
            .init(\.number, Property("number", Int64.self, .key)),
            .init(\.kind, Property("kind", Kind.self, .key)),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        note = try row.read(String.self)
        code = try row.read(UUID.self)
        number = try row.read(Int64.self)
        kind = try row.read(Kind.self)
    }

    func write(into row: inout RowWriter) {
        row.write(note)
        row.write(code)
        row.write(number)
        row.write(kind)
    }

    func writeKey(into row: inout RowWriter) {
        row.write(code)
        row.write(number)
        row.write(kind)
    }
    static func key(of record: Self) -> Key? { (record.code, record.number, record.kind) }
    static func values(of key: Key) -> [Value] { [Value(key.0), Value(key.1), Value(key.2)] }
    static func readKey(_ row: inout RowReader) throws(StorageError) -> Key {
        (try row.read(UUID.self), try row.read(Int64.self), try row.read(Kind.self))
    }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var note: QueryExpression<String> { QueryExpression(_propertyPath, 0) }
        var code: QueryExpression<UUID> { QueryExpression(_propertyPath, 1) }
        var number: QueryExpression<Int64> { QueryExpression(_propertyPath, 2) }
        var kind: QueryExpression<Kind> { QueryExpression(_propertyPath, 3) }
    }
}

struct ByKind {
    var kind: Kind
    var note: String = ""
}

extension ByKind: ListedModel {
    typealias Key = Kind

    static var fields: [ListedField<Self>] {
        [
            .init(\.kind, Property("kind", Kind.self, .key)),
            .init(\.note, Property("note", String.self, default: { "" })),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        kind = try row.read(Kind.self)
        note = try row.read(String.self)
    }

    func write(into row: inout RowWriter) {
        row.write(kind)
        row.write(note)
    }

    func writeKey(into row: inout RowWriter) { row.write(kind) }
    static func key(of record: Self) -> Key? { record.kind }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var kind: QueryExpression<Kind> { QueryExpression(_propertyPath, 0) }
        var note: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
    }
}

struct ByLevel {
    var level: Level
    var note: String = ""
}

extension ByLevel: ListedModel {
    typealias Key = Level

    static var fields: [ListedField<Self>] {
        [
            .init(\.level, Property("level", Level.self, .key)),
            .init(\.note, Property("note", String.self, default: { "" })),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        level = try row.read(Level.self)
        note = try row.read(String.self)
    }

    func write(into row: inout RowWriter) {
        row.write(level)
        row.write(note)
    }

    func writeKey(into row: inout RowWriter) { row.write(level) }
    static func key(of record: Self) -> Key? { record.level }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var level: QueryExpression<Level> { QueryExpression(_propertyPath, 0) }
        var note: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
    }
}
