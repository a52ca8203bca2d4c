import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Reads whole commits of a history in one session.
struct CommitReading {
    private let history: HistoryReading
    private let settings: HistorySettings
    private let store: Store
    /// The incomplete commit of the transaction that reads; nil for none.
    private let running: Int64?

    init(_ store: Store, in session: any StorageSession, running: Int64? = nil) throws(StorageError) {
        history = try store.history.reading(in: session)
        settings = try history.tables.settings(in: session)
        (self.store, self.running) = (store, running)
    }

    /// The last complete commit; nil before the first.
    private var last: CommitRow? {
        get throws(StorageError) {
            guard let running else { return try history.last }
            return try history.commit(running - 1)
        }
    }

    /// The place after the last complete commit.
    var token: Store.HistoryToken {
        get throws(StorageError) { Store.HistoryToken(store: settings.store, try last) }
    }

    /// Reads commits until they have some number of changes.
    func page(
        since token: Store.HistoryToken?, of models: Set<String>?, excluding origins: Set<Store.Origin> = [], limit: Int
    ) throws(StorageError) -> Store.HistoryPage {
        guard limit > 0 else {
            throw StorageError(.invalidQuery, "A page of commits has at least one change; give a greater limit.")
        }
        let models = try wanted(models, since: token)
        let start = try place(after: start(token), excluding: origins)
        return try page(after: start, of: models, excluding: origins, limit: limit)
    }

    /// The place of the last of the commits of some origins that directly follow a place. No entry of them is read.
    private func place(after start: Int64, excluding origins: Set<Store.Origin>) throws(StorageError) -> Int64 {
        guard !origins.isEmpty, let end = try last?.number else { return start }
        var place = start
        while place < end {
            let numbers = place + 1...min(place + Int64(HistoryReading.part), end)
            for row in try history.commits(numbers) where !origins.contains(row.origin) { return row.number - 1 }
            place = numbers.upperBound
        }
        return place
    }

    /// Reads the last commits that have changed some models.
    func page(last count: Int, of models: Set<String>?) throws(StorageError) -> Store.HistoryPage {
        guard count > 0 else {
            throw StorageError(.invalidQuery, "The last commits are one at least; give a greater number.")
        }
        let models = try wanted(models, since: nil)
        guard let first = try history.first?.number, let last = try last?.number else {
            return try page(after: 0, of: models, limit: 1)
        }
        var (start, left) = (last, count)
        while start >= first, left > 0 {
            let part = max(first, start - Int64(HistoryReading.part) + 1)...start
            start = part.lowerBound - 1
            for row in try history.commits(part).reversed() where try hasChanges(row.number, of: models) {
                left -= 1
                guard left == 0 else { continue }
                start = row.number - 1
                break
            }
        }
        return try page(after: start, of: models, limit: .max)
    }

    /// Returns whether a commit has changed one of some models.
    private func hasChanges(_ commit: Int64, of models: Set<StoredName>?) throws(StorageError) -> Bool {
        guard let models else { return try !history.changes(of: commit, after: 0).isEmpty }
        for model in models where try !history.changes(of: commit, after: 0, of: model).isEmpty { return true }
        return false
    }

    private func page(
        after start: Int64, of models: Set<StoredName>?, excluding origins: Set<Store.Origin> = [], limit: Int
    ) throws(StorageError) -> Store.HistoryPage {
        let found = try changes(after: start, of: models, excluding: origins, limit: limit)
        var rows: [Int64: CommitRow] = [:]
        var numbers: [Int64] = []
        for change in found.changes where numbers.last != change.commit { numbers.append(change.commit) }
        for part in stride(from: 0, to: numbers.count, by: HistoryReading.part) {
            for row in try history.commits(numbers[part..<min(part + HistoryReading.part, numbers.count)]) {
                rows[row.number] = row
            }
        }
        let deltas = try deltas(of: found.changes, isLast: found.isLast, after: start)
        var commits: [Store.HistoryCommit] = []
        var first = 0
        while first < found.changes.count {
            let number = found.changes[first].commit
            var end = first
            while end < found.changes.count, found.changes[end].commit == number { end += 1 }
            // `verify` reports an entry without its commit.
            if let row = rows[number] { commits.append(commit(row, Array(deltas[first..<end]))) }
            first = end
        }
        if commits.isEmpty, !found.isLast, let last = found.changes.last?.commit {
            let start = try place(after: last, excluding: origins)
            return try page(after: start, of: models, excluding: origins, limit: limit)
        }
        let end = found.isLast ? nil : commits.last?.token
        let next = if let end { end } else { try self.token }
        return Store.HistoryPage(commits: commits, next: next, isLast: found.isLast)
    }

