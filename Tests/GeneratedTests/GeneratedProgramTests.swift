import ArchiveBackend
import Foundation
import SQLiteBackend
import StorageAPI
import StorageConformance
import TestSupport
import Testing

/// Databases in files, each in a folder of its own, and as users run them. An archive is rewritten every few commits.
struct SQLiteHarness: ConformanceHarness {
    func backend(at place: URL) -> any StorageBackend {
        SQLiteBackend(path: place.appending(path: "test.db").path)
    }
}

struct ArchiveHarness: ConformanceHarness {
    func backend(at place: URL) -> any StorageBackend {
        var archive = ArchiveBackend(path: place.appending(path: "test.karch").path)
        archive.minimumCompacted = .smallest
        return archive
    }

    func follower(at place: URL) -> (any StorageBackend)? {
        ArchiveBackend(path: place.appending(path: "test.karch").path, access: .readOnly)
    }

    func growingFile(at place: URL) -> URL? { place.appending(path: "test.karch") }
}

extension GeneratedTests {
    /// Programs that are others each day, which `STORAGE_TEST_SEED` gives again. A failure also has the command that repeats
    /// its program alone.
    init(share: Int, steps: Int, _ mixture: Mixture = .everything) {
        self.init(programs: TestExtent.count(share), steps: steps, seed: UInt64(TestExtent.seed) &* 1000)
        self.mixture = mixture
    }
}

@Suite(.repeatable) struct GeneratedProgramTests {
    @Test func `programs give in an archive and on SQLite what the contract says`() async throws {
        let report = try await GeneratedTests(share: 10, steps: 50).run(ArchiveHarness(), against: SQLiteHarness())
        expect(report.failures.isEmpty, "\(report)")
        expect(report.programs >= 10)
    }

    @Test func `programs give on SQLite and in memory what the contract says`() async throws {
        let report = try await GeneratedTests(share: 25, steps: 50).run(SQLiteHarness(), against: InMemoryHarness())
        expect(report.failures.isEmpty, "\(report)")
        expect(report.programs >= 25)
        expect(report.calls > 1000)
        expect(report.errors > 25)
    }

    @Test func `queries give in an archive, on SQLite and in memory what the contract says`() async throws {
        let tests = GeneratedTests(share: 7, steps: 50, .queries)
        for report in [
            try await tests.run(ArchiveHarness(), against: InMemoryHarness()), try await tests.run(SQLiteHarness()),
        ] {
            expect(report.failures.isEmpty, "\(report)")
            expect(report.calls >= 350)
            expect(report.errors > 0)
        }
    }

    @Test func `programs about references give in an archive, on SQLite and in memory what the contract says`()
        async throws
    {
        let tests = GeneratedTests(share: 7, steps: 40, .references)
        for report in [
            try await tests.run(InMemoryHarness()), try await tests.run(SQLiteHarness()),
            try await tests.run(ArchiveHarness()),
        ] {
            expect(report.failures.isEmpty, "\(report)")
            expect(report.calls >= 280)
            expect(report.errors > 7)
        }
    }

    @Test func `programs that once failed give what the contract says`() async throws {
        let report = try await GeneratedTests.replayingFailures(on: SQLiteHarness(), against: InMemoryHarness())
        expect(report.failures.isEmpty, "\(report)")
        expect(report.programs, equals: GeneratedTests.failedPrograms.count)
    }
}
