public import StorageDriver

/// A query of chosen properties of records.
///
/// ```swift
/// let names = try await store.records("Person").where(text: "age >= 28").only(["id", "name", "pens"]).all()
/// ```
///
/// Each result is the fields of one record, as a ``Record`` has them: columns first, then what is owned. They are no
/// record, so that none is saved without what was not read. Owned records are loaded where they are chosen, and only these.
///
/// All its calls throw `invalidQuery` where the model has no property of a name.
public struct RecordFields: Sendable {
    let records: Records
    let properties: [String]

    /// The fields of each record, in the records' order.
    ///
    /// - Throws: `typeMismatch` where stored text is not UTF-8; `closed`.
    public nonisolated(nonsending) func all() async throws(StorageError) -> [[Record.Field]] {
        try records.run { (reading) throws(StorageError) in
            try chosen(reading).all(StoredRecord.self, records.selection).map(\.record.fields)
        }
    }

    /// The fields of one record after the other; see ``Records/stream()``.
    public func stream() -> RecordFieldStream {
        var stream = records.stream()
        stream.records.properties = properties
        return RecordFieldStream(records: stream)
    }

    /// How the backend would go about the query.
    public nonisolated(nonsending) func explain() async throws(StorageError) -> QueryExplanation {
        try records.run { (reading) throws(StorageError) in try chosen(reading).explain(records.selection) }
    }

    private func chosen(_ reading: Reading) throws(StorageError) -> Reading {
        Reading(handle: reading.handle, session: reading.session, root: try reading.model.root(only: properties))
    }
}

/// The chosen fields of records, one record after the other. Every iteration is a query of its own.
public struct RecordFieldStream: AsyncSequence, Sendable {
    public typealias Element = [Record.Field]
    public typealias Failure = StorageError

    let records: RecordStream

    public func makeAsyncIterator() -> Iterator { Iterator(records: records.makeAsyncIterator()) }

    /// Reads ahead by some records; an iterator that is dropped releases its snapshot.
    public struct Iterator: AsyncIteratorProtocol {
        var records: RecordStream.Iterator

        public mutating func next() async throws(StorageError) -> [Record.Field]? { try await next(isolation: nil) }

        /// The fields of the next record.
        ///
        /// - Throws: `closed` where the store was closed meanwhile; `cancelled`; what reading throws.
        public mutating func next(isolation: isolated (any Actor)?) async throws(StorageError) -> [Record.Field]? {
            try await records.next(isolation: isolation)?.fields
        }
    }
}

extension ModelTables {
    /// The root's rows with the chosen properties alone, behind the key, by which owned records are found.
    ///
    /// - Parameter properties: stored names; nil for the rows as they are.
    /// - Throws: `invalidQuery` where there is no property of a name.
    func root(only properties: [String]?) throws(StorageError) -> TableBinding {
        guard let properties else { return root }
        // What an optional array of owned records has for a column, that says whether it is there, has its name too.
        func isChosen(_ name: String) -> Bool { properties.contains { $0.isSame(as: name) } }
        let columns = root.columns.filter { isChosen(root.schema.columns[$0].property) }
        let relations = root.relations.filter { isChosen($0.storedProperty) }
        let known = columns.map { root.schema.columns[$0].property } + relations.map(\.storedProperty)
        if let unknown = properties.first(where: { name in !known.contains { $0.isSame(as: name) } }) {
            throw StorageError(.invalidQuery, root.lacks(unknown) + ".", model: name)
        }
        if columns.count == root.columns.count, relations.count == root.relations.count { return root }
        return TableBinding(
            index: 0, schema: root.schema, form: .root, columns: root.schema.key + columns,
            prefixCount: root.schema.key.count, keyCells: Array(root.schema.key.indices), members: [],
            relations: relations)
    }
}
