public import StorageDriver

extension Store {
    /// Undoes a commit: a new transaction that restores every record which the commit changed as it was before.
    ///
    /// Undoing the new commit redoes the old one. The restored records are in the history like any other change.
    /// Records of models without a history, which the commit may have changed by a rule of a reference, stay as they
    /// are.
    ///
    /// Costs a look at every later entry of the history, and the keys of the commit are held meanwhile.
    ///
    /// - Parameters:
    ///   - commit: the number of the commit, as the entries of ``history(since:)`` have it.
    ///   - author: who undoes it.
    ///   - note: why it is undone.
    /// - Returns: the number of the new commit.
    /// - Throws: `conflict`, with the keys, if a record is not as the commit left it, or if other records refer to one
    ///   that would go; `notKept` if the commit is older than the kept history, or if the records before it are not
    ///   kept; `notFound` if it is no commit of the history; `constraint` if a restored record refers to a record that is
    ///   not stored, or its unique value is taken; `schemaMismatch` if a record does not fit its model any more: it had
    ///   a property that is gone, or lacks a property that is required now and has no default in this program. Then no
    ///   record is changed.
    @discardableResult
    public nonisolated(nonsending) func undo(
        _ commit: Int, author: String? = nil, note: String? = nil
    ) async throws(StorageError) -> Int {
        try await undo(author, note) { (_, undo) throws(StorageError) in
            if let number = try undo(Int64(commit)) { return number }
            throw StorageError(.notFound, "Commit \(commit) has changed nothing that could be undone.")
        }
    }

    /// Undoes a commit that a closure chooses in the transaction that undoes it. The closure gets a function that undoes a
    /// commit, and returns the number of the new commit; nil if no record needs to be restored.
    nonisolated(nonsending) func undo(
        _ author: String?, _ note: String?,
        _ body: @escaping (HistoryReading, (Int64) throws(StorageError) -> Int?) throws(StorageError) -> Int
    ) async throws(StorageError) -> Int {
        try await writing("undo") { context throws(StorageError) in
            if author != nil { context.signature.author = author }
            if note != nil { context.signature.note = note }
            try context.givenSignature?.check()
            context.signature.origin = .undo
            return try body(self.history.reading(in: context.openWriter())) { (commit) throws(StorageError) in
                var undoing = try Undoing(commit, in: context, of: self)
                return try undoing.run()
            }
        }
    }
}

/// The undoing of one commit, in a transaction.
private struct Undoing {
    let commit: Int64
    let context: TransactionContext
    let store: Store
    let writer: any StorageWriter
    let history: HistoryReading
    let settings: HistorySettings
    let former: FormerSchemas
    /// The place of each record's first entry in the commit, by model. The first entry holds the state before the commit.
    var firstPlaces: [StoredName: [[Value]: Int64]] = [:]
    /// The places after which the parts of the commit's changes begin.
    private var parts: [Int64] = []
    /// The deleted records, by model.
    var gone: [StoredName: KeyList] = [:]

    init(_ commit: Int64, in context: TransactionContext, of store: Store) throws(StorageError) {
        self.commit = commit
        self.context = context
        self.store = store
        writer = try context.openWriter()
        history = try store.history.reading(in: writer)
        settings = try history.tables.settings(in: writer)
        former = try FormerSchemas(in: writer)
    }

    /// Returns the number of the new commit; nil if no record needs to be restored.
    mutating func run() throws(StorageError) -> Int? {
        guard commit > 0 else { throw missing }
        try history.requireReached(commit)
        try history.requireKept(after: commit - 1)
        if try history.commit(commit) == nil { throw missing }
        try collect()
        try findConflicts()
        try removeInserted()
        try restore()
        for (model, keys) in gone { try requireUnused(keys, of: model) }
        guard let number = context.historyRecorder?.place?.commit else { return nil }
        try UndoneCommits.record(
            number, undoes: commit, of: history, in: context.innerWriter(), store.registry.directory)
        return Int(number)
    }

    /// The model with the properties that no program declares any more, which are restored too.
    private func whole(_ model: StoredName) throws(StorageError) -> ModelHandle {
        try store.registry.whole(model, in: writer)
    }

