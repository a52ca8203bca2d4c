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
struct Item<S: Shape>: Storable {
    var id: Int
    var value: S.Value

    typealias Key = Int

    static var schema: ModelSchema { ModelSchema(S.model, [Property("id", Int.self, .key), S.property]) }

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

extension Item: DeclaredModel {
    static var declaration: String {
        let property = S.property
        let stored = property.renamedFrom.map { "@Field(renamedFrom: \(SwiftSource.literal($0))) " } ?? ""
        return """
            @Storable(\(SwiftSource.literal(S.model))) struct \(SwiftSource.name(of: Self.self)) {
                var id: Int
                \(stored)var \(property.name): \(SwiftSource.name(of: S.Value.self))
            }
            """
    }
}

/// The same model as ``Item`` while it had no property beside the key.
struct BareItem: Storable {
    var id: Int

    typealias Key = Int

    static var schema: ModelSchema { ModelSchema("Item", [Property("id", Int.self, .key)]) }

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

extension BareItem: DeclaredModel {
    static var declaration: String {
        """
        @Storable("Item") struct BareItem {
            var id: Int
        }
        """
    }
}
