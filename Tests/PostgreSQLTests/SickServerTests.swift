import Foundation
import PostgreSQLBackend
import StorageKit
import TestSupport
import Testing

/// `storage doctor` of servers that are sick, each in a way that its check finds.
///
/// Three things cannot be had here: a cluster without checksums (`pg_checksums` needs a server that is stopped), transaction
/// numbers near the end, which are an error and not the tested warning, and more than 80 % of the connections of a server that
/// many programs use. Where the clock is apart, the server's function says so, and not its machine.
@Suite("storage doctor of a sick PostgreSQL", .enabled(if: Server.isThere, "no server"))
struct SickServerTests {
    private static func withServer(
        _ settings: [String], icu: Bool = false, replicas: Int = 0,
        _ body: (_ addresses: [String], _ url: String) async throws -> Void
    ) async throws {
        let options = icu ? ["--icu", "sv-SE"] : []
        try await OwnServer.with(replicas: replicas, options: options, settings: settings) { own in
            let url = own.addresses[0] + "&schema=app&application_name=doctor&durability=relaxed"
            let store = try await Store(PostgreSQLBackend(url: StorageURL(url)), models: Pen.self)
            try await store.insert([Pen(id: 1), Pen(id: 2)])
            try await store.close()
            try await body(own.addresses, url)
        }
    }

    /// Runs a body in one subtransaction after the other.
    private static func repeated(_ count: Int, _ sql: String, after first: String = "") -> String {
        """
        DO $$ BEGIN \(first) FOR i IN 1..\(count) LOOP BEGIN \(sql); RAISE 'undone';
          EXCEPTION WHEN raise_exception THEN NULL; END; END LOOP; END $$
        """
    }

    @Test(.enabled(if: TestExtent.isLarge, "takes long: STORAGE_TESTS=all"))
    func `an old transaction, and what it keeps from being frozen until numbers run out, are warnings`()
        async throws
    {
        let settings = [
            "autovacuum=off", "autovacuum_freeze_max_age=100000", "autovacuum_multixact_freeze_max_age=10000",
            "max_prepared_transactions=5",
        ]
        try await Self.withServer(settings) { addresses, url in
            let address = addresses[0]
            try await expect(Doctor.complaints("wraparound", url).isEmpty)
            try await Server.psql("CREATE TABLE used (k int); INSERT INTO used VALUES (1), (2)", at: address)
            let old = try await Server.Session(
                "SELECT pg_current_xact_id(); SELECT k FROM used WHERE k = 2 FOR UPDATE", at: address)
            try await Server.psql(Self.repeated(151_000, "INSERT INTO used VALUES (i)"), at: address)
            let lock = "PERFORM FROM used WHERE k = 1 FOR"
            try await Server.psql(
                Self.repeated(15_100, "\(lock) NO KEY UPDATE", after: "\(lock) KEY SHARE;"), at: address)
            let numbers = try await Doctor.complaints("wraparound", url)
            expect(numbers.map(\.severity), equals: ["warning", "warning"])
            expect(numbers.first?.message.contains("transaction numbers"), equals: true)
            expect(numbers.last?.message.contains("shared row locks"), equals: true)
            expect(numbers.allSatisfy { $0.advice?.contains("vacuumdb --freeze") == true })

            let holder = try await Doctor.complaints("transaction", url, options: ["--transaction-age", "0"])
            expect(
                holder.contains { $0.message.contains("keeps vacuum from removing rows") && $0.severity == "warning" })
            expect(holder.contains { $0.advice?.contains("pg_terminate_backend") == true })
            try await old.end()
            try await Server.psql("VACUUM FREEZE", at: address)
            try await expect(Doctor.complaints("wraparound", url).isEmpty)
            try await expect(Doctor.complaints("transaction", url, options: ["--transaction-age", "0"]).isEmpty)

            // A transaction that only reads keeps rows as well, once it has a snapshot.
            let snapshot = try await Server.Session(
                "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM used", at: address)
            let kept = try await Doctor.complaints("transaction", url, options: ["--transaction-age", "0"])
            expect(kept.count == 1 && kept[0].message.contains("keeps vacuum from removing rows"))
            try await snapshot.end()

            let prepared = try await Server.Session(
                "INSERT INTO used VALUES (3); PREPARE TRANSACTION 'left'", at: address)
            try await prepared.end()
            let left = try await Doctor.complaints("prepared-transaction", url, options: ["--transaction-age", "0"])
            expect(left.map(\.severity) == ["error"] && left[0].message.contains("left"))
            expect(left[0].advice?.contains("ROLLBACK PREPARED"), equals: true)
            try await Server.psql("ROLLBACK PREPARED 'left'", at: address)
            try await expect(
                Doctor.complaints("prepared-transaction", url, options: ["--transaction-age", "0"]).isEmpty)
        }
    }

