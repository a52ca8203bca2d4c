import ArchiveBackend
import ArgumentParser
import Foundation
import MemoryBackend
import SQLiteBackend
import StorageAPI
import StorageConformance

/// The backends on which the program can run the suite. To add one, add a case and what the compiler then demands.
enum BackendChoice: String, CaseIterable, ExpressibleByArgument {
    case sqlite, archive, memory

    /// The harness that the suite runs the backend with.
    var harness: any ConformanceHarness {
        switch self {
        case .sqlite, .archive: FileHarness(backend: self)
        case .memory: InMemoryHarness()
        }
    }
}

/// A harness for stores in files, each in a folder of its own.
struct FileHarness: ConformanceHarness {
    let backend: BackendChoice

    // The suite kills processes but cuts no power, so what the operating system has is enough.
    func backend(at place: URL) -> any StorageBackend {
        switch backend {
        case .sqlite: SQLiteBackend(path: place.appending(path: "test.db").path, durability: .relaxed)
        case .archive: ArchiveBackend(path: place.appending(path: "test.karch").path, durability: .relaxed)
        case .memory: InMemoryBackend()
        }
    }

    /// This program, as a process of its own.
    func helper(at place: URL) -> HelperCommand? {
        CommandLine.ownExecutable.map {
            HelperCommand(
                executable: $0,
                arguments: ["helper", "--backend", backend.rawValue, "--place", place.path])
        }
    }
}

extension CommandLine {
    /// The file of the running program; nil if the system does not say.
    static var ownExecutable: URL? { Bundle.main.executableURL }
}
