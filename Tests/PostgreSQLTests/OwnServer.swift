import Foundation
import TestSupport

/// A server for one test, and its replicas.
struct OwnServer {
    /// The address of the server, and of each that follows it.
    let addresses: [String]

    /// Runs a body with a server, which is removed afterwards.
    ///
    /// - Parameters:
    ///   - options: options of `scripts/with-postgresql`.
    ///   - settings: settings that the servers have from their beginning: `name=value`.
    /// - Throws: an error with the server's log if it does not start.
    static func with<T>(
        replicas: Int = 0, options: [String] = [], settings: [String] = [], _ body: (OwnServer) async throws -> T
    ) async throws -> T {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let process = Server.process(
            root.deletingLastPathComponent().appending(path: "scripts/with-postgresql"),
            options + settings.flatMap { ["--set", $0] } + Array(repeating: "--replica", count: replicas) + [
                "sh", "-c",
                "echo \"$STORAGE_POSTGRESQL $STORAGE_POSTGRESQL_REPLICA $STORAGE_POSTGRESQL_REPLICA2\"; cat",
            ])
        process.environment = ProcessInfo.processInfo.environment
        process.environment?["STORAGE_POSTGRESQL"] = nil
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput, process.standardError) = (input, output, output)
        let pieces = output.fileHandleForReading.pieces()
        let ending = try process.start()
        let result: Result<T, any Error>
        do {
            let server = try await OwnServer(printed: pieces, count: replicas + 1)
            result = .success(try await body(server))
        } catch {
            result = .failure(error)
        }
        try input.fileHandleForWriting.close()
        await ending.wait()
        return try result.get()
    }

    /// Waits for the line of addresses.
    private init(printed: AsyncStream<Data>, count: Int) async throws {
        var text = ""
        for await piece in printed {
            text += String(decoding: piece, as: UTF8.self)
            guard let end = text.lastIndex(of: "\n") else { continue }
            let words = text[..<end].split(whereSeparator: \.isWhitespace)
            let addresses = words.filter { $0.hasPrefix("postgresql://") }.map(String.init)
            if addresses.count == count {
                self.addresses = addresses
                return
            }
        }
        throw Server.ShellError(text: "no server: \(text)")
    }

    /// Ends the first server as a crash would, and returns when none of its processes is left: the one that listens, which
    /// is told, ends last. The signal alone is not enough: on a busy machine a write was acknowledged after it.
    func crash() async throws {
        let kill = "COPY (SELECT 1) TO PROGRAM 'kill -QUIT $(head -n 1 postmaster.pid)'"
        _ = try? await Server.psql(kill, at: addresses[0])
        try await eventually { try await Server.isGone(at: addresses[0]) }
    }

    /// The server's processes; its first one is the first.
    func processes() async throws -> [Int32] {
        let sql =
            "SELECT split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int, 0 UNION SELECT pid, 1 FROM pg_stat_activity "
            + "WHERE pid <> pg_backend_pid() ORDER BY 2"
        let lines = try await Server.psql("SELECT pid FROM (\(sql)) AS p (pid, place)", at: addresses[0])
        return lines.split(separator: "\n").compactMap { Int32($0) }
    }

    /// The ports of the servers.
    func ports() async throws -> [String] {
        var ports: [String] = []
        for address in addresses { ports.append(try await Server.psql("SELECT current_setting('port')", at: address)) }
        return ports
    }
}
