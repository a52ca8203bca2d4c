internal import Foundation
internal import StorageAPI
import StorageDriver
internal import StorageSync

/// A difference between a store and the plain model, or between what was told and what became.
struct SyncDifference: Error, CustomStringConvertible {
    let expected: String
    let actual: String

    init(_ actual: String, expected: String) { (self.actual, self.expected) = (actual, expected) }

    var description: String { "\(actual), expected \(expected)" }
}

/// One store of a simulation, with what the plain model says of it.
///
/// Unchecked, because one task runs the simulation: a transport's call is awaited within the exchange that makes it.
final class SyncSite: @unchecked Sendable {
    let name: String
    private(set) var place: TrialPlace
    let clock: TrialClock
    let killer = SyncKiller()
    private(set) var store: Store
    var plain: PlainSite
    /// The store as it was, at another place.
    private var backup: (place: TrialPlace, store: Store, plain: PlainSite)?
    /// The history that the store keeps; nil for all.
    private let keeping: Store.HistoryLimit?

    // A replica's.
    var replica: Replica?
    /// The answer that is under way, and the number of the store's writes when it arrived.
    var pending: (answer: SyncReply, writes: Int)?
    /// The outcomes that the exchange has taken.
    var told: [PlainOutcome] = []
    var isExchanging = false

    var version: PlainVersion { plain.version }
    var state: PlainState {
        get { plain.state }
        set { plain.state = newValue }
    }

    /// - Parameter schemas: the schemas of the later version, of which the earlier ones are made.
    init(
        _ name: String, at place: TrialPlace, _ clock: TrialClock, keeping: Store.HistoryLimit? = nil,
        by version: PlainVersion = .later, of schemas: [RecordSchema] = []
    ) async throws {
        (self.name, self.place, self.clock, self.keeping) = (name, place, clock, keeping)
        plain = PlainSite(version)
        store = try await Self.open(place, clock, keeping: keeping, by: version, killedBy: killer)
        guard version == .earlier else { return }
        try await store.prepare(version.seen(schemas))
        try await store.keepHistory(.records, ofRecords: Set(version.models))
    }

    /// A store that begins as a copy of a replica's.
    init(_ name: String, at place: TrialPlace, copying other: SyncSite) async throws {
        (self.name, self.place, clock, keeping, plain) = (name, place, other.clock, nil, other.plain)
        store = try await Self.copy(other.store, to: place)
        try await reopen()
    }

    private static func open(
        _ place: TrialPlace, _ clock: TrialClock, keeping: Store.HistoryLimit?, by version: PlainVersion,
        killedBy killer: SyncKiller
    ) async throws -> Store {
        let types = version == .later ? PlainModel.types : []
        return try await Store(
            KilledBackend(place.backend(), killer), models: types,
            options: .init(history: .init(records: types, keeping: keeping), clock: { clock.now }))
    }

    var time: Double { clock.now.timeIntervalSinceReferenceDate }

    /// Opens the store as the program's next start does.
    func reopen() async throws {
        killer.arm(nil)
        guard place.outlivesClosing(store.info) else { return }
        try await store.close()
        store = try await Self.open(place, clock, keeping: keeping, by: plain.version, killedBy: killer)
    }

    /// Opens the store with the later version of the program.
    ///
    /// - Returns: false if the store would not outlive it.
    func upgrade() async throws -> Bool {
        guard place.outlivesClosing(store.info) else { return false }
        plain.upgrade()
        try await reopen()
        return true
    }

    /// Copies the store to another place, in place of an earlier backup.
    func backUp(to other: TrialPlace) async throws {
        killer.arm(nil)
        try await removeBackup()
        backup = (other, try await Self.copy(store, to: other), plain)
    }

    /// A copy that is opened without types, which would mark the time of the copy in its records.
    private static func copy(_ store: Store, to place: TrialPlace) async throws -> Store {
        let copy = try await Store(place.backend())
        _ = try await copy.mirror(store)
        return copy
    }

    /// True if a copy of the store can be opened as the store.
    var canCopy: Bool { place.outlivesClosing(store.info) }

    /// Makes the backup the store.
    ///
    /// - Returns: false without a backup.
    func restore() async throws -> Bool {
        guard let backup else { return false }
        killer.arm(nil)
        self.backup = nil
        try await store.close()
        _ = try await place.destroy()
        (place, store, plain) = (backup.place, backup.store, backup.plain)
        try await reopen()
        return true
    }

    private func removeBackup() async throws {
        guard let backup else { return }
        self.backup = nil
        try await backup.store.close()
        _ = try await backup.place.destroy()
    }

    func end() async throws {
        try await removeBackup()
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
        var state = PlainState(version: plain.version)
        for model in version.models {
            for record in try await store.records(model).all() {
                let (place, plain) = PlainTypes.plain(record)
                state[place] = plain
            }
        }
        return state
    }

    /// The state that the last undoing has made: a record that it changed or inserted with a time that has passed is in the commit,
    /// and readers do not see it.
    func undone() async throws -> PlainState {
        var made = state
        let commit = try await store.commits(last: 4).commits.last { $0.origin == .undo }
        for change in commit?.changes ?? [] where change.kind == .updated || change.kind == .inserted {
            guard let record = try change.after() else { continue }
            let (place, plain) = PlainTypes.plain(record)
            if made[place] == nil { made[place] = plain }
        }
        return made
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
}
