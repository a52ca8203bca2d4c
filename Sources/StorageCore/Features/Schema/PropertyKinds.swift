import StorageDriver

/// Clauses S8 and S9: a name belongs to one kind of property, a value or owned records, one or several, and to the data
/// of one. Finds contradictions to a declaration.
struct PropertyKinds {
    /// The table whose rows have the properties.
    let table: DeclaredTables.Table
    /// The recorded table; nil if it is not recorded.
    let owner: TableSchema?

    /// Owned records cannot have a name that is recorded for a value.
    func requireNoColumn(for property: DeclaredProperty) throws(StorageError) {
        guard let column = column(property.storedName) else { return }
        throw mismatch(
            property,
            "\(property.storedName) is stored as \(column.type) and declared as owned records. "
                + Self.advice(property))
    }

    /// Nor can a rename make them of one.
    func requireNoColumn(_ former: StoredName, renamedTo property: DeclaredProperty) throws(StorageError) {
        guard let column = column(former), !column.isRemoved else { return }
        throw mismatch(
            property,
            "\(property.storedName) is declared as owned records renamed from \(former), which is stored as "
                + "\(column.type). A rename keeps the kind: leave out renamedFrom, and move the values by your program")
    }

    /// A value cannot have a name that is recorded for owned records.
    func isOwned(_ stored: TableSchema, _ property: DeclaredProperty) -> StorageError {
        mismatch(
            property,
            "\(property.storedName) is stored as \(words(stored)) and declared as a value. "
                + Self.advice(property))
    }

    func isOwned(_ stored: TableSchema, renamedTo property: DeclaredProperty) -> StorageError {
        mismatch(
            property,
            "\(property.storedName) is declared as a value renamed from \(stored.path.last ?? ""), which is stored as "
                + "\(words(stored)). A rename keeps the kind: leave out renamedFrom, and move the values by your program"
        )
    }

    func bothHoldData(_ property: DeclaredProperty, former: StoredName) -> StorageError {
        mismatch(
            property,
            "\(property.storedName) is declared as renamed from \(former), and both hold data. Leave out renamedFrom to "
                + "keep what \(property.storedName) has, or empty one of them by a program that declares both")
    }

    static func advice(_ property: DeclaredProperty) -> String {
        "A name keeps its kind: give the property another stored name, as in @Field(\"\(property.storedName)2\"), and "
            + "move the values by your program"
    }

    private func words(_ stored: TableSchema) -> String {
        let model = stored.model ?? "records"
        guard let owner, stored.holdsMany(below: owner) else { return "one owned \(model)" }
        return "several owned \(model)"
    }

    private func column(_ name: StoredName) -> ColumnSchema? {
        guard let owner, !owner.isForeign else { return nil }
        return owner.columns.first { $0.role == .property && $0.storedProperty == name }
    }

    func mismatch(_ property: DeclaredProperty, _ problem: String) -> StorageError {
        StorageError(
            .schemaMismatch, "\(problem). Nothing was changed.", operation: "open", model: table.path.texts.first,
            property: property.name)
    }
}

/// The recorded tables that one table owns, or owned when they were last declared.
struct RecordedOwned {
    /// The tables by their recorded names.
    var byName: [StoredName: TableSchema]
    /// The tables by the stored names of the declared properties to which they belong.
    var declared: [StoredName: TableSchema]

    func declared(_ property: DeclaredProperty) -> TableSchema? { declared[property.storedName] }
}

/// The facts about stored rows that planning needs, only where two properties share a name.
struct StoredData {
    let session: any StorageSession

    /// Returns whether a table has rows.
    func isIn(_ table: TableSchema) throws(StorageError) -> Bool { try exists(Query(.exists), table) }

    /// Returns whether a column has a value in some row.
    func isIn(_ column: Int, of table: TableSchema) throws(StorageError) -> Bool {
        try exists(Query(.exists, filter: .not(.isNull(.column(column)))), table)
    }

    private func exists(_ query: Query, _ table: TableSchema) throws(StorageError) -> Bool {
        let plan = QueryPlan(id: nil, query: query, table: table, tables: [table])
        var cursor = try session.rows(plan, QueryArguments())
        return try cursor.next() && cursor.cells[0].int != 0
    }
}
