import Foundation
import PostgreSQLBackend
import StorageKit
import StorageTenants
import TestSupport
import Testing

/// A lock has no defaults, so new properties are optional.
enum GuestsOptional {
    @Storable("Guest") struct Guest: Equatable {
        var id: Int?
        @Indexed var name = ""
        var pens: [Pen] = []
        var nights: Int?
    }
}

@Suite(
    "storage migrate of many schemas", .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"))
struct MigrateTests {
    private static func tool(_ arguments: [String]) -> Process {
        Server.process(conformanceProgram.deletingLastPathComponent().appending(path: "storage"), arguments)
    }

    /// The schemas that have the new property.
    private static func migrated(at address: String) async throws -> Int {
        let count = try await Server.psql(
            "SELECT count(*) FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid "
                + "WHERE attname = 'nights' AND relname = 'Guest' AND relnamespace::regnamespace::text LIKE 'app_t%'",
            at: address)
        return Int(count) ?? 0
    }

    /// Copies a store's schema as `pg_dump` has it, which takes a fraction of the time that a store takes to make it.
    private static func copy(_ schema: String, to names: some Collection<String>, at address: String) async throws {
        let dump = try await Server.output(of: "pg_dump", [address, "-n", schema])
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).sql")
        defer { try? FileManager.default.removeItem(at: file) }
        let copies = names.map { "BEGIN;\n" + dump.replacing("\(schema)", with: $0) + "COMMIT;\n" }
        try Data(copies.joined().utf8).write(to: file)
        try await Server.output(
            of: "psql", [address, "-qX", "-o", "/dev/null", "-v", "ON_ERROR_STOP=1", "-f", file.path])
    }

    @Test
    func `a run that is killed in the middle leaves whole stores, and the next one goes on`() async throws {
        // So many schemas make the statements of other tests slow.
        try await OwnServer.with { server in
            let url = server.addresses[0]
            let names = (0..<(TestExtent.isLarge ? 10_000 : 60)).map { "t\($0)" }
            let tenants = try TenantTests.tenants("app", [GuestsBefore.Guest.self], url: url)
            await expect(tenants.migrate([names[0]]).isComplete)
            try await Self.copy("app_t0", to: names.dropFirst().map { "app_\($0)" }, at: url)
            for name in names.prefix(20) {
                _ = try await tenants.withStore(name) { store in
                    try await store.insert(GuestsBefore.Guest(name: name, pens: [Pen(id: 1)]))
                }
            }
            await tenants.close()
            let new = try PostgreSQLBackend(url: StorageURL("\(url)&schema=new"))
            try await Store(new, models: GuestsOptional.Guest.self).close()
            let lock = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).lock").path
            defer { try? FileManager.default.removeItem(atPath: lock) }
            try await expect(Self.tool(["schema", "\(url)&schema=new", "--lock", lock]).result().isSuccess)

            let command = ["migrate", url, "--schemas", "app_t*", "--lock", lock, "--at-once", "2"]
            func seconds(_ body: () async throws -> Void) async rethrows -> Double {
                let began = ContinuousClock.now
                try await body()
                return (ContinuousClock.now - began) / .seconds(1)
            }
            let planning = try await seconds {
                let plan = try await Self.tool(command + ["--dry-run"]).result()
                expect(plan.status == 0 && plan.output.contains("\(names.count) stores to change"))
            }
            try await expect(Self.migrated(at: url), equals: 0)

            // One schema cannot be changed, so that the run is in its middle for as long as it takes to see how far it is.
            let holder = try await Server.Session(
                "LOCK TABLE app_t\(names.count - 1).\"Guest\" IN SHARE MODE", at: url)
            let killed = Self.tool(command.map { $0 == url ? "\(url)&timeout=3600000" : $0 })
            let ending = try killed.start()
            try await eventually { try await Self.migrated(at: url) >= names.count / 10 || !killed.isRunning }
            expect(killed.isRunning)
            kill(killed.processIdentifier, SIGKILL)
            await ending.wait()
            try await holder.end()
            // The server ends the transactions of killed processes.
            let writing =
                "SELECT count(*) FROM pg_locks WHERE mode = 'ExclusiveLock' AND relation::regclass::text LIKE '%app_t%'"
            try await eventually { try await Server.psql(writing, at: url) == "0" }
            let done = try await Self.migrated(at: url)
            expect(done >= names.count / 10 && done < names.count, "\(done) before it was killed")

            try await Server.psql("UPDATE app_t7.storage_info SET value = '99' WHERE key = 'format'", at: url)
            let migrating = try await seconds {
                let again = try await Self.tool(command).result()
                expect(again.status == 1 && again.output.contains("1 failed") && again.output.contains("app_t7: "))
            }
            try await Server.psql("UPDATE app_t7.storage_info SET value = '1' WHERE key = 'format'", at: url)
            let finishing = try await seconds {
                let last = try await Self.tool(command).result()
                expect(last.status == 0 && last.output.contains("0 failed"))
            }
            try await expect(Self.migrated(at: url), equals: names.count)
            func milliseconds(_ seconds: Double, _ count: Int) -> String {
                String(format: "%.1f ms", seconds * 1000 / Double(max(count, 1)))
            }
            print(
                "migrating \(names.count) schemas: \(milliseconds(planning, names.count)) each to plan, "
                    + "\(milliseconds(migrating, names.count - done)) to change (\(done) were changed before the kill), "
                    + "\(milliseconds(finishing, names.count)) to find up to date")

            let changed = try TenantTests.tenants("app", [GuestsOptional.Guest.self], url: url)
            for name in names.prefix(20) {
                let guests = try await changed.withStore(name) { store in
                    try await store.select(GuestsOptional.Guest.self).all()
                }
                expect(guests, equals: [GuestsOptional.Guest(id: 1, name: name, pens: [Pen(id: 1)])])
            }
            await changed.close()
            try await expect(
                Self.tool(["migrate", url, "--schemas", "none*", "--lock", lock]).result().status, equals: 66)
            try await expect(
                Self.tool(["migrate", "a.db", "--schemas", "t*", "--lock", lock]).result().status, equals: 64)
        }
    }
}
