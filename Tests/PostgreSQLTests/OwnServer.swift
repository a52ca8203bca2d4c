import Foundation
import TestSupport

/// A server of the test's own, and those that follow it.
final class OwnServer {
    let addresses: [String]
    private let process = Process()
    private let input = Pipe()

    /// - Parameters:
    ///   - options: options of `scripts/with-postgresql`.
    ///   - settings: settings that the servers have from their beginning: `name=value`.
    init(replicas: Int = 0, options: [String] = [], settings: [String] = []) throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let output = Pipe()
        process.executableURL = root.deletingLastPathComponent().appendingPathComponent("scripts/with-postgresql")
        process.arguments =
            options + settings.flatMap { ["--set", $0] } + Array(repeating: "--replica", count: replicas) + [
                "sh", "-c",
                "echo \"$STORAGE_POSTGRESQL $STORAGE_POSTGRESQL_REPLICA $STORAGE_POSTGRESQL_REPLICA2\"; cat",
            ]
        var environment = ProcessInfo.processInfo.environment
        environment["STORAGE_POSTGRESQL"] = nil
        process.environment = environment
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        addresses = line.split(whereSeparator: \.isWhitespace).map(String.init)
    }

    func end() throws {
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Ends the first server as a crash would, and returns when none of its processes is left: the one that listens, which
    /// is told, ends last. The signal alone is not enough: on a busy machine a write was acknowledged after it.
    func crash() async throws {
        _ = try? Server.psql("COPY (SELECT 1) TO PROGRAM 'kill -QUIT $(head -n 1 postmaster.pid)'", at: addresses[0])
        try await eventually { try Server.isGone(at: addresses[0]) }
    }

    /// The server's processes; its first one is the first.
    func processes() throws -> [Int32] {
        let sql =
            "SELECT split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int, 0 UNION SELECT pid, 1 FROM pg_stat_activity "
            + "WHERE pid <> pg_backend_pid() ORDER BY 2"
        let lines = try Server.psql("SELECT pid FROM (\(sql)) AS p (pid, place)", at: addresses[0])
        return lines.split(separator: "\n").compactMap { Int32($0) }
    }
}
