internal import StorageAPI

/// The number of properties that a ``WideItem`` has besides its key.
protocol Width: Sendable {
    static var count: Int { get }
}

enum Columns128: Width { static var count: Int { 127 } }

/// A model of many properties.
struct WideItem<W: Width>: Storable {
    var id: Int
    var values: [Int]

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "Wide", [Property("id", Int.self, .key)] + (0..<W.count).map { Property("value\($0)", Int.self) })
    }

    init(id: Int, values: [Int]) {
        self.id = id
        self.values = values
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        values = []
        let count = W.count
        values.reserveCapacity(count)
        for _ in 0..<count { values.append(try row.read(Int.self)) }
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        for value in values { row.write(value) }
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var last: QueryExpression<Int> { QueryExpression(_propertyPath, W.count) }
        /// A property that the schema does not have.
        var unknown: QueryExpression<Int> { QueryExpression(_propertyPath, W.count + 1) }
    }
}

/// Another model of as many properties, which must not be made.
struct WiderItem<W: Width>: Storable {
    var id: Int

    typealias Key = Int

    static var schema: ModelSchema {
        var schema = WideItem<W>.schema
        schema.name = "Wider"
        return schema
    }

    init(reading row: inout RowReader) throws(StorageError) { id = try row.read(Int.self) }
    func write(into row: inout RowWriter) { row.write(id) }
    func writeKey(into row: inout RowWriter) { row.write(id) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
    }
}

/// The properties of a model that no store takes.
protocol RefusedProperties: Sendable {
    static var properties: [Property] { get }
}

/// A container that would hide owned records.
enum Hiding: RefusedProperties {
    static var properties: [Property] {
        var hiding = Property("pens", [Int].self)
        hiding.kind = .refused("own @Storable children as T, T?, [T] or [T]?")
        return [Property("id", Int.self, .key), hiding]
    }
}

enum NoProperties: RefusedProperties { static let properties: [Property] = [] }
enum ChildAsKey: RefusedProperties { static var properties: [Property] { [Property("id", [Pen].self)] } }

/// A model that no store takes.
struct RefusedItem<P: RefusedProperties>: Storable {
    var id: Int

    typealias Key = Int

    static var schema: ModelSchema { ModelSchema("Refused", P.properties) }

    init(id: Int) { self.id = id }
    init(reading row: inout RowReader) throws(StorageError) { id = try row.read(Int.self) }
    func write(into row: inout RowWriter) { row.write(id) }
    func writeKey(into row: inout RowWriter) { row.write(id) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
    }
}

/// A conformance that writes and reads other values than its schema has: one more, one less, or an owned record.
struct MisfitItem: Storable {
    enum Fault: Int, Sendable { case none, readsMore, readsLess, readsChild }
    @TaskLocal static var fault = Fault.none

    var id: Int

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema("Misfit", [Property("id", Int.self, .key), Property("value", Int.self)])
    }

    init(id: Int) { self.id = id }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        if Self.fault != .readsLess { _ = try row.read(Int.self) }
        if Self.fault == .readsMore { _ = try row.read(Int.self) }
        if Self.fault == .readsChild { _ = try row.read([Pen].self) }
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        // The fault is in the value: writing runs on the store's own thread, where no task's value is.
        if id != -1 { row.write(id) }
        if id == -2 { row.write(id) }
        if id == -3 { row.write([Pen(id: 1)]) }
    }

    func writeKey(into row: inout RowWriter) { if id != -4 { row.write(id) } }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
    }
}
