import StorageKit
import StorageSync
import TestSupport
import Testing

@Suite struct ExchangeTests {
    @Test func `what one device writes reaches the hub and the other device`() async throws {
        let devices = try await Devices(2)
        let (ann, bob) = (devices.replicas[0], devices.replicas[1])
        try await bob.sync()
        let shop = Shop(id: "s", name: "Corner")
        let list = ShoppingList(
            id: "l", title: "Week", lines: [ListLine(id: "1", text: "milk")], shop: Ref(key: "s"))
        try await ann.store.transaction { tx in
            tx.author = "ann"
            try tx.insert(shop)
            try tx.insert(list)
        }
        let sent = try await ann.sync()
        expect(sent.sent, equals: 1)
        expect(sent.outcomes.map(\.result), equals: [.applied([])])
        expect(try await bob.sync().taken, equals: 2)
        expect(try await bob.list("l"), equals: list)
        expect(try await devices.store.commits().commits.map(\.author), equals: ["ann"])
        expect(try await bob.store.commits().commits.map(\.author), equals: ["ann"])
        try await bob.store.delete(ShoppingList.self, key: "l")
        try await bob.sync()
        try await ann.sync()
        expect(try await ann.list("l") == nil)
        try await devices.settle()
    }

    @Test func `changes of different properties and lines of one list are merged`() async throws {
        let devices = try await Devices(2)
        let (ann, bob) = (devices.replicas[0], devices.replicas[1])
        var list = ShoppingList(id: "l", title: "Week", lines: [ListLine(id: "1", text: "milk")])
        try await ann.store.insert(list)
        try await ann.sync()
        try await bob.sync()
        list.title = "Weekend"
        list.lines.append(ListLine(id: "2", text: "bread"))
        try await ann.store.save(list)
        var other = try #require(try await bob.list("l"))
        other.color = "green"
        other.lines[0].count = 3
        other.lines.append(ListLine(id: "3", text: "eggs"))
        try await bob.store.save(other)
        try await ann.sync()
        let outcomes = try await bob.sync().outcomes
        expect(outcomes.map(\.result), equals: [.applied([])])
        try await ann.sync()
        let merged = ShoppingList(
            id: "l", title: "Weekend", color: "green",
            lines: [
                ListLine(id: "1", text: "milk", count: 3), ListLine(id: "2", text: "bread"),
                ListLine(id: "3", text: "eggs"),
            ])
        expect(try await ann.list("l"), equals: merged)
        try await devices.settle()
    }

    @Test func `a value that is overwritten unseen is told, and kept until the program confirms it`() async throws {
        let devices = try await Devices(2)
        let (ann, bob) = (devices.replicas[0], devices.replicas[1])
        try await ann.store.insert(ShoppingList(id: "l", title: "Week"))
        try await ann.sync()
        try await bob.sync()
        try await ann.store.save(ShoppingList(id: "l", title: "Ann's"))
        try await bob.store.save(ShoppingList(id: "l", title: "Bob's"))
        try await ann.sync()
        try await bob.sync()
        let lost = SyncOverwrite(
            model: "ShoppingList", key: [.text("l")], property: "title", lost: .value(.text("Ann's"), .string))
        var outcomes = bob.outcomes.makeAsyncIterator()
        let outcome = try #require(try await outcomes.next())
        expect(outcome.result, equals: .applied([lost]))
        expect(outcome.patch?.changes.first?.model, equals: "ShoppingList")
        let reopened = try await Replica(bob.store, models: sharedTypes, to: devices.ways[1])
        var again = reopened.outcomes.makeAsyncIterator()
        expect(try await again.next(), equals: outcome)
        try await bob.confirm(outcome)
        try await bob.store.save(ShoppingList(id: "m", title: "Other", code: "x"))
        try await ann.store.save(ShoppingList(id: "n", title: "Other", code: "x"))
        try await bob.sync()
        try await ann.sync()
        var refused = ann.outcomes.makeAsyncIterator()
        guard case .refused(let reason)? = try await refused.next()?.result else {
            Issue.record("The second unique value is not refused.")
            return
        }
        expect(reason.contains("code"))
        expect(try await ann.list("n") == nil)
        try await devices.settle()
    }