    /// Fills parts of the log, 16 MB each.
    private static let fill =
        "DO $$ BEGIN FOR i IN 1..18 LOOP INSERT INTO app.storage_info VALUES ('fill ' || random(), ''); "
        + "PERFORM pg_switch_wal(); END LOOP; DELETE FROM app.storage_info WHERE key LIKE 'fill %'; END $$"

    @Test(.enabled(if: TestExtent.isLarge, "takes long: STORAGE_TESTS=all"))
    func `a slot that nobody reads, an archive that fails and a log that grows are found`() async throws {
        let settings = ["archive_mode=on", "archive_command=true", "max_wal_size=64MB"]
        try await Self.withServer(settings) { addresses, url in
            let address = addresses[0]
            for check in ["slot", "archive", "wal"] {
                try await expect(Doctor.complaints(check, url).isEmpty, "\(check)")
            }
            try await Server.psql("SELECT pg_create_physical_replication_slot('abandoned', true)", at: address)
            try await Server.psql("ALTER SYSTEM SET archive_command = 'false'", at: address)
            try await Server.psql("SELECT pg_reload_conf()", at: address)
            try await Server.psql(Self.fill, at: address)
            let slot = try await Doctor.complaints("slot", url)
            expect(slot.map(\.severity) == ["warning"] && slot[0].message.contains("abandoned"))
            expect(slot[0].advice?.contains("pg_drop_replication_slot('abandoned')"), equals: true)
            try await expect(Doctor.complaints("wal", url).map(\.severity), equals: ["warning"])
            try await eventually {
                try await Server.psql("SELECT failed_count FROM pg_stat_archiver", at: address) != "0"
            }
            let archive = try await Doctor.complaints("archive", url)
            expect(archive.map(\.severity) == ["error"] && archive[0].advice?.contains("archive_command") == true)

            // A slot that has lost its position is useless.
            try await Server.psql("ALTER SYSTEM SET max_slot_wal_keep_size = '16MB'", at: address)
            try await Server.psql("ALTER SYSTEM SET archive_command = 'true'", at: address)
            try await Server.psql("SELECT pg_reload_conf()", at: address)
            // The server's processes read the settings a moment later.
            try await eventually {
                try await Server.psql("CHECKPOINT", at: address)
                return try await Server.psql("SELECT wal_status FROM pg_replication_slots", at: address) == "lost"
            }
            let lost = try await Doctor.complaints("slot", url)
            expect(lost.map(\.severity) == ["error"] && lost[0].advice?.contains("Drop the slot") == true)
            try await Server.psql("SELECT pg_drop_replication_slot('abandoned')", at: address)
            try await expect(Doctor.complaints("slot", url).isEmpty)
            // It is well again with the next success.
            try await eventually {
                try await Server.psql(
                    "INSERT INTO app.storage_info VALUES ('x', ''); DELETE FROM app.storage_info WHERE key = 'x'; SELECT pg_switch_wal()",
                    at: address)
                return try await Doctor.complaints("archive", url).isEmpty
            }
        }
    }

