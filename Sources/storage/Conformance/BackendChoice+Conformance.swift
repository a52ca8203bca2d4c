import Foundation
import SQLiteBackend
import StorageAPI
import StorageConformance

extension BackendChoice {
    /// The harness that the suite runs the backend with.
    var harness: any ConformanceHarness {
        switch self {
        case .sqlite: SQLiteHarness()
        case .memory: InMemoryHarness()
        }
    }
}

/// Databases in files, each in a folder of its own.
struct SQLiteHarness: ConformanceHarness {
    // The suite kills processes, and cuts no power: the operating system has what was committed.
    func backend(at place: URL) -> any StorageBackend {
        SQLiteBackend(path: place.appending(path: "test.db").path, durability: .relaxed)
    }

    /// This program, as a process of its own.
    func helper(at place: URL) -> HelperCommand? {
        CommandLine.ownExecutable.map {
            HelperCommand(
                executable: $0, arguments: ["conformance-helper", "--backend", "sqlite", "--place", place.path])
        }
    }
}

extension CommandLine {
    /// The file of the running program; nil where the system does not tell.
    static var ownExecutable: URL? { Bundle.main.executableURL }
}
