import StorageAPI
import StorageDriver

/// Takes an answer of the hub in a transaction: brings the records to the hub's state, and applies the waiting patches on top.
struct AnswerTaking: ~Copyable {
    let models: SyncModels
    private(set) var state: ReplicaState
    /// The patches without an outcome so far.
    private(set) var waiting: [(patch: SyncPatch, bytes: [UInt8])] = []
    /// The records that these have changed, as the hub had them at the replica's token.
    private(set) var bases: [RecordPlace: DynamicRecord?] = [:]
    private var rows: [(key: [UInt8], value: [UInt8]?)] = []
    private(set) var outcomes: [SyncOutcome] = []
    /// The number of records that were written or removed.
    private(set) var taken = 0

    /// The most values of an outcome that tells of no patch.
    private static let toldTogether = 1000

    init(_ models: SyncModels, _ state: ReplicaState) { (self.models, self.state) = (models, state) }

    // MARK: Waiting patches

    /// Makes patches of the commits before the transaction.
    mutating func capture(in tx: borrowing Store.Transaction) throws(StorageError) {
        try add(try LocalCommits(since: state.seen, of: models, joining: state.joining(models), in: tx), in: tx)
    }

    /// Makes patches of the commits since the last ones.
    ///
    /// - Returns: the number of bytes of the rows.
    @discardableResult
    mutating func add(_ commits: LocalCommits, in tx: borrowing Store.Transaction) throws(StorageError) -> Int {
        let new = try state.number(commits) { (place) throws(StorageError) in
            try ReplicaRows.hasBase(of: place, in: tx)
        }
        try tx.setAnnex(ReplicaRows.annex, rows: new)
        try tx.holdHistory(Replica.hold, after: commits.end)
        return new.reduce(0) { $0 + ($1.value?.count ?? 0) }
    }

    mutating func load(in tx: borrowing Store.Transaction) throws(StorageError) {
        for row in try ReplicaRows.all(.patch, in: tx) { waiting.append((try SyncPatch(bytes: row.value), row.value)) }
        bases = try ReplicaRows.bases(in: tx)
    }

    // MARK: The hub's state

    /// The records as the hub has them now, of all that it tells and of all that waiting patches have changed.
    func targets(
        _ news: [RecordPlace: DynamicRecord?]
    ) -> [RecordPlace: DynamicRecord?] { bases.merging(news) { $1 } }

    /// The same with the records of pages, and with commits that are no patches yet.
    func targets(
        _ news: [RecordPlace: DynamicRecord?], _ commits: LocalCommits, pages: [RecordPlace: DynamicRecord?]
    ) -> [RecordPlace: DynamicRecord?] {
        commits.before.merging(bases) { $1 }.merging(news) { $1 }.merging(pages) { $1 }
    }

    /// Makes patches of the records that join, and then of the commits since the last ones.
    mutating func addOwn(
        _ pages: PageTaking, _ commits: LocalCommits, in tx: borrowing Store.Transaction
    ) throws(StorageError) {
        taken += pages.inserted
        if pages.reading.isRenamed { try numberAgain(after: parts(of: pages.own)) }
        for start in stride(from: 0, to: pages.replaced.count, by: Self.toldTogether) {
            let end = min(start + Self.toldTogether, pages.replaced.count)
            tell(nil, .joined(Array(pages.replaced[start..<end])))
        }
        var new: [(key: [UInt8], value: [UInt8]?)] = []
        if !pages.reading.isRenamed {
            for changes in parts(of: pages.own) { new.append(state.number(changes, author: nil, note: nil)) }
        }
        // Bases are written when the patches are applied.
        new += try state.number(commits) { _ in true }
        for row in new {
            guard let bytes = row.value else { continue }
            waiting.append((try SyncPatch(bytes: bytes), bytes))
        }
        rows += new
        try tx.holdHistory(Replica.hold, after: commits.end)
    }