    private func writing(_ model: StoredName) throws(StorageError) -> RecordWriter {
        RecordWriter(handle: try whole(model), writer: try context.openWriter(model), context: context)
    }

    private var missing: StorageError {
        StorageError(.notFound, "The store's history has no commit \(commit); history(since:) tells which there are.")
    }

    /// Calls the body with the first change of each record in the commit, in reverse order, so that the foreign keys of a
    /// database hold after each step.
    private func forEachFirst(
        _ body: ([HistoryChange]) throws(StorageError) -> Void
    ) throws(StorageError) {
        for place in parts.reversed() {
            let part = try history.changes(of: commit, after: place)
            try body(part.reversed().filter { firstPlaces[$0.model]?[$0.key] == $0.place })
        }
    }

    private mutating func collect() throws(StorageError) {
        // The history is read by itself: the closure changes this value.
        let (history, commit) = (history, commit)
        var place: Int64 = 0
        try history.forEachPart(of: commit) { (part) throws(StorageError) in
            parts.append(place)
            place = part.last?.place ?? place
            for change in part where firstPlaces[change.model]?[change.key] == nil {
                guard let model = settings.model(change.model), commit > model.since else {
                    throw StorageError(
                        .notKept,
                        "The history of \(change.model) was not kept at all times since, so its changes are unknown.",
                        model: change.model)
                }
                guard change.kind == .inserted || change.before != nil else {
                    throw StorageError(
                        .notKept,
                        "The history keeps no records of \(change.model) as they were before commit \(commit), but keys alone; "
                            + "open the store with history: .init(records: …) to undo later commits.",
                        model: change.model, key: change.kind == .everything ? nil : change.key)
                }
                firstPlaces[change.model, default: [:]][change.key] = change.place
            }
        }
    }

    /// - Throws: `conflict` if a record is not as the commit left it. A record that was changed back is no conflict.
    private func findConflicts() throws(StorageError) {
        var found: [(model: StoredName, key: [Value])] = []
        var seen: [StoredName: Set<[Value]>] = [:]
        var position = (commit: commit, place: Int64.max)
        while true {
            let part = try history.changes(after: position.commit, position.place, of: nil)
            guard let last = part.last else { break }
            position = (last.commit, last.place)
            // The first later change has the record as the commit left it.
            let first = part.filter { change in
                firstPlaces[change.model]?[change.key] != nil
                    && seen[change.model, default: []].insert(change.key).inserted
            }
            if let change = part.first(where: { $0.kind == .everything && firstPlaces[$0.model] != nil }) {
                throw conflict([(change.model, [])])
            }
            for (model, changes) in Self.byModel(first) {
                let handle = try whole(model)
                let keys = KeyList(width: handle.tables.rootKeyCount, changes.lazy.map(\.key))
                let now = try RecordImage.read(keys, handle, in: writer)
                for change in changes {
                    let isKept = change.kind == .inserted || change.before != nil
                    if isKept, try isSame(now[change.key], as: change, handle) { continue }
                    found.append((model, change.key))
                }
            }
        }
        if !found.isEmpty { throw conflict(found) }
    }

    /// Returns whether a record is unchanged since a change. Different bytes may hold the same record.
    private func isSame(
        _ now: RecordImage?, as change: HistoryChange, _ handle: ModelHandle
    ) throws(StorageError) -> Bool {
        if now == change.before { return true }
        let expiry = handle.tables.root.schema.columns.first(where: \.isExpiry)?.property
        if expiry == nil, now == nil || change.before == nil { return false }
        let was = try unexpired(change.before, expiry: expiry, of: change, handle, since: former.since(change))
        return try unexpired(now, expiry: expiry, of: change, handle, since: []) == was
    }

    /// The record of an image; nil if it has expired: removed or not, it then counts as missing.
    private func unexpired(
        _ image: RecordImage?, expiry: String?, of change: HistoryChange, _ handle: ModelHandle,
        since changes: [FormerSchema]
    ) throws(StorageError) -> DynamicRecord? {
        guard let image else { return nil }
        let record = try record(image, of: change, handle, since: changes)
        guard let expiry, case .double(let until)? = record.value(expiry) else { return record }
        return until <= store.history.now ? nil : record
    }

