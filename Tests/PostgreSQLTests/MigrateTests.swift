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
    "storage migrate of many schemas", .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"),
    .timeLimit(.minutes(10)))
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
    private static func migrated(_ prefix: String) throws -> Set<String> {
        let names = try Server.psql(
            "SELECT DISTINCT table_schema FROM information_schema.columns "
                + "WHERE table_schema LIKE '\(prefix)\\_t%' AND column_name = 'nights'")
        return Set(names.split(separator: "\n").map(String.init))
    }

    @Test func `a run that is killed in the middle leaves whole stores, and the next one goes on`() async throws {
        try await TenantTests.withPrefix { prefix in
            let names = (0..<(TestExtent.isLarge ? 1000 : 60)).map { "t\($0)" }
            let tenants = try TenantTests.tenants(prefix, [GuestsBefore.Guest.self])
            #expect(await tenants.migrate(names).isComplete)
            for name in names.prefix(20) {
                _ = try await tenants.withStore(name) { store in
                    try await store.insert(GuestsBefore.Guest(name: name, pens: [Pen(id: 1)]))
                }
            }
            await tenants.close()
            try await Store(Server.backend("\(prefix)_new"), models: GuestsOptional.Guest.self).close()
            let lock = FileManager.default.temporaryDirectory.appending(path: "\(prefix).lock").path
            defer { try? FileManager.default.removeItem(atPath: lock) }
            let url = try #require(Server.url)
            #expect(try Self.run(["schema", "\(url)&schema=\(prefix)_new", "--lock", lock]).status == 0)

            let command = ["migrate", url, "--schemas", "\(prefix)_t*", "--lock", lock, "--at-once", "2"]
            let plan = try Self.run(command + ["--dry-run"])
            #expect(plan.status == 0 && plan.output.contains("\(names.count) stores to change"))
            #expect(try Self.migrated(prefix).isEmpty)

            let killed = Self.tool(command)
            try killed.run()
            while try Self.migrated(prefix).count < 5, killed.isRunning { await Task.yield() }
            kill(killed.processIdentifier, SIGKILL)
            killed.waitUntilExit()
            // The server ends the transactions of what was killed.
            let writing =
                "SELECT count(*) FROM pg_locks WHERE mode = 'ExclusiveLock' AND "
                + "relation::regclass::text LIKE '%\(prefix)%'"
            while try Server.psql(writing) != "0" {}
            let done = try Self.migrated(prefix).count
            #expect(done >= 5 && done < names.count, "\(done) before it was killed")

            try Server.psql("UPDATE \"\(prefix)_t7\".storage_info SET value = '99' WHERE key = 'format'")
            let again = try Self.run(command)
            #expect(again.status == 1 && again.output.contains("1 failed") && again.output.contains("\(prefix)_t7: "))
            try Server.psql("UPDATE \"\(prefix)_t7\".storage_info SET value = '1' WHERE key = 'format'")
            let last = try Self.run(command)
            #expect(last.status == 0 && last.output.contains("0 failed"))
            #expect(try Self.migrated(prefix).count == names.count)

            let new = try TenantTests.tenants(prefix, [GuestsOptional.Guest.self])
            for name in names.prefix(20) {
                let guests = try await new.withStore(name) { store in
                    try await store.select(GuestsOptional.Guest.self).all()
                }
                #expect(guests == [GuestsOptional.Guest(id: 1, name: name, pens: [Pen(id: 1)])])
            }
            await new.close()
            #expect(try Self.run(["migrate", url, "--schemas", "\(prefix)_none*", "--lock", lock]).status == 66)
            #expect(try Self.run(["migrate", "a.db", "--schemas", "t*", "--lock", lock]).status == 64)
        }
    }
}