    @Test func `a refused commit is refused whole, and the commits that depend on it go with it`() async throws {
        let devices = try await Devices(2)
        let (ann, bob) = (devices.replicas[0], devices.replicas[1])
        try await ann.store.insert(Shop(id: "a", name: "Corner"))
        try await bob.store.transaction { tx in
            try tx.insert(Shop(id: "b", name: "Corner"))
            try tx.insert(ShoppingList(id: "l", title: "Week"))
        }
        try await bob.store.insert(ShoppingList(id: "m", shop: Ref(key: "b")))
        try await bob.store.insert(ShoppingList(id: "n", title: "Free"))
        try await ann.sync()
        let exchange = try await bob.sync()
        expect(exchange.refused, equals: 2)
        expect(try await bob.store.select(ShoppingList.self).all().map(\.id), equals: ["n"])
        expect(try await bob.store.select(Shop.self).all().map(\.id), equals: ["a"])
        try await devices.settle()
    }

    @Test func `a deletion takes no record that its author has not seen`() async throws {
        let devices = try await Devices(2)
        let (ann, bob) = (devices.replicas[0], devices.replicas[1])
        try await ann.store.insert(ShoppingList(id: "l", title: "Week"))
        try await ann.sync()
        try await bob.sync()
        try await ann.store.insert(Remark(id: "r", text: "thanks", list: Ref(key: "l")))
        try await ann.sync()
        try await bob.store.delete(ShoppingList.self, key: "l")
        expect(try await bob.sync().refused, equals: 1)
        expect(try await bob.list("l")?.title, equals: "Week")
        expect(try await bob.store.select(Remark.self).count(), equals: 1)
        try await devices.settle()
        // Now it has seen the remark.
        try await bob.store.delete(ShoppingList.self, key: "l")
        expect(try await bob.sync().refused, equals: 0)
        try await devices.settle()
        expect(try await ann.store.select(Remark.self).count(), equals: 0)
    }

    @Test func `a reference that a rule sets to nil overwrites nothing that a user has set`() async throws {
        let devices = try await Devices(2)
        let (ann, bob) = (devices.replicas[0], devices.replicas[1])
        try await ann.store.transaction { tx in
            try tx.insert(Shop(id: "a", name: "Corner"))
            try tx.insert(Shop(id: "b", name: "Market"))
            try tx.insert(ShoppingList(id: "l", shop: Ref(key: "a")))
            try tx.insert(ShoppingList(id: "m", shop: Ref(key: "a")))
        }
        try await ann.sync()
        try await bob.sync()
        try await ann.store.save(ShoppingList(id: "l", shop: Ref(key: "b")))
        try await ann.store.save(ShoppingList(id: "m", title: "Party", shop: Ref(key: "a")))
        try await ann.sync()
        try await bob.store.delete(Shop.self, key: "a")
        expect(try await bob.sync().outcomes.map(\.result), equals: [.applied([])])
        expect(try await bob.list("l")?.shop?.key, equals: "b")
        expect(try await bob.list("m"), equals: ShoppingList(id: "m", title: "Party"))
        try await devices.settle()
    }

    @Test func `waiting commits stay on top of what arrives, and a bad one is set aside until the hub decides`()
        async throws
    {
        let devices = try await Devices(2)
        let (ann, bob) = (devices.replicas[0], devices.replicas[1])
        try await ann.store.insert(Shop(id: "a", name: "Corner"))
        try await ann.sync()
        try await devices.store.delete(Shop.self, key: "a")
        try await bob.sync()
        try await devices.store.insert(Shop(id: "a", name: "Corner"))
        try await bob.store.insert(Shop(id: "b", name: "Corner"))
        try await bob.store.insert(ShoppingList(id: "l", shop: Ref(key: "b")))
        try await bob.store.insert(ShoppingList(id: "m", title: "Mine"))
        // The hub's answer to an earlier question is taken, and the patches that came meanwhile wait.
        let way = devices.ways[1]
        way.next(.loseQuestion)
        await #expect(throws: StorageError.self) { try await bob.sync() }
        expect(bob.status.waiting, equals: 3)
        expect(try await bob.waiting().map(\.number), equals: [1, 2, 3])
        expect(bob.status.lastError?.code, equals: .io)
        try await devices.settle()
        expect(try await bob.store.select(Shop.self).all().map(\.id), equals: ["a"])
        expect(try await bob.list("m")?.title, equals: "Mine")
    }

