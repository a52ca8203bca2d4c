// Written by scripts/make-conformance-models, as all in this folder is: change the declarations there, and run it.
internal import StorageAPI

struct Ring {
    var id: Int
    var next: Ref<Ring>
}

extension Ring: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int.self, .key)),
            .init(\.next, Property("next", Ref<Ring>.self, onDelete: .cascade)),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        next = try row.read(Ref<Ring>.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(next)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

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

extension Seat: ListedModel {
    typealias Key = (Int, String)

    static var fields: [ListedField<Self>] {
        [
            .init(\.bank, Property("bank", Int.self, .key)),
            .init(\.letter, Property("letter", String.self, .key)),
            .init(\.price, Property("price", Double.self, default: { 0 })),
        ]
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

extension Booking: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int.self, .key)),
            .init(\.seat, Property("seat", Ref<Seat>.self)),
            .init(\.other, Property("other", Ref<Seat>?.self, onDelete: .nullify)),
            .init(\.wishes, Property("wishes", [Ref<Seat>].self, onDelete: .nullify, default: { [] })),
            .init(\.only, Property("only", Ref<Seat>?.self, onDelete: .cascade)),
        ]
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

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

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
