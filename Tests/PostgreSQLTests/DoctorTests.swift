import Foundation
import PostgreSQLBackend
import StorageKit
import TestSupport
import Testing

@Storable("Patient") private struct Patient: Equatable {
    var id: Int
    @Indexed var name = ""
    @Unique var number = 0
}

@Suite(
    "storage doctor of PostgreSQL", .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"))
struct DoctorTests {
    /// Runs a body with the URL of a store of patients.
    private static func withStore(_ body: (_ schema: String, _ url: String) async throws -> Void) async throws {
        try await Server.withSchema { schema in
            let store = try await Store(Server.backend(schema), models: Patient.self)
            try await store.insert((1...10).map { Patient(id: $0, name: "\($0)", number: $0) })
            try await store.close()
            try await body(schema, "\(Server.url ?? "")&schema=\(schema)&durability=relaxed&application_name=doctor")
        }
    }

    /// The findings of a store, except findings about the tests' server, which needs no durability, and about other tests.
    private static func ofStore(_ url: String, _ options: [String] = []) async throws -> [Doctor.Finding] {
        let common: Set = ["setting", "transaction", "wait", "connections", "version", "disk", "wal", "pooler"]
        return try await Doctor.findings(url, options).0.filter { !common.contains($0.check) }
    }

    @Test func `a healthy store has only notes, and a server without fsync an error`() async throws {
        try await Self.withStore { schema, url in
            try await expect(Self.ofStore(url).allSatisfy { $0.severity == "note" })
            let (all, status) = try await Doctor.findings(url)
            expect(all.contains { $0.check == "setting" && $0.severity == "error" && $0.message.contains("fsync") })
            expect(status, equals: 1)
            expect(all.map(\.severity), equals: all.map(\.severity).sorted { Self.rank($0) > Self.rank($1) })
        }
    }

    private static func rank(_ severity: String) -> Int { ["note", "warning", "error"].firstIndex(of: severity) ?? -1 }

    @Test func `indexes that are invalid or missing, and tables that are missing or unlogged, are errors`() async throws
    {
        try await Self.withStore { schema, url in
            let table = "\"\(schema)\".\"Patient\""
            // A concurrent build that fails leaves an invalid index.
            try await Server.psql("INSERT INTO \(table) SELECT i, 'same', i FROM generate_series(11, 20) AS i")
            _ = try? await Server.psql("CREATE UNIQUE INDEX CONCURRENTLY broken ON \(table) (name)")
            let broken = try await Self.ofStore(url).first { $0.check == "index" }
            expect(broken?.severity == "error" && broken?.message.contains("broken") == true)
            expect(broken?.advice?.contains("REINDEX INDEX CONCURRENTLY"), equals: true)
            try await Server.psql("DROP INDEX \"\(schema)\".broken")

            let index = try await Server.psql(
                "SELECT indexrelid::regclass FROM pg_index WHERE indrelid = '\(table)'::regclass AND NOT indisunique")
            try await Server.psql("DROP INDEX \(index); ALTER TABLE \(table) SET UNLOGGED")
            let found = try await Self.ofStore(url)
            expect(found.contains { $0.check == "index" && $0.message.contains("Patient.name") })
            expect(found.contains { $0.check == "table" && $0.message.contains("unlogged") })
            try await Server.psql("DROP TABLE \(table)")
            try await expect(Self.ofStore(url).contains { $0.check == "table" && $0.message.contains("Patient") })
        }
    }

    @Test
    func `dead rows, tables without vacuum and those without statistics are warnings`() async throws {
        try await Self.withStore { schema, url in
            let table = "\"\(schema)\".\"Patient\""
            try await Server.psql(
                """
                ALTER TABLE \(table) SET (autovacuum_enabled = false);
                INSERT INTO \(table) SELECT i, repeat('x', 100), i FROM generate_series(100, 20099) AS i;
                DELETE FROM \(table) WHERE id >= 100
                """)
            var found: [Doctor.Finding] = []
            // The server counts rows when the session has ended.
            try await eventually {
                found = try await Self.ofStore(url)
                return found.contains { $0.check == "bloat" }
            }
            expect(
                Set(found.filter { $0.severity == "warning" }.map(\.check)),
                equals: ["autovacuum", "bloat", "statistics"])
            try await Server.psql("ALTER TABLE \(table) RESET (autovacuum_enabled)")
            // Transactions of other tests keep dead rows for a while; the warnings end with them.
            try await eventually {
                try await Server.psql("VACUUM ANALYZE \(table)")
                found = try await Self.ofStore(url)
                return found.allSatisfy { $0.severity == "note" }
            }
        }
    }

    @Test func `a transaction that has the turn to write is an error, and the one that waits is named`() async throws {
        try await Self.withStore { schema, url in
            let session = try await Server.Session("LOCK TABLE \"\(schema)\".storage_info IN EXCLUSIVE MODE")
            let waiting = Task.detached {
                let store = try await Store(Server.backend(schema, "&timeout=60000"), models: Patient.self)
                try await store.insert(Patient(id: 99, number: 99))
                try await store.close()
            }
            let process = try await Server.psql(
                "SELECT pid FROM pg_locks WHERE relation = '\"\(schema)\".storage_info'::regclass AND granted "
                    + "AND mode = 'ExclusiveLock'")
            var found: [Doctor.Finding] = []
            try await eventually {
                found = try await Doctor.findings(url, ["--transaction-age", "0"]).0
                return found.contains { $0.check == "wait" && $0.message.contains(process) }
            }
            let holder = found.first { $0.check == "transaction" && $0.message.contains("process \(process) ") }
            expect(holder?.severity == "error" && holder?.message.contains("turn to write") == true)
            expect(holder?.advice?.contains("pg_terminate_backend(\(process))"), equals: true)
            expect(found.contains { $0.check == "wait" && $0.message.contains(process) })
            try await session.end()
            try await waiting.value
            let mine = try await Doctor.findings(url).0.filter { $0.message.contains("process \(process) ") }
            expect(mine.isEmpty)
        }
    }

    @Test func `rights that a user lacks are named with the statement that grants them`() async throws {
        try await Self.withStore { schema, _ in
            try await Server.withRole { role in
                let folder = try Server.folder()
                let url =
                    "postgresql://\(role)@/postgres?host=\(folder)&port=\(try Server.port())&schema=\(schema)&application_name=d"
                func errors(_ options: String = "") async throws -> [Doctor.Finding] {
                    try await Self.ofStore(url + options).filter { $0.check == "grant" && $0.severity == "error" }
                }
                try await expect(errors().contains { $0.advice?.contains("GRANT USAGE ON SCHEMA") == true })
                try await Server.psql(
                    "GRANT USAGE ON SCHEMA \"\(schema)\" TO \"\(role)\"; "
                        + "GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA \"\(schema)\" TO \"\(role)\"; "
                        + "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA \"\(schema)\" TO \"\(role)\"")
                let lacking = try await errors()
                expect(lacking.count == 1 && lacking[0].message.contains("lacks DELETE on Patient"))
                try await expect(errors("&readonly=true").isEmpty)
                // Following the advice helps.
                let advice = try #require(lacking[0].advice)
                try await Server.psql(String(advice[advice.range(of: "GRANT")!.lowerBound...].dropLast()))
                try await expect(errors().isEmpty)
            }
        }
    }

    @Test func `settings of a role that break the store's promises are found`() async throws {
        try await Self.withStore { schema, _ in
            try await Server.withRole("SUPERUSER") { role in
                try await Server.psql(
                    """
                    ALTER ROLE "\(role)" SET synchronous_commit = off; ALTER ROLE "\(role)" SET statement_timeout = '60s';
                    ALTER ROLE "\(role)" SET default_transaction_read_only = on
                    """)
                let url =
                    "postgresql://\(role)@/postgres?host=\(try Server.folder())&port=\(try Server.port())&schema=\(schema)"
                func settings(_ options: String = "") async throws -> [String] {
                    try await Doctor.findings(url + options).0.filter { $0.check == "setting" && $0.severity != "note" }
                        .map(
                            \.message)
                }
                let all = try await settings("&timeout=600000")
                for name in ["synchronous_commit", "default_transaction_read_only", "statement_timeout"] {
                    expect(all.contains { $0.contains(name) })
                }
                let relaxed = try await settings("&durability=relaxed&readonly=true")
                for name in ["synchronous_commit", "default_transaction_read_only", "statement_timeout"] {
                    expect(!relaxed.contains { $0.contains(name) })
                }
            }
        }
    }

    @Test func `a server that is not there, a schema that is none and a later format are errors`() async throws {
        let (gone, status) = try await Doctor.findings("postgresql://storage@127.0.0.1:1/postgres")
        expect(gone.map(\.check) == ["connection"] && gone[0].severity == "error" && status == 1)
        let nowhere = "schema_" + UUID().uuidString.lowercased()
        try await expect(
            Self.ofStore("\(Server.url ?? "")&schema=\(nowhere)").contains {
                $0.message.contains(
                    "no "
                        + "schema \(nowhere)")
            })
        try await Self.withStore { schema, url in
            try await Server.psql("UPDATE \"\(schema)\".storage_info SET value = '99' WHERE key = 'format'")
            try await expect(Self.ofStore(url).contains { $0.check == "store" && $0.message.contains("format 99") })
        }
    }

    @Test func `a replica that has paused, and one that is none, are errors`() async throws {
        try await OwnServer.with(replicas: 1) { server in
            let (primary, replica) = (server.addresses[0], server.addresses[1])
            let port = try #require(replica.split(separator: ":").last?.split(separator: "/").first)
            let folder = try #require(replica.split(separator: "host=").last)
            let url = "\(primary)&replicas=\(folder):\(port)"
            try await Store(PostgreSQLBackend(url: StorageURL(url)), models: Patient.self).close()
            func found() async throws -> [Doctor.Finding] {
                try await Doctor.findings(url).0.filter { $0.check == "replica" }
            }
            try await expect(found().map(\.severity), equals: ["note"])
            try await Server.psql("SELECT pg_wal_replay_pause()", at: replica)
            var paused: [Doctor.Finding] = []
            try await eventually {
                paused = try await found()
                return paused.first?.severity == "error"
            }
            expect(paused.first?.message.contains("paused"), equals: true)
            try await Server.psql("SELECT pg_wal_replay_resume(); SELECT pg_promote(true, 600)", at: replica)
            try await expect(found().first?.message.contains("no replica"), equals: true)
            // A prepared transaction needs a setting, which the URL of a replica has not: the check itself runs.
            try await expect(Doctor.findings(replica).0.allSatisfy { !$0.message.contains("does not answer") })
        }
    }
}
