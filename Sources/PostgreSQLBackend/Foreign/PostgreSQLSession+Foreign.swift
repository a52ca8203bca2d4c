internal import StorageDriver

extension PostgreSQLSession {
    /// The greatest stored key, or the last key of its sequence if that is greater. A writer takes the sequence's next number,
    /// so that other programs take later ones.
    final func greatestForeignKey(in table: TableSchema) throws(StorageError) -> Int64 {
        guard table.key.count == 1 else { return 0 }
        let column = table.columns[table.key[0]]
        var parts = ["(SELECT max(\(column.sqlName))::bigint FROM \(names.rows(of: table)))", "0"]
        if let sequence = try names.foreign.table(table).columns.first(where: { $0.name == column.name })?.sequence {
            let last = isReading ? "pg_sequence_last_value(\(sequence))" : "nextval(\(sequence)::oid::regclass) - 1"
            parts.append(last)
        }
        let statement = Statement("SELECT greatest(\(parts.joined(separator: ", ")))")
        return try surviving { () throws(StorageError) in try ask([statement]).first?.integer() ?? 0 }
    }
}

extension QueryArguments {
    /// Returns whether a text contains U+0000.
    fileprivate func isZero(_ value: Value) -> Bool {
        if case .text(let text) = value { text.utf8.contains(0) } else { false }
    }

    var hasZero: Bool { values.contains(where: isZero) || lists.contains { $0.values.contains(where: isZero) } }
}

extension PostgreSQLWriter {
    /// Moves the sequence of a foreign table past the stored keys.
    func moveSequence(of table: TableSchema, to greatest: Int64) throws(StorageError) -> Statement? {
        let name = table.columns[table.key[0]].name
        guard let sequence = try names.foreign.table(table).columns.first(where: { $0.name == name })?.sequence else {
            return nil
        }
        return Statement(
            """
            SELECT setval(\(sequence)::oid::regclass, \(greatest))
            WHERE coalesce(pg_sequence_last_value(\(sequence)), 0) < \(greatest)
            """)
    }

    /// Refuses to change a table of other software.
    func checkForeign(_ change: TableChange) throws(StorageError) {
        switch change {
        case .create(let table), .alter(let table, _, _), .drop(let table):
            guard table.isForeign else { return }
            throw StorageError(
                .schemaMismatch, "Other software created the table \(table.name), so it is not changed.",
                model: table.path.first)
        }
    }

    /// The error of a row whose values equal those of another row.
    func foreignDuplicate(
        _ cause: PostgreSQLError, in batch: borrowing RowBatch, row: Int
    ) throws(StorageError) -> StorageError {
        let table = batch.plan.table
        let index = try names.foreign.table(table).indexes.first {
            $0.name == cause.constraint || cause.constraint.map($0.parts.contains) ?? false
        }
        let names = index?.columns ?? []
        let columns = names.compactMap { name in table.columns.firstIndex { $0.name == name } }
        if columns.sorted() == table.key.sorted() {
            return batch.error(
                .duplicateKey, "A record with this key is stored already; save replaces it, update changes it.",
                row: row
            ).caused(by: cause)
        }
        let property = columns.count == 1 ? table.columns[columns[0]].property : nil
        return batch.error(
            .constraint, "Another record has the same \(property ?? "value"), which is unique.", row: row
        ).property(property).caused(by: cause)
    }

    /// Refuses a value that a column of other software would change.
    func checkForeign(_ batch: borrowing RowBatch) throws(StorageError) {
        guard let conversions = try names.with([batch.plan.table]).conversions[batch.plan.table.name] else { return }
        let isPatch = batch.plan.operation == .patch
        if isPatch, let values = batch.values {
            for (index, column) in batch.plan.columns.enumerated() {
                try Self.check(values[index], conversions[column], in: batch, column: column, row: nil)
            }
        }
        // A key that the column cannot hold is not found in it, so keys of patches and deletes are not checked.
        guard batch.plan.operation == .insert || batch.plan.operation == .upsert || batch.plan.operation == .update
        else {
            return
        }
        for row in 0..<batch.count {
            for (index, column) in batch.plan.columns.enumerated() {
                try Self.check(
                    batch.cells[row * batch.width + index], conversions[column], in: batch, column: column, row: row)
            }
        }
    }

    private static func check(
        _ cell: Cell, _ conversion: ForeignConversion, in batch: borrowing RowBatch, column: Int, row: Int?
    ) throws(StorageError) {
        guard let reason = conversion.refusal(cell.value) else { return }
        let property = batch.plan.table.columns[column].property
        let message = "The database cannot keep the value of \(property): \(reason)."
        guard let row else {
            throw StorageError(.invalidValue, message, model: batch.plan.table.path.first, property: property)
        }
        throw batch.error(.invalidValue, message, row: row).property(property)
    }
}
