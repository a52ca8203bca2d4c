import StorageAPI
import TerminalOutput

extension Demo {
    func readEverything() async throws {
        report.section(
            "Read everything back",
            """
            let everything = try await store.select(Country.self).all()
            """)
        let everything = try await report.timed("select everything", records: { Tally($0).records }) {
            try await store.select(Country.self).all()
        }
        guard everything == countries else { throw DemoError("What was read is not what was saved.") }
        var table = TextTable.tallies
        table.add("saved", Tally(countries))
        table.add("read", Tally(everything))
        report.table(table)
        report.blank()
        report.say("Every value is equal to what was saved: numbers, texts, arrays, and the order of the cities.")
    }

    func selectFilterSortLimit() async throws {
        report.section(
            "Select with a filter, an order and a limit",
            """
            let large = try await store.select(Country.self)
                .where { $0.population > 50_000_000 && $0.continent != "AS" }
                .order { $0.population.descending }
                .limit(10)
                .all()
            """)
        let large = try await report.timed("select, filter and sort", records: { Tally($0).records }) {
            try await store.select(Country.self)
                .where { $0.population > 50_000_000 && $0.continent != "AS" }
                .order { $0.population.descending }
                .limit(10)
                .all()
        }
        report.table(Self.overview(large))
    }

    private static func overview(_ countries: [Country]) -> TextTable {
        var table = TextTable(
            "iso", "name", "capital", .number("population"), .number("area km²"), .number("cities"), "largest city")
        for country in countries {
            table.add(
                country.iso, country.name, country.capital, country.population.grouped, country.area.fixed(0),
                country.cities.count.grouped, country.cities.first?.name ?? "–")
        }
        return table
    }

    func filterThroughChildren() async throws {
        report.section(
            "Filter through owned children",
            """
            let metropolitan = try await store.select(Country.self)
                .where { $0.cities.any { $0.population > 10_000_000 } }
                .order { $0.name }
                .all()
            """)
        let metropolitan = try await report.timed("select by children", records: { Tally($0).records }) {
            try await store.select(Country.self)
                .where { $0.cities.any { $0.population > 10_000_000 } }
                .order { $0.name }
                .all()
        }
        report.table(Self.metropolises(of: metropolitan))
    }

    private static func metropolises(of countries: [Country]) -> TextTable {
        var table = TextTable("name", .number("cities"), .init("with more than 10,000,000 people", limit: 70))
        for country in countries {
            let names = country.cities.filter { $0.population > 10_000_000 }.map(\.name)
            table.add(country.name, country.cities.count.grouped, names.joined(separator: ", "))
        }
        return table
    }

    func countExistsKeys() async throws {
        report.section(
            "Count, exists, keys and a sum, which load no record",
            """
            let count = try await store.select(Country.self).where { $0.currency == "EUR" }.count()
            let exists = try await store.select(Country.self).where { $0.name.hasPrefix("Austr") }.exists()
            let keys = try await store.select(Country.self).where { $0.continent == "SA" }.keys()
            let sum = try await store.select(Country.self).where { $0.continent == "EU" }.sum { $0.population }
            """)
        let count = try await report.timed("count") {
            try await store.select(Country.self).where { $0.currency == "EUR" }.count()
        }
        let exists = try await store.select(Country.self).where { $0.name.hasPrefix("Austr") }.exists()
        let keys = try await store.select(Country.self).where { $0.continent == "SA" }.keys()
        let sum = try await store.select(Country.self).where { $0.continent == "EU" }.sum { $0.population }
        var table = TextTable("call", .init("result", limit: 70))
        table.add("count", count.grouped)
        table.add("exists", "\(exists)")
        table.add("keys", keys.joined(separator: ", "))
        table.add("sum", sum.grouped)
        report.table(table)
        report.blank()
        report.say("Australia went above; Austria begins alike and is still there.")
    }
}