    @Test(.enabled(if: TestExtent.isLarge, "takes long: STORAGE_TESTS=all"))
    func `a standby that is missing, one that is behind, and the replica itself are named`() async throws {
        try await Self.withServer([], replicas: 1) { addresses, url in
            let (primary, replica) = (addresses[0], addresses[1])
            for check in ["standby", "version"] { try await expect(Doctor.complaints(check, url).isEmpty, "\(check)") }
            let itself = replica + "&schema=app&application_name=doctor"
            try await eventually { try await !Server.psql("SELECT to_regclass('app.\"Pen\"')", at: replica).isEmpty }
            let role = try await Doctor.complaints("version", itself)
            expect(role.map(\.severity) == ["warning"] && role[0].message.contains("replica"))
            expect(role[0].advice?.contains("readonly=true"), equals: true)
            try await expect(Doctor.complaints("version", itself + "&readonly=true").isEmpty)

            try await Server.pauseReplay(true, at: replica)
            try await Server.psql(Self.fill, at: primary)
            let behind = try await Doctor.complaints("standby", url)
            expect(behind.map(\.severity) == ["warning"] && behind[0].message.contains("behind"))
            try await Server.pauseReplay(false, at: replica)
            try await eventually { try await Doctor.complaints("standby", url).isEmpty }

            try await Server.psql("ALTER SYSTEM SET synchronous_standby_names = 'another'", at: primary)
            try await Server.psql("SELECT pg_reload_conf()", at: primary)
            try await eventually { try await Server.psql("SHOW synchronous_standby_names", at: primary) == "another" }
            let missing = try await Doctor.complaints("standby", url)
            expect(missing.map(\.severity) == ["error"] && missing[0].message.contains("none is connected"))
        }
    }

    @Test(.enabled(if: TestExtent.isLarge, "takes long: STORAGE_TESTS=all"))
    func `a clock apart, another version of the collation and damaged pages are found`() async throws {
        try await Self.withServer(["zero_damaged_pages=on", "full_page_writes=off"], icu: true) { addresses, url in
            let address = addresses[0]
            for check in ["clock", "collation", "damage"] {
                try await expect(Doctor.complaints(check, url).isEmpty, "\(check)")
            }
            let dangers = try await Doctor.complaints("setting", url)
            for name in ["zero_damaged_pages", "full_page_writes"] {
                expect(dangers.contains { $0.severity == "error" && $0.message.hasPrefix("\(name) is ") })
            }
            // As after an update of the system's library.
            try await Server.psql(
                "UPDATE pg_database SET datcollversion = '1' WHERE datname = current_database()", at: address)
            let collation = try await Doctor.complaints("collation", url)
            expect(
                collation.map(\.severity) == ["warning"] && collation[0].message.contains("version 1 of its collation"))
            try await Server.psql(
                "SET client_min_messages = error; ALTER DATABASE postgres REFRESH COLLATION VERSION", at: address)
            try await expect(Doctor.complaints("collation", url).isEmpty)

            // A table that is written anew is in no buffer, where no index is made of it, so the next read is from the disk.
            let table = "app.pages"
            try await Server.psql("CREATE TABLE \(table) AS SELECT 1 AS i", at: address)
            try await Server.psql("VACUUM FULL \(table)", at: address)
            try await Server.psql("CHECKPOINT", at: address)
            let file = try await Server.psql("SELECT pg_relation_filepath('\(table)')", at: address)
            let write = "printf damage | dd of=\(file) bs=1 seek=4000 conv=notrunc 2>/dev/null"
            try await Server.psql("COPY (SELECT 1) TO PROGRAM '\(write)'", at: address)
            _ = try? await Server.psql("SELECT * FROM \(table)", at: address)
            var damage: [Doctor.Finding] = []
            // The count comes when the session has ended.
            try await eventually {
                damage = try await Doctor.complaints("damage", url)
                return !damage.isEmpty
            }
            expect(damage.map(\.severity) == ["error"] && damage[0].advice?.contains("storage verify") == true)

            for (apart, words) in [("+ interval '1 hour'", "ahead of"), ("- interval '1 hour'", "behind")] {
                try await Server.psql(
                    "SET allow_system_table_mods = on; CREATE OR REPLACE FUNCTION pg_catalog.clock_timestamp() "
                        + "RETURNS timestamptz LANGUAGE sql VOLATILE AS $$ SELECT pg_catalog.now() \(apart) $$",
                    at: address)
                let clock = try await Doctor.complaints("clock", url)
                expect(clock.map(\.severity) == ["warning"] && clock[0].message.contains(words))
                expect(clock[0].advice?.contains("NTP"), equals: true)
            }
        }
    }

