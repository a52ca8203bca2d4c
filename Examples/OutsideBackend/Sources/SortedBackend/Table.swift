import StorageDriver

/// All tables, in the order in which they were made.
struct Tables: ValueTables {
    var list: [Table] = []

    func rows(of schema: TableSchema, keyPrefix: [Value]) throws(StorageError) -> RowStream<[Value]> {
        RowStream(try table(schema).rows(keyPrefix))
    }

    // There are no indexes beside the order of keys.
    func keys(of _: TableSchema, within _: ColumnBounds) -> [[Value]]? { nil }

    func evaluate(_ plan: QueryPlan, _ arguments: QueryArguments, isReading: Bool) throws(StorageError) -> Cursor {
        try QueryEvaluation(plan, arguments, in: self, isReading: isReading).cursor()
    }

    func table(_ schema: TableSchema) throws(StorageError) -> Table {
        guard let table = list.first(where: { $0.schema.name == schema.name }) else {
            throw StorageError(.corrupt, "There is no table \(schema.name).")
        }
        return table
    }

    mutating func put(_ table: Table) {
        guard let index = list.firstIndex(where: { $0.schema.name == table.schema.name }) else { return }
        list[index] = table
    }

    mutating func alter(_ old: TableSchema, to new: TableSchema, _ added: [Value]) throws(StorageError) {
        guard let index = list.firstIndex(where: { $0.schema.name == old.name }) else { return }
        var table = list[index]
        table.add(added, new)
        for row in table.rows {
            try table.checkUnique(row) {
                StorageError(
                    .constraint, "Records have equal values of \($0), which is to be unique.", model: new.path.first)
            }
        }
        list[index] = table
    }
}

/// One table: its rows sorted by key.
struct Table {
    var schema: TableSchema
    var rows: [[Value]] = []
    var greatestKey: Int64 = 0
    /// The values of columns in rows that were there before them, and in rows of programs that do not know them.
    private var missing: [Value]

    init(_ schema: TableSchema) {
        self.schema = schema
        missing = Array(repeating: .null, count: schema.columns.count)
    }

    /// Gives every row the values of columns that come.
    mutating func add(_ values: [Value], _ new: TableSchema) {
        schema = new
        missing += values
        for row in rows.indices { rows[row] += values }
    }

    func rows(_ prefix: [Value]) -> [[Value]] { Array(rows[range(prefix)]) }

    /// The places of the rows whose key begins with the prefix: between two binary searches.
    private func range(_ prefix: [Value]) -> Range<Int> {
        let start = firstIndex { order($0, prefix) != .before }
        return start..<max(start, firstIndex { order($0, prefix) == .after })
    }

    private func firstIndex(where condition: ([Value]) -> Bool) -> Int {
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = (low + high) / 2
            if condition(rows[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    private func order(_ row: [Value], _ prefix: [Value]) -> ValueOrder {
        for (column, value) in zip(schema.key, prefix) where row[column] != value {
            return row[column].order(to: value)
        }
        return .same
    }

    mutating func write(_ batch: borrowing RowBatch) throws(StorageError) -> Int {
        var touched = 0
        switch batch.plan.operation {
        case .insert, .upsert, .update:
            for index in 0..<batch.count { try put(batch, index) }
            touched = batch.count
        case .patch:
            for index in 0..<batch.count { touched += try patch(batch, index) }
        case .delete:
            for index in 0..<batch.count {
                let found = range(batch.row(index))
                rows.removeSubrange(found)
                touched += found.count
            }
        case .truncate:
            touched = rows.count
            (rows, greatestKey) = ([], 0)
        }
        return touched
    }

    private mutating func put(_ batch: borrowing RowBatch, _ index: Int) throws(StorageError) {
        // A removed column is null in new rows, whatever it was added with.
        var row = missing
        for column in batch.plan.removedColumns { row[column] = .null }
        let given = batch.row(index)
        for (column, value) in zip(batch.plan.columns, given) { row[column] = value }
        let place = range(schema.key(of: row))
        switch (batch.plan.operation, place.isEmpty) {
        case (.insert, false): throw batch.error(.duplicateKey, "A record with this key is stored already.", row: index)
        case (.update, true): throw batch.error(.notFound, "No record has this key.", row: index)
        default: break
        }
        if let old = place.first.map({ rows[$0] }) {
            for column in row.indices where !batch.plan.columns.contains(column) { row[column] = old[column] }
        }
        rows.replaceSubrange(place, with: [row])
        try check(row, batch, at: index)
        if schema.assignsKeys, case .int(let key) = row[schema.key[0]] { greatestKey = max(greatestKey, key) }
    }

    private mutating func patch(_ batch: borrowing RowBatch, _ index: Int) throws(StorageError) -> Int {
        let found = range(batch.row(index))
        for place in found {
            for (column, value) in zip(batch.plan.columns, batch.patch) { rows[place][column] = value }
            try check(rows[place], batch, at: index)
        }
        return found.count
    }

    // No closure may hold the batch, which is only borrowed.
    private func check(_ row: [Value], _ batch: borrowing RowBatch, at index: Int) throws(StorageError) {
        let error = batch.error(.constraint, "Another record has the same value, which is to be unique.", row: index)
        try checkUnique(row) { error.property($0) }
    }

    /// Throws where another row has the row's value in a unique column. Costs a pass over the rows.
    func checkUnique(_ row: [Value], _ error: (String) -> StorageError) throws(StorageError) {
        for column in schema.columns.indices where schema.columns[column].isUnique && !row[column].isNull {
            if rows.count(where: { $0[column] == row[column] }) > 1 { throw error(schema.columns[column].property) }
        }
    }
}