    /// Changes that cross together, as far as a message has room: models come in the order of references.
    private func parts(of all: [SyncPatch.Change]) -> [[SyncPatch.Change]] {
        var parts: [[SyncPatch.Change]] = []
        var size = SyncFrame.fill
        for model in models.names {
            for change in all where change.model == model {
                if size >= SyncFrame.fill {
                    parts.append([])
                    size = 0
                }
                parts[parts.count - 1].append(change)
                size += change.roughSize
            }
        }
        return parts
    }

    /// Numbers all waiting patches from 1, after some changes on which they build. None of them was sent under the replica's
    /// name.
    ///
    /// - Throws: `corrupt` for a patch that cannot be read again.
    mutating func numberAgain(after first: [[SyncPatch.Change]] = []) throws(StorageError) {
        let old = waiting
        for (patch, _) in old { rows.append((ReplicaRows.key(.patch, patch.number), nil)) }
        waiting = []
        (state.last, state.chain) = (0, PatchChain.beginning)
        let new =
            first.map { state.number($0, author: nil, note: nil) }
            + old.map { state.number($0.patch.changes, author: $0.patch.author, note: $0.patch.note) }
        for (key, value) in new {
            guard let value else { continue }
            waiting.append((try SyncPatch(bytes: value), value))
            rows.append((key, value))
        }
    }

    /// The states of an answer as records.
    ///
    /// - Parameters:
    ///   - sent: the number of the last patch that the question has brought: the hub knows no others.
    ///   - known: the states of earlier answers that are not taken yet.
    func news(
        _ answer: ExchangeAnswer, sent: Int, after known: [RecordPlace: DynamicRecord?] = [:],
        in tx: borrowing Store.Transaction
    ) throws(StorageError) -> [RecordPlace: DynamicRecord?] {
        let own = OwnPatches(waiting.map(\.patch).filter { $0.number <= sent }, answer.decisions, of: models)
        var news = known
        for (place, state) in answer.changes {
            guard models[place.model] != nil else { continue }
            switch state {
            case .stored(let record): news[place] = .some(models.known(record))
            case .gone: news[place] = .some(nil)
            case .asPatched:
                // A record that no waiting patch has changed here is the hub's: its patch did not fit the hub's earlier state.
                var before = known[place] ?? bases[place]
                if before == nil { before = .some(try tx.records(place.model).find(key: place.key)) }
                guard let record = own.result(at: place, from: before ?? nil) else {
                    throw StorageError(.corrupt, "The hub names a record that no patch has changed.", operation: "sync")
                }
                news[place] = .some(record)
            }
        }
        return news
    }

    /// Brings records to the hub's state.
    mutating func put(
        _ targets: [RecordPlace: DynamicRecord?], in tx: borrowing Store.Transaction
    ) throws(StorageError) {
        var (puts, removed): ([DynamicRecord], [(model: String, key: [Value])]) = ([], [])
        for model in models.names {
            let places = targets.keys.filter { $0.model == model }
            let records = places.isEmpty ? [] : try tx.records(model).find(keys: places.map(\.key))
            for (place, now) in zip(places, records) {
                guard let target = targets[place] ?? nil else {
                    if now != nil { removed.append((model, place.key)) }
                    continue
                }
                let whole = models[model].map { target.over(now, SchemaPath($0)) } ?? target
                if whole != now { puts.append(whole) }
            }
        }
        taken += puts.count + removed.count
        try tx.replace(puts, removing: removed)
    }

    // MARK: Without the waiting patches

