import Foundation
import MemoryBackend
import ShoppingModels
import StorageKit
import StorageSync
import StorageSyncHTTP
import Synchronization

/// Devices that write and exchange while the server is killed in the middle.
struct Load {
    let server: ServerProgram
    let devices = 4
    let items = 40

    struct Outcome {
        /// The patches that the hub has answered until it was killed, and the commits that were left.
        var answered = 0
        var left = 0
        var differences: [String] = []
    }

    func run() async throws -> Outcome {
        var outcome = Outcome()
        var stores: [Store] = []
        for _ in 0..<devices {
            stores.append(try await Store(InMemoryBackend(), models: shoppingModels, options: shoppingOptions()))
        }
        // The items of the story came before.
        let first = try await replica(stores[0])
        try await first.sync()
        let before = try await stores[0].select(Item.self).count()

        let answered = Answered()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, store) in stores.enumerated() {
                let replica = number == 0 ? first : try await replica(store)
                group.addTask { try await write(number, replica, answered) }
            }
            try await group.waitForAll()
        }
        outcome.answered = answered.count
        outcome.left = devices * items - outcome.answered
        if outcome.left == 0 { outcome.differences.append("The server was not killed in the middle.") }

        try await server.start()
        // Twice, so that each gets what the others have sent.
        for _ in 0..<2 {
            for store in stores {
                let replica = try await replica(store)
                let exchange = try await replica.sync()
                if exchange.refused > 0 { outcome.differences.append("\(exchange.refused) patches are refused.") }
                if try await !replica.waiting().isEmpty { outcome.differences.append("Patches wait.") }
            }
        }
        let digest = try await stores[0].digest(of: "Item")
        for store in stores {
            let count = try await store.select(Item.self).count()
            if count != before + devices * items {
                outcome.differences.append("A device has \(count) items instead of \(before + devices * items).")
            }
            if try await store.digest(of: "Item") != digest { outcome.differences.append("Two devices differ.") }
        }
        return outcome
    }

    private func replica(_ store: Store) async throws -> Replica {
        try await Replica(
            store, models: shoppingModels,
            to: HTTPHub(await server.hub, headers: { ["Authorization": "Bearer secret1"] }))
    }

    /// Writes items and exchanges after each. The exchange that completes a third of them kills the server.
    private func write(_ number: Int, _ replica: Replica, _ answered: Answered) async throws {
        for item in 0..<items {
            try await replica.store.insert(Item("\(number)/\(item)"))
            guard let exchange = try? await replica.sync() else { continue }
            if answered.add(exchange.outcomes.count, passing: devices * items / 3) { await server.stop(SIGKILL) }
        }
    }
}

/// The number of patches that the hub has answered.
private final class Answered: Sendable {
    private let value = Mutex(0)

    var count: Int { value.withLock { $0 } }

    /// Returns whether the number passes a mark.
    func add(_ number: Int, passing mark: Int) -> Bool {
        value.withLock { value in
            value += number
            return value >= mark && value - number < mark
        }
    }
}
