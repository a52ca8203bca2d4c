import Foundation
import SQLiteBackend
import StorageAPI
import TerminalOutput

/// Compares the size of the archive, as grown and compacted, with an SQLite file of the same records.
struct SizeComparison {
    private let file: DemoDatabase
    private let report: Report

    init(_ file: DemoDatabase, _ report: Report) {
        self.file = file
        self.report = report
    }

    func run(_ store: Store, _ countries: [Country]) async throws {
        report.section("What it takes on the disk", "try await store.compact()")
        var table = TextTable("file", .number("bytes"))
        table.add("the archive as it has grown, with room for more", file.size.grouped)
        let (_, time) = try await measured { try await store.compact() }
        table.add("the archive compacted in \(time.short)", file.size.grouped)
        table.add("an SQLite file of the same records", try await sqliteSize(countries).grouped)
        report.table(table)
    }

    private func sqliteSize(_ countries: [Country]) async throws -> Int {
        let database = try DemoDatabase(temporary: "geonames-for-comparison.db")
        let store = try await Store(SQLiteBackend(path: database.path, durability: .relaxed), models: Country.self)
        try await store.save(countries)
        try await store.close()
        return database.size
    }
}
