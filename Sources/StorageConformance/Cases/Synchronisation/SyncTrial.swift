internal import StorageAPI
internal import StorageDriver
internal import StorageSync
internal import Synchronization

/// The way of a replica in a case: it loses messages, and keeps the last ones.
final class TrialWay: SyncTransport {
    private struct State {
        var hub: Hub
        var user: String?
        var losesQuestions = false
        var losesAnswers = false
        var last: (question: [UInt8], answer: [UInt8])?
    }

    private let state: Mutex<State>

    init(_ hub: Hub, as user: String? = nil) { state = Mutex(State(hub: hub, user: user)) }

    func lose(questions: Bool = false, answers: Bool = false) {
        state.withLock { ($0.losesQuestions, $0.losesAnswers) = (questions, answers) }
    }

    func act(as user: String) { state.withLock { $0.user = user } }

    func move(to hub: Hub) { state.withLock { $0.hub = hub } }

    var last: (question: [UInt8], answer: [UInt8])? { state.withLock { $0.last } }

    func exchange(_ message: [UInt8]) async throws -> [UInt8] {
        let (hub, user, isLost) = state.withLock { ($0.hub, $0.user, $0.losesQuestions) }
        if isLost { throw SyncEnd() }
        let answer = try await hub.answer(message, as: user)
        return try state.withLock { state in
            state.last = (message, answer)
            if state.losesAnswers { throw SyncEnd() }
            return answer
        }
    }
}

/// A hub and its replicas, each on a place of the tested backend.
struct SyncTrial {
    let hub: Hub
    let store: Store
    var replicas: [Replica] = []
    var ways: [TrialWay] = []
    let trial: Trial

    /// Exchanges with all replicas until nobody has news, and compares the digests.
    func settle() async throws {
        for _ in 0..<2 { for replica in replicas { try await replica.sync() } }
        let digests = try await store.digests(of: PlainModel.names)
        for replica in replicas {
            try trial.expect(try await replica.store.digests(of: PlainModel.names), equals: digests)
            try trial.expect(try await replica.waiting().count, equals: 0)
        }
    }
}

extension Trial {
    /// Options of a store that keeps the history of the shared models.
    static func sharing(_ clock: TrialClock = TrialClock()) -> Store.Options {
        .init(history: .init(records: PlainModel.types), clock: { clock.now })
    }

    func shared(_ place: TrialPlace, _ options: Store.Options = Trial.sharing()) async throws -> Store {
        note("let store = try await Store(backend, models: \(PlainModel.names), options: …)")
        return try await Store(place.backend(), models: PlainModel.types, options: options)
    }

    /// Runs a case with a hub and replicas that have joined it.
    func synchronising(
        _ count: Int, rules: HubRules = HubRules(), users: [String] = [],
        _ body: (SyncTrial) async throws -> Void
    ) async throws {
        var places: [TrialPlace] = []
        for _ in 0...count { places.append(try await place.another()) }
        let store = try await shared(places[0])
        var stores = [store]
        note("let hub = try await Hub(store, models: …)")
        let hub = try await Hub(store, models: PlainModel.types, rules: rules)
        var trial = SyncTrial(hub: hub, store: store, trial: self)
        for number in 0..<count {
            let own = try await shared(places[number + 1])
            stores.append(own)
            let way = TrialWay(hub, as: users.isEmpty ? nil : users[number])
            trial.ways.append(way)
            note("let replica\(number) = try await Replica(store, models: …, to: hub)")
            trial.replicas.append(try await Replica(own, models: PlainModel.types, to: way))
            try await trial.replicas[number].sync()
        }
        do {
            try await body(trial)
        } catch {
            for store in stores { try? await store.close() }
            for place in places { _ = try? await place.destroy() }
            throw error
        }
        for store in stores { try await store.close() }
        for place in places { _ = try await place.destroy() }
    }
}
