internal import StorageDriver

extension PostgreSQLWriter {
    func write(_ batch: borrowing RowBatch) throws(StorageError) -> Int {
        let count = try carryOut(batch)
        if written != nil { written?.add(count, of: batch.plan) }
        return count
    }

    private func carryOut(_ batch: borrowing RowBatch) throws(StorageError) -> Int {
        forgetAnswers()
        if batch.plan.operation == .truncate { return try truncate(batch.plan.table) }
        if batch.count == 0 { return 0 }
        let write = try connection.prepared(batch.plan, names)
        if batch.plan.table.isForeign { try checkForeign(batch) }
        try addRanges(for: batch)
        // The number of rows of a deferred batch is not known.
        if isDeferring, written == nil, try later(batch, write) { return batch.count }
        try flush()
        // If the update of one row frees a unique value for another, the order of the rows matters.
        if write.compiled.needsOrder, batch.count > 1 { return try writeOneByOne(batch, write) }
        // If a statement has written only some of its rows, all must be undone.
        let isGuarded = write.compiled.mayKeepOut && write.compiled.countsRows && batch.count > 1
        if isGuarded { connection.add("SAVEPOINT storage_all") }
        defer { if isGuarded, connection.loss == nil { connection.add("RELEASE storage_all") } }
        let changed: Int
        do throws(StorageError) {
            changed = try run(batch, write)
        } catch {
            guard connection.loss == nil, isOfRow(error) else { throw error }
            try addRanges(for: batch, after: error)
            // Rows that succeed one after the other may fail together. Otherwise this finds the first row that fails.
            return try writeOneByOne(batch, write)
        }
        // A row is missing, a trigger has kept a row out, or a key occurs twice in the batch, of which the server takes any
        // row.
        if write.compiled.countsRows, changed < batch.count {
            if isGuarded { connection.add("ROLLBACK TO storage_all") }
            guard isGuarded || batch.count == 1 || batch.plan.operation == .update else {
                throw StorageError(.constraint, Self.isKeptOut, model: batch.plan.table.path.first)
            }
            return try writeOneByOne(batch, write)
        }
        return touched(batch, changed)
    }

    /// Defers a batch whose count is not needed. False if it must be carried out now.
    private func later(_ batch: borrowing RowBatch, _ write: PreparedWrite) throws(StorageError) -> Bool {
        switch batch.plan.operation {
        case .insert, .upsert: break
        case .update where !write.compiled.needsOrder: break
        case .delete where batch.plan.table.path.count > 1: break
        default: return false
        }
        if try copy(batch, write) { return true }
        let statement = Statement(write.compiled.sql, name: write.name, write.compiled.bind(batch, 0..<batch.count))
        let mustChangeAll =
            batch.plan.operation == .update
            || write.compiled.countsRows && write.compiled.mayKeepOut
        let isInsert = batch.plan.operation == .insert
        try later(
            Deferred(statement: statement, count: batch.count, mustChangeAll: mustChangeAll), isInsert: isInsert)
        if let statement = try keep(batch) { try later(Deferred(statement: statement), isInsert: isInsert) }
        return true
    }

    /// Writes all rows with one statement. If it fails, the transaction is unchanged.
    private func run(_ batch: borrowing RowBatch, _ write: PreparedWrite) throws(StorageError) -> Int {
        var statements = [Statement(write.compiled.sql, name: write.name, write.compiled.bind(batch, 0..<batch.count))]
        let before = greatestKeys
        let foreign = try keep(batch)
        let keys = greatestKeys.tables
        statements += [foreign].compactMap(\.self) + keys.map { greatestKeys.statement(of: $0, names) }
        do throws(StorageError) {
            let results = try askGuarded(statements)
            for (table, result) in zip(keys, results.suffix(keys.count)) { greatestKeys.reported(table, result) }
            return results.first?.changed ?? 0
        } catch {
            greatestKeys = before
            throw error
        }
    }

    /// Returns whether a row caused the error, and not the server or the statement.
    private func isOfRow(_ error: StorageError) -> Bool {
        guard let state = (error.underlying as? PostgreSQLError)?.state else { return false }
        // 21000: one statement cannot change a row twice.
        return state.hasPrefix("23") || state.hasPrefix("22") || state == "21000"
            || PostgreSQLFailure.isRaised(state)
    }

    /// Writes row after row, and finds the first that fails. The transaction is then as it was, and can be asked.
    private func writeOneByOne(_ batch: borrowing RowBatch, _ write: PreparedWrite) throws(StorageError) -> Int {
        connection.add("SAVEPOINT storage_rows")
        do throws(StorageError) {
            let changed = try writeRows(batch, write)
            connection.add("RELEASE storage_rows")
            return changed
        } catch {
            if connection.loss == nil {
                connection.add("ROLLBACK TO storage_rows")
                connection.add("RELEASE storage_rows")
            }
            throw error
        }
    }

    /// Writes row after row, in as few round trips.
    private func writeRows(_ batch: borrowing RowBatch, _ write: PreparedWrite) throws(StorageError) -> Int {
        var row = 0
        var changed = 0
        while row < batch.count {
            let end = min(row + Self.rowsTogether, batch.count)
            var statements: [Statement] = []
            for index in row..<end {
                statements.append(
                    Statement(write.compiled.sql, name: write.name, write.compiled.bind(batch, index..<index + 1)))
            }
            let outcome = try connection.outcome(statements)
            for (index, result) in outcome.results.enumerated() {
                changed += result.changed
                if write.compiled.countsRows, result.changed == 0 {
                    throw try unwritten(batch, write, row: row + index, canAsk: outcome.failure == nil)
                }
            }
            if let failure = outcome.failure { throw try refusal(failure.error, in: batch, row: row + failure.index) }
            row = end
        }
        if let statement = try keep(batch) { _ = try connection.run(statement) }
        return touched(batch, changed)
    }

