import ArchiveBackend
import Foundation
import SQLiteBackend
import StorageAPI
import StorageConformance
import TestSupport

/// The backends that the suite is run on.
enum Engine: String, CaseIterable, Sendable {
    case memory, sqlite, sqliteInMemory, archive

    /// The cases that the backend is asked. SQLite in memory is SQLite in a temporary file: what is its own is what it
    /// lacks, so the cases of capabilities are run, and of the others some.
    var cases: [ConformanceCase] {
        let all = Conformance.v1.cases
        guard self == .sqliteInMemory, !TestExtent.isWhole else { return all }
        return all.filter { !$0.needs.isEmpty } + TestExtent.share(all.filter(\.needs.isEmpty), oneOf: 20)
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

struct SQLiteHarness: ConformanceHarness {
    func backend(at place: URL) -> any StorageBackend {
        SQLiteBackend(path: place.appending(path: "test.db").path, durability: .relaxed)
    }

    func helper(at place: URL) -> HelperCommand? {
        HelperCommand(
            executable: program, arguments: ["helper", "--backend", "sqlite", "--place", place.path])
    }
}

struct ArchiveHarness: ConformanceHarness {
    func backend(at place: URL) -> any StorageBackend {
        ArchiveBackend(path: place.appending(path: "test.karch").path, durability: .relaxed)
    }

    func helper(at place: URL) -> HelperCommand? {
        HelperCommand(
            executable: program, arguments: ["helper", "--backend", "archive", "--place", place.path])
    }
}

struct SQLiteInMemoryHarness: ConformanceHarness {
    func backend(at place: URL) -> any StorageBackend { SQLiteBackend(path: ":memory:") }
}

/// The program `conformance`, which is built beside the tests.
let program: URL = {
    let bundles =
        Bundle.allBundles.map(\.bundleURL) + [Bundle.main.bundleURL, Bundle.main.executableURL].compactMap(\.self)
    let folders = bundles.flatMap { [$0, $0.deletingLastPathComponent()] }
    let places = folders.map { $0.appending(path: "conformance") }
    return places.first { FileManager.default.isExecutableFile(atPath: $0.path) } ?? URL(fileURLWithPath: "conformance")
}()
