import Foundation

/// A country as the GeoNames files hold it.
struct CountryRecord: Decodable {
    let iso, name, capital, continentcode, currencycode, languages, neighbours: String
    let population: Int
    let areakm2: Double

    /// The country as the demo stores it, with these cities.
    func country(with cities: [City]) -> Country {
        Country(
            iso: iso, name: name.trimmingCharacters(in: .whitespaces), capital: capital, continent: continentcode,
            population: population, area: areakm2, currency: currencycode.isEmpty ? nil : currencycode,
            languages: Self.list(languages), neighbours: Self.list(neighbours), cities: cities)
    }

    /// The source keeps lists as one text with commas.
    private static func list(_ text: String) -> [String] { text.split(separator: ",").map(String.init) }
}

/// A city as the GeoNames files hold it.
struct CityRecord: Decodable {
    let geonameid: Int
    let name, countrycode, timezone: String
    let latitude, longitude: Double
    let population: Int
    let alternatenames: [String]

    var city: City {
        City(
            id: geonameid, name: name, latitude: latitude, longitude: longitude, population: population,
            timezone: timezone, alternateNames: alternatenames)
    }
}

extension JSONDecoder {
    /// Decodes a value; what is wrong with the text becomes one sentence that names the file.
    func decode<T: Decodable>(_ type: T.Type, from data: Data, of file: URL) throws(DemoError) -> T {
        do {
            return try decode(type, from: data)
        } catch let error as DecodingError {
            throw DemoError("\(file.path) does not hold what it should: \(error.sentence)")
        } catch {
            throw DemoError("\(file.path) cannot be decoded: \(error)")
        }
    }
}

extension DecodingError {
    /// The place and the problem.
    fileprivate var sentence: String {
        switch self {
        case .keyNotFound(let key, let context): "\(Self.place(context))the key \"\(key.stringValue)\" is missing."
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            Self.place(context) + context.debugDescription
        @unknown default: "\(self)"
        }
    }

    private static func place(_ context: Context) -> String {
        let path = context.codingPath.map(\.stringValue).joined(separator: ".")
        return path.isEmpty ? "" : "at \(path), "
    }
}
