import StorageAPI
import TerminalOutput

extension Demo {
    func saveShrunkChildren() async throws {
        report.section(
            "Save a record whose array of children has changed and shrunk",
            """
            guard var country = try await store.find(Country.self, key: "NL"), country.cities.count > 2 else { … }
            country.cities.removeSubrange(2...)
            country.cities[0].population += 1_000
            country.cities.swapAt(0, 1)
            try await store.save(country)
            """)
        guard var country = try await store.find(Country.self, key: "NL"), country.cities.count > 2 else {
            throw DemoError("This section wants a country NL with more than two cities, and the data has none.")
        }
        let before = country.cities
        country.cities.removeSubrange(2...)
        country.cities[0].population += 1_000
        country.cities.swapAt(0, 1)
        _ = try await report.timed("save one country", records: { Tally([$0]).records }) {
            try await store.save(country)
        }
        try await showChildren(of: country, before: before)
    }

    /// The first children before and after, as they are stored now.
    private func showChildren(of country: Country, before: [City]) async throws {
        let after = try await store.find(Country.self, key: country.iso)?.cities ?? []
        guard after == country.cities else { throw DemoError("What was read is not what was saved.") }
        var table = TextTable(.number("position"), "before", .number("population"), "after", .number("population"))
        let shown = 5
        for position in before.indices.prefix(shown) {
            let new = position < after.count ? after[position] : nil
            table.add(
                "\(position)", before[position].name, before[position].population.grouped, new?.name ?? "–",
                new?.population.grouped ?? "–")
        }
        report.table(table)
        report.blank()
        let more = before.count > shown ? " The table shows the first \(shown)." : ""
        report.say("\(country.name): \(before.count.grouped) cities before, \(after.count.grouped) after.\(more)")
    }
}
