import StorageAPI
import StorageDriver

/// The underlying error of a patch that does not fit the stored records.
struct PatchMisfit: Error {
    static func error(_ reason: String, _ place: RecordPlace) -> StorageError {
        StorageError(.conflict, reason, model: place.model, key: place.key, underlying: PatchMisfit())
    }
}

extension StorageError {
    /// The reason why the patch that caused the error is refused; nil for an error that is no verdict on the patch, such as a
    /// full disk: the patch waits.
    var refusal: String? {
        switch code {
        case .conflict: return underlying is PatchMisfit ? message : nil
        case .constraint, .duplicateKey, .notFound, .invalidValue, .limitExceeded, .overflow, .typeMismatch,
            .missingKey,
            .schemaMismatch, .invalidQuery:
            // The advice of the message is for the author of a set of records.
            return "\(code): \((underlying as? RecordSetRefusal)?.description ?? message)"
        default: return nil
        }
    }
}

/// Applies a patch to the records of a transaction: at the hub, and on a replica for patches that wait.
struct PatchApplication {
    let models: SyncModels
    /// The values that were replaced although the patch's author had not seen them.
    private(set) var overwritten: [SyncOverwrite] = []
    /// Decides on a property that both sides have changed; nil for the rules.
    var decide: ((RecordPlace, SyncPatch.PropertyChange, DynamicRecord.Content) -> DynamicRecord.Content?)?

    init(_ models: SyncModels) { self.models = models }

    /// Applies the patch whole, or throws. Must run in a savepoint that is undone if it throws.
    ///
    /// - Throws: an error with a ``StorageError/refusal`` if the patch does not fit; `schemaNewer` if it names a model or a property
    ///   that this store does not have yet.
    mutating func apply(_ patch: SyncPatch, in tx: borrowing Store.Transaction) throws(StorageError) {
        try apply(patch, to: try storedRecords(of: patch, in: tx), in: tx)
    }

    /// The same with the records that the transaction has at the patch's places.
    mutating func apply(
        _ patch: SyncPatch, to stored: [RecordPlace: DynamicRecord?], in tx: borrowing Store.Transaction
    ) throws(StorageError) {
        var (puts, removed): ([DynamicRecord], [RecordPlace]) = ([], [])
        for change in patch.changes {
            try requireKnown(change)
            let now = stored[change.place] ?? nil
            switch change.kind {
            case .inserted(let record): if try isNew(record, at: change.place, now) { puts.append(record) }
            case .updated(let properties):
                guard let now else { throw PatchMisfit.error("deleted meanwhile", change.place) }
                let merged = merged(now, properties, of: change)
                if merged != now { puts.append(merged) }
            case .deleted(let before):
                guard let now else { continue }
                guard before.matches(now) else { throw PatchMisfit.error("changed meanwhile", change.place) }
                removed.append(change.place)
            }
        }
        try write(puts, removing: removed, in: tx)
    }

    /// The records that the transaction has at the places of a patch.
    ///
    /// - Throws: `schemaNewer` for a model that this store does not have yet.
    func storedRecords(
        of patch: SyncPatch, in tx: borrowing Store.Transaction
    ) throws(StorageError) -> [RecordPlace: DynamicRecord?] {
        var found: [RecordPlace: DynamicRecord?] = [:]
        for (model, changes) in Dictionary(grouping: patch.changes, by: \.model) {
            guard models[model] != nil else { throw Self.unknown(model, nil) }
            let records = try tx.records(model).find(keys: changes.map(\.key))
            for (change, record) in zip(changes, records) { found[change.place] = .some(record) }
        }
        return found
    }

    private static func unknown(_ model: String, _ property: String?) -> StorageError {
        let name = [model, property].compactMap(\.self).joined(separator: ".")
        return StorageError(
            .schemaNewer, "A patch names \(name), which this store does not have; update the program that opens it.",
            operation: "sync", model: model, property: property)
    }

    private func requireKnown(_ change: SyncPatch.Change) throws(StorageError) {
        guard let schema = models[change.model] else { throw Self.unknown(change.model, nil) }
        if let name = change.written?.unknownProperty(SchemaPath(schema)) { throw Self.unknown(change.model, name) }
    }

    /// - Returns: false if the same record is stored already.
    private func isNew(
        _ record: DynamicRecord, at place: RecordPlace, _ now: DynamicRecord?
    ) throws(StorageError) -> Bool {
        guard models.place(of: record) == place else {
            throw StorageError(.invalidValue, "An inserted record has another key than its change.", model: place.model)
        }
        guard let now else { return true }
        guard record.matches(now) else { throw PatchMisfit.error("stored already with other values", place) }
        return false
    }

    private mutating func merged(
        _ now: DynamicRecord, _ properties: [SyncPatch.PropertyChange], of change: SyncPatch.Change
    ) -> DynamicRecord {
        guard let schema = models[change.model] else { return now }
        var merge = RecordMerge(schema)
        if let decide { merge.decide = { decide(change.place, $0, $1) } }
        let merged = merge.merged(now, properties, byRule: change.byRule)
        for (property, lost) in merge.overwritten { tell(change.place, property, lost: lost) }
        return merged
    }

    private mutating func tell(_ place: RecordPlace, _ property: String, lost: DynamicRecord.Content) {
        overwritten.append(SyncOverwrite(model: place.model, key: place.key, property: property, lost: lost))
    }

    // MARK: Writing

    private mutating func write(
        _ puts: [DynamicRecord], removing removed: [RecordPlace], in tx: borrowing Store.Transaction
    ) throws(StorageError) {
        guard !removed.isEmpty else { return try tx.replace(puts) }
        var puts = puts
        try release(&puts, from: Set(removed))
        let mark = try tx.mark()
        try tx.replace(puts, removing: removed.map { ($0.model, $0.key) })
        let known = Set(removed)
        for change in try tx.changes(since: mark) where change.byRule {
            let place = RecordPlace(change.model, change.key)
            if known.contains(place) { continue }
            // A deletion takes no record that its author has not seen.
            guard change.kind == .updated else { throw PatchMisfit.error("referred to meanwhile", place) }
            for property in try change.properties() {
                if let before = property.before { tell(place, property.name, lost: before) }
            }
        }
    }

    /// `replace` judges the records of a set as they are given, so carry out the rules of their references to removed ones before.
    private mutating func release(_ puts: inout [DynamicRecord], from removed: Set<RecordPlace>) throws(StorageError) {
        for index in puts.indices {
            let references = models.references(from: puts[index].model)
            guard let place = models.place(of: puts[index]) else { continue }
            for reference in references where reference.rule == .cascade {
                if puts[index].leads(reference, reference.path[...], to: removed) {
                    throw PatchMisfit.error("referred to meanwhile", place)
                }
            }
            for (property, lost) in puts[index].nullify(references, to: removed) { tell(place, property, lost: lost) }
        }
    }
}
