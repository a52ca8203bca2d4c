import StorageAPI
import TerminalOutput

/// The demo, section by section.
///
/// Each section shows the lines that it runs, so the two are written one below the other and changed together.
struct Demo {
    let store: Store
    let countries: [Country]
    let report: Report
    let progress: ProgressLine

    func run() async throws {
        try await saveEverything()
        try await readEverything()
        try await selectFilterSortLimit()
        try await filterThroughChildren()
        try await namesInOtherScripts()
        try await updateByFilter()
        try await saveShrunkChildren()
        try await deleteWhere()
        try await countExistsKeys()
        try await truncate()
        try showSchema()
        try await insertAgain()
        showTimings()
    }

    /// All that the store holds now.
    func everything() async throws -> [Country] { try await store.select(Country.self).all() }

    private func showTimings() {
        report.section("How long it took", "")
        report.table(report.timingTable)
        report.blank()
        report.say("A record is a country or a city: each is a row of its table.")
        if store.info.has(.durability) { report.say("Every write was on the disk when its call returned.") }
    }
}

extension TextTable {
    /// Adds what some countries hold.
    mutating func add(_ name: String, _ tally: Tally) {
        add(name, tally.countries.grouped, tally.cities.grouped, tally.alternateNames.grouped)
    }

    /// A table for ``add(_:_:)``.
    static var tallies: TextTable {
        TextTable("", .number("countries"), .number("cities"), .number("alternate names"))
    }
}
