import StorageAPI

struct Item: Storable {
    var id = 0

    typealias Key = Int
    static var schema: ModelSchema { ModelSchema("Item", [Property("id", Int.self, .key)]) }
    init(reading row: inout RowReader) throws(StorageError) { id = try row.read(Int.self) }
    func write(into row: inout RowWriter) { row.write(id) }
    func writeKey(into row: inout RowWriter) { row.write(id) }

    struct Columns: ColumnSet {
        private let path: PropertyPath
        init(_ path: PropertyPath) { self.path = path }
        var number: QueryExpression<Int> { QueryExpression(path, 0) }
        var maybe: QueryExpression<Int?> { QueryExpression(path, 1) }
        var price: QueryExpression<Double> { QueryExpression(path, 2) }
        var name: QueryExpression<String> { QueryExpression(path, 3) }
        var flag: QueryExpression<Bool> { QueryExpression(path, 4) }
        var tags: QueryExpression<[String]> { QueryExpression(path, 5) }
        var parts: QueryExpression<[Item]> { QueryExpression(path, 6) }
    }
}