    @Test func `lost and repeated messages change nothing`() async throws {
        let devices = try await Devices(2)
        let (ann, bob) = (devices.replicas[0], devices.replicas[1])
        for (number, fault) in [FaultyWay.Fault.loseQuestion, .loseAnswer, .repeatQuestion].enumerated() {
            try await ann.store.insert(ShoppingList(id: "l\(number)", title: "Week"))
            devices.ways[0].next(fault)
            do { try await ann.sync() } catch { expect(error.code, equals: .io) }
            // An old message comes late.
            if let first = devices.ways[0].questions.last { _ = try? await devices.hub.answer(first) }
            try await ann.sync()
            try await bob.sync()
        }
        expect(try await bob.store.select(ShoppingList.self).count(), equals: 3)
        expect(try await devices.store.commits().commits.count, equals: 3)
        try await devices.settle()
    }

    @Test func `an exchange with nothing to say is one small message`() async throws {
        let devices = try await Devices(1)
        try await devices.replicas[0].store.insert(ShoppingList(id: "l"))
        try await devices.settle()
        let exchange = try await devices.replicas[0].sync()
        expect(exchange.roundTrips, equals: 1)
        expect(devices.ways[0].sizes.reduce(0, +) <= 400, "\(devices.ways[0].sizes)")
    }

    @Test func `what comes by synchronisation is never sent back, nor undone by undoLast`() async throws {
        let devices = try await Devices(2)
        let (ann, bob) = (devices.replicas[0], devices.replicas[1])
        try await bob.store.insert(ShoppingList(id: "mine"))
        try await bob.sync()
        try await ann.store.insert(ShoppingList(id: "theirs"))
        try await ann.sync()
        expect(try await bob.sync().sent, equals: 0)
        expect(try await bob.sync().sent, equals: 0)
        _ = try await bob.store.undoLast()
        expect(try await bob.store.select(ShoppingList.self).all().map(\.id), equals: ["theirs"])
        try await devices.settle()
    }

    @Test func `a delete and an insert of one key, in one commit and in two, reach the hub as they were`() async throws
    {
        let devices = try await Devices(2)
        let ann = devices.replicas[0]
        try await ann.store.insert(ShoppingList(id: "l", title: "1", code: "x"))
        try await devices.settle()
        try await ann.store.delete(ShoppingList.self, key: "l")
        try await ann.store.insert(ShoppingList(id: "l", title: "2", code: "x"))
        try await devices.settle()
        try await ann.store.transaction { tx in
            try tx.delete(ShoppingList.self, key: "l")
            try tx.insert(ShoppingList(id: "m", title: "3", code: "x"))
        }
        try await devices.settle()
        expect(try await devices.store.select(ShoppingList.self).all().map(\.title), equals: ["3"])
    }

    @Test func `the reason of a refused duplicate names both records`() async throws {
        let devices = try await Devices(2)
        let (ann, bob) = (devices.replicas[0], devices.replicas[1])
        try await ann.store.insert(Shop(id: "a", name: "Corner"))
        try await bob.store.insert(Shop(id: "b", name: "Corner"))
        for replica in [ann, bob] { try await replica.sync() }
        try await bob.store.insert(Shop(id: "c", name: "Market"))
        try await devices.store.insert(Shop(id: "d", name: "Market"))
        let reason = "constraint: Shop \"d\" has the same name as Shop \"c\""
        expect(try await bob.sync().outcomes.map(\.result), equals: [.refused(reason: reason)])
        try await devices.settle()
    }

    @Test func `a commit that did not fit when the hub's state was taken is applied later`() async throws {
        let devices = try await Devices(1)
        let (bob, way) = (devices.replicas[0], InterruptedWay(devices.hub))
        let ann = try await Replica(sharedStore(), models: sharedTypes, to: way)
        for replica in [ann, bob] { try await replica.sync() }
        way.beforeNext {
            try await bob.store.insert(ShoppingList(id: "bob", code: "1"))
            try await bob.sync()
            try await ann.store.insert(ShoppingList(id: "ann", code: "1"))
        }
        try await ann.sync()
        expect(ann.status.waiting, equals: 1)
        expect(try await ann.store.select(ShoppingList.self).keys(), equals: ["bob"])
        try await devices.store.delete(ShoppingList.self, key: "bob")
        expect(try await ann.sync().outcomes.map(\.result), equals: [.applied([])])
        expect(try await ann.store.select(ShoppingList.self).keys(), equals: ["ann"])
        try await devices.settle()
    }
}
