import ArchiveBackend
import FaultyStorage
import Foundation
import SQLiteBackend
import StorageAPI
import StorageConformance
import TestSupport

/// The backends that the suite is run on.
enum Engine: String, CaseIterable, Sendable {
    case memory, sqlite, sqliteInMemory, archive

    /// The cases that run on the backend. SQLite in memory is SQLite in a temporary file, so it runs the cases of the
    /// capabilities that it lacks, and a share of the others. The longest cases run on the reference backend each time, and
    /// on each other engine every third day.
    var cases: [ConformanceCase] {
        let all = Conformance.v1.cases
        if TestExtent.isSmall { return TestExtent.share(all, oneOf: 2) }
        guard !TestExtent.isLarge else { return all }
        switch self {
        case .memory: return all
        case .sqlite, .archive:
            let isLong = { (test: ConformanceCase) in test.id.hasPrefix("values/") || test.id == "search/scan" }
            return all.filter { !isLong($0) } + TestExtent.share(all.filter(isLong), oneOf: 3)
        case .sqliteInMemory:
            return all.filter { !$0.needs.isEmpty } + TestExtent.share(all.filter(\.needs.isEmpty), oneOf: 20)
        }
    }

    var harness: any ConformanceHarness {
        switch self {
        case .memory: InMemoryHarness()
        case .sqlite: SQLiteHarness()
        case .sqliteInMemory: SQLiteInMemoryHarness()
        case .archive: ArchiveHarness()
        }
    }
}

/// As users run them; an archive is rewritten every few commits.
struct SQLiteHarness: ConformanceHarness {
    func backend(at place: URL) -> any StorageBackend {
        SQLiteBackend(path: place.appending(path: "test.db").path)
    }

    func faults(at place: URL) -> (any FaultInjection)? { InjectedFaults.sqlite(in: place) }

    func helper(at place: URL) -> HelperCommand? {
        HelperCommand(
            executable: conformanceProgram, arguments: ["helper", "--backend", "sqlite", "--place", place.path])
    }
}

struct ArchiveHarness: ConformanceHarness {
    func backend(at place: URL) -> any StorageBackend {
        var archive = ArchiveBackend(path: place.appending(path: "test.karch").path)
        archive.minimumCompacted = .smallest
        return InjectedFaults.backend(archive, in: place)
    }

    func faults(at place: URL) -> (any FaultInjection)? { InjectedFaults.archive(in: place) }

    func destroy(_ place: URL) throws {
        InjectedFaults.forget(place)
        try FileManager.default.removeItem(at: place)
    }

    func helper(at place: URL) -> HelperCommand? {
        HelperCommand(
            executable: conformanceProgram, arguments: ["helper", "--backend", "archive", "--place", place.path])
    }
}

struct SQLiteInMemoryHarness: ConformanceHarness {
    func backend(at place: URL) -> any StorageBackend { SQLiteBackend(path: ":memory:") }
}
