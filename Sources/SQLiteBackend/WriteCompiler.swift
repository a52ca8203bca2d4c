internal import StorageDriver

/// Turns write plans into SQL.
struct WriteCompiler {
    let plan: WritePlan
    /// The representations of the plan's table, if other software created it.
    let conversions: TableConversions
    /// The words that make a refused row an error, whatever the table declares: `ON CONFLICT IGNORE` would keep it out, and
    /// `ON CONFLICT REPLACE` would delete other rows.
    private let resolution: String

    init(_ plan: WritePlan, _ conversions: TableConversions, aborts: Bool) {
        self.plan = plan
        self.conversions = conversions
        resolution = aborts ? " OR ABORT" : ""
    }

    /// An insert or upsert of several rows.
    func put(rows: Int) -> String {
        // Otherwise a new row would get the default with which the column was added, which is meant for older rows.
        let removed = plan.removedColumns
        let names = (plan.columns + removed).map { plan.table.columns[$0].sql }.joined(separator: ", ")
        let values = plan.columns.map { conversions.writing("?", $0, of: plan.table) } + removed.map { _ in "NULL" }
        let row = "(" + values.joined(separator: ",") + ")"
        let insert =
            "INSERT\(resolution) INTO \(plan.table.name.quotedName) (\(names)) VALUES "
            + Array(repeating: row, count: rows).joined(separator: ",")
        return plan.operation == .upsert ? insert + onConflict : insert
    }

    private var onConflict: String {
        let key = plan.table.key.map { plan.table.columns[$0].sql }.joined(separator: ", ")
        let others = plan.columns.filter { !plan.table.key.contains($0) }
        let changes = others.map { plan.table.columns[$0].sql }.map { "\($0) = excluded.\($0)" }
        return " ON CONFLICT (\(key)) DO "
            + (changes.isEmpty ? "NOTHING" : "UPDATE SET " + changes.joined(separator: ", "))
    }

    /// An update of one row, whose parameters are in the order of the plan's columns.
    var update: String {
        let places = Array(plan.columns.indices)
        let keys = places.filter { plan.table.key.contains(plan.columns[$0]) }
        let changes = places.filter { !plan.table.key.contains(plan.columns[$0]) }
        // A model that has only a key has no column to set, but its row must exist.
        let sets = (changes.isEmpty ? places : changes).map(assignment).joined(separator: ", ")
        return "UPDATE\(resolution) \(plan.table.name.quotedName) SET \(sets) WHERE "
            + keys.map(equality).joined(separator: " AND ")
    }

    var delete: String {
        "DELETE FROM \(plan.table.name.quotedName) WHERE "
            + plan.columns.indices.map(equality).joined(separator: " AND ")
    }

    /// Looks for the row of a key, whose parts are the parameters.
    var found: String {
        let parts = plan.table.key.enumerated().map { "\(value($1)) = ?\($0 + 1)" }
        return "SELECT count(*) FROM \(plan.table.name.quotedName) WHERE \(parts.joined(separator: " AND "))"
    }

    func delete(keys: String) -> String {
        "DELETE FROM \(plan.table.name.quotedName) WHERE \(key(plan.columns)) IN (\(keys))"
    }

    var patch: String {
        let sets = plan.columns.indices.map(assignment).joined(separator: ", ")
        return "UPDATE\(resolution) \(plan.table.name.quotedName) SET \(sets) WHERE "
            + isListed(plan.keyColumns, list: plan.columns.count + 1)
    }

    // MARK: Columns

    /// Sets the column at an index of the plan to the parameter of that index.
    private func assignment(_ place: Int) -> String {
        let column = plan.columns[place]
        return "\(plan.table.columns[column].sql) = \(conversions.writing("?\(place + 1)", column, of: plan.table))"
    }

    private func equality(_ place: Int) -> String { "\(value(plan.columns[place])) = ?\(place + 1)" }

    private func isListed(_ columns: [Int], list parameter: Int) -> String {
        let listed = columns.indices.map { "c\($0)" }.joined(separator: ", ")
        return "\(key(columns)) IN (SELECT \(listed) FROM storage_list(?\(parameter)))"
    }

    private func key(_ columns: [Int]) -> String {
        let names = columns.map(value)
        return names.count == 1 ? names[0] : "(\(names.joined(separator: ", ")))"
    }

    private func value(_ column: Int) -> String {
        conversions.reading(plan.table.columns[column].sql, column, of: plan.table)
    }
}
