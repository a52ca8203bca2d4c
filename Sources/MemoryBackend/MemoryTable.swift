import StorageDriver

/// The rows of one table, sorted by key, and its indexes.
struct MemoryTable {
    let schema: TableSchema
    /// The greatest key ever stored, if the table assigns keys.
    private(set) var greatestKey: Int64 = 0
    private var rows: SortedRows
    private var indexes: [Index]

    /// The values of some columns, each with the key of its row, sorted by these values and then by key.
    private struct Index {
        let columns: [Int]
        let isUnique: Bool
        var entries: SortedRows

        func entry(of row: [Value], key: [Value]) -> [Value] { columns.map { row[$0] } + key }

        /// The key in an entry.
        func key(of entry: [Value]) -> [Value] { Array(entry.dropFirst(columns.count)) }
    }

    init(_ schema: TableSchema) {
        func sorted(by columns: [Int]) -> [(index: Int, type: ColumnType)] {
            columns.map { ($0, schema.columns[$0].type) }
        }
        self.schema = schema
        rows = SortedRows(by: sorted(by: schema.key))
        indexes = schema.indexes.map { columns in
            let entry = sorted(by: columns + schema.key).enumerated().map { (index: $0, type: $1.type) }
            let isUnique = columns.count == 1 && schema.columns[columns[0]].isUnique
            return Index(columns: columns, isUnique: isUnique, entries: SortedRows(by: entry))
        }
    }

    // MARK: Reading

    /// The number of rows.
    var count: Int { rows.count }

    /// The rows whose key begins with the given values, in key order.
    func rows(keyPrefix: [Value]) -> SortedRows.Rows { rows.rows(prefix: keyPrefix) }

    /// The keys of the rows whose value of an indexed column is within the bounds; nil if the column has no index, or a
    /// scan costs less.
    func keys(within bounds: ColumnBounds) -> [[Value]]? {
        guard let index = indexes.first(where: { $0.columns.starts(with: bounds.columns) }) else { return nil }
        let ranges = index.entries.rows(within: bounds)
        let found = ranges.reduce(0) { $0 + $1.count }
        if !bounds.isSingle, found > ColumnBounds.mostRows(of: rows.count) { return nil }
        return ranges.flatMap { $0.map(index.key) }
    }

    /// The rows in the order of a column, or from its greatest value down; nil if neither the key nor an index has the order.
    func rows(orderedBy column: Int, within bounds: ColumnBounds?, descending: Bool) -> RowStream<[Value]>? {
        if column == schema.key[0] { return RowStream(rows.rows(within: bounds, descending: descending)) }
        guard let index = indexes.first(where: { $0.columns == [column] }) else { return nil }
        let entries = index.entries.rows(within: bounds, descending: descending)
        return RowStream(entries.lazy.compactMap { stored(index.key(of: $0)) })
    }

    private func stored(_ key: [Value]) -> [Value]? { rows(keyPrefix: key).first { _ in true } }

    // MARK: Writing

    mutating func write(_ batch: borrowing RowBatch) throws(StorageError) -> Int {
        var touched = 0
        switch batch.plan.operation {
        case .insert, .upsert, .update:
            for index in 0..<batch.count { try put(batch, index) }
            touched = batch.count
        case .delete:
            for index in 0..<batch.count { touched += remove(keyPrefix: batch.row(index)) }
        case .patch:
            for index in 0..<batch.count { touched += try patch(batch, index) }
        case .truncate:
            touched = rows.count
            self = MemoryTable(schema)
        }
        return touched
    }

    private mutating func put(_ batch: borrowing RowBatch, _ index: Int) throws(StorageError) {
        let given = batch.row(index)
        var row = Array(repeating: Value.null, count: schema.columns.count)
        for (column, value) in zip(batch.plan.columns, given) { row[column] = value }
        let old = stored(schema.key(of: row))
        if batch.plan.operation == .insert, old != nil {
            throw batch.error(
                .duplicateKey, "A record with this key is stored already; save replaces it, update changes it.",
                row: index)
        }
        if batch.plan.operation == .update, old == nil {
            throw batch.error(.notFound, "No record has this key; save or insert stores it.", row: index)
        }
        if let old {
            for column in schema.columns.indices where !batch.plan.columns.contains(column) {
                row[column] = old[column]
            }
        }
        try checkUnique(row, batch, index: index)
        store(row, replacing: old)
    }

    private mutating func patch(_ batch: borrowing RowBatch, _ index: Int) throws(StorageError) -> Int {
        let matches = Array(rows(keyPrefix: batch.row(index)))
        for old in matches {
            var row = old
            for (column, value) in zip(batch.plan.columns, batch.patch) { row[column] = value }
            try checkUnique(row, batch, index: index)
            store(row, replacing: old)
        }
        return matches.count
    }

    private func checkUnique(_ row: [Value], _ batch: borrowing RowBatch, index: Int) throws(StorageError) {
        guard let property = takenProperty(row) else { return }
        throw batch.error(.constraint, "Another record has the same \(property), which is unique.", row: index)
            .property(property)
    }

    /// The unique property of which another row has this row's value, if one exists.
    private func takenProperty(_ row: [Value]) -> String? {
        let key = schema.key(of: row)
        for index in indexes where index.isUnique && !row[index.columns[0]].isNull {
            let holders = index.entries.rows(prefix: [row[index.columns[0]]])
            if holders.contains(where: { index.key(of: $0) != key }) {
                return schema.columns[index.columns[0]].property
            }
        }
        return nil
    }

    private mutating func store(_ row: [Value], replacing old: [Value]? = nil) {
        let key = schema.key(of: row)
        if schema.assignsKeys, case .int(let number) = key[0] { greatestKey = max(greatestKey, number) }
        if let old { forget(old) }
        for index in indexes.indices { indexes[index].entries.put(indexes[index].entry(of: row, key: key)) }
        rows.put(row)
    }

    private mutating func remove(keyPrefix: [Value]) -> Int {
        var removed = 0
        while let row = rows.removeFirst(prefix: keyPrefix) {
            forget(row)
            removed += 1
        }
        return removed
    }

    /// Takes a row's entries out of the indexes.
    private mutating func forget(_ row: [Value]) {
        let key = schema.key(of: row)
        for index in indexes.indices {
            _ = indexes[index].entries.removeFirst(prefix: indexes[index].entry(of: row, key: key))
        }
    }

    // MARK: Schema

    /// The table with another schema. Columns that are added at the end have the given values.
    func altered(to new: TableSchema, added: [Value]) throws(StorageError) -> MemoryTable {
        var table = MemoryTable(new)
        table.greatestKey = greatestKey
        for old in rows(keyPrefix: []) {
            let row = old + added
            if let property = table.takenProperty(row) {
                throw StorageError(
                    .constraint, "Records have equal values of \(property), which must be unique.",
                    model: new.path.first, property: property)
            }
            table.store(row)
        }
        return table
    }
}
