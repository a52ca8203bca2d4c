public import StorageDriver

/// A query of records without `async`: of ``Store/blocking``, of a transaction or of a read block; see ``Records``.
public struct BlockingRecords: RecordSelectionBuilder {
    /// What is asked so far.
    public var selection = Selection()
    let model: String
    let executor: Executor

    /// The records with all that they own, in order.
    public func all() throws(StorageError) -> [Record] {
        try run { (reading) throws(StorageError) in try reading.records(selection) }
    }

    /// The first record, or nil where there is none.
    public func first() throws(StorageError) -> Record? {
        try run { (reading) throws(StorageError) in try reading.first(selection) }
    }

    /// The record with the key, one value for each key property, or nil.
    public func find(key: [Value]) throws(StorageError) -> Record? {
        try run { (reading) throws(StorageError) in try reading.record(key: key) }
    }

    /// The records with the keys: one element for each key, in their order, and nil where no record has it.
    public func find(keys: [[Value]]) throws(StorageError) -> [Record?] {
        try run { (reading) throws(StorageError) in try reading.records(keys: keys) }
    }

    /// How many records there are. Loads none.
    public func count() throws(StorageError) -> Int {
        try run { (reading) throws(StorageError) in try reading.count(selection) }
    }

    /// Whether there is any record. Loads none.
    public func exists() throws(StorageError) -> Bool {
        try run { (reading) throws(StorageError) in try reading.exists(selection) }
    }

    /// The records' keys, in order.
    public func keys() throws(StorageError) -> [[Value]] {
        try run { (reading) throws(StorageError) in try reading.recordKeys(selection) }
    }

    /// Calls the body with one record after the other; see ``BlockingSelect/forEach(_:)``.
    ///
    /// - Throws: the body's error as it is; what ``all()`` throws.
    public func forEach(_ body: (Record) throws -> Void) throws {
        let records = BlockingSelect<StoredRecord>(selection: selection, executor: executor, source: .recorded(model))
        try records.forEach { try body($0.record) }
    }

    /// How the backend would go about the query.
    public func explain() throws(StorageError) -> QueryExplanation {
        try run { (reading) throws(StorageError) in try reading.explain(selection) }
    }

    /// Sets a property on the records of the selection; see ``RecordUpdate``.
    public func set(_ property: String, to value: Value) -> BlockingRecordUpdate {
        BlockingRecordUpdate(records: self).set(property, to: value)
    }

    /// Deletes the records of the selection with all that they own; returns how many went. A read block's are
    /// `unsupported`.
    @discardableResult
    public func delete() throws(StorageError) -> Int {
        try executor.writing("delete", .recorded(model)) { [selection] (writing) throws(StorageError) in
            try writing.delete(selection)
        }
    }

    /// Deletes the records with the keys, and all that they own; returns how many went.
    @discardableResult
    public func delete(keys: [[Value]]) throws(StorageError) -> Int {
        try executor.writing("delete", .recorded(model)) { (writing) throws(StorageError) in
            try writing.delete(keys: keys)
        }
    }

    private func run<T>(_ body: (Reading) throws(StorageError) -> T) throws(StorageError) -> T {
        try executor.reading("select", .recorded(model), body)
    }
}

/// A partial update of records, without `async`; see ``RecordUpdate``.
public struct BlockingRecordUpdate {
    let records: BlockingRecords
    private var assignments: [RecordAssignment] = []

    init(records: BlockingRecords) { self.records = records }

    /// Sets a property, by its stored name; the last of several values counts.
    public func set(_ property: String, to value: Value) -> BlockingRecordUpdate {
        var update = self
        update.assignments.append(RecordAssignment(property: property, value: value))
        return update
    }

    /// Sets the properties on the records of the selection; returns how many there were.
    @discardableResult
    public func run() throws(StorageError) -> Int {
        try records.executor.writing("update", .recorded(records.model)) {
            [selection = records.selection, assignments] (writing) throws(StorageError) in
            try writing.patch(assignments, selection)
        }
    }
}
