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

    /// Runs a body with a schema of its own, which is removed afterwards.
    static func withSchema<T>(_ body: (String) async throws -> T) async throws -> T {
        let schema = "test_" + UUID().uuidString.lowercased()
        do {
            let result = try await body(schema)
            try psql("DROP SCHEMA IF EXISTS \"\(schema)\" CASCADE")
            return result
        } catch {
            _ = try? psql("DROP SCHEMA IF EXISTS \"\(schema)\" CASCADE")
            throw error
        }
    }

    /// Makes the store in a schema. New ones wait for each other, and a test's short timeout is not meant for that.
    static func makeStore(_ schema: String) async throws {
        try await Store(backend(schema, "&timeout=60000"), models: []).close()
    }

    /// Returns the output of the server's own shell for a statement, without headers. Keeps its thread meanwhile: who
    /// asks again and again lets other tasks run in between, since what is waited for may need the thread.
    @discardableResult
    static func psql(_ sql: String, at address: String? = url) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["psql", address ?? "", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", sql]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw ShellError(text: text) }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// True if nobody listens at an address. A server that starts or stops still does.
    static func isGone(at address: String) throws -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["pg_isready", "-q", "-t", "10", "-d", address]
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 2
    }

    /// Waits until a replica has replayed the primary's log to a place.
    static func replay(to place: String, at replica: String) async throws {
        try await eventually { try psql("SELECT pg_last_wal_replay_lsn() >= '\(place)'", at: replica) == "t" }
    }

    /// Lets a replica stay where it is, or go on.
    static func pauseReplay(_ isPaused: Bool, at replica: String) throws {
        try psql("SELECT pg_wal_replay_\(isPaused ? "pause" : "resume")()", at: replica)
        guard isPaused else { return }
        try blockUntil { try psql("SELECT pg_get_wal_replay_pause_state()", at: replica) == "paused" }
    }

    /// The server's own shell in a transaction that stays open.
    final class Session {
        private let process = Process()
        private let input = Pipe()
        private let output = Pipe()

        /// Returns when the statement has been carried out.
        init(_ sql: String, at address: String? = url) throws {
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["psql", address ?? "", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"]
            (process.standardInput, process.standardOutput) = (input, output)
            try process.run()
            try input.fileHandleForWriting.write(
                contentsOf: Data("SET client_min_messages = error;\nBEGIN;\n\(sql);\nSELECT 'done';\n".utf8))
            var printed = ""
            while !printed.contains("done") {
                let more = output.fileHandleForReading.availableData
                guard !more.isEmpty else { throw ShellError(text: "psql has ended") }
                printed += String(decoding: more, as: UTF8.self)
            }
        }

        // Of a test that fails, lest its locks stop what removes its schema.
        deinit { try? input.fileHandleForWriting.close() }

        func send(_ sql: String) throws {
            try input.fileHandleForWriting.write(contentsOf: Data((sql + "\n").utf8))
        }

        /// Undoes what is not committed, ends the session, and returns what it has printed. Its locks are free then.
        @discardableResult
        func end() throws -> String {
            try send("ROLLBACK;")
            try input.fileHandleForWriting.close()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            return text
        }
    }

    /// The folder of the server's socket.
    static func folder() throws -> String {
        try psql("SELECT split_part(current_setting('unix_socket_directories'), ',', 1)")
    }

    static func port() throws -> String { try psql("SELECT current_setting('port')") }

    /// The path of the server's socket.
    static func socket() throws -> String { "\(try folder())/.s.PGSQL.\(try port())" }

    struct ShellError: Error { let text: String }
}
