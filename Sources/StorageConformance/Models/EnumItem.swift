internal import StorageAPI

/// ``Item`` in the version where its value is an enum: what was stored under the raw type may be no case of it.
struct EnumItem<E: RawRepresentable & Sendable>: ListedModel where E.RawValue: ScalarValue {
    var id: Int
    var value: E

    typealias Key = Int

    static var storedModel: String { "Item" }
    static var fields: [ListedField<Self>] {
        [.init(\.id, Property("id", Int.self, .key)), .init(\.value, Property("value", E.self))]
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
