import StorageDriver

/// Writes the history of one commit while it runs: a record's entry just before the record's first change. So a savepoint
/// that is undone takes its entries with it, and a large write holds none of them in memory.
///
/// Only the thread that runs the write uses it.
final class HistoryRecorder: ChangeSubscriber {
    private(set) var kept: ActiveHistory
    /// The history as it was when the transaction began.
    private let found: ActiveHistory
    /// The history of the transactions that share the commit; nil for none.
    private let group: HistoryGroup?
    /// True if the group writes the entries.
    private var isWaiting = false
    private let writer: any StorageWriter
    private let registry: ModelRegistry
    private let limits: BackendInfo.Limits
    private let signature: CommitSignature
    private var savepoints: [Savepoint] = []
    /// The time in seconds since the reference date.
    private let clock: @Sendable () -> Double
    private let marks: CommitMarks
    /// Called with the result after the commit.
    private let didCommit: (Outcome) -> Void
    /// The entries that a rule has begun, and whose records a call has changed too.
    private var called: [Int] = []
    private var outcome = Outcome()
    /// The commit's row; nil until it is written.
    private var header: CommitRow?
    private var entries: [Entry] = []
    /// The number of a record's entry, by model and key.
    private var known: [StoredName: [[Value]: Int]] = [:]
    private var lastPlace: Int64 = 0
    /// The values of rows that are not written yet.
    private var rows: [Value] = []
    /// True if some record was changed more than once, so that the kind of its entry may differ at the end.
    private var hasRepeats = false
    /// The place before the entries of a model's records that were removed at once.
    private var placesOfEverything: [StoredName: Int64] = [:]
    /// The handles with which the models' records were read.
    private var handles: [StoredName: ModelHandle] = [:]

    init(
        _ kept: ActiveHistory, in writer: any StorageWriter, group: HistoryGroup?, registry: ModelRegistry,
        limits: BackendInfo.Limits, signature: CommitSignature, marks: CommitMarks,
        clock: @escaping @Sendable () -> Double, didCommit: @escaping (Outcome) -> Void
    ) {
        (self.kept, found) = (kept, kept)
        self.group = group
        self.writer = writer
        self.registry = registry
        self.limits = limits
        self.signature = signature
        self.clock = clock
        self.marks = marks
        self.didCommit = didCommit
    }

    /// The changes since the transaction's first mark; nil before it.
    var journal: ChangeJournal?
    /// The place of the last entry; nil before the first.
    var place: (commit: Int64, place: Int64)? { header.map { ($0.number, lastPlace) } }

    func didChangeTables() { handles = [:] }

    // MARK: Savepoints

    func beginSavepoint() {
        savepoints.append(
            Savepoint(
                header: header, entries: entries.count, called: called.count, kept: kept, last: group?.last)
        )
        journal?.beginSavepoint()
    }

    func endSavepoint(isUndone: Bool) {
        journal?.endSavepoint(isUndone: isUndone)
        guard let mark = savepoints.popLast(), isUndone else { return }
        header = mark.header
        kept = mark.kept
        if let last = mark.last { group?.last = last }
        rows = []
        handles = [:]
        for entry in entries[mark.entries...] { known[entry.model]?[entry.key] = nil }
        entries.removeSubrange(mark.entries...)
        called.removeSubrange(mark.called...)
    }

    // MARK: Entries

    func follows(_ model: StoredName) -> Bool { kept.keeps(model) }

    func needsRecords(of model: StoredName) -> Bool { kept.settings.model(model)?.recordsSince != nil }

    var canWait: Bool { group != nil }

    func willWait() throws(StorageError) -> Bool {
        // A history of the first format gets the second at once, where something has to be recorded that needs it.
        if kept.tables.isFirstFormat, signature.isByRule || signature.origin != .call { return false }
        try group?.ask(in: writer)
        return true
    }

    func setWaiting(_ isWaiting: Bool) { self.isWaiting = isWaiting }

    private func handle(_ model: StoredName) throws(StorageError) -> ModelHandle {
        if let known = handles[model] { return known }
        let handle = try registry.whole(model, in: writer)
        handles[model] = handle
        return handle
    }

