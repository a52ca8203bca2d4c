public import StorageDriver

extension Store {
    /// Asks for records by their model's stored name, without the program's types; conditions and orders are text.
    ///
    /// ```swift
    /// for record in try await store.records("Person").where(text: "age >= 28").all() { print(record) }
    /// try await store.records("Person").where(text: "age < 18").set("age", to: .int(18)).run()
    /// ```
    ///
    /// All its calls throw `invalidQuery` where the store has no model of the name, or a text cannot be read.
    public func records(_ model: String) -> Select<DynamicRecord, Store> {
        Select(source: self, model: .recorded(StoredName(model)))
    }

    /// Asks for records by their model's stored name.
    ///
    /// - Parameters:
    ///   - model: the stored name of the model.
    ///   - includesRemoved: whether the records also have the properties that no program declares any more, whose data the
    ///     store keeps: the properties that a model had before its type changed.
    public func records(_ model: String, withRemoved includesRemoved: Bool) -> Select<DynamicRecord, Store> {
        Select(source: self, model: includesRemoved ? .whole(StoredName(model)) : .recorded(StoredName(model)))
    }
}

extension Store {
    /// Sets some properties on the records of a model that meet a condition, without the program's types; see ``Update``.
    public func update(_ model: String) -> Update<DynamicRecord, Store> {
        Update(source: self, model: .recorded(StoredName(model)))
    }
}

extension WritingVerbs where Self: ~Copyable {
    /// Sets some properties on the records of a model that meet a condition; as in a store.
    public func update(_ model: String) -> Update<DynamicRecord, Store.Session> {
        Update(source: _session, model: .recorded(StoredName(model)))
    }
}

extension ReadingVerbs where Self: ~Copyable {
    /// Asks for records by their model's stored name; see ``Store/records(_:)``.
    public func records(_ model: String) -> Select<DynamicRecord, Store.Session> {
        Select(source: _session, model: .recorded(StoredName(model)))
    }

    /// Asks for records by their model's stored name, also with the properties that no program declares any more; see
    /// ``Store/records(_:withRemoved:)``.
    public func records(
        _ model: String, withRemoved includesRemoved: Bool
    ) -> Select<DynamicRecord, Store.Session> {
        Select(source: _session, model: includesRemoved ? .whole(StoredName(model)) : .recorded(StoredName(model)))
    }
}

extension Select where Model == DynamicRecord {
    /// Asks for chosen properties alone, by their stored names.
    ///
    /// ```swift
    /// let names = try await store.records("Person").where(text: "age >= 28").only(["id", "name", "pens"]).all()
    /// ```
    ///
    /// Each result is the fields of one record: columns first, then owned records. It is not a record, so that saving
    /// cannot drop the properties that were not read. Owned records are loaded where they are chosen, and only these. A
    /// name that the model does not have is `invalidQuery`.
    public func only(_ properties: [String]) -> Fields { Fields(select: self, properties: properties) }

    /// Sets a property, by its stored name, on the records of the query; with a limit, on the first ones in its order.
    ///
    /// The update throws `invalidQuery` for an unknown property and for a key, and `invalidValue` for a value that the
    /// property cannot hold.
    public func set(_ property: String, to value: Value) -> Update<Model, Source> {
        Update(selection: selection, source: source, model: model).set(property, to: value)
    }

    /// Sets properties of the records of the query to the result of a text expression: `age = age + 1`; with a limit,
    /// on the first ones.
    public func set(text: String) -> Update<Model, Source> {
        Update(selection: selection, source: source, model: model).set(text: text)
    }

    /// Loads each record with the records that it refers to, by the stored names of references and arrays of references: they stand
    /// in the place of their keys, as owned records do.
    ///
    /// ```swift
    /// let books = store.records("Book").with(["author.mentor", "tags"])
    /// for record in try await books.all() { print(record) }
    /// ```
    ///
    /// A path also follows the references of the records that it leads to. A key without a record stays a key. All of one snapshot;
    /// each reference costs one query for each 256 records of `stream()`, or for all of `all()`. Records of this form are to be
    /// shown, not saved. A name of no reference is `invalidQuery`.
    public func with(_ references: [String]) -> Joined<DynamicRecord> {
        Joined(select: self, relations: Relations<DynamicRecord>(parts: ()), make: NamedRelations(references))
    }

    /// A query of chosen properties of records.
    public struct Fields {
        fileprivate let select: Select
        fileprivate let properties: [String]

        fileprivate func chosen(_ reading: RecordReader) throws(StorageError) -> RecordReader {
            RecordReader(
                handle: reading.handle, session: reading.session, root: try reading.model.root(only: properties))
        }
    }
}

extension Select.Fields: Sendable where Source: Sendable {}

extension Update where Model == DynamicRecord {
    /// Sets a property, by its stored name; the last of several values counts.
    public func set(_ property: String, to value: Value) -> Self {
        var builder = self
        builder.assignments.list.append(Assignment(property: .name(property), content: .value(value)))
        return builder
    }
}

extension Select where Model == DynamicRecord, Source == Store {
    /// The record with the key, one value for each key property, or nil. Conditions and order do not apply.
    ///
    /// - Throws: `invalidValue` where the model's key has other types, `invalidQuery` where it has more or fewer parts.
    public nonisolated(nonsending) func find(key: [Value]) async throws(StorageError) -> DynamicRecord? {
        try await run { (reading) throws(StorageError) in try reading.record(key: key) }
    }

    /// The records with the keys: one element for each key, in their order, and nil where no record has it. Conditions and
    /// order do not apply.
    ///
    /// - Throws: as `find(key:)`.
    public nonisolated(nonsending) func find(keys: [[Value]]) async throws(StorageError) -> [DynamicRecord?] {
        try await run { (reading) throws(StorageError) in try reading.records(keys: keys) }
    }

