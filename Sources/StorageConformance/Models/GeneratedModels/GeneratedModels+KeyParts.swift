internal import StorageAPI

// Written by scripts/make-conformance-models, as all in this folder is: change the declarations there, and run it.
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

struct Pair {
    var first: String
    var second: String
    var note: String = ""
}

extension Pair: Storable, DeclaredModel {
    static var declaration: String {
        """
        @Storable struct Pair {
            @Key var first: String
            @Key var second: String
            var note: String = ""
        }
        """
    }

    typealias Key = (String, String)

    static var schema: ModelSchema {
        ModelSchema(
            "Pair",
            [
                Property("first", String.self, .key),
                Property("second", String.self, .key),
                Property("note", String.self, default: { "" }),
            ])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        first = try row.read(String.self)
        second = try row.read(String.self)
        note = try row.read(String.self)
    }

    func write(into row: inout RowWriter) {
        row.write(first)
        row.write(second)
        row.write(note)
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

    static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.first, \.second, \.note]
        return properties.firstIndex(of: property)
    }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var first: QueryExpression<String> { QueryExpression(_propertyPath, 0) }
        var second: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
        var note: QueryExpression<String> { QueryExpression(_propertyPath, 2) }
    }
}

struct Triple {
    var note: String = ""
    var code: UUID
    var number: Int64
    var kind: Kind
}

extension Triple: Storable, DeclaredModel {
    static var declaration: String {
        """
        @Storable struct Triple {
            var note: String = ""
            @Key var code: UUID
            @Key var number: Int64
            @Key var kind: Kind
        }
        """
    }

    typealias Key = (UUID, Int64, Kind)

    static var schema: ModelSchema {
        ModelSchema(
            "Triple",
            [
                Property("note", String.self, default: { "" }),
                Property("code", UUID.self, .key),
                Property("number", Int64.self, .key),
                Property("kind", Kind.self, .key),
            ])
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

    static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.note, \.code, \.number, \.kind]
        return properties.firstIndex(of: property)
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

extension ByKind: Storable, DeclaredModel {
    static var declaration: String {
        """
        @Storable struct ByKind {
            @Key var kind: Kind
            var note: String = ""
        }
        """
    }

    typealias Key = Kind

    static var schema: ModelSchema {
        ModelSchema(
            "ByKind",
            [
                Property("kind", Kind.self, .key),
                Property("note", String.self, default: { "" }),
            ])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        kind = try row.read(Kind.self)
        note = try row.read(String.self)
    }

    func write(into row: inout RowWriter) {
        row.write(kind)
        row.write(note)
    }

    func writeKey(into row: inout RowWriter) {
        row.write(kind)
    }

    static func key(of record: Self) -> Key? { record.kind }

    static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.kind, \.note]
        return properties.firstIndex(of: property)
    }

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

extension ByLevel: Storable, DeclaredModel {
    static var declaration: String {
        """
        @Storable struct ByLevel {
            @Key var level: Level
            var note: String = ""
        }
        """
    }

    typealias Key = Level

    static var schema: ModelSchema {
        ModelSchema(
            "ByLevel",
            [
                Property("level", Level.self, .key),
                Property("note", String.self, default: { "" }),
            ])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        level = try row.read(Level.self)
        note = try row.read(String.self)
    }

    func write(into row: inout RowWriter) {
        row.write(level)
        row.write(note)
    }

    func writeKey(into row: inout RowWriter) {
        row.write(level)
    }

    static func key(of record: Self) -> Key? { record.level }

    static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.level, \.note]
        return properties.firstIndex(of: property)
    }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var level: QueryExpression<Level> { QueryExpression(_propertyPath, 0) }
        var note: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
    }
}