    /// Takes an answer without applying the waiting patches again: if all decided patches were applied as they are, and the hub has
    /// changed no other record that a waiting patch has changed. The cost does not grow with the patches that go on waiting.
    ///
    /// The records of decided patches keep a base, which is the record itself, until no patch waits. If the hub changes one of them
    /// later, its answer is taken in the other way.
    ///
    /// - Returns: false if the answer must be taken in the other way; then no record is written, and this value must not be used any more.
    mutating func takeDirectly(
        _ answer: ExchangeAnswer, in tx: borrowing Store.Transaction
    ) throws(StorageError) -> Bool {
        guard answer.decisions.allSatisfy({ $0.result == .applied([]) }),
            try ReplicaRows.all(.aside, limit: 1, in: tx).isEmpty
        else { return false }
        let decided = answer.decisions.count
        if decided > 0 {
            for row in try ReplicaRows.all(.patch, after: state.confirmed, limit: decided, in: tx) {
                waiting.append((try SyncPatch(bytes: row.value), row.value))
            }
        }
        let patched = Set(waiting.flatMap(\.patch.changes).map(\.place))
        var others: [RecordPlace: DynamicRecord?] = [:]
        for (place, change) in answer.changes where models[place.model] != nil {
            switch change {
            case .asPatched: if !patched.contains(place) { return false }
            case .stored(let record): others[place] = .some(models.known(record))
            case .gone: others[place] = .some(nil)
            }
        }
        for place in others.keys where try ReplicaRows.hasBase(of: place, in: tx) { return false }
        let own = OwnPatches(waiting.map(\.patch), answer.decisions, of: models)
        for place in patched {
            guard models[place.model] != nil, let base = try ReplicaRows.base(of: place, in: tx) else { return false }
            rows.append(ReplicaRows.row(place, own.result(at: place, from: base.record)))
        }
        guard try putAlone(others, in: tx) else { return false }
        try settle(answer.decisions)
        if state.confirmed == state.last {
            rows.removeAll { $0.key.first == ReplicaRows.Kind.base.rawValue }
            try ReplicaRows.removeAll(of: .base, in: tx)
        }
        return true
    }

    /// Brings records to the hub's state beside records that waiting patches have changed.
    ///
    /// - Returns: false if the hub's state does not fit these, or a rule would change them.
    private mutating func putAlone(
        _ targets: [RecordPlace: DynamicRecord?], in tx: borrowing Store.Transaction
    ) throws(StorageError) -> Bool {
        if targets.isEmpty { return true }
        let before = taken
        do throws(StorageError) {
            try tx.savepoint(judged: true) { () throws(StorageError) in
                let mark = try tx.mark()
                try put(targets, in: tx)
                for change in try tx.changes(since: mark) where change.byRule {
                    throw PatchMisfit.error("a rule changes it", RecordPlace(change.model, change.key))
                }
            }
            return true
        } catch {
            guard error.refusal != nil else { throw error }
            taken = before
            return false
        }
    }

    // MARK: Outcomes

    /// Takes the outcomes of an answer: the patches wait no more.
    mutating func settle(_ decisions: [Decision]) throws(StorageError) {
        var settled = 0
        defer { waiting.removeFirst(settled) }
        for decision in decisions {
            guard decision.number == state.confirmed + 1, settled < waiting.count,
                waiting[settled].patch.number == decision.number
            else {
                // Another store of the replica's name has sent it.
                throw SyncRefusal.identityReused.error
            }
            let first = waiting[settled]
            let chain = PatchChain.next(state.confirmedChain, first.bytes)
            // The outcome is of another patch of this number, which a copy of the replica has sent.
            guard decision.chain == chain else { throw SyncRefusal.identityReused.error }
            settled += 1
            (state.confirmed, state.confirmedChain) = (decision.number, chain)
            rows.append((ReplicaRows.key(.patch, decision.number), nil))
            tell(first.patch, decision.result)
        }
    }

    mutating func tell(_ patch: SyncPatch?, _ result: SyncOutcome.Result) {
        var outcome = SyncOutcome(id: 0, patch: patch?.head, result: result)
        // A program that never asks is not left with a row for each of its commits.
        if outcome.isNews {
            state.told += 1
            outcome = SyncOutcome(id: state.told, patch: patch, result: result)
            rows.append(ReplicaRows.row(outcome))
        }
        outcomes.append(outcome)
    }

    // MARK: On top

