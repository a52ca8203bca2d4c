import StorageAPI
import TerminalOutput

extension Demo {
    func saveEverything() async throws {
        report.section(
            "Save everything in one call",
            """
            try await store.save(countries)
            """)
        let tally = Tally(countries)
        try await progress.during("Saving \(tally.records.grouped) records") {
            _ = try await report.timed("save everything", records: { Tally($0).records }) {
                try await store.save(countries)
            }
        }
        report.say(
            "\(tally.countries.grouped) countries and the \(tally.cities.grouped) cities that they own are stored, "
                + "in one transaction and \(report.lastTime.short).")
    }

    func updateByFilter() async throws {
        report.section(
            "Update some properties by a filter",
            """
            let count = try await store.update(Country.self)
                .where { $0.population == 0 }
                .set(\\.currency, to: nil)
                .run()
            """)
        let before = try await store.select(Country.self).where { $0.population == 0 }.all()
        let count = try await report.timed("update by filter", records: { $0 }) {
            try await store.update(Country.self)
                .where { $0.population == 0 }
                .set(\.currency, to: nil)
                .run()
        }
        let after = try await store.select(Country.self).where { $0.population == 0 }.all()
        report.table(Self.currencies(before, after))
        report.blank()
        report.say("\(count.grouped) records met the filter and were updated.")
    }

    private static func currencies(_ before: [Country], _ after: [Country]) -> TextTable {
        var table = TextTable("iso", "name", .number("population"), "currency before", "after")
        for (old, new) in zip(before, after) {
            table.add(old.iso, old.name, old.population.grouped, old.currency ?? "nil", new.currency ?? "nil")
        }
        return table
    }
}
