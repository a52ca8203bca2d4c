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
        archive.leastCompacted = .smallest
        return archive
    }

    func follower(at place: URL) -> (any StorageBackend)? {
        ArchiveBackend(path: place.appending(path: "test.karch").path, access: .readOnly)
    }

    func growingFile(at place: URL) -> URL? { place.appending(path: "test.karch") }
}

struct GeneratedProgramTests {
    @Test func `programs give in an archive and on SQLite what the contract says`() async throws {
        let report = try await GeneratedTests(programs: TestExtent.count(30), steps: 50, seed: 2)
            .run(ArchiveHarness(), against: SQLiteHarness())
        #expect(report.failures.isEmpty, "\(report)")
        #expect(report.programs >= 30)
    }

    @Test func `programs give on SQLite and in memory what the contract says`() async throws {
        let report = try await GeneratedTests(programs: TestExtent.count(80), steps: 50, seed: 1)
            .run(SQLiteHarness(), against: InMemoryHarness())
        #expect(report.failures.isEmpty, "\(report)")
        #expect(report.programs >= 80)
        #expect(report.calls > 4000)
        #expect(report.errors > 250)
    }

    @Test
    func `queries give in an archive, on SQLite and in memory what the contract says`() async throws {
        var tests = GeneratedTests(programs: TestExtent.count(20), steps: 50, seed: 1000)
        tests.mixture = .queries
        for report in [
            try await tests.run(ArchiveHarness(), against: InMemoryHarness()), try await tests.run(SQLiteHarness()),
        ] {
            #expect(report.failures.isEmpty, "\(report)")
            #expect(report.calls >= 1000)
            #expect(report.errors > 20)
        }
    }

    @Test func `programs about references give in an archive, on SQLite and in memory what the contract says`()
        async throws
    {
        var tests = GeneratedTests(programs: TestExtent.count(20), steps: 40, seed: 1)
        tests.mixture = .references
        for report in [
            try await tests.run(InMemoryHarness()), try await tests.run(SQLiteHarness()),
            try await tests.run(ArchiveHarness()),
        ] {
            #expect(report.failures.isEmpty, "\(report)")
            #expect(report.calls >= 800)
            #expect(report.errors > 100)
        }
    }

    @Test func `programs that once failed give what the contract says`() async throws {
        let report = try await GeneratedTests.replayingFailures(on: SQLiteHarness(), against: InMemoryHarness())
        #expect(report.failures.isEmpty, "\(report)")
        #expect(report.programs == GeneratedTests.failedPrograms.count)
    }
}
