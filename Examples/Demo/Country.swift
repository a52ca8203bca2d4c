import StorageAPI

/// A country with all that it owns: what the demo saves, asks for and changes.
///
/// The conformance is written by hand, so that the tool builds without the macro; `@Storable` would write the same.
struct Country: Storable, Equatable {
    var iso: String
    var name: String
    var capital: String
    var continent: String
    var population: Int
    var area: Double
    var currency: String?
    var languages: [String]
    var neighbours: [String]
    /// The cities, those with the most people first.
    var cities: [City]
}

extension Country {
    typealias Key = String

    static var schema: ModelSchema {
        ModelSchema(
            "Country",
            [
                Property("iso", String.self, .key),
                Property("name", String.self),
                Property("capital", String.self),
                Property("continent", String.self, .indexed),
                Property("population", Int.self, .indexed),
                Property("area", Double.self),
                Property("currency", String?.self),
                Property("languages", [String].self),
                Property("neighbours", [String].self),
                Property("cities", [City].self),
            ])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        iso = try row.read(String.self)
        name = try row.read(String.self)
        capital = try row.read(String.self)
        continent = try row.read(String.self)
        population = try row.read(Int.self)
        area = try row.read(Double.self)
        currency = try row.read(String?.self)
        languages = try row.read([String].self)
        neighbours = try row.read([String].self)
        cities = try row.read([City].self)
    }

    func write(into row: inout RowWriter) {
        row.write(iso)
        row.write(name)
        row.write(capital)
        row.write(continent)
        row.write(population)
        row.write(area)
        row.write(currency)
        row.write(languages)
        row.write(neighbours)
        row.write(cities)
    }

    func writeKey(into row: inout RowWriter) { row.write(iso) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }

        var iso: QueryExpression<String> { QueryExpression(_propertyPath, 0) }
        var name: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
        var capital: QueryExpression<String> { QueryExpression(_propertyPath, 2) }
        var continent: QueryExpression<String> { QueryExpression(_propertyPath, 3) }
        var population: QueryExpression<Int> { QueryExpression(_propertyPath, 4) }
        var area: QueryExpression<Double> { QueryExpression(_propertyPath, 5) }
        var currency: QueryExpression<String?> { QueryExpression(_propertyPath, 6) }
        var languages: QueryExpression<[String]> { QueryExpression(_propertyPath, 7) }
        var neighbours: QueryExpression<[String]> { QueryExpression(_propertyPath, 8) }
        var cities: QueryExpression<[City]> { QueryExpression(_propertyPath, 9) }
    }
}

/// The totals of some countries, for "before" and "after".
struct Tally: Equatable {
    var countries = 0
    var cities = 0
    var alternateNames = 0

    init(_ countries: [Country]) {
        self.countries = countries.count
        for country in countries {
            cities += country.cities.count
            for city in country.cities { alternateNames += city.alternateNames.count }
        }
    }

    /// Countries and cities alike: each is a row of a table.
    var records: Int { countries + cities }
}
