import Foundation
import MemoryBackend
import StorageKit
import StorageSync
import TestSupport
import Testing

/// Users with parts of a hub's records, at hubs that keep its latest commits.
@Suite struct PartTests {
    /// Two of them are equal as Swift compares texts.
    private static let users = ["caf\u{E9}", "cafe\u{301}", "7", "", "bob"]

    private static var rules: HubRules {
        var rules = HubRules()
        rules.parts["ShoppingList"] = "color"
        return rules
    }

    /// Replicas exchange by a hub that keeps commits, by one of another program, or by one that keeps none.
    @Test(.repeatable, arguments: 0..<2)
    func `each user has exactly the own part, whoever changes it and whatever the hub remembers`(
        seed: Int
    ) async throws {
        var random = SeededGenerator(seed: UInt64(TestExtent.seed * 2 + seed))
        let store = try await sharedStore()
        let hubs = [
            try await Hub(store, models: sharedTypes, rules: Self.rules),
            try await Hub(store, models: sharedTypes, rules: Self.rules),
        ]
        var devices: [(user: String, way: FaultyWay, replica: Replica)] = []
        for user in Self.users {
            let way = FaultyWay(hubs[0], as: user)
            devices.append((user, way, try await Replica(sharedStore(), models: sharedTypes, to: way)))
        }
        for step in 0..<TestExtent.count(200) {
            switch Int.random(in: 0..<20, using: &random) {
            case 0: try await store.truncate("Shop")
            case 1, 2:
                // Of no user, and so large that the hub forgets half of what it keeps after some of them.
                let title = String(repeating: "\(step % 10)", count: 80_000)
                try await store.save((0..<8).map { ShoppingList(id: "n\($0)", title: title, color: "nobody") })
                try await store.save(Shop(id: "s", name: "\(step)"))
            case 3...8:
                // A program of the hub gives records to others, and takes them away.
                let lists = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    ShoppingList(
                        id: "l\(Int.random(in: 0..<12, using: &random))", title: "\(step)",
                        color: Self.users.randomElement(using: &random) ?? "")
                }
                try await store.save(lists)
            case 9, 10: try await store.delete(ShoppingList.self, key: "l\(Int.random(in: 0..<12, using: &random))")
            case 11...13:
                guard let device = devices.randomElement(using: &random) else { break }
                let own = "\(device.user) \(Int.random(in: 0..<3, using: &random))"
                try await device.replica.store.save(ShoppingList(id: own, title: "\(step)", color: device.user))
            default:
                guard let device = devices.randomElement(using: &random) else { break }
                let hub: Hub =
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: try await Hub(store, models: sharedTypes, rules: Self.rules)
                    case 1: hubs[1]
                    default: hubs[0]
                    }
                device.way.move(to: hub)
                try await device.replica.sync()
                try await Self.expectPart(of: device.user, device.replica, in: store, "step \(step)")
            }
        }
        for device in devices {
            device.way.move(to: hubs[0])
            try await device.replica.sync()
            try await Self.expectPart(of: device.user, device.replica, in: store, "the end")
        }
    }

    private static func expectPart(of user: String, _ replica: Replica, in store: Store, _ step: String) async throws {
        let lists = try await store.select(ShoppingList.self).order(by: \.id).all()
        let part = lists.filter { $0.color.utf8.elementsEqual(user.utf8) }
        let own = try await replica.store.select(ShoppingList.self).order(by: \.id).all()
        expect(own, equals: part, "\(user), \(step)")
        try await expect(replica.store.digest(of: "Shop"), equals: store.digest(of: "Shop"), "\(user), \(step)")
    }
}
