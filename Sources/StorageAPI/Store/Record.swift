/// A stored record in its dynamic form: what a store holds, read without the program's types.
public struct Record: Hashable, Sendable {
    /// The model's stored name; of an owned record the way to it: `Person.pens`.
    public var model: String
    /// The properties under their stored names: scalars in the order in which they were added, then owned records.
    public var fields: [Field]

    public init(model: String, fields: [Field]) {
        self.model = model
        self.fields = fields
    }

    public struct Field: Hashable, Sendable {
        public var name: String
        public var content: Content

        public init(name: String, content: Content) {
            self.name = name
            self.content = content
        }
    }

    public enum Content: Hashable, Sendable {
        /// A scalar, an array or an embedded value. Arrays and embedded values are JSON text.
        case value(Value, ColumnType)
        case child(Record?)
        /// Owned records in order; nil where an optional array is. A property of a type that owns itself is always given
        /// as an array, since a store does not record whether it is one.
        case children([Record]?)
    }

    /// The content of a property; nil where the record has none of the name.
    public subscript(name: String) -> Content? { fields.first { $0.name == name }?.content }

    /// The value of a scalar property; nil where the record has none of the name.
    public func value(_ name: String) -> Value? {
        if case .value(let value, _)? = self[name] { value } else { nil }
    }
}

/// A query of records by their model's stored name; its conditions and orders are text.
///
/// ```swift
/// for record in try await store.records("Person").where(text: "age >= 28").all() { print(record) }
/// ```
public struct Records: Sendable {
    let model: String
    let store: Store
    private var selection = Selection()

    init(_ model: String, _ store: Store) {
        self.model = model
        self.store = store
    }

    /// Keeps the records that meet the condition; <doc:Queries> has the grammar.
    public func `where`(text: String, arguments: [Value] = []) -> Records {
        building { (selection) throws(StorageError) in
            selection.add(try TextParser.condition(text, arguments.map(TextArgument.value)))
        }
    }

    /// Sorts as the text says: `age desc, name`.
    public func order(text: String) -> Records {
        building { (selection) throws(StorageError) in selection.order += try TextParser.order(text) }
    }

    /// Takes at most so many records.
    public func limit(_ count: Int) -> Records {
        building { (selection) throws(StorageError) in selection.limit = count }
    }

    /// Passes over so many records first.
    public func offset(_ count: Int) -> Records {
        building { (selection) throws(StorageError) in selection.offset = count }
    }

    private func building(_ change: (inout Selection) throws(StorageError) -> Void) -> Records {
        var builder = self
        do {
            try change(&builder.selection)
        } catch {
            builder.selection.problem = selection.problem ?? error
        }
        return builder
    }

    /// The records with all that they own, in order.
    ///
    /// - Throws: `invalidQuery` where the store has no model of the name, or the text cannot be read; `typeMismatch`
    ///   where stored text is not UTF-8; `closed`.
    public nonisolated(nonsending) func all() async throws(StorageError) -> [Record] {
        try run { (reading, model) throws(StorageError) in try RecordReader(reading, model).records(selection) }
    }

    /// How many records there are. Loads none.
    public nonisolated(nonsending) func count() async throws(StorageError) -> Int {
        try run { (reading, _) throws(StorageError) in try reading.count(selection) }
    }

    /// How the backend would go about the query.
    public nonisolated(nonsending) func explain() async throws(StorageError) -> QueryExplanation {
        try run { (reading, _) throws(StorageError) in try reading.explain(selection) }
    }

    private func run<T>(
        _ body: (Reading, RecordedModel) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        do {
            return try store.reading("select", .snapshot) { (reader) throws(StorageError) in
                let recorded = try store.registry.recorded(model, in: reader)
                return try body(Reading(handle: recorded.handle, session: reader), recorded.model)
            }
        } catch {
            throw error.at(model: model)
        }
    }
}

extension Store {
    /// The recorded tables, in the order of their creation: what ``records(_:)`` can be asked for, without the program's
    /// types.
    public nonisolated(nonsending) func schema() async throws(StorageError) -> [TableSchema] {
        try reading("schema", .query) { (reader) throws(StorageError) in try reader.tables() }
    }

    /// Asks for records by their model's stored name, without the program's types.
    public func records(_ model: String) -> Records { Records(model, self) }
}
