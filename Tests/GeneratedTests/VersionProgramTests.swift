import StorageAPI
import StorageConformance
import TestSupport
import Testing

/// Programs of several versions of a model on one store, which is reopened, compacted and copied from engine to engine.
// One after the other: what the types of a version declare belongs to the process.
@Suite(.serialized) struct VersionProgramTests {
    private func tests(_ share: Int) -> GeneratedTests {
        var tests = GeneratedTests(programs: TestExtent.count(share), steps: 25, seed: 1)
        tests.mixture = .schemas
        return tests
    }

    @Test func `versions of a program give in memory what the rules say`() async throws {
        let report = try await tests(100).run(InMemoryHarness())
        #expect(report.failures.isEmpty, "\(report)")
    }

    @Test func `versions of a program give in an archive and on SQLite what the rules say`() async throws {
        let report = try await tests(10).run(SQLiteHarness(), against: ArchiveHarness())
        #expect(report.failures.isEmpty, "\(report)")
    }
}
