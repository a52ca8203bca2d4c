internal import StorageAPI

// Written by scripts/make-conformance-models, as all in this folder is: change the declarations there, and run it.
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

struct Account {
    var id: Int? = nil
    var name: String = ""
    var pens: [Pen] = []
}

extension Account: Storable, DeclaredModel {
    static var declaration: String {
        """
        @Storable struct Account {
            var id: Int? = nil
            var name: String = ""
            var pens: [Pen] = []
        }
        """
    }

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "Account",
            [
                Property("id", Int?.self, .key),
                Property("name", String.self, default: { "" }),
                Property("pens", [Pen].self, default: { [] }),
            ])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int?.self)
        name = try row.read(String.self)
        pens = try row.read([Pen].self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(name)
        row.write(pens)
    }

    func writeKey(into row: inout RowWriter) {
        row.write(id)
    }

    static func key(of record: Self) -> Key? { record.id }

    mutating func assign(_ key: Key) { id = key }

    static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.id, \.name, \.pens]
        return properties.firstIndex(of: property)
    }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int?> { QueryExpression(_propertyPath, 0) }
        var name: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
        var pens: QueryExpression<[Pen]> { QueryExpression(_propertyPath, 2) }
    }
}

struct Ticket {
    var id: Int8? = nil
    var note: String = ""
}

extension Ticket: Storable, DeclaredModel {
    static var declaration: String {
        """
        @Storable struct Ticket {
            var id: Int8? = nil
            var note: String = ""
        }
        """
    }

    typealias Key = Int8

    static var schema: ModelSchema {
        ModelSchema(
            "Ticket",
            [
                Property("id", Int8?.self, .key),
                Property("note", String.self, default: { "" }),
            ])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int8?.self)
        note = try row.read(String.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(note)
    }

    func writeKey(into row: inout RowWriter) {
        row.write(id)
    }

    static func key(of record: Self) -> Key? { record.id }

    mutating func assign(_ key: Key) { id = key }

    static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.id, \.note]
        return properties.firstIndex(of: property)
    }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int8?> { QueryExpression(_propertyPath, 0) }
        var note: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
    }
}

struct Coupon {
    var id: UInt64? = nil
    var note: String = ""
}

extension Coupon: Storable, DeclaredModel {
    static var declaration: String {
        """
        @Storable struct Coupon {
            var id: UInt64? = nil
            var note: String = ""
        }
        """
    }

    typealias Key = UInt64

    static var schema: ModelSchema {
        ModelSchema(
            "Coupon",
            [
                Property("id", UInt64?.self, .key),
                Property("note", String.self, default: { "" }),
            ])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(UInt64?.self)
        note = try row.read(String.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(note)
    }

    func writeKey(into row: inout RowWriter) {
        row.write(id)
    }

    static func key(of record: Self) -> Key? { record.id }

    mutating func assign(_ key: Key) { id = key }

    static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.id, \.note]
        return properties.firstIndex(of: property)
    }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<UInt64?> { QueryExpression(_propertyPath, 0) }
        var note: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
    }
}

struct Member {
    var id: Int
    var email: String? = nil
}

extension Member: Storable, DeclaredModel {
    static var declaration: String {
        """
        @Storable struct Member {
            var id: Int
            @Unique var email: String? = nil
        }
        """
    }

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "Member",
            [
                Property("id", Int.self, .key),
                Property("email", String?.self, .unique),
            ])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        email = try row.read(String?.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(email)
    }

    func writeKey(into row: inout RowWriter) {
        row.write(id)
    }

    static func key(of record: Self) -> Key? { record.id }

    static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.id, \.email]
        return properties.firstIndex(of: property)
    }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var email: QueryExpression<String?> { QueryExpression(_propertyPath, 1) }
    }
}

struct Keyed<K: ScalarValue> {
    var id: K
    var note: String = ""
}

extension Keyed: Storable, DeclaredModel {
    static var declaration: String {
        """
        @Storable("Keyed") struct \(SwiftSource.name(of: Self.self)) {
            var id: \(SwiftSource.name(of: K.self))
            var note: String = ""
        }
        """
    }

    typealias Key = K

    static var schema: ModelSchema {
        ModelSchema(
            "Keyed",
            [
                Property("id", K.self, .key),
                Property("note", String.self, default: { "" }),
            ])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(K.self)
        note = try row.read(String.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(note)
    }

    func writeKey(into row: inout RowWriter) {
        row.write(id)
    }

    static func key(of record: Self) -> Key? { record.id }

    static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.id, \.note]
        return properties.firstIndex(of: property)
    }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<K> { QueryExpression(_propertyPath, 0) }
        var note: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
    }
}
