package import ArchiveBackend
package import Foundation
internal import SQLiteBackend
package import StorageConformance
package import StorageDriver
import Synchronization

/// The faults of the stores at one place that are asked for them; the others are on the system's files, or their server.
package enum InjectedFaults {
    private static let archives = Mutex<[URL: MemoryFiles]>([:])
    private static let servers = Mutex<[String: FaultyServer]>([:])

    /// The path of an archive in memory.
    private static let archivePath = "/store.karch"

    /// Calls of an archive's that change what is on the disk.
    private static let changes: Set = ["pwrite", "fsync", "ftruncate", "rename", "unlink"]

    /// Faults of a database in the folder.
    package static func sqlite(in folder: URL) -> (any FaultInjection)? {
        FaultyDisk(folder).map { SQLite(disk: $0, path: folder.appending(path: "test.db").path) }
    }

    /// Faults of an archive in the folder, which is in memory from then on.
    package static func archive(in folder: URL) -> any FaultInjection {
        let files = MemoryFiles()
        archives.withLock { $0[folder] = files }
        return Archive(files: files)
    }

    /// The archive as it is, or in memory where faults were asked for.
    package static func backend(_ archive: ArchiveBackend, in folder: URL) -> any StorageBackend {
        guard let files = archives.withLock({ $0[folder] }) else { return archive }
        // There are no folders in memory.
        var archive = archive
        archive.path = archivePath
        return FaultyArchive(backend: archive, files: files)
    }

    /// Forgets the archive of a folder.
    package static func forget(_ folder: URL) { archives.withLock { $0[folder] = nil } }

    /// Faults on the way to a PostgreSQL server, for the stores of a place from then on; nil unless it is reached by a socket.
    package static func server(_ address: String, for place: String) -> (any FaultInjection)? {
        // A pooler's address has an option that only the backend reads.
        let direct = ProcessInfo.processInfo.environment["STORAGE_POSTGRESQL_DIRECT"] ?? address
        guard let url = URLComponents(string: address), let socket = socket(of: url),
            let server = FaultyServer(to: socket, address: direct, schema: place)
        else { return nil }
        servers.withLock { $0[place] = server }
        return server
    }

    /// The server's URL, or that of the way on which faults were asked for.
    package static func url(_ url: String, for place: String) -> String {
        guard let server = servers.withLock({ $0[place] }), var components = URLComponents(string: url) else {
            return url
        }
        (components.host, components.port) = ("127.0.0.1", Int(server.port))
        components.queryItems = components.queryItems?.filter { $0.name != "host" }
        return components.string ?? url
    }

    /// Forgets the way to a server.
    package static func forget(_ place: String) { servers.withLock { $0.removeValue(forKey: place) }?.stop() }

    private static func socket(of url: URLComponents) -> String? {
        let folder = url.queryItems?.last { $0.name == "host" }?.value
        guard let folder, folder.hasPrefix("/") else { return nil }
        return "\(folder)/.s.PGSQL.\(url.port ?? 5432)"
    }

    /// The reasons why calls on files lose no answers.
    private static let lackingOnFiles: [InjectedFault.Kind: String] = [
        .lostAnswer: "A call on a file is answered where it is made.",
        .silentConnection: "A call on a file is answered where it is made.",
    ]

    private struct Archive: FaultInjection {
        let files: MemoryFiles
        let lacking = lackingOnFiles

        var relaxed: (any StorageBackend)? {
            var archive = ArchiveBackend(path: archivePath, durability: .relaxed)
            archive.minimumCompacted = .smallest
            return FaultyArchive(backend: archive, files: files)
        }

        func begin(_ fault: InjectedFault?) {
            // Calls are counted also where none fails.
            files.set(
                MemoryFiles.Fault(
                    call: fault.map { $0.call - 1 } ?? .max, names: changes, isSticky: fault?.isLasting ?? false,
                    code: fault?.isFull ?? false ? ENOSPC : EIO))
        }

        var calls: Int { files.counted }

        func cutPower(keeping kept: UnsyncedBytes) {
            switch kept {
            case .none: files.cutPower(keeping: 0)
            case .beginning: files.cutPower(keeping: 100)
            case .evenSectors: files.cutPower { $0.isMultiple(of: 2) }
            case .oddSectors: files.cutPower { !$0.isMultiple(of: 2) }
            case .all: files.cutPower(keeping: 1 << 40)
            }
        }

        func makeNewer() throws -> @Sendable () throws -> [UInt8] {
            files[archivePath] = try NewerFormat.archive(files[archivePath] ?? [])
            return { [files] in files[archivePath] ?? [] }
        }
    }

    private struct SQLite: FaultInjection {
        let disk: FaultyDisk
        let path: String
        let lacking = lackingOnFiles

        var relaxed: (any StorageBackend)? { SQLiteBackend(path: path, durability: .relaxed) }

        func begin(_ fault: InjectedFault?) {
            disk.arm(
                FaultyDisk.Fault(
                    call: Int64(fault?.call ?? 0), isFull: fault?.isFull ?? false, isForEver: fault?.isLasting ?? false)
            )
        }

        var calls: Int { Int(disk.calls) }

        func cutPower(keeping kept: UnsyncedBytes) {
            switch kept {
            case .none: disk.cutPower()
            case .beginning: disk.cutPower(keepingBytes: 100)
            case .evenSectors: disk.cutPower(sectors: 1)
            case .oddSectors: disk.cutPower(sectors: 2)
            case .all: disk.cutPower(keepingBytes: .max)
            }
        }

        func makeNewer() throws -> @Sendable () throws -> [UInt8] {
            try NewerFormat.sqlite(path)
            return { [path] in Array(try Data(contentsOf: URL(fileURLWithPath: path))) }
        }
    }
}
