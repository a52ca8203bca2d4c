public import StorageDriver

/// An owned record, with the key of its root.
public struct Owned<Owner: Storable, Child: Storable>: Sendable {
    /// The key of the owning root.
    public let owner: Owner.Key
    /// The owned record.
    public let value: Child
}

extension Select {
    /// Queries the records that another model owns by a property, instead of root records.
    ///
    /// ```swift
    /// let red = try await store.select(Pen.self).owned(by: Person.self, \.pens).where { $0.color == "red" }.all()
    /// ```
    ///
    /// Without a sort order they are sorted by their owners' keys, then by their positions.
    public func owned<Owner: Storable>(
        by _: Owner.Type, _ property: KeyPath<Owner.Columns, QueryExpression<[Model]>>
    ) -> ByOwner<Owner> { ByOwner(select: self, property: Owner.node(property)) }

    /// The same for an Optional array.
    public func owned<Owner: Storable>(
        by _: Owner.Type, _ property: KeyPath<Owner.Columns, QueryExpression<[Model]?>>
    ) -> ByOwner<Owner> { ByOwner(select: self, property: Owner.node(property)) }

    /// The same for an Optional child.
    public func owned<Owner: Storable>(
        by _: Owner.Type, _ property: KeyPath<Owner.Columns, QueryExpression<Model?>>
    ) -> ByOwner<Owner> { ByOwner(select: self, property: Owner.node(property)) }

    /// The same for one child.
    public func owned<Owner: Storable>(
        by _: Owner.Type, _ property: KeyPath<Owner.Columns, QueryExpression<Model>>
    ) -> ByOwner<Owner> { ByOwner(select: self, property: Owner.node(property)) }

    /// A query of owned records. Its conditions and orders refer to the owned model.
    public struct ByOwner<Owner: Storable>: SelectionBuilder {
        public typealias Model = Select.Model

        fileprivate var select: Select
        let property: QueryNode

        /// The query so far.
        public var selection: Selection {
            get { select.selection }
            set { select.selection = newValue }
        }

        /// The query of the owners.
        var owners: Select<Owner, Source> { Select<Owner, Source>(source: select.source) }
    }
}

extension Select.ByOwner: Sendable where Source: Sendable {}

extension Select.ByOwner where Source == Store {
    /// The records, each with everything that it owns and its owner's key.
    public nonisolated(nonsending) func all() async throws(StorageError) -> [Owned<Owner, Model>] {
        try await owners.run { (reading) throws(StorageError) in try reading.owned(property, selection) }
    }

    /// The number of records. Loads none.
    public nonisolated(nonsending) func count() async throws(StorageError) -> Int {
        try await owners.run { (reading) throws(StorageError) in try reading.countOwned(property, selection) }
    }
}

extension Select.ByOwner where Source == Store.Session {
    /// The records, each with everything that it owns and its owner's key.
    public func all() throws(StorageError) -> [Owned<Owner, Model>] {
        try owners.run { (reading) throws(StorageError) in try reading.owned(property, selection) }
    }

    /// The number of records. Loads none.
    public func count() throws(StorageError) -> Int {
        try owners.run { (reading) throws(StorageError) in try reading.countOwned(property, selection) }
    }
}

extension RecordReader {
    /// The rows of an owned property as records. Costs a copy of the rows, and one query for each owned property of the
    /// records.
    func owned<Owner: Storable, Child: Storable>(
        _ property: QueryNode, _ selection: Selection
    ) throws(StorageError) -> [Owned<Owner, Child>] {
        let table = try model.ownedTable(property)
        let (plan, arguments) = try handle.plan(selection, .columns(table.columns), table: table, in: session)
        let buffer = try session.rows(plan, arguments).buffered(width: table.columns.count)
        let children = try decode(Child.self, buffer, of: table, isKeyOrder: selection.order.isEmpty)
        let context = RowContext(model: handle.tables, table: table)
        var owned: [Owned<Owner, Child>] = []
        for (row, child) in children.enumerated() {
            // Every owned row begins with the owner's key.
            var reader = RowReader(
                buffer.row(row), from: 0, to: table.keyCells.count, context: .passUnretained(context))
            owned.append(Owned(owner: try Owner.readKey(&reader), value: child))
        }
        return owned
    }

    func countOwned(_ property: QueryNode, _ selection: Selection) throws(StorageError) -> Int {
        try count(selection, in: model.ownedTable(property))
    }
}
