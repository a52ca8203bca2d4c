import StorageKit

/// A value of one type in every place that a column can have: plain, optional, in an array, in an array of optionals.
/// Written by hand, since the macro takes no generic types.
struct Holder<V: ScalarValue>: Storable {
    var id: Int
    var value: V
    var optional: V?
    var list: [V]
    var optionals: [V?]
    var optionalList: [V]?

    init(id: Int, value: V, isEmpty: Bool = false) {
        self.id = id
        self.value = value
        optional = isEmpty ? nil : value
        list = isEmpty ? [] : [value, value]
        optionals = isEmpty ? [] : [nil, value, nil]
        optionalList = isEmpty ? nil : [value]
    }

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "Holder",
            [
                Property("id", Int.self, .key),
                Property("value", V.self),
                Property("optional", V?.self),
                Property("list", [V].self),
                Property("optionals", [V?].self),
                Property("optionalList", [V]?.self),
            ])
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

    struct Columns: ColumnSet {
        private let path: PropertyPath
        init(_ path: PropertyPath) { self.path = path }
        var id: QueryExpression<Int> { QueryExpression(path, 0) }
        var value: QueryExpression<V> { QueryExpression(path, 1) }
        var optional: QueryExpression<V?> { QueryExpression(path, 2) }
        var list: QueryExpression<[V]> { QueryExpression(path, 3) }
        var optionals: QueryExpression<[V?]> { QueryExpression(path, 4) }
        var optionalList: QueryExpression<[V]?> { QueryExpression(path, 5) }
    }
}

/// Owns holders.
struct HolderOwner<V: ScalarValue>: Storable {
    var id: Int
    var holders: [Holder<V>]

    init(id: Int, holders: [Holder<V>]) {
        self.id = id
        self.holders = holders
    }

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema("HolderOwner", [Property("id", Int.self, .key), Property("holders", [Holder<V>].self)])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        holders = try row.read([Holder<V>].self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(holders)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }

    struct Columns: ColumnSet {
        private let path: PropertyPath
        init(_ path: PropertyPath) { self.path = path }
        var id: QueryExpression<Int> { QueryExpression(path, 0) }
        var holders: QueryExpression<[Holder<V>]> { QueryExpression(path, 1) }
    }
}
