import StorageAPI
import StorageConformance
import TestSupport
import Testing

/// Programs of several versions of a model on one store, which is reopened, compacted and copied from engine to engine.
// One after the other: what the types of a version declare belongs to the process.
@Suite(.serialized, .repeatable) struct VersionProgramTests {
    @Test func `versions of a program give in memory what the rules say`() async throws {
        let report = try await GeneratedTests(share: 35, steps: 25, .schemas).run(InMemoryHarness())
        expect(report.failures.isEmpty, "\(report)")
    }

    @Test func `versions of a program give in an archive and on SQLite what the rules say`() async throws {
        let tests = GeneratedTests(share: 3, steps: 25, .schemas)
        let report = try await tests.run(SQLiteHarness(), against: ArchiveHarness())
        expect(report.failures.isEmpty, "\(report)")
    }
}