    @Test func `connections that are used up, and settings that leave tables unattended, are found`() async throws {
        let settings = [
            "max_connections=13", "superuser_reserved_connections=3", "autovacuum=off", "track_counts=off",
            "ignore_checksum_failure=on", "wal_level=minimal", "max_wal_senders=0",
        ]
        try await Self.withServer(settings) { addresses, url in
            let found = try await Doctor.complaints("setting", url)
            for name in ["autovacuum", "track_counts", "ignore_checksum_failure"] {
                expect(found.contains { $0.severity == "error" && $0.message.hasPrefix("\(name) is ") })
            }
            expect(found.contains { $0.severity == "warning" && $0.message.contains("wal_level is minimal") })
            try await expect(Doctor.complaints("connections", url).isEmpty)
            var sessions: [Server.Session] = []
            for _ in 0..<8 { sessions.append(try await Server.Session("SELECT 1", at: addresses[0])) }
            let used = try await Doctor.complaints("connections", url)
            expect(used.map(\.severity) == ["warning"] && used[0].advice?.contains("pooler") == true)
            for session in sessions { try await session.end() }
        }
    }

    @Test(.enabled(if: TestExtent.isLarge, "takes long: STORAGE_TESTS=all"))
    func `a large index that no query uses, and what a user may not see, are notes`() async throws {
        try await Self.withServer([]) { addresses, url in
            try await Server.psql(
                """
                CREATE TABLE app.big (i int PRIMARY KEY, t text); CREATE INDEX unused ON app.big (t);
                INSERT INTO app.big SELECT i, repeat('x', 100) || i FROM generate_series(1, 100000) AS i;
                CREATE ROLE plain LOGIN; GRANT USAGE ON SCHEMA app TO plain
                """, at: addresses[0])
            var all: [Doctor.Finding] = []
            // The server counts when the session has ended.
            try await eventually {
                all = try await Doctor.findings(url).0
                return all.contains { $0.check == "unused-index" }
            }
            expect(
                all.contains { $0.check == "unused-index" && $0.severity == "note" && $0.message.contains("unused") })
            expect(!all.contains { $0.check == "visibility" })
            let plain = url.replacing("storage@", with: "plain@").replacing(
                "application_name=doctor", with: "readonly=true")
            let notes = try await Doctor.findings(plain).0
            expect(notes.contains { $0.check == "visibility" && $0.advice?.contains("pg_monitor") == true })
            expect(notes.contains { $0.check == "application_name" && $0.severity == "note" })
            // A check that the user may not make is a note, and the others go on.
            expect(notes.contains { $0.check == "wal" && $0.message.contains("does not answer this check") })
            expect(notes.contains { $0.check == "grant" && $0.severity == "error" && $0.message.contains("SELECT") })
        }
    }

    /// An address of this machine that is not the loopback interface's; nil where it has none. The condition of a test cannot
    /// suspend.
    private static let hostAddress = try? Server.process(Server.program("hostname"), ["-I"]).blockingResult().output
        .split(whereSeparator: \.isWhitespace).map(String.init).first { $0.contains(".") }

    @Test(.enabled(if: hostAddress != nil, "no network interface beside the loopback one"))
    func `a connection over a network that is not encrypted is an error`() async throws {
        let host = try #require(Self.hostAddress)
        try await Self.withServer(["listen_addresses=*"]) { addresses, url in
            try await Server.psql(
                "COPY (SELECT 'local all all trust' UNION ALL SELECT 'host all all 0.0.0.0/0 trust') "
                    + "TO PROGRAM 'cat > pg_hba.conf'", at: addresses[0])
            try await Server.psql("SELECT pg_reload_conf()", at: addresses[0])
            let port = try await Server.psql("SELECT current_setting('port')", at: addresses[0])
            let open = "postgresql://storage@\(host):\(port)/postgres?schema=app"
            try await eventually { try await Doctor.complaints("connection", open).isEmpty }
            let tls = try await Doctor.complaints("tls", open)
            expect(tls.map(\.severity) == ["error"] && tls[0].message.contains("not encrypted"))
            expect(tls[0].advice?.contains("sslmode=verify-full"), equals: true)
        }
    }
}
