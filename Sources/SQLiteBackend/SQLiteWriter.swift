internal import CSQLite
internal import StorageAPI

/// The writing session of one transaction.
final class SQLiteWriter: SQLiteSession, StorageWriter {
    func greatestKey(in table: TableSchema) throws(StorageError) -> Int64 {
        let statement = try Statement(connection, "SELECT seq FROM sqlite_sequence WHERE name = ?1")
        try statement.bind(.text(table.name), at: 1)
        var cursor = statement.cursor()
        return try cursor.next() ? cursor.cells[0].int : 0
    }

    func savepoint(_ body: () throws(StorageError) -> Void) throws(StorageError) {
        try connection.checkTransaction()
        try connection.run(.savepoint)
        do {
            try body()
            try connection.checkTransaction()
        } catch {
            // Where SQLite has ended the whole transaction there is no savepoint left, and the commit will say so.
            if connection.isInTransaction {
                try connection.run(.rollBackTo)
                try connection.run(.release)
            }
            throw error
        }
        try connection.run(.release)
    }

    func change(_ change: TableChange) throws(StorageError) {
        connection.forgetPlans()
        if case .create(let table) = change { try checkFree(table) }
        for sql in SchemaCompiler.sql(for: change) { try connection.execute(sql) }
        try Catalog.record(change, connection)
    }

    /// Another program may have made something of the table's name.
    private func checkFree(_ table: TableSchema) throws(StorageError) {
        let statement = try Statement(connection, "SELECT type FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE")
        try statement.bind(.text(table.name), at: 1)
        guard let type = try statement.text() else { return }
        throw StorageError(
            .schemaMismatch,
            "The database has a \(type) \(table.name) that no store has made; rename it, or the model. Nothing was changed.",
            model: table.path.first)
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

    // MARK: Rows

    /// How many rows one statement takes: enough to save most of a statement's cost, few enough variables for any build.
    private static func rowsPerStatement(_ width: Int) -> Int { max(1, min(32, 900 / max(width, 1))) }

    private func put(_ batch: borrowing RowBatch) throws(StorageError) -> Int {
        let prepared = connection.prepared(batch.plan.id)
        let perStatement = Self.rowsPerStatement(batch.width)
        var row = 0
        while perStatement > 1, batch.count - row >= perStatement {
            let many = try prepared.many { () throws(StorageError) in
                try Statement(connection, WriteCompiler.put(batch.plan, rows: perStatement))
            }
            do {
                try many.bind(batch.cells + row * batch.width, count: perStatement * batch.width)
                try many.run()
            } catch {
                try putOneByOne(batch, row..<row + perStatement, prepared)
                throw error
            }
            row += perStatement
        }
        try putOneByOne(batch, row..<batch.count, prepared)
        return batch.count
    }

    /// Also after a statement for several rows has failed, which has undone its rows: to meet the failing one alone.
    private func putOneByOne(
        _ batch: borrowing RowBatch, _ rows: Range<Int>, _ prepared: PreparedPlan
    ) throws(StorageError) {
        guard !rows.isEmpty else { return }
        let one = try prepared.one { () throws(StorageError) in
            try Statement(connection, WriteCompiler.put(batch.plan, rows: 1))
        }
        for row in rows {
            do {
                try one.bind(batch.cells + row * batch.width, count: batch.width)
                try one.run()
            } catch {
                throw refusal(error, batch, row)
            }
        }
    }

    private func update(_ batch: borrowing RowBatch) throws(StorageError) -> Int {
        let prepared = connection.prepared(batch.plan.id)
        let one = try prepared.one { () throws(StorageError) in
            try Statement(connection, WriteCompiler.update(batch.plan))
        }
        for row in 0..<batch.count {
            let changed: Int
            do {
                try one.bind(batch.cells + row * batch.width, count: batch.width)
                changed = try one.run()
            } catch {
                throw refusal(error, batch, row)
            }
            guard changed > 0 else {
                throw batch.error(.notFound, "No record has this key; save or insert stores it.", row: row)
            }
        }
        return batch.count
    }

    /// A constraint's failure as the contract names it, with the row's key.
    private func refusal(_ error: StorageError, _ batch: borrowing RowBatch, _ row: Int)
        -> StorageError
    {
        guard let cause = error.underlying as? SQLiteError else { return error }
        switch cause.code {
        case ConstraintCode.primaryKey, ConstraintCode.rowID:
            return batch.error(
                .duplicateKey,
                "A record with this key is stored already; save replaces it, update changes it.", row: row
            ).caused(by: cause)
        case ConstraintCode.uniqueIndex:
            let property = Self.property(in: cause.message, of: batch.plan.table)
            return batch.error(
                .constraint, "Another record has the same \(property ?? "value"), which is unique.",
                row: row
            ).property(property).caused(by: cause)
        default:
            let described = batch.error(error.code, error.message, row: row)
            return described.caused(by: cause)
        }
    }

    /// `UNIQUE constraint failed: Person.email`
    private static func property(in message: String, of table: TableSchema) -> String? {
        let column = table.columns.first { message == "UNIQUE constraint failed: \(table.name).\($0.name)" }
        return column?.property
    }

    // MARK: Keys

    private func delete(_ batch: borrowing RowBatch) throws(StorageError) -> Int {
        // One by one: a statement for all of them, with their list as a table, takes half as long again.
        let one = try connection.prepared(batch.plan.id).one { () throws(StorageError) in
            try Statement(connection, WriteCompiler.delete(batch.plan))
        }
        var deleted = 0
        for row in 0..<batch.count {
            try one.bind(batch.cells + row * batch.width, count: batch.width)
            deleted += try one.run()
        }
        return deleted
    }

    private func patch(_ batch: borrowing RowBatch) throws(StorageError) -> Int {
        guard let values = batch.values else { return 0 }
        let prepared = connection.prepared(batch.plan.id)
        let many = try prepared.many { () throws(StorageError) in
            try Statement(connection, WriteCompiler.patch(batch.plan))
        }
        do {
            return try patch(many, values, batch, 0..<batch.count)
        } catch {
            // The statement has undone its rows; one by one, to meet the failing one alone.
            for row in 0..<batch.count {
                do {
                    _ = try patch(many, values, batch, row..<row + 1)
                } catch {
                    throw refusal(error, batch, row)
                }
            }
            throw error
        }
    }

    private func patch(
        _ statement: Statement, _ values: UnsafePointer<Cell>, _ batch: borrowing RowBatch, _ keys: Range<Int>
    ) throws(StorageError) -> Int {
        try statement.bind(values, count: batch.plan.columns.count)
        try statement.bind(
            batch.cells + keys.lowerBound * batch.width, rows: keys.count, width: batch.width,
            at: batch.plan.columns.count + 1)
        return try statement.run()
    }

    private func truncate(_ table: TableSchema) throws(StorageError) -> Int {
        let count = try Statement(connection, "DELETE FROM " + table.name.quotedName).run()
        if table.assignsKeys {
            try connection.execute("DELETE FROM sqlite_sequence WHERE name = " + table.name.quotedText)
        }
        return count
    }
}

// The extended codes, which C defines by macros that Swift does not import.
private enum ConstraintCode {
    static let primaryKey = SQLITE_CONSTRAINT | (6 << 8)
    static let uniqueIndex = SQLITE_CONSTRAINT | (8 << 8)
    static let rowID = SQLITE_CONSTRAINT | (10 << 8)
}