    /// Applies the waiting patches on the hub's state, each whole or not at all, and keeps the records that they change, by rules
    /// too, as the hub has them.
    mutating func applyWaiting(in tx: borrowing Store.Transaction) throws(StorageError) {
        // A mark keeps each changed record in memory.
        let mark = waiting.isEmpty ? nil : try tx.mark()
        let known = try ReplicaRows.all(.aside, in: tx)
        var aside: [[UInt8]: [UInt8]] = [:]
        for (patch, _) in waiting {
            do throws(StorageError) {
                try tx.savepoint(judged: true) { () throws(StorageError) in
                    var application = PatchApplication(models)
                    try application.apply(patch, in: tx)
                }
            } catch {
                // Until the hub has decided. The program may no longer declare the model.
                guard let reason = error.refusal ?? (error.code == .schemaNewer ? error.message : nil) else {
                    throw error
                }
                aside[ReplicaRows.key(.aside, patch.number)] = Array(reason.utf8)
            }
        }
        for row in known where aside[row.key] == nil { rows.append((row.key, nil)) }
        let reasons = Dictionary(known.map { ($0.key, $0.value) }) { first, _ in first }
        for (key, reason) in aside where reasons[key] != reason { rows.append((key, reason)) }
        var changed: [RecordPlace: DynamicRecord?] = [:]
        for delta in try mark.map({ (mark) throws(StorageError) in try tx.changes(since: mark) }) ?? [] {
            changed[RecordPlace(delta.model, delta.key)] = .some(try delta.before())
        }
        for (place, record) in changed where bases[place] != .some(record) {
            rows.append(ReplicaRows.row(place, record))
        }
        for place in bases.keys where changed[place] == nil { rows.append(ReplicaRows.removal(of: place)) }
    }

    /// Keeps the state with all that has changed.
    ///
    /// - Parameter models: the models that the replica has at the answer's token.
    mutating func finish(
        _ answer: ExchangeAnswer, at time: Double, in tx: borrowing Store.Transaction
    ) throws(StorageError) {
        state.move(to: answer.token)
        state.user = answer.user
        for model in models.names { state.models[model] = models.properties(of: model) }
        state.models = state.models.filter { models.names.contains($0.key) }
        state.lastExchange = time
        try keep(in: tx)
    }

    /// Keeps the state and all rows that have changed. The last value of a row counts.
    mutating func keep(in tx: borrowing Store.Transaction) throws(StorageError) {
        rows.append((ReplicaRows.key(.state), state.bytes))
        try tx.setAnnex(ReplicaRows.annex, rows: rows)
    }

    /// Leaves the records of patches that no message holds to the comparison with the hub's.
    private mutating func dropLargePatches() {
        let large = waiting.filter { $0.bytes.count > SyncFrame.patchLimit }
        if large.isEmpty { return }
        waiting.removeAll { $0.bytes.count > SyncFrame.patchLimit }
        let kept = Set(waiting.flatMap(\.patch.changes).map(\.place))
        for (patch, _) in large {
            rows.append((ReplicaRows.key(.patch, patch.number), nil))
            for change in patch.changes where !kept.contains(change.place) && bases[change.place] != nil {
                bases[change.place] = nil
                rows.append(ReplicaRows.removal(of: change.place))
            }
        }
    }

    /// Takes a new name, under which all waiting patches are sent.
    ///
    /// - Parameter isJoining: whether the hub has never had the replica's records.
    mutating func beginAgain(
        _ home: Store.HistoryToken, isJoining: Bool, in tx: borrowing Store.Transaction
    ) throws(StorageError) {
        if isJoining {
            (state.user, state.token, state.earlier, state.models) = (SyncUser.unknown, nil, [], [:])
            state.seen = home.description
        } else {
            try capture(in: tx)
        }
        try load(in: tx)
        if isJoining { dropLargePatches() }
        state.takeNewName()
        try numberAgain()
        try tx.holdHistory(Replica.hold, after: home)
        try keep(in: tx)
    }
}

extension SyncModels {
    /// A record of another store without the properties that this one does not have. They stay where it came from.
    func known(_ record: DynamicRecord) -> DynamicRecord {
        self[record.model].map { record.known(SchemaPath($0)) } ?? record
    }
}

extension SyncPatch.Change {
    var isDeletion: Bool { if case .deleted = kind { true } else { false } }

    /// About how many bytes the change takes in a message.
    var roughSize: Int {
        switch kind {
        case .inserted(let record), .deleted(let record): 32 + record.roughSize
        case .updated(let properties):
            properties.reduce(32) { $0 + $1.before.roughSize + $1.after.roughSize }
        }
    }
}
