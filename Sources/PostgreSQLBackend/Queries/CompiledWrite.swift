internal import StorageDriver

/// The SQL of a write for any number of rows: each column crosses as an array.
final class CompiledWrite {
    let sql: String
    /// True if rows may conflict with each other, so that they must be written one after the other.
    let needsOrder: Bool
    /// True if the server counts each row that it has written. It does not for an upsert of keys alone, which writes no row
    /// that exists.
    let countsRows: Bool
    /// True if a trigger or a rule may silently prevent a row from being written.
    let mayKeepOut: Bool
    /// Counts the rows that an update finds, with its parameters.
    let found: String
    /// Copies rows into the table; nil if rows are inserted by statements alone.
    let copying: String?
    /// The types of a patch's values, and of a row's or key's columns.
    private let values: [ColumnType]
    private let rows: [ColumnType]
    private let isForeign: Bool

    init(_ plan: WritePlan, _ names: Names) {
        let table = plan.table
        isForeign = table.isForeign
        let conversions = names.conversions[table.name]
        let columns = plan.operation == .patch ? plan.keyColumns : plan.columns
        let values = plan.operation == .patch ? plan.columns.map { table.columns[$0].type } : []
        let rows = columns.map { table.columns[$0].type }
        self.values = values
        self.rows = rows
        needsOrder =
            plan.operation == .update && plan.columns.contains { table.columns[$0].isUnique && !table.key.contains($0) }
        let arrays = rows.enumerated().map { index, type in
            "$\(values.count + index + 1)::\(type.sql.parameter)[]"
        }
        let source =
            "unnest(\(arrays.joined(separator: ", "))) AS u(\(rows.indices.map { "c\($0)" }.joined(separator: ", ")))"
        mayKeepOut = names.foreign.particulars(of: table.name).mayKeepOut
        copying = Self.copying(plan, names, mayKeepOut: mayKeepOut)
        let hasMore = plan.columns.contains { !table.key.contains($0) }
        countsRows =
            switch plan.operation {
            case .insert, .update: true
            case .upsert: hasMore
            // The key of a patched row was read before, so only the database can prevent the change.
            case .patch: mayKeepOut && plan.keyColumns.count == table.key.count
            case .delete, .truncate: false
            }
        let given = zip(columns, rows).enumerated().map { index, pair in
            let (name, value) = (table.columns[pair.0].sqlName, pair.1.stored("u.c\(index)"))
            return Pair(
                column: pair.0, name: name, value: conversions?[pair.0].writing(value) ?? value,
                match: conversions?[pair.0].equality("t." + name, value) ?? "t.\(name) = \(value)")
        }
        let keys = given.filter { plan.operation != .update || table.key.contains($0.column) }
        let match = keys.map(\.match).joined(separator: " AND ")
        let target = names.table(table)
        let stored = names.rows(of: table)
        found = "SELECT count(*) FROM \(stored) AS t, \(source) WHERE \(match)"
        switch plan.operation {
        case .insert: sql = Self.insert(given, from: source, into: target, plan)
        case .upsert:
            let key = table.key.map { table.columns[$0].sqlName }.joined(separator: ", ")
            let others = given.filter { !table.key.contains($0.column) }.map { "\($0.name) = excluded.\($0.name)" }
            let action = others.isEmpty ? "NOTHING" : "UPDATE SET " + others.joined(separator: ", ")
            sql = Self.insert(given, from: source, into: target, plan) + " ON CONFLICT (\(key)) DO \(action)"
        case .update:
            let others = given.filter { !table.key.contains($0.column) }
            // An update of a row that consists of its key must still find the row.
            let sets = (others.isEmpty ? given : others).map { "\($0.name) = \($0.value)" }.joined(separator: ", ")
            sql = "UPDATE \(stored) AS t SET \(sets) FROM \(source) WHERE \(match)"
        case .patch:
            let sets = zip(plan.columns, values).enumerated().map { index, pair in
                let value = pair.1.stored("$\(index + 1)::\(pair.1.sql.parameter)")
                return "\(table.columns[pair.0].sqlName) = \(conversions?[pair.0].writing(value) ?? value)"
            }
            sql = "UPDATE \(stored) AS t SET \(sets.joined(separator: ", ")) FROM \(source) WHERE \(match)"
        case .delete: sql = "DELETE FROM \(stored) AS t USING \(source) WHERE \(match)"
        case .truncate: sql = "DELETE FROM \(stored)"
        }
    }

    private struct Pair {
        let column: Int
        let name: String
        let value: String
        /// The condition that a row has the value.
        let match: String
    }

    private static func insert(
        _ given: [Pair], from source: String, into target: String, _ plan: WritePlan
    ) -> String {
        // Otherwise a new row would get the default with which the column was added, which is meant for older rows.
        let removed = plan.removedColumns
        let columns = (given.map(\.name) + removed.map { plan.table.columns[$0].sqlName }).joined(separator: ", ")
        let values = (given.map(\.value) + removed.map { _ in "NULL" }).joined(separator: ", ")
        // A column of other software may be GENERATED ALWAYS AS IDENTITY.
        let words = plan.table.isForeign ? " OVERRIDING SYSTEM VALUE" : ""
        return "INSERT INTO \(target) (\(columns))\(words) SELECT \(values) FROM \(source)"
    }

    /// The parameters for some rows of a batch.
    func bind(_ batch: borrowing RowBatch, _ range: Range<Int>) -> Parameters {
        var parameters = Parameters()
        if let values = batch.values {
            for (index, type) in self.values.enumerated() {
                parameters.add(values[index], as: type.form(isForeign: isForeign))
            }
        }
        let first = batch.cells + range.lowerBound * batch.width
        for (index, type) in rows.enumerated() {
            parameters.add(
                array: first + index, count: range.count, stride: batch.width, as: type.form(isForeign: isForeign),
                oid: type.sql.oid)
        }
        return parameters
    }
}

extension ColumnType {
    /// A value that has crossed, as a column stores it.
    fileprivate func stored(_ value: String) -> String { isNumeric ? "(\(value))::numeric" : value }
}