    func willChange(_ kind: ChangeKind, _ key: [Value], of model: StoredName, before: RecordImage?) {
        let byRule = signature.isByRule
        journal?.add(kind, key, of: model, before: before, byRule: byRule)
        // One search finds the record's entry or adds it.
        if let entry = known[model, default: [:]].updateValue(entries.count, forKey: key) {
            known[model]?[key] = entry
            hasRepeats = true
            if !byRule, entries[entry].byRule { called.append(entry) }
            return
        }
        lastPlace += 1
        entries.append(Entry(model: model, key: key, kind: kind, place: lastPlace, byRule: byRule))
        addRow(HistoryKind(kind), at: lastPlace, of: model, key: key, before: before, byRule: byRule)
    }

    private func addRow(
        _ kind: HistoryKind, at place: Int64, of model: StoredName, key: [Value], before: RecordImage? = nil,
        byRule: Bool = false
    ) {
        rows += [
            .int(0), .int(place), .text(model.text), .int(kind.code(byRule: byRule)), .blob(RecordImage.bytes(of: key)),
            before.map { .blob($0.bytes) } ?? .null,
        ]
    }

    /// Writes the commit's row, and then the entries that were added.
    func willWrite() throws(StorageError) {
        guard !rows.isEmpty, !isWaiting else { return }
        try numberRows(begin())
        try writer.write(rows, kept.tables.addChanges)
        rows.removeAll(keepingCapacity: true)
    }

    /// Gives the entries that are not written the number of their commit.
    private func numberRows(_ header: CommitRow) throws(StorageError) {
        for start in stride(from: 0, to: rows.count, by: width) { rows[start] = .int(header.number) }
        let limit = limits.valueBytes
        for case .blob(let bytes) in rows where bytes.count > limit {
            throw StorageError(
                .limitExceeded,
                "The history's copy of the record has \(bytes.count) bytes, more than the limit of \(limit).")
        }
    }

    /// The number of values of an entry's row.
    private var width: Int { kept.tables.addChanges.columns.count }

    private func begin() throws(StorageError) -> CommitRow {
        if let header { return header }
        let header = try next()
        try writer.write(header.values(for: kept.tables.commits), kept.tables.addCommit)
        self.header = header
        return header
    }

    /// The commit after the last one.
    private func next() throws(StorageError) -> CommitRow {
        try signature.check()
        let last =
            if let group { try group.lastCommit(in: writer) } else { try HistoryReading(kept.tables, writer).last }
        guard last?.number ?? 0 < Int64.max else {
            throw StorageError(.overflow, "The numbers for commits of the history are used up.")
        }
        // Times never go back, whatever the clock does.
        let now = clock()
        let number = (last?.number ?? 0) + 1
        var header = CommitRow(
            number: number, time: max(now, last?.time ?? now), author: signature.author, note: signature.note)
        (header.origin, header.mark) = (signature.origin, marks.mark(of: number))
        group?.last = .known(header)
        return header
    }

    // MARK: All records

    /// Writes an entry for each record if the model's records are kept, a part at a time; otherwise one for all.
    func willReplaceAll(of model: StoredName) throws(StorageError) {
        guard let settings = kept.settings.model(model) else { return }
        guard settings.recordsSince != nil else {
            journal?.add(.update, nil, of: model, before: nil, byRule: false)
            lastPlace += 1
            addRow(.everything, at: lastPlace, of: model, key: [])
            return try willWrite()
        }
        placesOfEverything[model] = lastPlace
        try forEachKey(of: model) { (keys) throws(StorageError) in
            let images = try RecordImage.read(keys, handle(model), in: writer)
            for key in keys {
                journal?.add(.delete, key, of: model, before: images[key], byRule: false)
                if known[model]?[key] != nil { continue }
                lastPlace += 1
                addRow(.deleted, at: lastPlace, of: model, key: key, before: images[key])
            }
            try willWrite()
        }
    }

