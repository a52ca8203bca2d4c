import Foundation
import PostgreSQLBackend
import StorageKit
import StorageTenants
import Synchronization
import TestSupport
import Testing

enum GuestsBefore {
    @Storable("Guest") struct Guest: Equatable {
        var id: Int?
        var name = ""
        var pens: [Pen] = []
    }
}

enum GuestsNow {
    @Storable("Guest") struct Guest: Equatable {
        var id: Int?
        @Indexed var name = ""
        var pens: [Pen] = []
        var nights = 1
    }
}

@Suite(
    "Tenants of a PostgreSQL database", .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"))
struct TenantTests {
    static func tenants(
        _ prefix: String, _ models: [any Storable.Type], url: String? = nil, options: String = "", open: Int = 100
    ) throws -> Tenants {
        let url = try StorageURL("\(url ?? Server.url ?? "")&durability=relaxed&timeout=60000\(options)")
        let database = try PostgreSQLBackend(url: url).sharingConnections()
        var limits = Tenants.Options()
        (limits.maximumOpen, limits.idleTime, limits.timeout) = (open, .seconds(86_400), .seconds(600))
        return Tenants(models: models, options: limits) { tenant in
            var backend = database
            backend.schema = "\(prefix)_\(tenant)"
            return backend
        }
    }

    /// Runs a body with a prefix of schemas, which are removed afterwards.
    static func withPrefix(_ body: (String) async throws -> Void) async throws {
        let prefix = "tenant_" + UUID().uuidString.lowercased().prefix(8)
        func remove() async throws {
            // A transaction holds one lock for each table.
            let names = try await Server.psql("SELECT nspname FROM pg_namespace WHERE nspname LIKE '\(prefix)%'")
            let schemas = names.split(separator: "\n").map(String.init)
            for start in stride(from: 0, to: schemas.count, by: 20) {
                let part = schemas[start..<min(start + 20, schemas.count)].map { "\"\($0)\"" }
                try await Server.psql(
                    "SET client_min_messages = warning; DROP SCHEMA \(part.joined(separator: ", ")) CASCADE")
            }
        }
        do {
            try await body(prefix)
        } catch {
            try? await remove()
            throw error
        }
        try await remove()
    }

    private final class Maximum: Sendable { let count = Mutex(0) }

    @Test func `tenants share few connections, and each reads what it has written`() async throws {
        try await Self.withPrefix { prefix in
            let tenants = try Self.tenants(
                prefix, [GuestsBefore.Guest.self], options: "&connections=2&application_name=\(prefix)", open: 20)
            let maximum = Maximum()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<TestExtent.count(20) {
                    group.addTask {
                        let tenant = "t\(task % 10)"
                        for round in 0..<5 {
                            try await tenants.withStore(tenant) { store in
                                let guest = try await store.insert(
                                    GuestsBefore.Guest(name: "\(tenant) \(round)", pens: [Pen(id: round)]))
                                let found = try await store.find(GuestsBefore.Guest.self, key: #require(guest.id))
                                expect(found, equals: guest)
                                let others = store.select(GuestsBefore.Guest.self).where {
                                    !$0.name.hasPrefix("\(tenant) ")
                                }
                                try await expect(others.count(), equals: 0)
                            }
                        }
                    }
                }
                group.addTask {
                    for _ in 0..<5 {
                        let count = try await Server.psql(
                            "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(prefix)'")
                        maximum.count.withLock { $0 = max($0, Int(count) ?? .max) }
                        await Task.yield()
                    }
                }
                try await group.waitForAll()
            }
            expect(maximum.count.withLock { $0 } <= 4, "two that read and two that write")
            await tenants.close()
        }
    }

    @Test func `a store that is up to date is opened by two round trips`() async throws {
        try await Self.withPrefix { prefix in
            let count = TestExtent.isLarge ? 1000 : 40
            let names = (0..<count).map { "t\($0)" }
            let first = try Self.tenants(prefix, [GuestsBefore.Guest.self])
            await expect(first.migrate(names).isComplete)
            await first.close()

            let proxy = try CuttingProxy(to: Server.socket())
            defer { proxy.stop() }
            let url = "postgresql://storage@127.0.0.1:\(proxy.port)/postgres?sslmode=disable"
            let tenants = try Self.tenants(prefix, [GuestsBefore.Guest.self], url: url, open: count)
            // Connections are made once.
            try await tenants.withStore("t0") { _ in }
            let before = (proxy.roundTrips, proxy.connections, ContinuousClock.now)
            for name in names.dropFirst() { try await tenants.withStore(name) { _ in } }
            let trips = proxy.roundTrips - before.0
            let time = (ContinuousClock.now - before.2) / (count - 1)
            print("\(count - 1) stores opened, each by \(Double(trips) / Double(count - 1)) round trips in \(time)")
            expect(trips <= 2 * (count - 1))
            expect(proxy.connections, equals: before.1)
            await tenants.close()
        }
    }

    @Test func `more stores than a program has threads are closed at once`() async throws {
        try await Self.withPrefix { prefix in
            let url = try StorageURL("\(Server.url ?? "")&durability=relaxed&timeout=60000&connections=4")
            let database = try PostgreSQLBackend(url: url).sharingConnections()
            // Dispatch has 64 threads for blocking calls.
            let count = TestExtent.isLarge ? 400 : 80
            var stores: [Store] = []
            for number in 0..<count {
                var backend = database
                backend.schema = "\(prefix)_\(number)"
                stores.append(try await Store(backend, models: GuestsBefore.Guest.self))
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for store in stores { group.addTask { try await store.close() } }
                try await group.waitForAll()
            }
        }
    }

    @Test func `a tenant of a newer program fails alone, and one that is dropped is made anew`() async throws {
        try await Self.withPrefix { prefix in
            let tenants = try Self.tenants(prefix, [GuestsBefore.Guest.self])
            await expect(tenants.migrate(["a", "b", "c"]).isComplete)
            try await Server.psql("UPDATE \"\(prefix)_b\".storage_info SET value = '99' WHERE key = 'format'")
            let migration = await tenants.migrate(["a", "b", "c"])
            expect(migration.count == 2 && migration.failures.map(\.tenant) == ["b"])
            expect(migration.failures.first?.error.code, equals: .schemaNewer)

            try await tenants.withStore("c") { store in
                try await store.insert(GuestsBefore.Guest(name: "Ada"))
                try await Server.psql("SET client_min_messages = warning; DROP SCHEMA \"\(prefix)_c\" CASCADE")
                let gone = await #expect(throws: StorageError.self) {
                    try await store.insert(GuestsBefore.Guest(name: "Bob"))
                }
                expect(gone?.code, equals: .schemaMismatch)
                let unread = await #expect(throws: StorageError.self) {
                    try await store.select(GuestsBefore.Guest.self).count()
                }
                expect(unread?.code, equals: .schemaMismatch)
            }
            // The connections are as good as before for the others.
            try await expect(
                tenants.withStore("a") { store in try await store.select(GuestsBefore.Guest.self).count() }
                    == 0)
            await tenants.close("c")
            try await expect(
                tenants.withStore("c") { store in try await store.select(GuestsBefore.Guest.self).count() }
                    == 0)
            await tenants.close()
        }
    }

    @Test func `a migration whose connections are ended in the middle goes on, and is complete in the end`()
        async throws
    {
        try await Self.withPrefix { prefix in
            let names = (0..<TestExtent.count(20)).map { "t\($0)" }
            let old = try Self.tenants(prefix, [GuestsBefore.Guest.self])
            await expect(old.migrate(names).isComplete)
            for name in names {
                try await old.withStore(name) { store in try await store.insert(GuestsBefore.Guest(name: name)) }
            }
            await old.close()

            let new = try Self.tenants(prefix, [GuestsNow.Guest.self], options: "&application_name=\(prefix)")
            let ended = await new.migrate(names, atOnce: 3, stoppingAfter: names.count) { migration in
                guard migration.count + migration.failures.count == 7 else { return }
                _ = try? Server.blockingPsql(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '\(prefix)'")
            }
            expect(ended.count + ended.failures.count == names.count && ended.remaining.isEmpty)
            // A store that was in the middle is as it was.
            let again = await new.migrate(names)
            expect(again.isComplete && again.count == names.count)
            for name in names {
                let guests = try await new.withStore(name) { store in try await store.select(GuestsNow.Guest.self).all()
                }
                expect(guests, equals: [GuestsNow.Guest(id: 1, name: name)])
            }
            await new.close()
        }
    }
}
