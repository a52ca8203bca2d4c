import Foundation
import PostgreSQLBackend
import StorageKit
import TestSupport
import Testing

@Suite("PostgreSQL's errors", .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"))
struct FailureTests {
    private static func error(
        _ code: StorageError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
    ) async -> StorageError? {
        let error = await #expect(throws: StorageError.self, sourceLocation: sourceLocation) { try await body() }
        expect(
            error?.code, equals: code, "\(error.map(String.init(describing:)) ?? "nil")", sourceLocation: sourceLocation
        )
        return error
    }

    private static func address(_ options: String) throws -> String {
        "host=\(try Server.folder()) port=\(try Server.port()) user=storage dbname=postgres \(options)"
    }

    @Test(arguments: [PostgreSQLBackend.Writers.one, .many])
    func `a statement_timeout that ends the wait for the turn to write is busy`(
        _ writers: PostgreSQLBackend.Writers
    ) async throws {
        try await Server.withSchema { schema in
            try await Server.makeStore(schema, Pen.self)
            // Long enough for a busy machine to open the store, and shorter than the store waits.
            var backend = try PostgreSQLBackend(Self.address("options='-c statement_timeout=5000'"), schema: schema)
            (backend.writers, backend.timeoutMilliseconds) = (writers, 600_000)
            let store = try await Store(backend, models: Pen.self)
            let other = try await Server.Session("LOCK TABLE \"\(schema)\".storage_info IN EXCLUSIVE MODE")
            let error = await Self.error(.busy) { try await store.save(Pen(id: 1)) }
            expect(error?.message.contains("statement_timeout"), equals: true, "\(error?.message ?? "")")
            try await other.end()
            try await store.save(Pen(id: 2))
            try await expect(store.select(Pen.self).keys(), equals: [2])
            try await store.close()
        }
    }

    @Test func `what the server says when it ends a connection is told`() async throws {
        try await Server.withSchema { schema in
            try await Server.makeStore(schema, Pen.self)
            // Long enough for a busy machine to open the store.
            let options = "options='-c idle_in_transaction_session_timeout=2000' application_name=\(schema)"
            let store = try await Store(PostgreSQLBackend(Self.address(options), schema: schema), models: Pen.self)
            let isThere =
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(schema)' AND state LIKE 'idle in%'"
            let error = await Self.error(.io) {
                try await store.transaction { tx in
                    try tx.save(Pen(id: 1))
                    try blockUntil { try Server.blockingPsql(isThere) == "0" }
                    try tx.save(Pen(id: 2))
                }
            }
            expect(error?.message.contains("idle-in-transaction timeout"), equals: true, "\(error?.message ?? "")")
            try await expect(store.select(Pen.self).count(), equals: 0)
            try await store.close()
        }
    }

    @Test(arguments: ["password", "role", "invalid", "pg_hba.conf"])
    func `a word in a host's name says nothing about the reason`(word: String) async throws {
        _ = await Self.error(.io) {
            _ = try await Store(PostgreSQLBackend("host=/nowhere/\(word) dbname=x user=x"), models: Pen.self)
        }
        let user = try Self.address("").replacing("user=storage", with: "user=nobody_\(word.count)")
        _ = await Self.error(.configuration) { _ = try await Store(PostgreSQLBackend(user), models: Pen.self) }
    }

    @Storable("guarded") struct Guarded: Equatable {
        var id: Int
        var name = ""
    }

    private static func guarded(_ action: String) -> String {
        """
        CREATE TABLE guarded (id integer PRIMARY KEY, name text NOT NULL); INSERT INTO guarded VALUES (1, 'one');
        CREATE FUNCTION judge() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN IF new.name = 'no' THEN \(action); END IF; RETURN new; END $$;
        CREATE TRIGGER judging BEFORE INSERT OR UPDATE ON guarded FOR EACH ROW EXECUTE FUNCTION judge()
        """
    }

    @Test(arguments: [
        "RAISE 'not this one'", "RAISE 'not this one' USING ERRCODE = '45000'",
        "RAISE 'not this one' USING ERRCODE = 'ZZ001'", "RETURN NULL",
    ])
    func `what a trigger refuses or keeps out is constraint, and nothing of the call is stored`(action: String)
        async throws
    {
        try await Server.withForeignSchema(Self.guarded(action)) { schema in
            let store = try await Store(Server.backend(schema), models: Guarded.self)
            let calls: [() async throws -> Void] = [
                { try await store.insert(Guarded(id: 2, name: "no")) },
                { try await store.insert([Guarded(id: 3), Guarded(id: 2, name: "no")]) },
                { try await store.save(Guarded(id: 2, name: "no")) },
                { try await store.transaction { try $0.insert(Guarded(id: 2, name: "no")) } },
            ]
            for call in calls {
                let error = await Self.error(.constraint, call)
                expect(error?.key, equals: [.int(2)])
                expect(error?.message.contains(action == "RETURN NULL" ? "trigger" : "not this one"), equals: true)
            }
            for call in [
                { try await store.update(Guarded(id: 1, name: "no")) },
                { _ = try await store.save(Guarded(id: 1, name: "no")) },
                { _ = try await store.update(Guarded.self).set(\.name, to: "no").run() },
            ] as [() async throws -> Void] {
                let error = await Self.error(.constraint, call)
                expect(error?.key, equals: [.int(1)])
            }
            _ = await Self.error(.notFound) { try await store.update(Guarded(id: 9)) }
            try await expect(store.select(Guarded.self).all(), equals: [Guarded(id: 1, name: "one")])
            try await store.close()
        }
    }

    @Storable("keyed") struct Keyed: Equatable {
        var id: String
        var n = 0
    }

    @Test(arguments: ["id text PRIMARY KEY DEFERRABLE", "id text COLLATE loose PRIMARY KEY"])
    func `a key that does not keep records apart is refused at opening, and is no model of the schema`(column: String)
        async throws
    {
        let sql = """
            CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
            CREATE TABLE keyed (\(column), n integer NOT NULL)
            """
        try await Server.withForeignSchema(sql) { schema in
            let error = await Self.error(.schemaMismatch) {
                _ = try await Store(Server.backend(schema), models: Keyed.self)
            }
            let reason = column.contains("DEFERRABLE") ? "DEFERRABLE" : "collation"
            expect(error?.message.contains(reason) == true && error?.model == "keyed", "\(error?.message ?? "")")
            let store = try await Store(Server.backend(schema), models: [])
            try await expect(store.schema().isEmpty)
            try await store.close()
        }
    }

    @Test(arguments: [true, false])
    func `a schema that is restored under an open store is noticed`(isWriting: Bool) async throws {
        try await Server.withSchema { schema in
            let store = try await Store(Server.backend(schema), models: Pen.self, Person.self)
            try await store.insert([Pen(id: 1), Pen(id: 2)])
            let dump = FileManager.default.temporaryDirectory.appending(path: "\(schema).sql")
            defer { try? FileManager.default.removeItem(at: dump) }
            try await Server.output(of: "pg_dump", [Server.url ?? "", "-n", schema, "-f", dump.path])
            try await store.insert(Pen(id: 3))
            var values = store.select(Pen.self).values().makeAsyncIterator()
            try await expect(values.next()?.count, equals: 3)
            try await Server.psql("DROP SCHEMA \"\(schema)\" CASCADE")
            let gone = await Self.error(.schemaMismatch) { try await store.save(Pen(id: 4)) }
            expect(gone?.message.contains("restore"), equals: true)
            try await Server.psql("\\i \(dump.path)")
            if isWriting {
                try await store.save(Pen(id: 5))
            } else {
                try await expect(store.select(Pen.self).keys(), equals: [1, 2])
                try await expect(store.read { try $0.select(Pen.self).count() }, equals: 2)
            }
            let other = try await Store(Server.backend(schema), models: Pen.self)
            try await other.save(Pen(id: 6))
            try await store.save(Person(name: "Ada"))
            let keys = isWriting ? [1, 2, 5, 6] : [1, 2, 6]
            try await expect(store.select(Pen.self).keys(), equals: keys)
            while let pens = try await values.next(), pens.map(\.id) != keys {}
            try await other.save(Pen(id: 7))
            try await expect(values.next()?.last?.id, equals: 7)
            try await store.close()
            try await other.close()
        }
    }
}