    /// The error of a row that the server has not written, without an error from the server.
    private func unwritten(
        _ batch: borrowing RowBatch, _ write: PreparedWrite, row: Int, canAsk: Bool
    ) throws(StorageError) -> StorageError {
        var exists = batch.plan.operation != .update
        if !exists, canAsk, write.compiled.mayKeepOut {
            let found = try connection.run(Statement(write.compiled.found, write.compiled.bind(batch, row..<row + 1)))
            exists = found.integer() != 0
        }
        guard exists else {
            return batch.error(.notFound, "No record has this key; save or insert stores it.", row: row)
        }
        return batch.error(.constraint, Self.isKeptOut, row: row)
    }

    private static let isKeptOut =
        "A trigger or a rule of the database has kept the record from being stored, without an error; look at the triggers and rules of the table."

    /// The number of rows that a write reports as touched. The server counts the rows of an upsert differently.
    private func touched(_ batch: borrowing RowBatch, _ changed: Int) -> Int {
        switch batch.plan.operation {
        case .insert, .upsert, .update: batch.count
        case .delete, .patch, .truncate: changed
        }
    }

    private static let rowsTogether = 64

    /// The contract's error for a row that the server refuses.
    private func refusal(
        _ error: StorageError, in batch: borrowing RowBatch, row: Int
    ) throws(StorageError) -> StorageError {
        guard let cause = error.underlying as? PostgreSQLError else { return error }
        let table = batch.plan.table
        switch cause.state {
        case "23505" where table.isForeign: return try foreignDuplicate(cause, in: batch, row: row)
        case "23505":
            // Another program may have made the column unique since this one compiled its plan.
            guard let column = uniqueColumn(cause.constraint, of: table) else {
                return batch.error(
                    .duplicateKey, "A record with this key is stored already; save replaces it, update changes it.",
                    row: row
                ).caused(by: cause)
            }
            return batch.error(
                .constraint, "Another record has the same \(column.property), which is unique.", row: row
            ).property(column.property).caused(by: cause)
        case "42703", "42P01", "42P10", "42804": return ForeignCatalog.changed(table, by: cause)
        // No such value in the column's type: a length, a range, an enum's label.
        case _ where table.isForeign && cause.state.hasPrefix("22"):
            return batch.error(.invalidValue, "The database refuses the value: \(cause.message).", row: row)
                .property(cause.column).caused(by: cause)
        case "23502" where !table.isForeign:
            let property = table.columns.first { $0.sqlName == cause.column?.quotedName }?.property ?? cause.column
            return batch.error(
                .schemaMismatch,
                "Another process has added \(property ?? "a property"), which every record must have and this program does not know; "
                    + "update the program, or close the store and open it again.", row: row
            ).property(property).caused(by: cause)
        case "23503":
            return batch.error(
                .constraint, "A record that it refers to is not stored, or others refer to it.", row: row
            ).caused(by: cause)
        default: return batch.error(error.code, error.message, row: row).caused(by: cause)
        }
    }

    /// The unique column whose index has refused a row; nil for the primary key.
    private func uniqueColumn(_ index: String?, of table: TableSchema) -> ColumnSchema? {
        let named = table.columns.first { Names.index($0, of: table, isUnique: true) == index }
        guard named == nil, names.foreign.particulars(of: table.name).isPartitioned, index?.hasSuffix("_pkey") == false
        else { return named }
        // The server has named the index of the partition. A divided table has one unique column at most.
        return table.columns.first(where: \.isUnique)
    }

    /// Registers the greatest key of a batch, if its table assigns keys.
    ///
    /// - Returns: the statement that moves the sequence of a table of other software.
    func keep(_ batch: borrowing RowBatch) throws(StorageError) -> Statement? {
        let table = batch.plan.table
        guard table.assignsKeys, batch.plan.operation == .insert || batch.plan.operation == .upsert,
            let column = batch.plan.columns.firstIndex(of: table.key[0])
        else { return nil }
        var greatest: Int64 = 0
        for row in 0..<batch.count {
            let cell = batch.cells[row * batch.width + column]
            if cell.tag == .int { greatest = max(greatest, cell.int) }
        }
        guard greatest > 0 else { return nil }
        if table.isForeign { return try moveSequence(of: table, to: greatest) }
        greatestKeys.add(greatest, to: table.name)
        return nil
    }

    /// Uses DELETE, because an older snapshot sees no row after TRUNCATE.
    private func truncate(_ table: TableSchema) throws(StorageError) -> Int {
        try flush()
        greatestKeys.remove(table.name)
        var parameters = Parameters()
        parameters.add(plain: table.name)
        if table.isForeign { return try connection.run("DELETE FROM \(names.rows(of: table))").changed }
        let results = try connection.run([
            Statement("DELETE FROM \(names.rows(of: table))"),
            Statement("DELETE FROM \(names.own("storage_keys")) WHERE name = $1::text", parameters),
        ])
        return results.first?.changed ?? 0
    }
}
