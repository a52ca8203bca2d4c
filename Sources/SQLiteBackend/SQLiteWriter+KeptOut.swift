internal import StorageDriver

// A trigger of the database can keep a row from being written, without an error (RAISE(IGNORE)). SQLite's count of the
// changed rows shows that.
extension SQLiteWriter {
    /// Runs a statement that writes some rows of a batch.
    func run(
        _ statement: Statement, _ batch: borrowing RowBatch, rows: Range<Int>
    ) throws(StorageError) -> Int {
        if connection.reacts {
            connection.reactions.willWrite(batch.rowNumbers(rows, isKeyed: try hasRowNumbers(batch.plan.table)))
        }
        return try statement.run()
    }

    /// Runs a statement that writes all of some rows or, if one is kept out, none.
    ///
    /// - Returns: whether it has written them.
    func runWhole(
        _ statement: Statement, _ batch: borrowing RowBatch, rows: Range<Int>
    ) throws(StorageError) -> Bool {
        guard connection.reacts else {
            let changed = try statement.run()
            return changed == rows.count || batch.plan.isOnlyKey
        }
        let reactions = connection.reactions.tables
        try connection.run(.savepoint)
        do throws(StorageError) {
            if try run(statement, batch, rows: rows) == rows.count {
                try connection.run(.release)
                return true
            }
        } catch {
            if !connection.hasLostTransaction { try connection.rollBackToSavepoint() }
            throw error
        }
        connection.reactions.undo(to: reactions)
        try connection.rollBackToSavepoint()
        return false
    }

    /// True if the table's key is SQLite's row number.
    private func hasRowNumbers(_ table: TableSchema) throws(StorageError) -> Bool {
        try table.isForeign
            ? connection.foreign.table(table, connection).isKeyedByRowNumber : SchemaCompiler.hasRowID(table)
    }

    /// Returns whether a row that a statement has not put is missing. If a record has only a key and is stored, its row
    /// does not change.
    func isKeptOut(_ batch: borrowing RowBatch, _ row: Int) throws(StorageError) -> Bool {
        guard batch.plan.isOnlyKey else { return true }
        return connection.reacts ? try !isStored(batch, row) : false
    }

    /// Returns whether a row with the key of the batch's row is stored.
    func isStored(_ batch: borrowing RowBatch, _ row: Int) throws(StorageError) -> Bool {
        let plan = batch.plan
        let given = plan.operation == .patch ? plan.keyColumns : plan.columns
        let statement = try Statement(connection, compiler(plan).found)
        for (place, column) in plan.table.key.enumerated() {
            guard let cell = given.firstIndex(of: column) else { return false }
            try statement.bind(batch.cells + row * batch.width + cell, count: 1, at: place + 1)
        }
        return try statement.integer() != 0
    }

    func keptOut(_ batch: borrowing RowBatch, _ row: Int) -> StorageError {
        batch.error(
            .constraint,
            "A trigger of the database has kept the record from being stored, without an error; look at the triggers of the table.",
            row: row)
    }
}

extension WritePlan {
    /// True if it stores rows that may exist already and consist of a key alone.
    var isOnlyKey: Bool { operation == .upsert && columns.allSatisfy(table.key.contains) }
}
