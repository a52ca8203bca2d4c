import ArchiveBackend
import FaultyStorage
import Foundation
import MemoryBackend
import SQLiteBackend
import StorageAPI
import StorageConformance

#if PostgreSQL
import PostgreSQLBackend
#endif

/// The backends on which the program can run the suite. To add one, add a case and what the compiler then demands.
enum BackendChoice: String, CaseIterable {
    case sqlite, archive, memory
    #if PostgreSQL
    /// A server whose URL is in the environment, as `scripts/with-postgresql` sets it.
    case postgresql
    #endif

    /// The harness that the suite runs the backend with.
    var harness: any ConformanceHarness {
        switch self {
        case .sqlite, .archive: FileHarness(backend: self)
        case .memory: InMemoryHarness()
        #if PostgreSQL
        case .postgresql: PostgreSQLHarness()
        #endif
        }
    }
}

/// A harness for stores in files, each in a folder of its own.
struct FileHarness: ConformanceHarness {
    let backend: BackendChoice

    // As users run them, but for the archive's size: small files are rewritten every few commits.
    func backend(at place: URL) -> any StorageBackend {
        guard backend == .archive else { return SQLiteBackend(path: place.appending(path: "test.db").path) }
        var archive = ArchiveBackend(path: archiveFile(at: place).path)
        archive.minimumCompacted = .smallest
        return InjectedFaults.backend(archive, in: place)
    }

    private func archiveFile(at place: URL) -> URL { place.appending(path: "test.karch") }

    func follower(at place: URL) -> (any StorageBackend)? {
        backend == .archive ? ArchiveBackend(path: archiveFile(at: place).path, access: .readOnly) : nil
    }

    func growingFile(at place: URL) -> URL? { backend == .archive ? archiveFile(at: place) : nil }

    func faults(at place: URL) -> (any FaultInjection)? {
        guard backend == .sqlite else { return InjectedFaults.archive(in: place) }
        guard let faults = InjectedFaults.sqlite(in: place) else { return nil }
        // Below SQLite's own calls, if the library that does it is loaded.
        return DiskFaults(place, relaxed: faults.relaxed) { try faults.makeNewer() } ?? faults
    }

    func destroy(_ place: URL) throws {
        InjectedFaults.forget(place)
        try FileManager.default.removeItem(at: place)
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

#if PostgreSQL
/// A harness for stores in a PostgreSQL database, each in a schema of its own.
struct PostgreSQLHarness: ConformanceHarness {
    func makePlace() -> String { "conformance_" + UUID().uuidString.lowercased().replacing("-", with: "_") }

    func backend(at place: String) throws -> any StorageBackend {
        guard let server else {
            throw StorageError(
                .configuration, "STORAGE_POSTGRESQL has no server's URL; run this by scripts/with-postgresql.")
        }
        let url = InjectedFaults.url(server, for: place)
        let join = url.contains("?") ? "&" : "?"
        // Short, since some cases wait until it is over.
        let timeout = ["?timeout=", "&timeout="].contains { url.contains($0) } ? "" : "&timeout=2000"
        return try PostgreSQLBackend(url: StorageURL("\(url)\(join)schema=\(place)&durability=relaxed\(timeout)"))
    }

    private var server: String? { ProcessInfo.processInfo.environment["STORAGE_POSTGRESQL"] }

    func faults(at place: String) -> (any FaultInjection)? { server.flatMap { InjectedFaults.server($0, for: place) } }

    func destroy(_ place: String) throws {
        InjectedFaults.forget(place)
        try (backend(at: place) as? PostgreSQLBackend)?.removeStore()
    }

    func leftovers(of place: String) -> [String] { [] }

    func place(named name: String) -> String? { name }

    func helper(at place: String) -> HelperCommand? {
        CommandLine.ownExecutable.map {
            HelperCommand(executable: $0, arguments: ["helper", "--backend", "postgresql", "--place", place])
        }
    }
}
#endif

extension CommandLine {
    /// The file of the running program; nil if the system does not say.
    static var ownExecutable: URL? { Bundle.main.executableURL }
}
