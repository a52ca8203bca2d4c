import Dispatch
import Foundation
import MemoryBackend
import SQLiteBackend
import StorageKit
import StorageSync
import TestSupport
import Testing

/// Messages that arrive at a hub while it answers others.
@Suite final class RoundTests {
    let folder = FileManager.default.temporaryDirectory.appending(path: "storage-sync-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: folder) }

    private struct User: Sendable {
        let name: String
        let replica: Replica
    }

    /// Users of one hub, each with a part of the lists.
    private func users(_ count: Int, at hub: Hub) async throws -> [User] {
        var users: [User] = []
        for number in 0..<count {
            let name = "user \(number)"
            let way = FaultyWay(hub, as: name)
            users.append(User(name: name, replica: try await Replica(sharedStore(), models: sharedTypes, to: way)))
        }
        return users
    }

    private static var rules: HubRules {
        var rules = HubRules()
        rules.parts["ShoppingList"] = "color"
        return rules
    }

    private func withHub(_ name: String, _ rules: HubRules, _ body: (Hub) async throws -> Void) async throws {
        let store =
            name == "memory"
            ? try await sharedStore()
            : try await sharedStore(SQLiteBackend(path: folder.appending(path: "hub.db").path))
        try await body(try await Hub(store, models: sharedTypes, rules: rules))
        try await store.close()
    }

    @Test(arguments: ["memory", "sqlite"])
    func `a message with an error does not stop the ones that are answered with it`(engine: String) async throws {
        var rules = Self.rules
        rules.judge = { judgement in
            if judgement.user == "user 3" { throw StorageError(.busy, "Later.") }
            if judgement.user == "user 4" { throw StorageError(.constraint, "Not this one.") }
        }
        try await withHub(engine, rules) { hub in
            let users = try await users(12, at: hub)
            for round in 0..<3 {
                let results = await withTaskGroup(of: (Int, Result<SyncExchange?, StorageError>).self) { group in
                    for (number, user) in users.enumerated() {
                        group.addTask {
                            do throws(StorageError) {
                                try await user.replica.store.save(
                                    ShoppingList(id: "\(user.name) \(round)", color: user.name))
                                return (number, .success(try await user.replica.sync()))
                            } catch {
                                return (number, .failure(error))
                            }
                        }
                    }
                    group.addTask {
                        do throws(StorageError) {
                            _ = try await hub.answer([1, 2, 3], as: "user 3")
                            return (99, .success(nil))
                        } catch { return (99, .failure(error)) }
                    }
                    return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
                }
                for (number, result) in results {
                    switch (number, result) {
                    case (3, .failure(let error)): expect(error.code, equals: .busy)
                    case (99, .failure(let error)): expect(error.code, equals: .corrupt)
                    case (4, .success(let exchange)): expect(exchange?.refused, equals: 1)
                    case (_, .success(let exchange)):
                        expect(exchange?.sent, equals: 1, "\(number)")
                        expect(exchange?.refused, equals: 0, "\(number)")
                    case (_, .failure(let error)): Issue.record("\(number): \(error)")
                    }
                }
            }
            try await expect(hub.store.select(ShoppingList.self).count(), equals: 10 * 3)
            try await expect(users[3].replica.waiting().count, equals: 3)
        }
    }

    @Test func `a cancelled message ends at once, and the ones that wait with it are answered`() async throws {
        let (began, go) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
        var rules = HubRules()
        rules.judge = { judgement in
            guard judgement.user == "slow" else { return }
            began.continuation.yield()
            go.wait()
        }
        try await withHub("sqlite", rules) { hub in
            func replica(_ user: String) async throws -> Replica {
                let replica = try await Replica(sharedStore(), models: sharedTypes, to: FaultyWay(hub, as: user))
                try await replica.sync()
                try await replica.store.insert(ShoppingList(id: user))
                return replica
            }
            var others: [Replica] = []
            for number in 0..<6 { others.append(try await replica("user \(number)")) }
            let slow = try await replica("slow")
            let first = Task { try await slow.sync() }
            for await _ in began.stream { break }
            let waiting = others.map { replica in Task { try await replica.sync() } }
            waiting[2].cancel()
            let error = await #expect(throws: StorageError.self) { try await waiting[2].value }
            expect(error?.code, equals: .cancelled)
            go.signal()
            expect(try await first.value.sent, equals: 1)
            for (number, task) in waiting.enumerated() where number != 2 {
                expect(try await task.value.sent, equals: 1)
            }
            expect(try await others[2].sync().sent, equals: 1)
            try await expect(hub.store.select(ShoppingList.self).count(), equals: 7)
        }
    }
}
