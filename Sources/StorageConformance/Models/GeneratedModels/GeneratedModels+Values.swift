// Written by scripts/make-conformance-models, as all in this folder is: change the declarations there, and run it.
internal import Foundation
internal import StorageAPI

struct Measure {
    var id: Int
    var number: Int? = nil
    var real: Double? = nil
    var text: String? = nil
    var flag: Bool? = nil
}

extension Measure: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int.self, .key)),
            .init(\.number, Property("number", Int?.self)),
            .init(\.real, Property("real", Double?.self)),
            .init(\.text, Property("text", String?.self)),
            .init(\.flag, Property("flag", Bool?.self)),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        number = try row.read(Int?.self)
        real = try row.read(Double?.self)
        text = try row.read(String?.self)
        flag = try row.read(Bool?.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(number)
        row.write(real)
        row.write(text)
        row.write(flag)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var number: QueryExpression<Int?> { QueryExpression(_propertyPath, 1) }
        var real: QueryExpression<Double?> { QueryExpression(_propertyPath, 2) }
        var text: QueryExpression<String?> { QueryExpression(_propertyPath, 3) }
        var flag: QueryExpression<Bool?> { QueryExpression(_propertyPath, 4) }
    }
}

struct Choice {
    var id: Int
    var kind: Kind
    var level: Level? = nil
    var kinds: [Kind] = []
    var levels: [Level] = []
}

extension Choice: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int.self, .key)),
            .init(\.kind, Property("kind", Kind.self)),
            .init(\.level, Property("level", Level?.self)),
            .init(\.kinds, Property("kinds", [Kind].self, default: { [] })),
            .init(\.levels, Property("levels", [Level].self, default: { [] })),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        kind = try row.read(Kind.self)
        level = try row.read(Level?.self)
        kinds = try row.read([Kind].self)
        levels = try row.read([Level].self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(kind)
        row.write(level)
        row.write(kinds)
        row.write(levels)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var kind: QueryExpression<Kind> { QueryExpression(_propertyPath, 1) }
        var level: QueryExpression<Level?> { QueryExpression(_propertyPath, 2) }
        var kinds: QueryExpression<[Kind]> { QueryExpression(_propertyPath, 3) }
        var levels: QueryExpression<[Level]> { QueryExpression(_propertyPath, 4) }
    }
}

struct Document {
    var id: Int
    var body: Payload
    var draft: Payload? = nil
    var reply: Reply? = nil
    var grid: [[Int]] = []
}

extension Document: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int.self, .key)),
            .init(\.body, Property("body", Payload.self)),
            .init(\.draft, Property("draft", Payload?.self)),
            .init(\.reply, Property("reply", Reply?.self)),
            .init(\.grid, Property("grid", [[Int]].self, default: { [] })),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        body = try row.read(Payload.self)
        draft = try row.read(Payload?.self)
        reply = try row.read(Reply?.self)
        grid = try row.read([[Int]].self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(body)
        row.write(draft)
        row.write(reply)
        row.write(grid)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var body: QueryExpression<Payload> { QueryExpression(_propertyPath, 1) }
        var draft: QueryExpression<Payload?> { QueryExpression(_propertyPath, 2) }
        var reply: QueryExpression<Reply?> { QueryExpression(_propertyPath, 3) }
        var grid: QueryExpression<[[Int]]> { QueryExpression(_propertyPath, 4) }
    }
}

struct Line {
    var id: Int
    var price: Decimal
    var discount: Decimal? = nil
    var quantity: Int = 0
    var stock: UInt64 = 0
}

extension Line: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int.self, .key)),
            .init(\.price, Property("price", Decimal.self)),
            .init(\.discount, Property("discount", Decimal?.self)),
            .init(\.quantity, Property("quantity", Int.self, default: { 0 })),
            .init(\.stock, Property("stock", UInt64.self, default: { 0 })),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        price = try row.read(Decimal.self)
        discount = try row.read(Decimal?.self)
        quantity = try row.read(Int.self)
        stock = try row.read(UInt64.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(price)
        row.write(discount)
        row.write(quantity)
        row.write(stock)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var price: QueryExpression<Decimal> { QueryExpression(_propertyPath, 1) }
        var discount: QueryExpression<Decimal?> { QueryExpression(_propertyPath, 2) }
        var quantity: QueryExpression<Int> { QueryExpression(_propertyPath, 3) }
        var stock: QueryExpression<UInt64> { QueryExpression(_propertyPath, 4) }
    }
}

struct Owner<V: ScalarValue> {
    var id: Int
    var one: Holder<V>? = nil
    var many: [Holder<V>] = []
}

extension Owner: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int.self, .key)),
            .init(\.one, Property("one", Holder<V>?.self)),
            .init(\.many, Property("many", [Holder<V>].self, default: { [] })),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        one = try row.read(Holder<V>?.self)
        many = try row.read([Holder<V>].self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(one)
        row.write(many)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var one: QueryExpression<Holder<V>?> { QueryExpression(_propertyPath, 1) }
        var many: QueryExpression<[Holder<V>]> { QueryExpression(_propertyPath, 2) }
    }
}

struct Holder<V: ScalarValue> {
    var id: Int
    var value: V
    var optional: V? = nil
    var list: [V] = []
    var optionals: [V?] = []
    var optionalList: [V]? = nil
}

extension Holder: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int.self, .key)),
            .init(\.value, Property("value", V.self)),
            .init(\.optional, Property("optional", V?.self)),
            .init(\.list, Property("list", [V].self, default: { [] })),
            .init(\.optionals, Property("optionals", [V?].self, default: { [] })),
            .init(\.optionalList, Property("optionalList", [V]?.self)),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        value = try row.read(V.self)
        optional = try row.read(V?.self)
        list = try row.read([V].self)
        optionals = try row.read([V?].self)
        optionalList = try row.read([V]?.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(value)
        row.write(optional)
        row.write(list)
        row.write(optionals)
        row.write(optionalList)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var value: QueryExpression<V> { QueryExpression(_propertyPath, 1) }
        var optional: QueryExpression<V?> { QueryExpression(_propertyPath, 2) }
        var list: QueryExpression<[V]> { QueryExpression(_propertyPath, 3) }
        var optionals: QueryExpression<[V?]> { QueryExpression(_propertyPath, 4) }
        var optionalList: QueryExpression<[V]?> { QueryExpression(_propertyPath, 5) }
    }
}
