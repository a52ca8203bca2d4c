internal import CSQLite
internal import StorageDriver

/// The writing session of one transaction.
final class SQLiteWriter: SQLiteSession, StorageWriter, QueryDeletingWriter, ReactingWriter {
    func savepoint(_ body: () throws(StorageError) -> Void) throws(StorageError) {
        let reactions = connection.reactions.tables
        try connection.run(.savepoint)
        do {
            try body()
            try connection.run(.release)
        } catch {
            connection.reactions.undo(to: reactions)
            // If SQLite has ended the whole transaction, the savepoint is gone, and the commit reports it.
            if !connection.hasLostTransaction {
                try connection.rollBackToSavepoint()
            }
            throw error
        }
    }

    func mayHaveReacted(in table: TableSchema) -> Bool { connection.reactions.altered.contains(table.name) }

    func watchReactions() { connection.reactions.forget() }

    func reactions() -> Set<String> { connection.reactions.tables }

    func change(_ change: TableChange) throws(StorageError) {
        connection.forgetPlans()
        try check(change)
        let statements = SchemaCompiler.sql(for: change)
        for sql in statements { try connection.execute(sql) }
        try Catalog.record(change, connection)
        // Other connections notice changes of SQLite's schema, so the version of that schema also counts a change of
        // the record alone.
        if statements.isEmpty {
            try connection.execute("PRAGMA schema_version = \(try connection.schemaVersion() &+ 1)")
        }
    }

    private func check(_ change: TableChange) throws(StorageError) {
        switch change {
        case .create(let table) where !table.isForeign:
            try Catalog.checkFree(table.name, connection, model: table.path.first)
        case .create(let table), .alter(let table, _, _), .drop(let table):
            guard table.isForeign else { return }
            throw StorageError(
                .schemaMismatch, "Other software created the table \(table.name), so it is not changed.",
                model: table.path.first)
        }
    }

    func write(_ batch: borrowing RowBatch) throws(StorageError) -> Int {
        switch batch.plan.operation {
        case .insert, .upsert: try put(batch)
        case .update: try update(batch)
        case .delete: try delete(batch)
        case .patch: try patch(batch)
        case .truncate: try truncate(batch.plan.table)
        }
    }

    func compiler(_ plan: WritePlan) throws(StorageError) -> WriteCompiler {
        let conversions = try conversions([plan.table])
        let foreign = plan.table.isForeign ? try connection.foreign.table(plan.table, connection) : nil
        return WriteCompiler(plan, conversions, aborts: foreign?.hasConflictClause ?? false)
    }

    // MARK: Rows

    /// The number of rows in one statement: enough to save most of a statement's cost, and few enough variables for any
    /// build of SQLite.
    private static func rowsPerStatement(_ width: Int) -> Int { max(1, min(32, 900 / max(width, 1))) }

    private func put(_ batch: borrowing RowBatch) throws(StorageError) -> Int {
        let prepared = connection.prepared(batch.plan.id, for: batch.plan)
        let perStatement = Self.rowsPerStatement(batch.width)
        var row = 0
        while perStatement > 1, batch.count - row >= perStatement {
            let many = try prepared.many { () throws(StorageError) in
                try Statement(connection, compiler(batch.plan).put(rows: perStatement))
            }
            let rows = row..<row + perStatement
            let isWhole: Bool
            do {
                try many.bind(batch.cells + row * batch.width, count: perStatement * batch.width)
                isWhole = try runWhole(many, batch, rows: rows)
            } catch {
                // If the failure has ended the transaction, it does not concern a row.
                try connection.checkTransaction()
                try putOneByOne(batch, rows, prepared: prepared)
                throw error
            }
            if !isWhole { try putOneByOne(batch, rows, prepared: prepared) }
            row += perStatement
        }
        try putOneByOne(batch, row..<batch.count, prepared: prepared)
        return batch.count
    }

    /// Also used after a statement for several rows has failed and undone its rows, to find the row that fails.
    private func putOneByOne(
        _ batch: borrowing RowBatch, _ rows: Range<Int>, prepared: PreparedPlan
    ) throws(StorageError) {
        guard !rows.isEmpty else { return }
        let one = try prepared.one { () throws(StorageError) in
            try Statement(connection, compiler(batch.plan).put(rows: 1))
        }
        for row in rows {
            let changed: Int
            do {
                try one.bind(batch.cells + row * batch.width, count: batch.width)
                changed = try run(one, batch, rows: row..<row + 1)
            } catch {
                throw refusal(error, of: batch, row: row)
            }
            if changed == 0, try isKeptOut(batch, row) { throw keptOut(batch, row) }
        }
    }

