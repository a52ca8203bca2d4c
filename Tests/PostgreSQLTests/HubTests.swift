import MemoryBackend
import PostgreSQLBackend
import StorageKit
import StorageSync
import TestSupport
import Testing

@Storable struct Errand: Equatable {
    var id: String
    @Unique var name: String?
    var owner = ""
    var times = 0
}

@Suite("Hubs on PostgreSQL", .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"))
struct HubTests {
    private struct Way: SyncTransport {
        let hub: Hub
        let user: String

        func exchange(_ message: [UInt8]) async throws -> [UInt8] { try await hub.answer(message, as: user) }
    }

    private static func store(_ backend: some StorageBackend) async throws -> Store {
        try await Store(backend, models: Errand.self, options: .init(history: .init(records: [Errand.self])))
    }

    /// Runs a body with hubs of two programs for one store.
    private static func withHubs(
        _ writers: String, _ rules: HubRules, _ body: ([Hub]) async throws -> Void
    ) async throws {
        try await Server.withSchema { schema in
            var hubs: [Hub] = []
            for _ in 0..<2 {
                let store = try await store(Server.backend(schema, "&timeout=60000&writers=\(writers)"))
                hubs.append(try await Hub(store, models: [Errand.self], rules: rules))
            }
            try await body(hubs)
            for hub in hubs { try await hub.store.close() }
        }
    }

    @Test(arguments: ["one", "many"])
    func `replicas of two programs' hubs exchange at once, and each patch has its own outcome, once`(
        writers: String
    ) async throws {
        var rules = HubRules()
        rules.judge = { judgement in
            let mine = judgement.session.select(Errand.self).where { $0.owner == judgement.user ?? "" }
            if judgement.user == "user 2" { throw StorageError(.constraint, "Not yours.") }
            if try mine.count() > 6 { throw StorageError(.constraint, "Too many.") }
            // One for all: what is read decides, whoever writes beside.
            if try judgement.session.select(Errand.self).where({ $0.times == 7 }).count() > 5 {
                throw StorageError(.constraint, "Enough.")
            }
        }
        try await Self.withHubs(writers, rules) { hubs in
            var replicas: [(user: String, replica: Replica)] = []
            for number in 0..<12 {
                let user = "user \(number)"
                let way = Way(hub: hubs[number % 2], user: user)
                let store = try await Self.store(InMemoryBackend())
                replicas.append((user, try await Replica(store, models: [Errand.self], to: way)))
            }
            for round in 0..<3 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (user, replica) in replicas {
                        group.addTask {
                            let store = replica.store
                            try await store.insert(Errand(id: "\(user) \(round)", owner: user, times: 7))
                            try await store.insert(
                                Errand(id: "\(user) \(round) named", name: "name \(round)", owner: user))
                            try await store.insert(Errand(id: "\(user) \(round) b", owner: user))
                            let exchange = try await replica.sync()
                            expect(exchange.sent, equals: 3)
                            expect(exchange.outcomes.count, equals: 3)
                            if user == "user 2" { expect(exchange.refused, equals: 3) }
                            for outcome in exchange.outcomes {
                                guard case .refused(let reason) = outcome.result else { continue }
                                let known = ["Enough", "Too many", "Not yours", "constraint"]
                                expect(known.contains { reason.contains($0) }, "\(reason)")
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            let store = hubs[0].store
            try await expect(store.select(Errand.self).where { $0.times == 7 }.count(), equals: 5)
            try await expect(store.select(Errand.self).where { $0.name != nil }.count(), equals: 3)
            try await expect(store.select(Errand.self).where { $0.owner == "user 2" }.count(), equals: 0)
            for (user, replica) in replicas {
                try await replica.sync()
                try await expect(replica.waiting().isEmpty)
                try await expect(replica.store.digest(of: "Errand"), equals: store.digest(of: "Errand"), "\(user)")
            }
            let count = try await store.select(Errand.self).count()
            try await expect(store.commits(since: nil, limit: 10_000).commits.count, equals: count)
        }
    }
}
