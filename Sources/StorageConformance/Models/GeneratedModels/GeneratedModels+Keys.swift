// Written by scripts/make-conformance-models, as all in this folder is: change the declarations there, and run it.
internal import StorageAPI

struct Account {
    var id: Int? = nil
    var name: String = ""
    var pens: [Pen] = []
}

extension Account: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int?.self, .key)),
            .init(\.name, Property("name", String.self, default: { "" })),
            .init(\.pens, Property("pens", [Pen].self, default: { [] })),
        ]
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

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }
    mutating func assign(_ key: Key) { id = key }

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

extension Ticket: ListedModel {
    typealias Key = Int8

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int8?.self, .key)),
            .init(\.note, Property("note", String.self, default: { "" })),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int8?.self)
        note = try row.read(String.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(note)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }
    mutating func assign(_ key: Key) { id = key }

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

extension Coupon: ListedModel {
    typealias Key = UInt64

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", UInt64?.self, .key)),
            .init(\.note, Property("note", String.self, default: { "" })),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(UInt64?.self)
        note = try row.read(String.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(note)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }
    mutating func assign(_ key: Key) { id = key }

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

extension Member: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int.self, .key)),
            .init(\.email, Property("email", String?.self, .unique)),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        email = try row.read(String?.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(email)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

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
    var pens: [Pen] = []
}

extension Keyed: ListedModel {
    typealias Key = K

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", K.self, .key)),
            .init(\.note, Property("note", String.self, default: { "" })),
            .init(\.pens, Property("pens", [Pen].self, default: { [] })),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(K.self)
        note = try row.read(String.self)
        pens = try row.read([Pen].self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(note)
        row.write(pens)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<K> { QueryExpression(_propertyPath, 0) }
        var note: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
        var pens: QueryExpression<[Pen]> { QueryExpression(_propertyPath, 2) }
    }
}
