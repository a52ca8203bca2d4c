import StorageAPI
import TerminalOutput

extension Demo {
    func namesInOtherScripts() async throws {
        report.section(
            "Arrays of text in every script",
            """
            let some = try await store.select(Country.self)
                .where { $0.iso.isIn(["CN", "EG", "FR", "GB", "IN", "IR", "JP", "RU", "TH", "US"]) }
                .order { $0.name }
                .all()
            """)
        let some = try await report.timed("select by ten keys", records: { Tally($0).records }) {
            try await store.select(Country.self)
                .where { $0.iso.isIn(["CN", "EG", "FR", "GB", "IN", "IR", "JP", "RU", "TH", "US"]) }
                .order { $0.name }
                .all()
        }
        report.table(Self.names(of: some.compactMap(\.cities.first)))
    }

    // Arabic runs from right to left. Between two columns of left-to-right letters a terminal that turns it keeps the
    // columns in place; a number beside it would be drawn on the wrong side.
    private static func names(of cities: [City]) -> TextTable {
        var table = TextTable(
            .number("names"), "largest city", "Chinese", "Arabic", "Devanagari", "Hangul", "Thai")
        for city in cities {
            let names = Script.allCases.map { city.name(in: $0) ?? "–" }
            table.add([city.alternateNames.count.grouped, city.name] + names)
        }
        return table
    }
}
