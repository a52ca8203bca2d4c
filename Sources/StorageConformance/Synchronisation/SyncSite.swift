internal import Foundation
internal import Logging
internal import StorageAPI
import StorageDriver
internal import StorageSync
internal import Synchronization

/// A difference between a store and the plain model, or between what was told and what became.
struct SyncDifference: Error, CustomStringConvertible {
    let expected: String
    let actual: String

    init(_ actual: String, expected: String) { (self.actual, self.expected) = (actual, expected) }

    var description: String { "\(actual), expected \(expected)" }
}

/// Ends the program before one of its next writes.
final class SyncKiller: Sendable {
    private let left = Mutex<Int?>(nil)
    private let ended = Atomic(false)

    /// True if the program has ended, and not started again.
    var hasEnded: Bool { ended.load(ordering: .relaxed) }

    /// - Parameter writes: the number of the write that is not made; nil for none.
    func arm(_ writes: Int?) {
        left.withLock { $0 = writes }
        if writes == nil { ended.store(false, ordering: .relaxed) }
    }

    func step() throws(StorageError) {
        let isLast = left.withLock { left in
            guard let count = left else { return false }
            left = count > 1 ? count - 1 : nil
            return count <= 1
        }
        if isLast {
            ended.store(true, ordering: .relaxed)
            throw StorageError(.io, "The program has ended.", underlying: SyncEnd())
        }
    }
}

/// The end of a program, or a message that does not arrive.
struct SyncEnd: Error {}

private struct KilledBackend: ForwardingBackend {
    let backend: any StorageBackend
    let killer: SyncKiller

    func forward(to engine: any StorageEngine) -> ForwardingEngine {
        ForwardingEngine(engine) { $0.begin = { [killer] () throws(StorageError) in try killer.step() } }
    }
}

/// One store of a simulation, with what the plain model says of it.
///
/// Unchecked, because one task runs the simulation: a transport's call is awaited within the exchange that makes it.
final class SyncSite: @unchecked Sendable {
    let name: String
    let place: TrialPlace
    let clock: TrialClock
    let killer = SyncKiller()
    private(set) var store: Store
    var state = PlainState()

    // A replica's.
    var replica: Replica?
    /// The patches of all its commits.
    var patches: [PlainPatch] = []
    /// The number of patches whose outcomes it has taken.
    var confirmed = 0
    /// The state of the hub that an answer tells, and the number of patches with an outcome; nil if none is under way.
    var pending: (state: PlainState, confirmed: Int)?
    var hasJoined = false
    var isExchanging = false

    init(_ name: String, at place: TrialPlace, _ clock: TrialClock) async throws {
        (self.name, self.place, self.clock) = (name, place, clock)
        store = try await Self.open(place, clock, killedBy: killer)
    }

    private static func open(_ place: TrialPlace, _ clock: TrialClock, killedBy killer: SyncKiller) async throws
        -> Store
    {
        try await Store(
            KilledBackend(backend: place.backend(), killer: killer), models: PlainModel.types,
            options: .init(history: .init(records: PlainModel.types), clock: { clock.now }))
    }

    var time: Double { clock.now.timeIntervalSinceReferenceDate }

    /// Opens the store as the program's next start does.
    func reopen() async throws {
        killer.arm(nil)
        guard place.outlivesClosing(store.info) else { return }
        try await store.close()
        store = try await Self.open(place, clock, killedBy: killer)
    }

    func end() async throws {
        try await store.close()
        _ = try await place.destroy()
    }

    // MARK: Comparison

    /// The first problem that the store finds in itself; nil if it finds none.
    func problem() async throws -> String? {
        var problems: [String] = []
        try await store.verify { problems.append($0.description) }
        return problems.first
    }

    func stored() async throws -> PlainState {
        var state = PlainState()
        for model in PlainModel.names {
            for record in try await store.records(model).all() {
                let (place, plain) = PlainTypes.plain(record)
                state[place] = plain
            }
        }
        return state
    }

    /// - Throws: the differences of the store from the plain model.
    func compare(_ doing: String) async throws {
        state.expire(at: time)
        let stored = try await stored()
        if stored == state { return }
        let places = Set(stored.records.keys).union(state.records.keys).filter { stored[$0] != state[$0] }.sorted()
        func text(_ state: PlainState) -> String {
            places.map { place in
                guard let record = state[place] else { return "no \(place)" }
                let other = stored[place].flatMap { mine in self.state[place].map { (mine, $0) } }
                let differing = record.filter { name, _ in other.map { $0[name] != $1[name] } ?? true }
                return "\(place) \(differing.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" })"
            }.joined(separator: "\n")
        }
        throw SyncDifference("after \(doing), \(name) has\n\(text(stored))", expected: text(state))
    }

    /// Takes over the times at which the store has marked records as modified. Layers decide about these.
    func adoptTimes(since before: PlainState) async throws {
        let stored = try await stored()
        for place in state.places(of: "Stock") where state[place] != before[place] || stored[place] != before[place] {
            guard let changed = stored[place]?["changed"] else { continue }
            guard changed == state[place]?["changed"] || changed == .scalar(.double(time)) else {
                throw SyncDifference("\(place) was changed at \(changed)", expected: "\(time)")
            }
            state[place]?["changed"] = changed
        }
    }

    /// The plain model of a replica: the hub's state, and on top the patches without an outcome that fit it.
    func take(_ answer: (state: PlainState, confirmed: Int)) {
        (state, confirmed) = (answer.state, answer.confirmed)
        state.expire(at: time)
        for patch in patches.dropFirst(confirmed) {
            var next = state
            guard (try? next.apply(patch)) != nil else { continue }
            state = next
            state.expire(at: time)
        }
    }
}