    /// Deletes the records that meet the query's conditions, or all, each with everything that it owns.
    ///
    /// - Returns: the number of deleted records.
    @discardableResult
    public nonisolated(nonsending) func delete() async throws(StorageError) -> Int {
        try await Delete<Model, Store>(selection: selection, source: source, model: model).run()
    }

    /// Deletes the records with the keys, each with everything that it owns. Any number of keys; conditions do not apply.
    ///
    /// - Returns: the number of deleted records.
    @discardableResult
    public nonisolated(nonsending) func delete(keys: [[Value]]) async throws(StorageError) -> Int {
        try await source.writing("delete", model) { (writing) throws(StorageError) in try writing.delete(keys: keys) }
    }
}

extension Select.Fields where Source == Store {
    /// The fields of each record, in the records' order.
    public nonisolated(nonsending) func all() async throws(StorageError) -> [[DynamicRecord.Field]] {
        try await select.run { (reading) throws(StorageError) in
            try chosen(reading).all(DynamicRecord.self, select.selection).map(\.fields)
        }
    }

    /// The fields of each record, now and whenever they change; see ``Store/Values``.
    public func values() -> Store.Values<[[DynamicRecord.Field]]> {
        select.observing { [properties, selection = select.selection] (reading) throws(StorageError) in
            let chosen = try reading.model.root(only: properties)
            return try RecordReader(handle: reading.handle, session: reading.session, root: chosen)
                .all(DynamicRecord.self, selection).map(\.fields)
        }
    }

    /// The fields of one record after the other; see `stream()`.
    public func stream() -> some AsyncSequence<[DynamicRecord.Field], StorageError> & Sendable {
        var stream = select.stream()
        stream.properties = properties
        return stream.map { $0.fields }
    }

    /// Returns the backend's query plan.
    public nonisolated(nonsending) func explain() async throws(StorageError) -> QueryExplanation {
        try await select.run { (reading) throws(StorageError) in try chosen(reading).explain(select.selection) }
    }
}

// The same calls without `async`.
extension Select where Model == DynamicRecord, Source == Store.Session {
    /// The record with the key, one value for each key property, or nil.
    public func find(key: [Value]) throws(StorageError) -> DynamicRecord? {
        try run { (reading) throws(StorageError) in try reading.record(key: key) }
    }

    /// The records with the keys: one element for each key, in their order, and nil where no record has it.
    public func find(keys: [[Value]]) throws(StorageError) -> [DynamicRecord?] {
        try run { (reading) throws(StorageError) in try reading.records(keys: keys) }
    }

    /// The given records of the model with the ones that they refer to, as `with(_:)` loads them. For the tool, which reads records by
    /// keys and pages too.
    package func with(
        _ references: [String], of records: [DynamicRecord]
    ) throws(StorageError) -> [DynamicRecord] {
        guard !references.isEmpty else { return records }
        return try run { (reading) throws(StorageError) in
            var records = records
            try NamedRelations(references).load(into: &records, reading)
            return records
        }
    }

    /// Deletes the records of the query, each with everything that it owns; returns the number of deleted records. In a
    /// read block: `unsupported`.
    @discardableResult
    public func delete() throws(StorageError) -> Int {
        try Delete<Model, Store.Session>(selection: selection, source: source, model: model).run()
    }

    /// Deletes the records with the keys, each with everything that it owns; returns the number of deleted records.
    @discardableResult
    public func delete(keys: [[Value]]) throws(StorageError) -> Int {
        try source.target.writing("delete", model) { (writing) throws(StorageError) in try writing.delete(keys: keys)
        }
    }
}

extension Select.Fields where Source == Store.Session {
    /// The fields of each record, in the records' order.
    public func all() throws(StorageError) -> [[DynamicRecord.Field]] {
        try select.run { (reading) throws(StorageError) in
            try chosen(reading).all(DynamicRecord.self, select.selection).map(\.fields)
        }
    }

    /// Passes the cells of each record to a closure until that returns false, without creating a value for each: for exports.
    ///
    /// - Parameters:
    ///   - begin: takes the columns, before the first record.
    ///   - body: takes the cells of a record, one for each column. They are valid until it returns.
    /// - Returns: false, without a call of a closure, if records of the model own others, so that a row is not all of a record.
    /// - Throws: errors of `all()`.
    package func forEachRow(
        begin: ([FlatColumn]) -> Void, _ body: (UnsafeBufferPointer<Cell>) -> Bool
    ) throws(StorageError) -> Bool {
        try select.run { (reading) throws(StorageError) in
            guard var rows = try chosen(reading).singlePass(select.selection), let columns = rows.flatColumns else {
                return false
            }
            begin(columns)
            while try rows.next() {
                guard try body(rows.checkedCells()) else { break }
            }
            return true
        }
    }
}

extension RecordReader {
    fileprivate func record(key: [Value]) throws(StorageError) -> DynamicRecord? {
        var found: DynamicRecord?
        try find(try model.checkedKey(key)) { (rows) throws(StorageError) in
            found = try rows.nextModel(DynamicRecord.self)
        }
        return found
    }

    fileprivate func records(keys: [[Value]]) throws(StorageError) -> [DynamicRecord?] {
        var checked: [[Value]] = []
        for key in keys { checked.append(try model.checkedKey(key)) }
        return try find(DynamicRecord.self, keys: checked)
    }
}

extension RecordWriter {
    fileprivate func delete(keys: [[Value]]) throws(StorageError) -> Int {
        var list = KeyList(width: handle.tables.rootKeyCount)
        for key in keys { list.append(try handle.tables.checkedKey(key)) }
        return try delete(list)
    }
}
