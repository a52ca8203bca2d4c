import StorageConformance
import TestSupport
import Testing

/// A hub and its replicas against a plain model, on several engines at once.
@Suite(.repeatable) struct SynchronisationProgramTests {
    @Test func `a hub and replicas on all engines of files equal the plain model after each step`() async throws {
        let tests = GeneratedTests(share: 4, steps: 40, .synchronisation)
        let report = try await tests.run(SQLiteHarness(), against: ArchiveHarness())
        expect(report.failures.isEmpty, "\(report)")
        expect(report.calls >= 160)
    }
}
