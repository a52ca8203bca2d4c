import Foundation
import PostgreSQLBackend
import StorageKit
import TestSupport
import Testing

@Suite(
    "Settings of PostgreSQL's sessions", .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"))
struct SettingTests {
    private static let texts = ["a\\", "\\'", "x'; --\\", "\\x41", "%\\_'", "\u{1}\\\u{0}"]

    enum Former {
        @Storable("Quoted") struct Quoted { var id: Int }
    }

    @Storable struct Quoted: Equatable {
        var id: Int
        var text = "ends with \\'"
        var data = Data([0x5c, 0x78, 0x00])
        @Unique var long: String?
        var list: [String] = []
    }

    /// The address of the tests' server, whose sessions read backslashes in literals.
    private static func addressWithBackslashes() throws -> String {
        "host=\(try Server.folder()) port=\(try Server.port()) user=storage dbname=postgres "
            + "options='-c standard_conforming_strings=off -c backslash_quote=on'"
    }

    @Test func `a server that reads backslashes in literals stores and finds what is meant`() async throws {
        try await Server.withSchema { schema in
            let address = try Self.addressWithBackslashes()
            var store = try await Store(PostgreSQLBackend(address, schema: schema), models: Former.Quoted.self)
            try await store.insert(Former.Quoted(id: 0))
            try await store.close()
            store = try await Store(PostgreSQLBackend(address, schema: schema), models: Quoted.self)
            try await expect(store.find(Quoted.self, key: 0), equals: Quoted(id: 0))
            for (index, text) in Self.texts.enumerated() {
                let record = Quoted(
                    id: index + 1, text: text, data: Data(text.utf8), long: String(repeating: text, count: 600),
                    list: [text, "\\u0041"])
                try await store.insert(record)
                try await expect(store.select(Quoted.self).where { $0.text == text }.all(), equals: [record])
                try await expect(store.select(Quoted.self).where { $0.long == record.long }.all(), equals: [record])
                try await expect(store.select(Quoted.self).where { $0.list.contains(text) }.all(), equals: [record])
                try await expect(store.select(Quoted.self).where { $0.text.hasSuffix(text) }.all().contains(record))
                let pattern = "*" + text.replacing("\\", with: "\\\\")
                try await expect(store.select(Quoted.self).where { $0.text.like(pattern) }.all().contains(record))
            }
            try await store.close()
        }
    }

    @Test func `tables are changed with literals of the standard, whatever the server's setting is`() async throws {
        try await Server.withSchema { schema in
            let address = try Self.addressWithBackslashes()
            try await Store(PostgreSQLBackend(address, schema: schema), models: Former.Quoted.self).close()
            // The store records a change of a table in the same transaction, after the change.
            try await Server.psql(
                """
                CREATE TABLE "\(schema)".told (strings text);
                CREATE FUNCTION "\(schema)".told() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                  INSERT INTO "\(schema)".told VALUES (current_setting('standard_conforming_strings'));
                  RETURN NULL; END $$;
                CREATE TRIGGER telling AFTER INSERT OR UPDATE ON "\(schema)".storage_tables
                  FOR EACH ROW EXECUTE FUNCTION "\(schema)".told()
                """)
            try await Store(PostgreSQLBackend(address, schema: schema), models: Quoted.self).close()
            try await expect(Server.psql("SELECT DISTINCT strings FROM \"\(schema)\".told"), equals: "on")
        }
    }

    @Storable("probe") struct Probe: Equatable {
        var id: Int
        var limit: String?
        var commit: String?
        var strings: String?
        var jit: String?
        var fraction: String? = "1"
    }

    /// A table that records the settings when a row was stored.
    private static let probe = """
        CREATE TABLE probe (id integer PRIMARY KEY, "limit" text, commit text, strings text, jit text, fraction text);
        CREATE FUNCTION told() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          new."limit" := current_setting('lock_timeout'); new.commit := current_setting('synchronous_commit');
          new.strings := current_setting('standard_conforming_strings'); new.jit := current_setting('jit');
          new.fraction := current_setting('cursor_tuple_fraction'); RETURN new; END $$;
        CREATE TRIGGER telling BEFORE INSERT OR UPDATE ON probe FOR EACH ROW EXECUTE FUNCTION told()
        """

    @Test func `what must hold is set in the transaction, and a durable store of the same server keeps its own`()
        async throws
    {
        try await Server.withForeignSchema(Self.probe) { schema in
            let url = try #require(Server.url)
            let join = url.contains("?") ? "&" : "?"
            for (durability, commit) in [("relaxed", "off"), ("full", "on")] {
                let address = "\(url)\(join)schema=\(schema)&timeout=4321&durability=\(durability)"
                let store = try await Store(PostgreSQLBackend(url: StorageURL(address)), models: Probe.self)
                try await store.save(Probe(id: 1))
                let found = try await store.find(Probe.self, key: 1)
                expect(found, equals: Probe(id: 1, limit: "4321ms", commit: commit, strings: "on", jit: "off"))
                try await store.close()
            }
        }
    }

    @Test(.enabled(if: Pooler.isThere, "no PgBouncer"), arguments: [PostgreSQLBackend.Writers.one, .many])
    func `behind a pooler of transactions the settings hold, and none reaches its other clients`(
        _ writers: PostgreSQLBackend.Writers
    ) async throws {
        try await Server.withForeignSchema(Self.probe) { schema in
            let pooler = try await Pooler()
            defer { pooler.stop() }
            func address(_ durability: String) -> String {
                "\(pooler.address)&schema=\(schema)&timeout=4321&durability=\(durability)&writers=\(writers)"
            }
            let relaxed = try await Store(PostgreSQLBackend(url: StorageURL(address("relaxed"))), models: Probe.self)
            let own = try await Server.psql("SHOW lock_timeout")
            for id in 1...5 {
                try await relaxed.save(Probe(id: id))
                try await expect(
                    relaxed.find(Probe.self, key: id)
                        == Probe(id: id, limit: "4321ms", commit: "off", strings: "on", jit: "off"))
                try await expect(relaxed.read { try $0.select(Probe.self).count() }, equals: id)
                for try await _ in relaxed.select(Probe.self).stream() {}
                let left = try await Server.psql(
                    "SELECT current_setting('lock_timeout'), current_setting('synchronous_commit'), current_setting('jit'), "
                        + "current_setting('cursor_tuple_fraction')",
                    at: pooler.address)
                expect(left, equals: "\(own)|on|\(try await Server.psql("SHOW jit"))|0.1")
                let statements = try await Server.psql(
                    "SELECT count(*) FROM pg_prepared_statements", at: pooler.address)
                expect(statements, equals: "0")
            }
            try await relaxed.close()
        }
    }

    @Test(.enabled(if: Pooler.isThere, "no PgBouncer"))
    func `behind a pooler of transactions reads wait for locks no longer than the timeout`() async throws {
        try await Server.withForeignSchema(Self.probe) { schema in
            let pooler = try await Pooler()
            defer { pooler.stop() }
            let address = "\(pooler.address)&schema=\(schema)&timeout=1000"
            let store = try await Store(PostgreSQLBackend(url: StorageURL(address)), models: Probe.self)
            try await store.save(Probe(id: 1))
            // The server frees the lock at last, so a read without the setting returns its record.
            let lock = try await Server.Session(
                """
                SET LOCAL idle_in_transaction_session_timeout = '120s';
                LOCK TABLE "\(schema)".probe IN ACCESS EXCLUSIVE MODE
                """)
            let single = await #expect(throws: StorageError.self) { try await store.select(Probe.self).all() }
            let session = await #expect(throws: StorageError.self) {
                try await store.read { try $0.select(Probe.self).all() }
            }
            expect(single?.code == .busy && session?.code == .busy)
            try await lock.end()
            try await expect(store.select(Probe.self).keys(), equals: [1])
            try await store.close()
        }
    }
}
