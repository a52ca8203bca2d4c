import Foundation
import PostgreSQLBackend
import StorageKit
import StorageTenants
import TestSupport
import Testing

/// A lock has no defaults, so what is new is optional.
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
        let process = Process()
        process.executableURL = conformanceProgram.deletingLastPathComponent().appending(path: "storage")
        process.arguments = arguments
        return process
    }

    private static func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
        let process = tool(arguments)
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    /// The schemas that have the new property.
    private static func migrated(at address: String) throws -> Int {
        let count = try Server.psql(
            "SELECT count(*) FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid "
                + "WHERE attname = 'nights' AND relname = 'Guest' AND relnamespace::regnamespace::text LIKE 'app_t%'",
            at: address)
        return Int(count) ?? 0
    }

    /// Copies a store's schema as `pg_dump` has it, which takes a fraction of the time that a store takes to make it.
    private static func copy(_ schema: String, to names: some Collection<String>, at address: String) throws {
        let dump = try output("pg_dump", [address, "-n", schema])
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).sql")
        defer { try? FileManager.default.removeItem(at: file) }
        let copies = names.map { "BEGIN;\n" + dump.replacing("\(schema)", with: $0) + "COMMIT;\n" }
        try Data(copies.joined().utf8).write(to: file)
        _ = try output("psql", [address, "-qX", "-o", "/dev/null", "-v", "ON_ERROR_STOP=1", "-f", file.path])
    }

    private static func output(_ program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Server.ShellError(text: "\(program) \(arguments)") }
        return text
    }

    @Test
    func `a run that is killed in the middle leaves whole stores, and the next one goes on`() async throws {
        // So many schemas make the statements of other tests slow.
        let server = try OwnServer()
        defer { try? server.end() }
        let url = server.addresses[0]
        let names = (0..<(TestExtent.isLarge ? 10_000 : 400)).map { "t\($0)" }
        let tenants = try TenantTests.tenants("app", [GuestsBefore.Guest.self], url)
        #expect(await tenants.migrate([names[0]]).isComplete)
        try Self.copy("app_t0", to: names.dropFirst().map { "app_\($0)" }, at: url)
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
        #expect(try Self.run(["schema", "\(url)&schema=new", "--lock", lock]).status == 0)

        let command = ["migrate", url, "--schemas", "app_t*", "--lock", lock, "--at-once", "2"]
        func seconds(_ body: () throws -> Void) rethrows -> Double {
            let began = ContinuousClock.now
            try body()
            return (ContinuousClock.now - began) / .seconds(1)
        }
        let planning = try seconds {
            let plan = try Self.run(command + ["--dry-run"])
            #expect(plan.status == 0 && plan.output.contains("\(names.count) stores to change"))
        }
        #expect(try Self.migrated(at: url) == 0)

        // One schema cannot be changed, so that the run is in its middle for as long as it takes to see how far it is.
        let holder = Process()
        holder.executableURL = URL(filePath: "/usr/bin/env")
        holder.arguments = [
            "psql", url, "-qXAt", "-c", "BEGIN", "-c", "LOCK TABLE app_t\(names.count - 1).\"Guest\" IN SHARE MODE",
            "-c", "SELECT 'held'", "-c", "SELECT pg_sleep(3600)",
        ]
        let held = Pipe()
        holder.standardOutput = held
        try holder.run()
        _ = held.fileHandleForReading.availableData
        let killed = Self.tool(command.map { $0 == url ? "\(url)&timeout=3600000" : $0 })
        try killed.run()
        try await eventually { try Self.migrated(at: url) >= names.count / 10 || !killed.isRunning }
        #expect(killed.isRunning)
        kill(killed.processIdentifier, SIGKILL)
        killed.waitUntilExit()
        holder.terminate()
        try Server.psql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(3600)' AND pid <> pg_backend_pid()",
            at: url)
        // The server ends the transactions of what was killed.
        let writing =
            "SELECT count(*) FROM pg_locks WHERE mode = 'ExclusiveLock' AND relation::regclass::text LIKE '%app_t%'"
        try blockUntil { try Server.psql(writing, at: url) == "0" }
        let done = try Self.migrated(at: url)
        #expect(done >= names.count / 10 && done < names.count, "\(done) before it was killed")

        try Server.psql("UPDATE app_t7.storage_info SET value = '99' WHERE key = 'format'", at: url)
        let migrating = try seconds {
            let again = try Self.run(command)
            #expect(again.status == 1 && again.output.contains("1 failed") && again.output.contains("app_t7: "))
        }
        try Server.psql("UPDATE app_t7.storage_info SET value = '1' WHERE key = 'format'", at: url)
        let finishing = try seconds {
            let last = try Self.run(command)
            #expect(last.status == 0 && last.output.contains("0 failed"))
        }
        #expect(try Self.migrated(at: url) == names.count)
        func milliseconds(_ seconds: Double, _ count: Int) -> String {
            String(format: "%.1f ms", seconds * 1000 / Double(max(count, 1)))
        }
        print(
            "migrating \(names.count) schemas: \(milliseconds(planning, names.count)) each to plan, "
                + "\(milliseconds(migrating, names.count - done)) to change (\(done) were changed before the kill), "
                + "\(milliseconds(finishing, names.count)) to find up to date")

        let changed = try TenantTests.tenants("app", [GuestsOptional.Guest.self], url)
        for name in names.prefix(20) {
            let guests = try await changed.withStore(name) { store in
                try await store.select(GuestsOptional.Guest.self).all()
            }
            #expect(guests == [GuestsOptional.Guest(id: 1, name: name, pens: [Pen(id: 1)])])
        }
        await changed.close()
        #expect(try Self.run(["migrate", url, "--schemas", "none*", "--lock", lock]).status == 66)
        #expect(try Self.run(["migrate", "a.db", "--schemas", "t*", "--lock", lock]).status == 64)
    }
}