    private func deltas(
        of changes: [HistoryChange], isLast: Bool, after start: Int64
    ) throws(StorageError) -> [Store.RecordDelta] {
        var later: LaterEntries?
        // A transaction sees entries that no other session has.
        if running == nil {
            if isLast {
                store.history.forgetEntries(afterPageFrom: start)
            } else if let end = changes.last?.commit {
                later = try store.history.entries(afterPageFrom: start, to: end, in: history)
            }
        }
        return try RecordDeltas(history, settings, of: store, isEnd: isLast && running == nil, later: later)
            .deltas(of: changes)
    }

    private func commit(_ row: CommitRow, _ changes: [Store.RecordDelta]) -> Store.HistoryCommit {
        Store.HistoryCommit(
            token: Store.HistoryToken(store: settings.store, row),
            time: Date(timeIntervalSinceReferenceDate: row.time), author: row.author, note: row.note,
            origin: row.origin, changes: changes)
    }

    /// The models that are asked for; nil for all.
    ///
    /// - Throws: `configuration` for a model without a history; `notKept` if its history begins after the token.
    private func wanted(
        _ models: Set<String>?, since token: Store.HistoryToken?
    ) throws(StorageError) -> Set<StoredName>? {
        guard let models else { return nil }
        var names: Set<StoredName> = []
        for name in models {
            let known = try settings.required(StoredName(name))
            if let token, token.commit < known.since { throw settings.notKept(known) }
            names.insert(known.name)
        }
        return names
    }

    /// The place after which the commits of a token begin. A commit of which the token has some entries alone is read whole.
    private func start(_ token: Store.HistoryToken?) throws(StorageError) -> Int64 {
        guard let token else { return try history.first.map { $0.number - 1 } ?? 0 }
        try settings.check(token, history)
        let number = Int64(token.commit)
        guard try !history.changes(of: number, after: token.place).isEmpty else { return number }
        // Pruning has removed the commit, and its entries later.
        guard try history.commit(number) != nil else { throw HistoryReading.notKept(number) }
        return number - 1
    }

    /// The changes of whole commits, until they reach the limit, or until a commit of an origin that is left out follows them: the
    /// records after them are in its entries.
    private func changes(
        after commit: Int64, of models: Set<StoredName>?, excluding origins: Set<Store.Origin>, limit: Int
    ) throws(StorageError) -> (changes: [HistoryChange], isLast: Bool) {
        if models?.isEmpty == true { return ([], true) }
        let only = models?.count == 1 ? models?.first : nil
        var found: [HistoryChange] = []
        var place = (commit: commit, place: Int64.max)
        var end = Int64.max
        while true {
            let part = try history.changes(after: place.commit, place.place, of: only)
            let excluded = try numbers(of: part, from: origins)
            for change in part {
                if excluded.contains(change.commit) {
                    if found.isEmpty { continue }
                    return (found, false)
                }
                if let running, change.commit >= running { return (found, true) }
                guard models?.contains(change.model) ?? true else { continue }
                if change.commit > end { return (found, false) }
                found.append(change)
                if found.count == limit { end = change.commit }
            }
            guard let last = part.last, part.count == HistoryReading.part else { return (found, true) }
            place = (last.commit, excluded.contains(last.commit) ? .max : last.place)
        }
    }
}

extension CommitReading {
    /// The numbers of the commits of some origins among the commits of changes.
    private func numbers(
        of changes: [HistoryChange], from origins: Set<Store.Origin>
    ) throws(StorageError) -> Set<Int64> {
        if origins.isEmpty { return [] }
        var numbers: [Int64] = []
        for change in changes where numbers.last != change.commit { numbers.append(change.commit) }
        return Set(try history.commits(numbers).filter { origins.contains($0.origin) }.map(\.number))
    }
}

extension HistorySettings {
    func notKept(_ model: Model) -> StorageError {
        StorageError(
            .notKept,
            "The history of \(model.name) begins after commit \(model.since), and the token is older. Read the records again.",
            model: model.name)
    }
}