    private func update(_ batch: borrowing RowBatch) throws(StorageError) -> Int {
        let prepared = connection.prepared(batch.plan.id, for: batch.plan)
        let one = try prepared.one { () throws(StorageError) in
            try Statement(connection, compiler(batch.plan).update)
        }
        for row in 0..<batch.count {
            let changed: Int
            do {
                try one.bind(batch.cells + row * batch.width, count: batch.width)
                changed = try run(one, batch, rows: row..<row + 1)
            } catch {
                throw refusal(error, of: batch, row: row)
            }
            guard changed > 0 else {
                if connection.reacts, try isStored(batch, row) { throw keptOut(batch, row) }
                throw batch.error(.notFound, "No record has this key; save or insert stores it.", row: row)
            }
        }
        return batch.count
    }

    // MARK: Keys

    private func delete(_ batch: borrowing RowBatch) throws(StorageError) -> Int {
        // One by one: one statement for all of them, with their list as a table, takes 1.5 times as long.
        let one = try connection.prepared(batch.plan.id, for: batch.plan).one { () throws(StorageError) in
            try Statement(connection, compiler(batch.plan).delete)
        }
        var deleted = 0
        for row in 0..<batch.count {
            try one.bind(batch.cells + row * batch.width, count: batch.width)
            deleted += try one.run()
        }
        return deleted
    }

    func delete(
        _ plan: WritePlan, keysOf keys: QueryPlan, _ arguments: QueryArguments
    ) throws(StorageError) -> Int {
        let statement: Statement
        if let id = keys.id {
            statement = try connection.prepared(id, for: keys).delete(plan.table.name) { () throws(StorageError) in
                try delete(plan, keysOf: keys, arguments)
            }
        } else {
            statement = try delete(plan, keysOf: keys, arguments)
        }
        try bind(arguments, of: keys, to: statement)
        return try statement.run()
    }

    private func delete(
        _ plan: WritePlan, keysOf keys: QueryPlan, _ arguments: QueryArguments
    ) throws(StorageError) -> Statement {
        guard case .columns(let columns) = keys.query.result else {
            throw StorageError(.unsupported, "Only a query for columns gives keys.")
        }
        var compiler = QueryCompiler(keys, arguments, conversions: TableConversions())
        let sql = try self.compiler(plan).delete(keys: compiler.columns(columns))
        return try Statement(connection, sql, prefixEnds: compiler.prefixEnds)
    }

    private func patch(_ batch: borrowing RowBatch) throws(StorageError) -> Int {
        guard let values = batch.values else { return 0 }
        let prepared = connection.prepared(batch.plan.id, for: batch.plan)
        let many = try prepared.many { () throws(StorageError) in
            try Statement(connection, compiler(batch.plan).patch)
        }
        // A key of the whole table has one row, which is stored, as its key was read in this transaction.
        let isWhole = batch.plan.keyColumns.count == batch.plan.table.key.count
        do {
            let changed = try patch(many, values: values, batch: batch, keys: 0..<batch.count)
            if !connection.reacts || !isWhole || changed >= batch.count { return changed }
        } catch {
            try connection.checkTransaction()
            // The statement has undone its rows. Run them one by one to find the row that fails.
            _ = try patchOneByOne(many, values: values, batch: batch)
            throw error
        }
        return try patchOneByOne(many, values: values, batch: batch)
    }

    private func patchOneByOne(
        _ statement: Statement, values: UnsafePointer<Cell>, batch: borrowing RowBatch
    ) throws(StorageError) -> Int {
        var changed = 0
        for row in 0..<batch.count {
            do {
                changed += try patch(statement, values: values, batch: batch, keys: row..<row + 1)
            } catch {
                throw refusal(error, of: batch, row: row)
            }
            if changed <= row, connection.reacts, try isStored(batch, row) { throw keptOut(batch, row) }
        }
        return changed
    }

    private func patch(
        _ statement: Statement, values: UnsafePointer<Cell>, batch: borrowing RowBatch, keys: Range<Int>
    ) throws(StorageError) -> Int {
        try statement.bind(values, count: batch.plan.columns.count)
        try statement.bind(
            batch.cells + keys.lowerBound * batch.width, rows: keys.count, width: batch.width,
            at: batch.plan.columns.count + 1)
        return try run(statement, batch, rows: keys)
    }

    private func truncate(_ table: TableSchema) throws(StorageError) -> Int {
        let count = try Statement(connection, "DELETE FROM " + table.name.quotedName).run()
        let isNumbered =
            try table.isForeign ? connection.foreign.table(table, connection).isAutoincrement : table.assignsKeys
        if isNumbered {
            try connection.execute("DELETE FROM sqlite_sequence WHERE name = " + table.name.quotedText)
        }
        return count
    }
}
