internal import StorageAPI

/// ``Item`` in the version where its value is an enum: what was stored under the raw type may be no case of it.
struct EnumItem<E: RawRepresentable & Sendable>: Storable where E.RawValue: ScalarValue {
    var id: Int
    var value: E

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema("Item", [Property("id", Int.self, .key), Property("value", E.self)])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        value = try row.read(E.self)
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
        var value: QueryExpression<E> { QueryExpression(_propertyPath, 1) }
    }
}

extension EnumItem: DeclaredModel {
    static var declaration: String {
        """
        @Storable("Item") struct \(SwiftSource.name(of: Self.self)) {
            var id: Int
            var value: \(SwiftSource.name(of: E.self))
        }
        """
    }
}
