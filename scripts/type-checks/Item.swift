import StorageAPI

struct Item: Storable {
    var id = 0

    typealias Key = Int
    static var schema: ModelSchema { ModelSchema("Item", [Property("id", Int.self, .key)]) }
    init(reading row: inout RowReader) throws(StorageError) { id = try row.read(Int.self) }
    func write(into row: inout RowWriter) { row.write(id) }
    func writeKey(into row: inout RowWriter) { row.write(id) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var number: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var maybe: QueryExpression<Int?> { QueryExpression(_propertyPath, 1) }
        var price: QueryExpression<Double> { QueryExpression(_propertyPath, 2) }
        var name: QueryExpression<String> { QueryExpression(_propertyPath, 3) }
        var flag: QueryExpression<Bool> { QueryExpression(_propertyPath, 4) }
        var tags: QueryExpression<[String]> { QueryExpression(_propertyPath, 5) }
        var parts: QueryExpression<[Item]> { QueryExpression(_propertyPath, 6) }
    }
}

/// A type without a key, which other models own.
struct Part: Storable {
    var name = ""

    typealias Key = Never
    static var schema: ModelSchema { ModelSchema("Part", [Property("name", String.self)]) }
    init(reading row: inout RowReader) throws(StorageError) { name = try row.read(String.self) }
    func write(into row: inout RowWriter) { row.write(name) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var name: QueryExpression<String> { QueryExpression(_propertyPath, 0) }
    }
}
