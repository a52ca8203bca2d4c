internal import StorageAPI

/// Turns write plans into SQL.
enum WriteCompiler {
    /// An insert or upsert of several rows.
    static func put(_ plan: WritePlan, rows: Int) -> String {
        let names = plan.columns.map { plan.table.columns[$0].sql }.joined(separator: ", ")
        let row = "(" + Array(repeating: "?", count: plan.columns.count).joined(separator: ",") + ")"
        let insert =
            "INSERT INTO \(plan.table.name.quotedName) (\(names)) VALUES "
            + Array(repeating: row, count: rows).joined(separator: ",")
        return plan.operation == .upsert ? insert + onConflict(plan) : insert
    }

    private static func onConflict(_ plan: WritePlan) -> String {
        let key = plan.table.key.map { plan.table.columns[$0].sql }.joined(separator: ", ")
        let changes = others(plan).map { "\($0.sql) = excluded.\($0.sql)" }
        return " ON CONFLICT (\(key)) DO "
            + (changes.isEmpty ? "NOTHING" : "UPDATE SET " + changes.joined(separator: ", "))
    }

    /// An update of one row, whose parameters are in the order of the plan's columns.
    static func update(_ plan: WritePlan) -> String {
        let numbered = plan.columns.enumerated().map { (column: $1, parameter: "?\($0 + 1)") }
        let isKey = { (column: Int) in plan.table.key.contains(column) }
        let assign = { (item: (column: Int, parameter: String)) in
            "\(plan.table.columns[item.column].sql) = \(item.parameter)"
        }
        let changes = numbered.filter { !isKey($0.column) }
        // A model that is all key has nothing to set, but its row must be there.
        let sets = (changes.isEmpty ? numbered : changes).map(assign).joined(separator: ", ")
        let key = numbered.filter { isKey($0.column) }.map(assign).joined(separator: " AND ")
        return "UPDATE \(plan.table.name.quotedName) SET \(sets) WHERE \(key)"
    }

    static func delete(_ plan: WritePlan) -> String {
        let key = plan.columns.enumerated().map { "\(plan.table.columns[$1].sql) = ?\($0 + 1)" }
        return "DELETE FROM \(plan.table.name.quotedName) WHERE " + key.joined(separator: " AND ")
    }

    static func patch(_ plan: WritePlan) -> String {
        let sets = plan.columns.enumerated().map { "\(plan.table.columns[$1].sql) = ?\($0 + 1)" }
        return "UPDATE \(plan.table.name.quotedName) SET \(sets.joined(separator: ", ")) WHERE "
            + isListed(plan.keyColumns, in: plan.table, list: plan.columns.count + 1)
    }

    private static func isListed(_ columns: [Int], in table: TableSchema, list parameter: Int) -> String {
        let names = columns.map { table.columns[$0].sql }
        let listed = columns.indices.map { "c\($0)" }.joined(separator: ", ")
        let key = names.count == 1 ? names[0] : "(\(names.joined(separator: ", ")))"
        return "\(key) IN (SELECT \(listed) FROM storage_list(?\(parameter)))"
    }

    private static func others(_ plan: WritePlan) -> [ColumnSchema] {
        plan.columns.filter { !plan.table.key.contains($0) }.map { plan.table.columns[$0] }
    }
}
