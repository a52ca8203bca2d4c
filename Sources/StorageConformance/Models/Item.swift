internal import StorageAPI

/// One version of a model's declaration: its stored name and the properties beside `id`.
///
/// Versions with the same name are one model at different times: a store written with one is opened with another.
protocol Shape: Sendable {
    associatedtype Value: ColumnValue
    static var model: String { get }
    static var property: Property { get }
}

extension Shape {
    static var model: String { "Item" }
    static var property: Property { Property("value", Value.self) }
}

/// A model whose one property beside the key is given by a ``Shape``.
struct Item<S: Shape>: ListedModel {
    var id: Int
    var value: S.Value

    typealias Key = Int

    static var storedModel: String { S.model }
    static var fields: [ListedField<Self>] {
        [.init(\.id, Property("id", Int.self, .key)), .init(\.value, S.property)]
    }

    init(id: Int, value: S.Value) {
        self.id = id
        self.value = value
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        value = try row.read(S.Value.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(value)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var value: QueryExpression<S.Value> { QueryExpression(_propertyPath, 1) }
    }
}

/// The same model as ``Item`` while it had no property beside the key.
struct BareItem: ListedModel {
    var id: Int

    typealias Key = Int

    static var storedModel: String { "Item" }
    static var fields: [ListedField<Self>] { [.init(\.id, Property("id", Int.self, .key))] }

    init(id: Int) { self.id = id }

    init(reading row: inout RowReader) throws(StorageError) { id = try row.read(Int.self) }
    func write(into row: inout RowWriter) { row.write(id) }
    func writeKey(into row: inout RowWriter) { row.write(id) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
    }
}