    /// Writes an entry that any record may have changed: the records before are no longer stored.
    func didReact(in model: StoredName) throws(StorageError) {
        if needsRecords(of: model) { throw DatabaseReactions.refusal(model, "the history") }
        try willReplaceAll(of: model)
    }

    /// Writes entries for all records of a model. A deleted and re-inserted key becomes one update, or no entry if the record
    /// is unchanged: the entries and the records both come in the order of keys.
    func didReplaceAll(of model: StoredName) throws(StorageError) {
        guard kept.settings.model(model)?.recordsSince != nil else { return }
        handles = [:]
        var gone = header.map {
            GoneRecords(
                HistoryReading(kept.tables, writer), of: model, in: $0.number, after: placesOfEverything[model])
        }
        try forEachKey(of: model) { (keys) throws(StorageError) in
            var replaced: [HistoryChange] = []
            for key in keys {
                journal?.add(.insert, key, of: model, before: nil, byRule: false)
                // The entry of a single record is corrected at the end.
                if known[model]?[key] != nil { continue }
                if let change = try gone?.change(of: key) {
                    replaced.append(change)
                } else {
                    lastPlace += 1
                    addRow(.inserted, at: lastPlace, of: model, key: key)
                }
            }
            try correct(replaced, model)
            try willWrite()
        }
    }

    /// Corrects the entries of removed records that records with the same keys have replaced.
    private func correct(_ replaced: [HistoryChange], _ model: StoredName) throws(StorageError) {
        guard let commit = replaced.first?.commit, let width = replaced.first?.key.count else { return }
        let keys = KeyList(width: width, replaced.lazy.map(\.key))
        let now = try RecordImage.read(keys, handle(model), in: writer)
        var correction = Correction(commit: commit)
        for change in replaced {
            let kind: ChangeKind? = now[change.key] == change.before ? nil : .update
            correction.set(HistoryKind.deleted.rawValue, at: change.place, to: kind)
        }
        try writer.write(correction.kinds, kept.tables.setKinds)
        try writer.write(correction.gone, kept.tables.removeChanges)
    }

    /// Calls the body with all keys of a model, a part at a time.
    private func forEachKey(
        of model: StoredName, _ body: (KeyList) throws(StorageError) -> Void
    ) throws(StorageError) {
        // A model that has no table yet has no records.
        guard try writer.tables().contains(where: { $0.isRoot(of: model) }) else { return }
        let handle = try handle(model)
        let root = handle.tables.root.schema
        let scan = handle.plan(Query(.columns(root.key)))
        var keys = KeyList(width: root.key.count)
        // The body writes other tables, and not this one.
        var cursor = try writer.rows(scan, QueryArguments())
        while try cursor.next() {
            keys.append((0..<keys.width).map { cursor.cells[$0].value })
            guard keys.count == RecordReader.partOfRecords else { continue }
            try body(keys)
            keys.removeAll()
        }
        if keys.count > 0 { try body(keys) }
    }

    // MARK: The end

    /// Corrects the entries to the net effect of the commit, signs it, and removes some entries that are too old.
    func willCommit(_ changes: ChangeSet) throws(StorageError) {
        if isWaiting { return try endWaiting(changes) }
        guard var header else { return }
        signature.commit = header.number
        try removeUnchanged(from: changes, header.number)
        if hasRepeats || changes.hasEverything || changes.hasUnchanged { try correct(changes.net, header) }
        let before = header
        (header.author, header.note, header.origin) = (signature.author, signature.note, signature.origin)
        if kept.tables.isFirstFormat, header.origin != .call || entries.contains(where: \.byRule) {
            if let raised = try HistoryFormat.raise(in: writer, registry.directory) { kept = raised }
        }
        // A row of the first format was written without its origin.
        if header != before || kept !== found {
            try writer.write(header.values(for: kept.tables.commits), kept.tables.putCommit)
        }
        outcome.commit = header.number
        let pruning = HistoryPruning(kept, in: writer, registry.directory)
        if pruning.isDue(after: header.number, changes: lastPlace) {
            outcome.released = try pruning.run(last: header.number, now: header.time, changes: lastPlace)
        }
    }

