import MemoryBackend
import SQLiteBackend
import StorageKit
import StorageSync
import Synchronization
import TestSupport
import Testing

@Storable struct Shop: Equatable {
    var id: String
    @Unique var name: String
}

@Storable struct ListLine: Equatable {
    var id: String
    var text = ""
    var count = 1
}

@Storable struct ShoppingList: Equatable {
    var id: String
    var title = ""
    var color = ""
    @Unique var code: String?
    var lines: [ListLine] = []
    @Reference(onDelete: .nullify) var shop: Ref<Shop>?
}

@Storable struct Remark: Equatable {
    var id: String
    var text = ""
    @Reference(onDelete: .cascade) var list: Ref<ShoppingList>
}

let sharedTypes: [any Storable.Type] = [Shop.self, ShoppingList.self, Remark.self]

/// A way to a hub that loses and repeats messages when it is told to.
final class FaultyWay: SyncTransport {
    enum Fault { case loseQuestion, loseAnswer, repeatQuestion }
    struct Lost: Error {}

    private struct State {
        var hub: Hub
        var user: String?
        var faults: [Fault] = []
        var questions: [[UInt8]] = []
        var sizes: [Int] = []
    }

    private let state: Mutex<State>

    init(_ hub: Hub, as user: String? = nil) { state = Mutex(State(hub: hub, user: user)) }

    func next(_ faults: Fault...) { next(faults) }
    func next(_ faults: [Fault]) { state.withLock { $0.faults = faults } }
    func move(to hub: Hub) { state.withLock { $0.hub = hub } }
    var questions: [[UInt8]] { state.withLock { $0.questions } }
    /// The number of bytes of the last question and the last answer.
    var sizes: [Int] { state.withLock { $0.sizes } }

    func exchange(_ message: [UInt8]) async throws -> [UInt8] {
        let (hub, user, fault) = state.withLock { state in
            state.questions.append(message)
            return (state.hub, state.user, state.faults.isEmpty ? nil : state.faults.removeFirst())
        }
        if fault == .loseQuestion { throw Lost() }
        if fault == .repeatQuestion { _ = try await hub.answer(message, as: user) }
        let answer = try await hub.answer(message, as: user)
        state.withLock { $0.sizes = [message.count, answer.count] }
        if fault == .loseAnswer { throw Lost() }
        return answer
    }
}

/// A way on which something happens before the next question arrives.
final class InterruptedWay: SyncTransport {
    private let hub: Hub
    private let next = Mutex<(@Sendable () async throws -> Void)?>(nil)

    init(_ hub: Hub) { self.hub = hub }

    func beforeNext(_ body: @escaping @Sendable () async throws -> Void) { next.withLock { $0 = body } }

    func exchange(_ message: [UInt8]) async throws -> [UInt8] {
        let body = next.withLock { body in
            defer { body = nil }
            return body
        }
        try await body?()
        return try await hub.answer(message)
    }
}

/// A store of the shared models with a history.
func sharedStore(
    _ backend: some StorageBackend = InMemoryBackend(), _ types: [any Storable.Type] = sharedTypes,
    keeping: Store.HistoryLimit? = nil
) async throws -> Store {
    try await Store(backend, models: types, options: .init(history: .init(records: types, keeping: keeping)))
}

/// A hub and replicas in memory.
struct Devices {
    let hub: Hub
    let store: Store
    var ways: [FaultyWay] = []
    var replicas: [Replica] = []

    init(_ count: Int, rules: HubRules = HubRules(), users: [String?] = []) async throws {
        store = try await sharedStore()
        hub = try await Hub(store, models: sharedTypes, rules: rules)
        for number in 0..<count {
            ways.append(FaultyWay(hub, as: number < users.count ? users[number] : nil))
            replicas.append(try await Replica(sharedStore(), models: sharedTypes, to: ways[number]))
        }
    }

    /// Exchanges until nothing is left to say, and expects equal stores.
    func settle() async throws {
        for _ in 0..<2 { for replica in replicas { try await replica.sync() } }
        for replica in replicas {
            for type in sharedTypes {
                let name = type.schema.name
                expect(try await replica.store.digest(of: name), equals: try await store.digest(of: name))
            }
            expect(try await replica.waiting().isEmpty)
        }
    }
}

extension Replica {
    func list(_ id: String) async throws -> ShoppingList? { try await store.find(ShoppingList.self, key: id) }
}
