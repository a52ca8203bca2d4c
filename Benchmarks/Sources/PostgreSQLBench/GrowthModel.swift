import StorageAPI

/// A record with two owned ones, a property that the schema indexes and one that it does not.
struct Visit: Storable {
    var id: Int
    /// One of twenty records with the same text.
    var place: String
    var amount: Int
    var parts: [Part]

    typealias Key = Int

    init(number id: Int, of count: Int) {
        // Neighbours in the table are none in the index.
        (self.id, place) = (id, "place \((id &* 7919) % max(count / 20, 1))")
        amount = id % 1000
        parts = [Part(id: 1, text: "first of \(id)"), Part(id: 2, text: "second of \(id)")]
    }

    static var schema: ModelSchema {
        ModelSchema(
            "Visit",
            [
                Property("id", Int.self, .key), Property("place", String.self, .indexed),
                Property("amount", Int.self), Property("parts", [Part].self),
            ])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        place = try row.read(String.self)
        amount = try row.read(Int.self)
        parts = try row.read([Part].self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(place)
        row.write(amount)
        row.write(parts)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var place: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
        var amount: QueryExpression<Int> { QueryExpression(_propertyPath, 2) }
    }
}
