internal import StorageAPI

// Written by scripts/make-conformance-models, as all in this folder is: change the declarations there, and run it.
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

struct Ring {
    var id: Int
    var next: Ref<Ring>
}

extension Ring: Storable, DeclaredModel {
    static var declaration: String {
        """
        @Storable struct Ring {
            var id: Int
            @Reference(onDelete: .cascade) var next: Ref<Ring>
        }
        """
    }

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "Ring",
            [
                Property("id", Int.self, .key),
                Property("next", Ref<Ring>.self, onDelete: .cascade),
            ])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        next = try row.read(Ref<Ring>.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(next)
    }

    func writeKey(into row: inout RowWriter) {
        row.write(id)
    }

    static func key(of record: Self) -> Key? { record.id }

    static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.id, \.next]
        return properties.firstIndex(of: property)
    }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var next: QueryExpression<Ref<Ring>> { QueryExpression(_propertyPath, 1) }
    }
}

struct Seat {
    var bank: Int
    var letter: String
    var price: Double = 0
}

extension Seat: Storable, DeclaredModel {
    static var declaration: String {
        """
        @Storable struct Seat {
            @Key var bank: Int
            @Key var letter: String
            var price: Double = 0
        }
        """
    }

    typealias Key = (Int, String)

    static var schema: ModelSchema {
        ModelSchema(
            "Seat",
            [
                Property("bank", Int.self, .key),
                Property("letter", String.self, .key),
                Property("price", Double.self, default: { 0 }),
            ])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        bank = try row.read(Int.self)
        letter = try row.read(String.self)
        price = try row.read(Double.self)
    }

    func write(into row: inout RowWriter) {
        row.write(bank)
        row.write(letter)
        row.write(price)
    }

    func writeKey(into row: inout RowWriter) {
        row.write(bank)
        row.write(letter)
    }

    static func key(of record: Self) -> Key? { (record.bank, record.letter) }

    static func values(of key: Key) -> [Value] { [Value(key.0), Value(key.1)] }

    static func readKey(_ row: inout RowReader) throws(StorageError) -> Key {
        (try row.read(Int.self), try row.read(String.self))
    }

    static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.bank, \.letter, \.price]
        return properties.firstIndex(of: property)
    }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var bank: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var letter: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
        var price: QueryExpression<Double> { QueryExpression(_propertyPath, 2) }
    }
}

struct Booking {
    var id: Int
    var seat: Ref<Seat>
    var other: Ref<Seat>? = nil
    var wishes: [Ref<Seat>] = []
    var only: Ref<Seat>? = nil
}

extension Booking: Storable, DeclaredModel {
    static var declaration: String {
        """
        @Storable struct Booking {
            var id: Int
            var seat: Ref<Seat>
            @Reference(onDelete: .nullify) var other: Ref<Seat>? = nil
            @Reference(onDelete: .nullify) var wishes: [Ref<Seat>] = []
            @Reference(onDelete: .cascade) var only: Ref<Seat>? = nil
        }
        """
    }

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "Booking",
            [
                Property("id", Int.self, .key),
                Property("seat", Ref<Seat>.self),
                Property("other", Ref<Seat>?.self, onDelete: .nullify),
                Property("wishes", [Ref<Seat>].self, onDelete: .nullify, default: { [] }),
                Property("only", Ref<Seat>?.self, onDelete: .cascade),
            ])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        seat = try row.read(Ref<Seat>.self)
        other = try row.read(Ref<Seat>?.self)
        wishes = try row.read([Ref<Seat>].self)
        only = try row.read(Ref<Seat>?.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(seat)
        row.write(other)
        row.write(wishes)
        row.write(only)
    }

    func writeKey(into row: inout RowWriter) {
        row.write(id)
    }

    static func key(of record: Self) -> Key? { record.id }

    static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
        let properties: [PartialKeyPath<Self>] = [\.id, \.seat, \.other, \.wishes, \.only]
        return properties.firstIndex(of: property)
    }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var seat: QueryExpression<Ref<Seat>> { QueryExpression(_propertyPath, 1) }
        var other: QueryExpression<Ref<Seat>?> { QueryExpression(_propertyPath, 2) }
        var wishes: QueryExpression<[Ref<Seat>]> { QueryExpression(_propertyPath, 3) }
        var only: QueryExpression<Ref<Seat>?> { QueryExpression(_propertyPath, 4) }
    }
}
