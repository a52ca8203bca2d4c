import StorageKit
import StorageSync
import TestSupport
import Testing

@Suite struct HubRulesTests {
    struct TooMany: Error, CustomStringConvertible { let description = "more than two lists" }

    @Test func `the application refuses a patch with its own reason, and sees the records with it`() async throws {
        var rules = HubRules()
        rules.judge = { judgement in
            if judgement.user == "ann", try judgement.session.select(ShoppingList.self).count() > 2 { throw TooMany() }
        }
        let devices = try await Devices(1, rules: rules, users: ["ann"])
        let ann = devices.replicas[0]
        for id in ["a", "b", "c"] { try await ann.store.insert(ShoppingList(id: id)) }
        let exchange = try await ann.sync()
        expect(
            exchange.outcomes.map(\.result),
            equals: [.applied([]), .applied([]), .refused(reason: "more than two lists")])
        try await devices.settle()
    }

    @Test func `a closure decides on a property that two have changed`() async throws {
        var rules = HubRules()
        rules.merge = { conflict in
            guard case .value(.text(let stored), let type) = conflict.stored,
                case .value(.text(let new), _) = conflict.change.after, conflict.change.name == "title"
            else { return nil }
            return .value(.text("\(stored), \(new)"), type)
        }
        let devices = try await Devices(2, rules: rules)
        try await devices.store.insert(ShoppingList(id: "l", title: "Week"))
        for replica in devices.replicas { try await replica.sync() }
        try await devices.replicas[0].store.save(ShoppingList(id: "l", title: "Ann"))
        try await devices.replicas[1].store.save(ShoppingList(id: "l", title: "Bob"))
        try await devices.settle()
        expect(try await devices.store.find(ShoppingList.self, key: "l")?.title, equals: "Ann, Bob")
    }

    @Test func `a model that a user may not read is refused`() async throws {
        var rules = HubRules()
        rules.canRead = { user, model in model != "Remark" || user == "ann" }
        let devices = try await Devices(2, rules: rules, users: ["ann", "bob"])
        try await devices.replicas[0].sync()
        do {
            try await devices.replicas[1].sync()
            Issue.record("Bob reads remarks.")
        } catch { expect(error.underlying as? SyncRefusal, equals: .notAllowed) }
    }

    @Test func `a user reads and writes the own part, and is told nothing of the rest`() async throws {
        var rules = HubRules()
        rules.parts["ShoppingList"] = "color"
        let devices = try await Devices(2, rules: rules, users: ["red", "blue"])
        let (red, blue) = (devices.replicas[0], devices.replicas[1])
        try await devices.store.save([
            ShoppingList(id: "r", color: "red"), ShoppingList(id: "b", color: "blue"), ShoppingList(id: "n"),
        ])
        for replica in devices.replicas { try await replica.sync() }
        expect(try await red.store.select(ShoppingList.self).all().map(\.id), equals: ["r"])
        expect(try await blue.store.select(ShoppingList.self).all().map(\.id), equals: ["b"])
        try await blue.store.insert(ShoppingList(id: "b2", color: "blue"))
        try await blue.store.save(ShoppingList(id: "b", title: "mine", color: "blue"))
        try await blue.sync()
        expect(try await red.sync().taken, equals: 0)
        // Forged: a record of somebody else's, and a key that somebody else has.
        for list in [ShoppingList(id: "x", color: "blue"), ShoppingList(id: "b", color: "red")] {
            try await red.store.save(list)
            expect(try await red.sync().refused, equals: 1)
        }
        // A reference to a record of somebody else, which would keep it from being deleted.
        try await devices.store.insert(Remark(id: "mine", list: Ref(key: "r")))
        try await red.sync()
        try await red.store.update(Remark.self).where { $0.id == "mine" }.set(\.list, to: Ref(key: "r")).run()
        try await red.store.insert(ShoppingList(id: "b2", color: "red"))
        try await red.store.insert(Remark(id: "forged", list: Ref(key: "b2")))
        let outcomes = try await red.sync().outcomes
        expect(
            outcomes.map(\.result).suffix(2),
            equals: [
                .refused(reason: "not a record of the user's part"),
                .refused(reason: "refers to a record that is not of the user's part"),
            ])
        try await devices.store.delete(Remark.self, key: "mine")
        try await red.store.save(ShoppingList(id: "r", color: "blue"))
        expect(try await red.sync().refused, equals: 1)
        try await blue.store.delete(ShoppingList.self, key: "b2")
        try await blue.sync()
        try await red.sync()
        expect(try await red.store.select(ShoppingList.self).all(), equals: [ShoppingList(id: "r", color: "red")])
        expect(try await devices.store.select(ShoppingList.self).count(), equals: 3)
    }
}
