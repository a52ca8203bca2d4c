public import StorageDriver

extension Store.Transaction {
    /// A place in a running transaction; see ``Store/Transaction/mark()``.
    public struct Mark: Sendable {
        fileprivate let number: Int
        // Not owned, and compared alone: the journal of another transaction has other marks.
        fileprivate let journal: ObjectIdentifier
    }

    /// Marks this place of the transaction, so that ``changes(since:)`` can tell the later changes.
    ///
    /// From the first mark on, the transaction keeps each changed record as it was before in memory.
    ///
    /// - Throws: `configuration` if the store keeps no history.
    public func mark() throws(StorageError) -> Mark {
        let recorder = try requireRecorder()
        let journal = recorder.journal ?? ChangeJournal()
        recorder.journal = journal
        return Mark(number: journal.mark(), journal: ObjectIdentifier(journal))
    }

    /// The changes that this transaction has made since a mark, of the models that have a history: each changed record once, with
    /// the record before and after, and whether only rules of references have changed it.
    ///
    /// ```swift
    /// try await store.transaction { tx in
    ///     let mark = try tx.mark()
    ///     try tx.delete(Person.self, key: 7)
    ///     for change in try tx.changes(since: mark) where change.byRule {
    ///         print("gone too:", change.model, change.key)
    ///     }
    /// }
    /// ```
    /// A record that is as it was at the mark has not changed, and the changes of an undone savepoint are not told. A mark of
    /// an undone savepoint is one at its beginning.
    ///
    /// Costs reading the changed records, one query for each of their models' tables.
    ///
    /// - Returns: the changes in the order of the records' first changes. ``Store/RecordDelta/before()`` is `notKept` for a
    ///   model whose history keeps keys alone.
    /// - Throws: `configuration` if the store keeps no history; `invalidValue` for a mark of another transaction.
    public func changes(since mark: Mark) throws(StorageError) -> [Store.RecordDelta] {
        guard let journal = try requireRecorder().journal, mark.journal == ObjectIdentifier(journal) else {
            throw StorageError(
                .invalidValue, "The mark belongs to another transaction; make one in this transaction.",
                operation: "changes")
        }
        let session = try context.innerWriter()
        var changes = MarkedChanges()
        for step in journal.steps(since: mark.number) { changes.add(step) }
        return try changes.deltas(store.registry, in: session)
    }

    private func requireRecorder() throws(StorageError) -> HistoryRecorder {
        _ = try context.openWriter()
        if let recorder = context.historyRecorder { return recorder }
        throw StorageError(
            .configuration,
            "The store keeps no history, so its transactions do not know their changes; open it with "
                + "history: and the models.", operation: "changes"
        ).at(backend: store.info.name)
    }
}

/// The net changes of records since a mark.
private struct MarkedChanges {
    private struct Record {
        let first: ChangeJournal.Step
        var byRule: Bool
    }

    private var models: [StoredName] = []
    private var records: [StoredName: [Record]] = [:]
    private var places: [StoredName: [[Value]: Int]] = [:]
    /// The order of the records' first changes, by the number of the record in its model.
    private var order: [(model: StoredName, record: Int)] = []
    private var everything: Set<StoredName> = []

    mutating func add(_ step: ChangeJournal.Step) {
        guard let key = step.key else {
            if everything.insert(step.model).inserted { order.append((step.model, -1)) }
            return
        }
        if let place = places[step.model]?[key] {
            if !step.byRule { records[step.model]?[place].byRule = false }
            return
        }
        let place = records[step.model]?.count ?? 0
        places[step.model, default: [:]][key] = place
        records[step.model, default: []].append(Record(first: step, byRule: step.byRule))
        order.append((step.model, place))
    }

    func deltas(_ registry: ModelRegistry, in session: any StorageSession) throws(StorageError) -> [Store.RecordDelta] {
        var forms: [StoredName: RecordForm] = [:]
        var now: [StoredName: [[Value]: RecordImage]] = [:]
        for (model, changed) in records {
            forms[model] = try RecordForm(model, registry, in: session)
            let whole = try registry.whole(model, in: session)
            let keys = KeyList(width: whole.tables.rootKeyCount, changed.compactMap(\.first.key))
            var images: [[Value]: RecordImage] = [:]
            for part in keys.parts(of: RecordReader.partOfRecords) {
                images.merge(try RecordImage.read(part, whole, in: session)) { $1 }
            }
            now[model] = images
        }
        var deltas: [Store.RecordDelta] = []
        for (model, number) in order {
            if number < 0 {
                let unknown = RecordState.unknown(Self.notKept(model, nil))
                deltas.append(
                    Store.RecordDelta(
                        of: model, key: [], kind: .everything, byRule: false, form: nil, before: unknown, after: unknown
                    ))
            } else if !everything.contains(model), let record = records[model]?[number] {
                if let delta = delta(record, now[model] ?? [:], as: forms[model]) { deltas.append(delta) }
            }
        }
        return deltas
    }

    private func delta(
        _ record: Record, _ now: [[Value]: RecordImage], as form: RecordForm?
    ) -> Store.RecordDelta? {
        let (step, key) = (record.first, record.first.key ?? [])
        let after = now[key]
        let wasThere = step.kind != .insert
        guard let kind = ChangeKind(wasThere: wasThere, isThere: after != nil) else { return nil }
        if wasThere, after != nil, step.before == after { return nil }
        var before = RecordState.absent
        if wasThere { before = step.before.map { .image($0, since: []) } ?? .unknown(Self.notKept(step.model, key)) }
        return Store.RecordDelta(
            of: step.model, key: key, kind: Store.RecordDelta.Kind(HistoryKind(kind)), byRule: record.byRule,
            form: form,
            before: before, after: after.map { .image($0, since: []) } ?? .absent)
    }

    private static func notKept(_ model: StoredName, _ key: [Value]?) -> StorageError {
        StorageError(
            .notKept,
            key == nil
                ? "Every record of \(model) may have changed, and the transaction does not know which."
                : "The history of \(model) keeps keys alone; open the store with history: .init(records: …) to know the "
                    + "records before.",
            model: model.text, key: key)
    }
}
