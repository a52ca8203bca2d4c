import StorageAPI
import TerminalOutput

extension Demo {
    func deleteWhere() async throws {
        report.section(
            "Delete by a filter",
            """
            let count = try await store.delete(Country.self).where { $0.continent == "OC" }.run()
            """)
        let before = Tally(try await everything())
        let oceania = Tally(try await store.select(Country.self).where { $0.continent == "OC" }.all())
        let count = try await report.timed("delete by filter", records: { _ in oceania.records }) {
            try await store.delete(Country.self).where { $0.continent == "OC" }.run()
        }
        var table = TextTable.tallies
        table.add("before", before)
        table.add("of these in Oceania", oceania)
        table.add("after", Tally(try await everything()))
        report.table(table)
        report.blank()
        report.say(
            "\(count.grouped) countries were deleted, and the \(oceania.cities.grouped) cities that they owned went with "
                + "them.")
    }

    func truncate() async throws {
        report.section(
            "Truncate",
            """
            try await store.truncate(Country.self)
            """)
        let before = Tally(try await everything())
        try await report.timed("truncate", records: { before.records }) {
            try await store.truncate(Country.self)
        }
        var table = TextTable.tallies
        table.add("before", before)
        table.add("after", Tally(try await everything()))
        report.table(table)
    }

    func insertAgain() async throws {
        report.section(
            "Insert everything again, so that there is something to look into",
            """
            try await store.insert(countries)
            """)
        try await progress.during("Inserting \(Tally(countries).records.grouped) records") {
            _ = try await report.timed("insert everything", records: { Tally($0).records }) {
                try await store.insert(countries)
            }
        }
        var table = TextTable.tallies
        table.add("stored", Tally(try await everything()))
        report.table(table)
    }
}