    /// - Throws: `schemaMismatch` for an image that lacks undeclared properties.
    private func record(
        _ image: RecordImage, of change: HistoryChange, _ handle: ModelHandle, since changes: [FormerSchema]
    ) throws(StorageError) -> DynamicRecord {
        guard image.isWhole || !handle.tables.hasRemoved else {
            throw StorageError(
                .schemaMismatch,
                "The entry was made by an earlier version, which did not keep properties that no program declared. Save "
                    + "what it has by hand.",
                model: change.model, key: change.key)
        }
        let defaults = store.registry.defaults(of: change.model)
        let record = try image.record(DynamicRecord.self, key: change.key, handle, defaults: defaults, since: changes)
        guard let record else {
            throw StorageError(
                .corrupt, "An entry of the history has no record.", model: change.model, key: change.key)
        }
        return record
    }

    private func conflict(_ found: [(model: StoredName, key: [Value])]) -> StorageError {
        let shown = found.prefix(10).map { "\($0.model) \($0.key.keyText)" }
        let list = shown.joined(separator: "; ") + (found.count > shown.count ? "; …" : "")
        return StorageError(
            .conflict,
            "\(found.count) \(found.count == 1 ? "record has" : "records have") changed since commit \(commit): \(list). Undo "
                + "the later commits first, or change the records by hand.",
            model: found.first?.model.text, key: found.first?.key)
    }

    /// Removes the records that the commit inserted, and the records that would conflict with restored unique values.
    private mutating func removeInserted() throws(StorageError) {
        var going: [StoredName: KeyList] = [:]
        try forEachFirst { (part) throws(StorageError) in
            for (model, changes) in Self.byModel(part) {
                let writing = try writing(model)
                let root = writing.model.root.schema
                // The foreign keys of a database would delete the rows that refer to an updated record.
                let hasUnique = !root.isForeign && root.columns.contains(where: \.isUnique)
                var keys = KeyList(width: writing.model.rootKeyCount)
                for change in changes {
                    guard change.kind == .inserted || hasUnique && change.kind == .updated else { continue }
                    keys.append(change.key)
                    if change.kind == .inserted { going[model, default: KeyList()].append(change.key) }
                }
                guard keys.count > 0 else { continue }
                let cells = keys.cells
                // References are checked at the end: no rule of a reference removes later records. A database applies its rules
                // at once.
                if root.isForeign, let keys = going[model] { try requireUnused(keys, of: model) }
                _ = try writing.deleteRows(cells.rows)
            }
        }
        gone = going
    }

    private func restore() throws(StorageError) {
        try forEachFirst { (part) throws(StorageError) in
            for (model, changes) in Self.byModel(part) {
                let writing = try writing(model)
                var records: [DynamicRecord] = []
                for change in changes {
                    guard let image = change.before else { continue }
                    records.append(try record(image, of: change, writing.handle, since: former.since(change)))
                }
                if !records.isEmpty { _ = try writing.put(records, .upsert) }
            }
        }
    }

    /// - Throws: `conflict` if remaining records refer to removed ones.
    private func requireUnused(_ keys: KeyList, of model: StoredName) throws(StorageError) {
        let handle = try context.handle(.recorded(model))
        let going = Set(keys)
        for referrer in try context.referrers(to: handle) {
            let rows = try referrer.rows(keys, in: writer)
            guard rows.count > 0 else { continue }
            let referring = try context.handle(.recorded(referrer.model))
            let roots = referrer.roots(of: rows, keyCount: referring.tables.rootKeyCount)
            let left = roots.filter { referrer.model != model || !going.contains($0) }
            if !left.isEmpty { throw conflict(left.map { (referrer.model, $0) }) }
        }
    }

    /// The changes by model, in the order of each model's first change.
    private static func byModel(_ changes: [HistoryChange]) -> [(StoredName, [HistoryChange])] {
        var models: [(StoredName, [HistoryChange])] = []
        for change in changes {
            let place = models.firstIndex { $0.0 == change.model } ?? models.endIndex
            if place == models.endIndex { models.append((change.model, [])) }
            models[place].1.append(change)
        }
        return models
    }
}
