import StorageAPI

/// A city, owned by its country.
///
/// The conformance is written by hand, so that the tool builds without the macro; `@Storable` would write the same.
struct City: Storable, Equatable {
    var id: Int
    var name: String
    var latitude: Double
    var longitude: Double
    var population: Int
    var timezone: String
    var alternateNames: [String]
}

extension City {
    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "City",
            [
                Property("id", Int.self, .key),
                Property("name", String.self),
                Property("latitude", Double.self),
                Property("longitude", Double.self),
                Property("population", Int.self),
                Property("timezone", String.self),
                Property("alternateNames", [String].self),
            ])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        name = try row.read(String.self)
        latitude = try row.read(Double.self)
        longitude = try row.read(Double.self)
        population = try row.read(Int.self)
        timezone = try row.read(String.self)
        alternateNames = try row.read([String].self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(name)
        row.write(latitude)
        row.write(longitude)
        row.write(population)
        row.write(timezone)
        row.write(alternateNames)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }

        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var name: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
        var latitude: QueryExpression<Double> { QueryExpression(_propertyPath, 2) }
        var longitude: QueryExpression<Double> { QueryExpression(_propertyPath, 3) }
        var population: QueryExpression<Int> { QueryExpression(_propertyPath, 4) }
        var timezone: QueryExpression<String> { QueryExpression(_propertyPath, 5) }
        var alternateNames: QueryExpression<[String]> { QueryExpression(_propertyPath, 6) }
    }
}
