import StorageKit
import StorageSync
import TestSupport
import Testing

@Suite struct RunningTests {
    @Test func `a running replica sends local commits by itself, also after the hub was away`() async throws {
        let devices = try await Devices(1)
        let ann = devices.replicas[0]
        devices.ways[0].next(.loseQuestion)
        let running = Task { try await ann.run(every: .seconds(3600)) }
        for await status in ann.statuses where status.lastExchange != nil && !status.isExchanging { break }
        try await ann.store.insert(ShoppingList(id: "l"))
        try await eventually { try await devices.store.select(ShoppingList.self).count() == 1 }
        running.cancel()
        try await running.value
    }

    @Test func `a running replica ends with an error that only the program can resolve`() async throws {
        var rules = HubRules()
        rules.canRead = { _, _ in false }
        let devices = try await Devices(1, rules: rules)
        do {
            try await devices.replicas[0].run()
            Issue.record("It goes on.")
        } catch { expect(error.underlying as? SyncRefusal, equals: .notAllowed) }
    }

    @Test func `a cancelled exchange ends between two messages, and goes on with the next call`() async throws {
        let devices = try await Devices(1)
        let ann = devices.replicas[0]
        try await ann.store.insert(ShoppingList(id: "l"))
        let exchange = Task { () -> StorageError? in
            withUnsafeCurrentTask { $0?.cancel() }
            do { try await ann.sync() } catch { return error as? StorageError }
            return nil
        }
        expect(await exchange.value?.code, equals: .cancelled)
        try await devices.settle()
    }
}
