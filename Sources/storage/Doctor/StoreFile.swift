import Foundation
import SQLiteBackend
import StorageDriver

/// The file of a store and its disk, as `storage doctor` examines them.
struct StoreFile {
    private let path: String
    private let isSQLite: Bool

    /// - Throws: if the command line names no store's file.
    init(_ location: StoreLocation) throws {
        let url = try StorageURL(location.readingURL())
        (path, isSQLite) = (url.path, url.scheme == SQLiteBackend.scheme)
    }

    func findings() throws -> [HealthFinding] {
        guard path != ":memory:" else { return [] }
        return rights + disk + log + fileSystem
    }

    private var size: Int64 { Self.size(path) }

    private static func size(_ path: String) -> Int64 {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber)?.int64Value ?? 0
    }

    private var rights: [HealthFinding] {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard !FileManager.default.isWritableFile(atPath: path) || !FileManager.default.isWritableFile(atPath: folder)
        else { return [] }
        return [
            HealthFinding(
                "rights", .note,
                message: "This user may not write the file or its folder: a program that runs as this "
                    + "user only reads.",
                advice: "Open it with readonly=true, or give the program's user the rights.")
        ]
    }

    private var disk: [HealthFinding] {
        let free = (try? FileManager.default.attributesOfFileSystem(forPath: path)[.systemFreeSize] as? NSNumber)?
            .int64Value
        guard let free else { return [] }
        let needed = max(size * 2, 64 << 20)
        guard free < needed else {
            return [
                HealthFinding(
                    "disk", .note, message: "The file takes \(size >> 10) KiB, and \(free >> 20) MiB are free.")
            ]
        }
        return [
            HealthFinding(
                "disk", .warning,
                message:
                    "\(free >> 20) MiB are free on the disk of the store, which takes \(size >> 20) MiB: compaction "
                    + "and backups need as "
                    + "much again.", advice: "Free some space, or move the store by storage copy.")
        ]
    }

    /// SQLite's write-ahead log, which a read that never ends lets grow.
    private var log: [HealthFinding] {
        let bytes = Self.size(path + "-wal")
        guard isSQLite, bytes > 64 << 20, bytes > size / 4 else { return [] }
        return [
            HealthFinding(
                "wal", .warning,
                message:
                    "SQLite's log \(path)-wal takes \(bytes >> 20) MiB: a read in some program has not ended since.",
                advice: "End streams and read blocks; the log is emptied when the last program closes the store.")
        ]
    }

    private var fileSystem: [HealthFinding] {
        guard let kind = mountedKind, Self.networks.contains(kind) else { return [] }
        return [
            HealthFinding(
                "file-system", .warning,
                message:
                    "The file is on \(kind), where locks may not hold between machines: two programs may damage the store.",
                advice: "Keep the store on a local disk, and reach it by one program, or use PostgreSQL.")
        ]
    }

    /// File systems of other machines.
    private static let networks: Set = ["nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "fuse.sshfs", "afpfs", "webdav"]

    /// The kind of the file system that has the file; nil if the system does not list file systems.
    private var mountedKind: String? {
        guard let mounts = try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8) else { return nil }
        let file = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        var (longest, kind): (Int, String?) = (0, nil)
        for line in mounts.split(separator: "\n") {
            let parts = line.split(separator: " ")
            guard parts.count > 2 else { continue }
            let mount = String(parts[1])
            guard mount == "/" || file == mount || file.hasPrefix(mount + "/") else { continue }
            if mount.utf8.count >= longest { (longest, kind) = (mount.utf8.count, String(parts[2])) }
        }
        return kind
    }
}
