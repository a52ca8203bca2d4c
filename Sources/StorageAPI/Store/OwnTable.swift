import StorageDriver

/// An internal table of the store, besides the tables of its models.
///
/// It is a root whose name begins with a NUL. No model's name does, so the table is never listed as a model. A version of
/// the library that does not know the table leaves it unchanged.
struct OwnTable: Sendable {
    let path: StoredPath
    private let name: String
    private let columns: [ColumnSchema]
    private let keyCount: Int
    private let neededFormat: Int?

    /// - Parameters:
    ///   - path: the table's name among the internal tables.
    ///   - name: its name in the engine, with a number appended if another table has that name.
    ///   - keyCount: the number of columns of the key, which come first.
    ///   - optional: the names of the columns that may be null.
    ///   - neededFormat: the version of the record of tables without which a program must not write; nil for any.
    init(
        _ path: String, name: String, keyCount: Int = 1, _ columns: KeyValuePairs<String, ColumnType>,
        optional: [String] = [], neededFormat: Int? = nil
    ) {
        self.path = [StoredName("\u{0}" + path)]
        self.name = name
        self.columns = columns.map { name, type in
            ColumnSchema(name: name, property: name, type: type, isOptional: optional.contains(name))
        }
        self.keyCount = keyCount
        self.neededFormat = neededFormat
    }

    func find(in tables: [TableSchema]) -> TableSchema? { tables.first { $0.storedPath == path } }

    /// A store's table with the columns that an earlier version of the library did not give it, which come last.
    func completed(_ table: TableSchema) -> TableSchema {
        var table = table
        table.columns += columns.dropFirst(table.columns.count)
        return table
    }

    /// Creates the table in a store that lacks it.
    ///
    /// - Parameter other: a table of another store, perhaps of an earlier version of the library, whose columns it gets.
    func create(in writer: any StorageWriter, like other: TableSchema? = nil) throws(StorageError) -> TableSchema {
        // Reserved prefixes are allowed here, because this table belongs to the store.
        var names = NameAllocator(used: try writer.tables().map(\.name))
        var table = TableSchema(
            name: names.allocate(name), path: path.texts, columns: other?.columns ?? columns, key: Array(0..<keyCount))
        table.neededFormat = neededFormat
        try writer.change(.create(table))
        return table
    }
}

extension TableSchema {
    /// True for an internal table that is about the place of the store, and not about its contents: a copy of the
    /// whole store leaves it out.
    var isOfPlace: Bool { storedPath.first?.text.hasPrefix("\u{0}place.") ?? false }
}

// MARK: Rows

/// A row of an internal table.
protocol OwnRow: Sendable {
    static var table: OwnTable { get }

    /// - Throws: `corrupt` for cells that no such row has.
    init(_ cells: UnsafePointer<Cell>) throws(StorageError)

    /// The values in the order of the columns.
    var values: [Value] { get }
}

extension OwnRow {
    /// All rows in the order of their keys.
    ///
    /// - Parameter tables: all tables of the session's store.
    /// - Throws: `typeMismatch` for a value that its column cannot hold.
    static func all(among tables: [TableSchema], in session: any StorageSession) throws(StorageError) -> [Self] {
        guard let table = table.find(in: tables) else { return [] }
        var rows: [Self] = []
        let scan = try TableScan(table, in: session)
        while try scan.next() { rows.append(try Self(scan.cells)) }
        return rows
    }

    /// Writes the row after removing the given others. Creates the table in a store that lacks it.
    ///
    /// - Parameters:
    ///   - gone: the rows to remove.
    ///   - tables: all tables of the writer's store.
    func record(
        _ operation: WriteOperation = .insert, removing gone: [Self] = [], among tables: [TableSchema],
        in writer: any StorageWriter, _ directory: ModelDirectory
    ) throws(StorageError) {
        let known = Self.table.find(in: tables)
        let table = if let known { known } else { try Self.table.create(in: writer) }
        let keys = gone.flatMap { row in table.key.map { row.values[$0] } }
        if !keys.isEmpty { try writer.write(keys, directory.ownPlan(.delete, of: table, columns: table.key)) }
        let values = values
        try writer.write(values, directory.ownPlan(operation, of: table, columns: Array(values.indices)))
    }
}

extension StorageWriter {
    /// Writes rows of values, one after the other in the list.
    func write(_ values: [Value], _ plan: WritePlan) throws(StorageError) {
        guard !values.isEmpty else { return }
        let cells = ValueCells(ValueList(width: plan.columns.count, values: values))
        _ = try write(RowBatch(plan: plan, count: cells.count, cells: cells.cells))
    }

    /// Removes all rows of a table.
    func truncate(_ table: TableSchema, _ directory: ModelDirectory) throws(StorageError) {
        let nothing = RowBuffer(width: 1)
        let plan = directory.plan(.truncate, of: table, columns: [])
        _ = try write(RowBatch(plan: plan, count: 0, cells: UnsafePointer(nothing.cells)))
    }
}
