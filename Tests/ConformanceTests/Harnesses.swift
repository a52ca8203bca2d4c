import Foundation
import SQLiteBackend
import StorageAPI
import StorageConformance

/// The backends that the suite is run on.
enum Engine: String, CaseIterable, Sendable {
    case memory, sqlite, sqliteInMemory

    var harness: any ConformanceHarness {
        switch self {
        case .memory: InMemoryHarness()
        case .sqlite: SQLiteHarness()
        case .sqliteInMemory: SQLiteInMemoryHarness()
        }
    }
}

struct SQLiteHarness: ConformanceHarness {
    func backend(at place: URL) -> any StorageBackend {
        SQLiteBackend(path: place.appending(path: "test.db").path, durability: .relaxed)
    }

    func helper(at place: URL) -> HelperCommand? {
        HelperCommand(
            executable: tool, arguments: ["conformance-helper", "--backend", "sqlite", "--place", place.path])
    }
}

struct SQLiteInMemoryHarness: ConformanceHarness {
    func backend(at place: URL) -> any StorageBackend { SQLiteBackend(path: ":memory:") }
}

/// The tool, which is built beside the tests.
let tool: URL = {
    let bundles =
        Bundle.allBundles.map(\.bundleURL) + [Bundle.main.bundleURL, Bundle.main.executableURL].compactMap(\.self)
    let folders = bundles.flatMap { [$0, $0.deletingLastPathComponent()] }
    let places = folders.map { $0.appending(path: "storage") }
    return places.first { FileManager.default.isExecutableFile(atPath: $0.path) } ?? URL(fileURLWithPath: "storage")
}()
