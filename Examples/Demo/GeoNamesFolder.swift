import Foundation
import TerminalOutput

/// A folder with GeoNames data: the countries and one of several files of cities.
struct GeoNamesFolder {
    let url: URL
    private let cities: URL

    /// The files of cities that are understood, the largest first.
    private static let cityFiles = ["cities500.json", "cities15000.json", "cities-top2000.json"]
    private static let sample = "Examples/Data/geonames"

    /// The folder at a path, or the sample that comes with the project.
    init(path: String?) throws(DemoError) {
        if let path {
            try self.init(URL(fileURLWithPath: path, isDirectory: true))
        } else if let sample = Self.findSample() {
            try self.init(sample)
        } else {
            throw DemoError(
                "The sample \(Self.sample) was found neither above the current folder nor above the program; "
                    + "run the demo inside the project, or name a folder with GeoNames data: --data DIR")
        }
    }

    private init(_ url: URL) throws(DemoError) {
        guard url.isFolder else { throw DemoError("\(url.path) is no folder that can be read.") }
        let files = Self.cityFiles.map { url.appendingPathComponent($0) }
        guard let cities = files.first(where: { FileManager.default.fileExists(atPath: $0.path) }) else {
            throw DemoError(
                "\(url.path) holds no cities; one of these files should be there: "
                    + Self.cityFiles.joined(separator: ", "))
        }
        self.url = url
        self.cities = cities
    }

    /// Looks in the folders from the current one upward, then from the program's.
    private static func findSample() -> URL? {
        let starts = [
            URL(fileURLWithPath: FileManager.default.currentDirectoryPath),
            Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent(),
        ]
        return starts.lazy.compactMap { $0 }.flatMap(\.upward)
            .map { $0.appendingPathComponent(sample) }.first(where: \.isFolder)
    }

    /// Reads all countries with their cities.
    func load(_ progress: ProgressLine) async throws -> [Country] {
        let countries = url.appendingPathComponent("countries.json")
        let records = try JSONDecoder().decode(
            [String: CountryRecord].self, from: try countries.contents(), of: countries)
        var cities = try await loadCities(progress)
        for iso in cities.keys.sorted() {
            guard records[iso] != nil else {
                throw DemoError("\(self.cities.path) has cities in \(iso), which \(countries.path) does not know.")
            }
            cities[iso]?.sort { ($0.population, $1.id) > ($1.population, $0.id) }
        }
        return records.values.sorted { $0.iso < $1.iso }.map { $0.country(with: cities[$0.iso] ?? []) }
    }

    /// The cities by the code of their country.
    private func loadCities(_ progress: ProgressLine) async throws -> [String: [City]] {
        try await progress.during("Reading \(cities.lastPathComponent)") {
            let records = try JSONDecoder().decode([String: CityRecord].self, from: cities.contents(), of: cities)
            var found: [String: [City]] = [:]
            for record in records.values { found[record.countrycode, default: []].append(record.city) }
            return found
        }
    }
}

extension URL {
    fileprivate func contents() throws(DemoError) -> Data {
        do { return try Data(contentsOf: self) } catch {
            throw DemoError("\(path) cannot be read: \(error.localizedDescription)")
        }
    }

    fileprivate var isFolder: Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    /// The folder and all those around it.
    fileprivate var upward: [URL] {
        var folders = [standardizedFileURL]
        while let last = folders.last, last.path != "/" { folders.append(last.deletingLastPathComponent()) }
        return folders
    }
}