    /// Lets the store know, after the commit, that the transaction has given the history another format.
    func didRaise(_ history: ActiveHistory) { kept = history }

    /// Leaves the commit to the group. Its entries are not written yet, so they are corrected where they are.
    private func endWaiting(_ changes: ChangeSet) throws(StorageError) {
        guard !entries.isEmpty, let group else { return }
        let header = try next()
        signature.commit = header.number
        if hasRepeats || changes.hasUnchanged { correctRows(changes.net) }
        try numberRows(header)
        group.add(header, rows, changes: lastPlace)
        self.header = header
        outcome.commit = header.number
    }

    private func correctRows(_ net: [NetChanges]) {
        var corrected: [Value] = []
        let called = Set(called)
        for (index, entry) in entries.enumerated() {
            guard let kind = net.first(where: { $0.model == entry.model })?.kind(of: entry.key) else { continue }
            var row = rows[index * width..<(index + 1) * width]
            row[row.startIndex + 3] = .int(HistoryKind(kind).code(byRule: entry.byRule && !called.contains(index)))
            corrected += row
        }
        rows = corrected
    }

    var afterCommit: (() -> Void)? {
        if outcome.commit == nil, kept === found { return nil }
        var outcome = outcome
        if kept !== found { outcome.raised = (found, kept) }
        return { [didCommit] in didCommit(outcome) }
    }

    /// Removes from the net effect the records that are as they were before a change of their tables. Has no cost if no
    /// tables have changed.
    private func removeUnchanged(from changes: ChangeSet, _ commit: Int64) throws(StorageError) {
        for model in kept.settings.models where model.recordsSince != nil {
            let keys = changes.undecided(of: model.name)
            guard keys.count > 0 else { continue }
            let unchanged = UnchangedRecords(HistoryReading(kept.tables, writer), registry)
            changes.remove(try unchanged.keys(keys, of: model.name, in: commit), of: model.name)
        }
    }

    private func correct(_ net: [NetChanges], _ header: CommitRow) throws(StorageError) {
        var correction = Correction(commit: header.number)
        let everything = net.filter(\.isReplaced)
        let called = Set(called)
        for (number, entry) in entries.enumerated() where !everything.contains(where: { $0.model == entry.model }) {
            let model = net.first { $0.model == entry.model }
            let byRule = entry.byRule && !called.contains(number)
            correction.set(entry.code, at: entry.place, to: model?.kind(of: entry.key), byRule: byRule)
        }
        for model in everything.map(\.model) { try correctEverything(of: model, &correction) }
        try writer.write(correction.kinds, kept.tables.setKinds)
        try writer.write(correction.gone, kept.tables.removeChanges)
    }

    /// Corrects the entries of a model whose records were all removed or replaced. The captured changes do not show the net
    /// change of one record; it follows from earlier entries and the current records.
    private func correctEverything(of model: StoredName, _ correction: inout Correction) throws(StorageError) {
        guard let known = known[model], !known.isEmpty else { return }
        let called = Set(called)
        var first = known.mapValues { number in
            let entry = entries[number]
            let byRule = entry.byRule && !called.contains(number)
            return (place: entry.place, code: entry.code, wasThere: entry.kind != .insert, byRule: byRule)
        }
        // A record that was removed with all others and inserted again has two entries. The first has the record before.
        try HistoryReading(kept.tables, writer).forEachChange(of: correction.commit, in: model) { change in
            guard change.kind == .deleted, let later = first[change.key], later.place > change.place else { return }
            correction.remove(later.place)
            first[change.key] = (change.place, HistoryKind.deleted.rawValue, true, false)
        }
        let handle = try handle(model)
        for part in KeyList(width: handle.tables.rootKeyCount, first.keys).parts(of: HistoryReading.part) {
            let isThere = try handle.stored(among: part, in: writer)
            for key in part {
                guard let entry = first[key] else { continue }
                let kind = ChangeKind(wasThere: entry.wasThere, isThere: isThere.contains(key))
                correction.set(entry.code, at: entry.place, to: kind, byRule: entry.byRule)
            }
        }
    }
}
