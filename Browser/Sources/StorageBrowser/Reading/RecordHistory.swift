import Foundation
import StorageAPI
import StorageDriver

/// The change that a commit made to a record, with the record before and after it.
struct RecordChange: Sendable {
    typealias Entry = Store.HistoryEntry<[Value], DynamicRecord>

    let entry: Entry
    let before: DynamicRecord?
    /// The record after the commit; nil also if it is not known.
    let after: DynamicRecord?

    /// A property that a commit has changed.
    struct Difference: Sendable {
        let name: String
        let before: DynamicRecord.Content?
        let after: DynamicRecord.Content?
    }

    /// The properties that differ, in the record's order.
    var differences: [Difference] {
        guard let before, let after else { return [] }
        let names = after.fields.map(\.name) + before.fields.map(\.name).filter { after[$0] == nil }
        return names.compactMap { name in
            let (old, new) = (before[name], after[name])
            return old == new ? nil : Difference(name: name, before: old, after: new)
        }
    }
}

/// The changes of a record or of many, the last one first.
struct RecordHistory: Sendable {
    /// The last changes, the last one first.
    var changes: [RecordChange] = []
    /// The first commit that was looked at.
    var firstCommit = 0
    var lastCommit = 0
    /// True if the store keeps earlier commits.
    var hasEarlier = false
    /// The current record, if this is the history of one.
    private var current: DynamicRecord?

    /// The most commits, and entries of them, that are looked at for one page.
    private static let maximumCommits = 2000
    private static let maximumEntries = 20_000

    /// The history of one record; nil if the store keeps none of the model.
    static func load(_ schema: RecordSchema, key: [Value], _ store: Store) async throws -> RecordHistory? {
        guard let status = try await store.historyStatus(),
            (status.records + status.keys).contains(schema.name)
        else { return nil }
        var history = try await read(store, status, model: schema.name, upTo: nil) { $0.key == key }
        let current = try await store.records(schema.name).find(key: key)
        history.current = current
        history.complete { _ in current }
        return history
    }

    /// The last changes up to a commit, of one model or all; nil if the store keeps no history.
    static func load(_ model: String?, upTo commit: Int?, _ store: Store) async throws -> RecordHistory? {
        guard let status = try await store.historyStatus() else { return nil }
        if let model, !(status.records + status.keys).contains(model) { return nil }
        var history = try await read(store, status, model: model, upTo: commit) { _ in true }
        var current: [Place: DynamicRecord?] = [:]
        let places = Set(
            history.changes.compactMap { change in change.entry.key.map { Place(model: change.entry.model, key: $0) } })
        for (model, places) in Dictionary(grouping: places, by: \.model) {
            let found = (try? await store.records(model).find(keys: places.map(\.key))) ?? []
            for (place, record) in zip(places, found) { current[place] = record }
        }
        history.complete { current[$0] ?? nil }
        history.changes.removeAll { $0.entry.commit > commit ?? .max }
        return history
    }

    /// The record as it was after a commit.
    ///
    /// - Throws: `notKept` for a commit before the first one that was looked at.
    func record(asOf commit: Int) throws(StorageError) -> DynamicRecord? {
        guard commit >= firstCommit else {
            throw StorageError(
                .notKept, "The record as of commit \(commit) is not kept, or too far back to be shown here.")
        }
        guard let next = changes.last(where: { $0.entry.commit > commit }) else { return current }
        return try next.entry.before
    }

    private struct Place: Hashable {
        let model: String
        let key: [Value]
    }

    /// Reads the changes since a commit, each with the record before it alone.
    private static func read(
        _ store: Store, _ status: Store.HistoryStatus, model: String?, upTo commit: Int?,
        _ isWanted: (RecordChange.Entry) -> Bool
    ) async throws -> RecordHistory {
        var history = RecordHistory()
        guard let first = status.firstCommit, let last = status.lastCommit else { return history }
        let token = try await store.historyToken().description
        history.lastCommit = min(commit ?? last, last)
        history.firstCommit = max(first - 1, history.lastCommit - maximumCommits)
        history.hasEarlier = history.firstCommit >= first
        let start = token.split(separator: ":").first.flatMap { Store.HistoryToken("\($0):\(history.firstCommit)") }
        // A model may be kept since later than that.
        let entries =
            model.map { store.history(ofRecords: $0, since: history.hasEarlier ? start : nil) }
            ?? store.history(since: history.hasEarlier ? start : nil)
        var seen = 0
        for try await entry in entries {
            seen += 1
            guard seen <= maximumEntries else { break }
            guard isWanted(entry) else { continue }
            let before = (try? entry.before) ?? (try? entry.storedBefore) ?? nil
            history.changes.append(RecordChange(entry: entry, before: before, after: nil))
        }
        history.changes.reverse()
        return history
    }

    /// Finds the record after each change: the record before its next change, or the current one.
    private mutating func complete(_ current: (Place) -> DynamicRecord?) {
        var later: [Place: DynamicRecord?] = [:]
        for index in changes.indices {
            let change = changes[index]
            guard let key = change.entry.key else { continue }
            let place = Place(model: change.entry.model, key: key)
            let after = change.entry.kind == .deleted ? nil : later[place] ?? current(place)
            changes[index] = RecordChange(entry: change.entry, before: change.before, after: after)
            later[place] = .some(change.before)
        }
    }
}
