public import StorageDriver

extension Store {
    /// Stores and removes a set of records of any models in one step, and judges it as a whole.
    ///
    /// The records of the set may depend on each other in any order: two may swap their values of a `@Unique` property, references
    /// may form cycles, a parent may go with its children, or without the children that the set gives to another parent. When all
    /// of it is done:
    ///
    /// - a unique value must belong to one record,
    /// - each reference that the set has written must lead to a stored record, unless it is unchecked,
    /// - the rules of other records' references to the removed records are carried out: they cascade, nullify or deny. A rule
    ///   that denies stands against the set, and so does a rule that would delete or change a record of the set itself.
    ///
    /// In tables of other software, whose database applies rules at once, records are stored in the order in which their
    /// models were added, and then the others are removed; unique values must be free.
    ///
    /// Costs as much as saving the records and deleting the others, and a lookup for each unique property of their models.
    ///
    /// - Throws: `constraint` if records stand against the set. Its `underlying` error is a
    ///   ``RecordSetRefusal`` that names each of them; `invalidValue` if the set contradicts itself: it has two records with
    ///   one key, or stores and removes a record; `missingKey`; errors of saving, whose `element` counts the records in
    ///   the order in which they were added. Then no record is changed.
    public nonisolated(nonsending) func replace(_ set: RecordSet) async throws(StorageError) {
        if set.isEmpty { return }
        try await writing("replace", isRepeatable: true) { context throws(StorageError) in
            try set.write(in: context, of: self)
        }
    }

    /// Stores records of any models, and removes others, in one step that is judged as a whole.
    ///
    /// - Parameters:
    ///   - records: the records, of models that the store has recorded.
    ///   - keys: the records to remove, by their models' stored names and their keys, with one value for each key property.
    /// - Throws: as ``replace(_:)``; `invalidQuery` for a model that the store does not have.
    public nonisolated(nonsending) func replace(
        _ records: [DynamicRecord], removing keys: [(model: String, key: [Value])] = []
    ) async throws(StorageError) {
        try await replace(RecordSet(records, removing: keys))
    }
}

extension WritingVerbs where Self: ~Copyable {
    /// Stores and removes a set of records of any models in one step, and judges it as a whole, at once: also in a
    /// transaction, whose end judges other references. See ``Store/replace(_:)``.
    public func replace(_ set: Store.RecordSet) throws(StorageError) {
        if set.isEmpty { return }
        let store = _session.target.home
        try _session.target.performing("replace", isRepeatable: true) { context throws(StorageError) in
            try set.write(in: context, of: store)
        }
    }

    /// Stores records of any models, and removes others, in one step that is judged as a whole. See
    /// ``Store/replace(_:removing:)``.
    public func replace(
        _ records: [DynamicRecord], removing keys: [(model: String, key: [Value])] = []
    ) throws(StorageError) {
        try replace(Store.RecordSet(records, removing: keys))
    }
}

extension Store.RecordSet {
    fileprivate init(_ records: [DynamicRecord], removing keys: [(model: String, key: [Value])]) {
        self.init()
        save(records)
        for (model, key) in keys { delete(model, key: key) }
    }

    fileprivate func write(in context: TransactionContext, of store: Store) throws(StorageError) {
        do {
            var writer = RecordSetWriter(context)
            try writer.write(parts, removing: removed)
        } catch {
            throw error.at(operation: "replace", backend: store.info.name)
        }
    }
}
