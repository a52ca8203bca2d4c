import Foundation
import PostgreSQLBackend
import StorageKit
import TestSupport
import Testing

/// The server of the tests, as `scripts/with-postgresql` starts it.
enum Server {
    /// Its URL; nil where the tests run without a server, and are not run.
    static let url = ProcessInfo.processInfo.environment["STORAGE_POSTGRESQL"]
    static var isThere: Bool { url != nil }

    /// A backend for a schema of the server's database.
    static func backend(_ schema: String, _ options: String = "") throws -> PostgreSQLBackend {
        let url = url ?? "postgresql:"
        let join = url.contains("?") ? "&" : "?"
        return try PostgreSQLBackend(url: StorageURL("\(url)\(join)schema=\(schema)&durability=relaxed\(options)"))
    }

    /// Runs a body with a new schema, which is removed afterwards.
    static func withSchema<T>(_ body: (String) async throws -> T) async throws -> T {
        let schema = "test_" + UUID().uuidString.lowercased()
        do {
            let result = try await body(schema)
            try await psql("DROP SCHEMA IF EXISTS \"\(schema)\" CASCADE")
            return result
        } catch {
            _ = try? await psql("DROP SCHEMA IF EXISTS \"\(schema)\" CASCADE")
            throw error
        }
    }

    /// Makes the store in a schema, with tables of models. A test's short timeout is not meant for that.
    static func makeStore(_ schema: String, _ models: any Storable.Type...) async throws {
        try await Store(backend(schema, "&timeout=600000"), models: models).close()
    }

    /// Runs a body with a new role, which is removed afterwards.
    static func withRole<T>(_ attributes: String = "", _ body: (String) async throws -> T) async throws -> T {
        let role = "role_" + UUID().uuidString.lowercased()
        try await psql("CREATE ROLE \"\(role)\" LOGIN \(attributes)")
        let drop = "DROP OWNED BY \"\(role)\"; DROP ROLE \"\(role)\""
        do {
            let result = try await body(role)
            try await psql(drop)
            return result
        } catch {
            _ = try? await psql(drop)
            throw error
        }
    }

    // MARK: The server's own programs

    /// The file of a program. `scripts/with-postgresql` puts the server's programs first on the PATH.
    static func program(_ name: String) -> URL {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        let files = folders.map { URL(filePath: "\($0)/\(name)") }
        return files.first { FileManager.default.isExecutableFile(atPath: $0.path) }
            ?? URL(filePath: "/usr/bin/\(name)")
    }

    /// A process that is not started yet.
    static func process(_ program: URL, _ arguments: [String]) -> Process {
        let process = Process()
        (process.executableURL, process.arguments) = (program, arguments)
        return process
    }

    private static let shellProgram = program("psql")

    /// A psql process without headers and without the user's settings.
    private static func shell(_ address: String?, _ arguments: String...) -> Process {
        process(shellProgram, [address ?? "", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"] + arguments)
    }

    /// Returns psql's output for a statement.
    @discardableResult
    static func psql(_ sql: String, at address: String? = url) async throws -> String {
        try text(of: await shell(address, "-c", sql).result())
    }

    /// The same in the body of a transaction, which cannot suspend.
    @discardableResult
    static func blockingPsql(_ sql: String, at address: String? = url) throws -> String {
        try text(of: shell(address, "-c", sql).blockingResult())
    }

    private static func text(of result: ProcessResult) throws -> String {
        guard result.isSuccess else { throw ShellError(text: result.output + result.error) }
        return (result.output + result.error).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Runs one of the server's programs, and returns its output.
    @discardableResult
    static func output(of name: String, _ arguments: [String]) async throws -> String {
        let result = try await process(program(name), arguments).result()
        guard result.isSuccess else { throw ShellError(text: "\(name) \(arguments): \(result.error)") }
        return result.output
    }

    /// True if no process listens at an address. A starting or stopping server still does.
    static func isGone(at address: String) async throws -> Bool {
        try await process(program("pg_isready"), ["-q", "-t", "10", "-d", address]).result().status == 2
    }

    /// Waits until a replica has replayed the primary's log to a position.
    static func replay(to lsn: String, at replica: String) async throws {
        try await eventually { try await psql("SELECT pg_last_wal_replay_lsn() >= '\(lsn)'", at: replica) == "t" }
    }

    /// Lets a replica stay where it is, or go on.
    static func pauseReplay(_ isPaused: Bool, at replica: String) async throws {
        try await psql("SELECT pg_wal_replay_\(isPaused ? "pause" : "resume")()", at: replica)
        guard isPaused else { return }
        try await eventually { try await psql("SELECT pg_get_wal_replay_pause_state()", at: replica) == "paused" }
    }

    /// A psql process in a transaction that stays open.
    final class Session {
        private let process: Process
        private let ending: ProcessEnd
        private let input = Pipe()
        private let pieces: AsyncStream<Data>

        /// Returns when the statement has been carried out.
        init(_ sql: String, at address: String? = url) async throws {
            let output = Pipe()
            process = shell(address)
            (process.standardInput, process.standardOutput) = (input, output)
            pieces = output.fileHandleForReading.pieces()
            ending = try process.start()
            try send("SET client_min_messages = error;\nBEGIN;\n\(sql);\nSELECT 'done';")
            var printed = ""
            for await piece in pieces {
                printed += String(decoding: piece, as: UTF8.self)
                if printed.contains("done") { return }
            }
            throw ShellError(text: "psql has ended: \(printed)")
        }

        // If a test fails, its locks must not block the removal of its schema.
        deinit { try? input.fileHandleForWriting.close() }

        func send(_ sql: String) throws {
            try input.fileHandleForWriting.write(contentsOf: Data((sql + "\n").utf8))
        }

        /// Rolls back, ends the session, and returns its output. Its locks are free then.
        @discardableResult
        func end() async throws -> String {
            try send("ROLLBACK;")
            try input.fileHandleForWriting.close()
            var text = ""
            for await piece in pieces { text += String(decoding: piece, as: UTF8.self) }
            await ending.wait()
            return text
        }
    }

    /// The folder of the server's socket, and its port, which are asked for once.
    private static let socketAddress = Result {
        try blockingPsql(
            "SELECT split_part(current_setting('unix_socket_directories'), ',', 1), current_setting('port')")
    }

    /// The folder of the server's socket.
    static func folder() throws -> String { String(try socketAddress.get().prefix { $0 != "|" }) }

    static func port() throws -> String { String(try socketAddress.get().drop { $0 != "|" }.dropFirst()) }

    /// The path of the server's socket.
    static func socket() throws -> String { "\(try folder())/.s.PGSQL.\(try port())" }

    struct ShellError: Error { let text: String }
}
