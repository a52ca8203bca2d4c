public import StorageDriver

/// A query of records by their model's stored name; its conditions and orders are text.
///
/// ```swift
/// for record in try await store.records("Person").where(text: "age >= 28").all() { print(record) }
/// try await store.records("Person").where(text: "age < 18").set("age", to: .int(18)).run()
/// ```
///
/// All its calls throw `invalidQuery` where the store has no model of the name, or a text cannot be read.
public struct Records: RecordSelectionBuilder, Sendable {
    /// What is asked so far.
    public var selection = Selection()
    let model: String
    let store: Store

    // MARK: Reading

    /// The records with all that they own, in order.
    ///
    /// - Throws: `typeMismatch` where stored text is not UTF-8; `closed`.
    public nonisolated(nonsending) func all() async throws(StorageError) -> [Record] {
        try run { (reading) throws(StorageError) in try reading.records(selection) }
    }

    /// The first record, or nil where there is none.
    public nonisolated(nonsending) func first() async throws(StorageError) -> Record? {
        try run { (reading) throws(StorageError) in try reading.first(selection) }
    }

    /// The record with the key, one value for each key property, or nil. Conditions and order do not apply.
    ///
    /// - Throws: `invalidValue` where the model's key has other types, `invalidQuery` where it has more or fewer parts.
    public nonisolated(nonsending) func find(key: [Value]) async throws(StorageError) -> Record? {
        try run { (reading) throws(StorageError) in try reading.record(key: key) }
    }

    /// The records with the keys: one element for each key, in their order, and nil where no record has it. Conditions and
    /// order do not apply.
    ///
    /// - Throws: as ``find(key:)``.
    public nonisolated(nonsending) func find(keys: [[Value]]) async throws(StorageError) -> [Record?] {
        try run { (reading) throws(StorageError) in try reading.records(keys: keys) }
    }

    /// How many records there are. Loads none.
    public nonisolated(nonsending) func count() async throws(StorageError) -> Int {
        try run { (reading) throws(StorageError) in try reading.count(selection) }
    }

    /// Whether there is any record. Loads none.
    public nonisolated(nonsending) func exists() async throws(StorageError) -> Bool {
        try run { (reading) throws(StorageError) in try reading.exists(selection) }
    }

    /// The records' keys, in order.
    public nonisolated(nonsending) func keys() async throws(StorageError) -> [[Value]] {
        try run { (reading) throws(StorageError) in try reading.recordKeys(selection) }
    }

    /// The records one after the other, of one snapshot, in memory that does not grow with their number.
    ///
    /// The snapshot lasts until the sequence ends or its iterator is gone; a stream of a closed store throws `closed`.
    public func stream() -> RecordStream {
        RecordStream(records: SelectStream(store: store, selection: selection, source: .recorded(model)))
    }

    /// Asks for chosen properties alone, by their stored names; see ``RecordFields``.
    public func only(_ properties: [String]) -> RecordFields { RecordFields(records: self, properties: properties) }

    /// How the backend would go about the query.
    public nonisolated(nonsending) func explain() async throws(StorageError) -> QueryExplanation {
        try run { (reading) throws(StorageError) in try reading.explain(selection) }
    }

    // MARK: Writing

    /// Sets a property on the records of the selection; see ``RecordUpdate``.
    public func set(_ property: String, to value: Value) -> RecordUpdate {
        RecordUpdate(records: self).set(property, to: value)
    }

    /// Deletes the records of the selection with all that they own: those that meet the conditions, or all.
    ///
    /// - Returns: how many records went.
    @discardableResult
    public nonisolated(nonsending) func delete() async throws(StorageError) -> Int {
        try await store.writing("delete", model) { [selection] (writing) throws(StorageError) in
            try writing.delete(selection)
        }
    }

    /// Deletes the records with the keys, and all that they own. Any number of keys; conditions do not apply.
    ///
    /// - Returns: how many records went.
    @discardableResult
    public nonisolated(nonsending) func delete(keys: [[Value]]) async throws(StorageError) -> Int {
        try await store.writing("delete", model) { (writing) throws(StorageError) in try writing.delete(keys: keys) }
    }

    func run<T>(_ body: (Reading) throws(StorageError) -> T) throws(StorageError) -> T {
        if Task.isCancelled {
            throw StorageError(.cancelled, "The task was cancelled.", operation: "select", model: model)
                .at(backend: store.info.name)
        }
        return try store.reading("select", .recorded(model), body)
    }
}

/// A partial update of records. Runs when ``run()`` is called.
public struct RecordUpdate: Sendable {
    let records: Records
    private var assignments: [RecordAssignment] = []

    init(records: Records) { self.records = records }

    /// Sets a property, by its stored name; the last of several values counts.
    public func set(_ property: String, to value: Value) -> RecordUpdate {
        var update = self
        update.assignments.append(RecordAssignment(property: property, value: value))
        return update
    }

    /// Sets the properties on the records of the selection.
    ///
    /// - Returns: how many records met the conditions.
    /// - Throws: `invalidQuery` for an unknown property and for a key; `invalidValue` for a value that the property
    ///   cannot hold.
    @discardableResult
    public nonisolated(nonsending) func run() async throws(StorageError) -> Int {
        try await records.store.writing("update", records.model) {
            [selection = records.selection, assignments] (writing) throws(StorageError) in
            try writing.patch(assignments, selection)
        }
    }
}

/// The records of a query, one after the other. Every iteration is a query of its own.
public struct RecordStream: AsyncSequence, Sendable {
    public typealias Element = Record
    public typealias Failure = StorageError

    var records: SelectStream<StoredRecord>

    public func makeAsyncIterator() -> Iterator { Iterator(records: records.makeAsyncIterator()) }

    /// Reads ahead by some records; an iterator that is dropped releases its snapshot.
    public struct Iterator: AsyncIteratorProtocol {
        var records: SelectStream<StoredRecord>.Iterator

        public mutating func next() async throws(StorageError) -> Record? { try await next(isolation: nil) }

        /// The next record.
        ///
        /// - Throws: `closed` where the store was closed meanwhile; `cancelled`; what reading throws.
        public mutating func next(isolation: isolated (any Actor)?) async throws(StorageError) -> Record? {
            try await records.next(isolation: isolation)?.record
        }
    }
}
