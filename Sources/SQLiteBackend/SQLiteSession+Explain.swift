internal import StorageDriver

extension SQLiteSession: QueryExplaining {
    func explain(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> QueryExplanation {
        var compiler = QueryCompiler(plan, arguments, conversions: try conversions(plan))
        let sql = compiler.select()
        let steps = try steps(of: sql)
        // The first step that names the table t0; others concern its children and lists.
        let way = steps.first { Self.isRoot($0) } ?? ""
        let access = plan.table.isReadOnly ? access(steps, through: plan.table) : try access(way, plan.table)
        let column: Int? =
            switch access {
            case .key: plan.table.key.first
            case .index(let property):
                plan.table.columns.firstIndex { $0.storedProperty == StoredName(property) && $0.role == .property }
            case .scan: nil
            }
        return QueryExplanation(
            table: plan.table.name, access: access,
            rowsExamined: try count(plan.counting(by: column), arguments),
            sorts: steps.contains { $0.hasPrefix("USE TEMP B-TREE FOR") && !$0.hasSuffix("DISTINCT") },
            statement: sql)
    }

    func steps(of sql: String) throws(StorageError) -> [String] {
        let statement = try Statement(connection, "EXPLAIN QUERY PLAN " + sql)
        var cursor = try statement.cursor()
        var steps: [String] = []
        while try cursor.next() {
            if case .text(let step) = cursor.cells[3].value { steps.append(step) }
        }
        return steps
    }

    static func isRoot(_ step: String) -> Bool {
        let words = step.split(separator: " ")
        return words.count > 1 && (words[0] == "SEARCH" || words[0] == "SCAN") && words[1] == "t0"
    }

    /// The access to the tables of a view: by an index of a column that the view has too, if no table is read whole.
    private func access(_ steps: [String], through view: TableSchema) -> QueryExplanation.Access {
        if steps.contains(where: { $0.hasPrefix("SCAN ") }) { return .scan }
        let searches = steps.filter { $0.hasPrefix("SEARCH ") }
        // `SEARCH t USING INDEX i (name=?)`
        let names = searches.compactMap { $0.split(separator: "(").last?.prefix { !"=<> )".contains($0) } }.map(
            String.init)
        let number = view.rowNumber.map { view.columns[$0].name }
        let name = names.first { name in name != number && view.columns.contains { $0.name == name } }
        return name.map { .index($0) } ?? (searches.isEmpty ? .scan : .key)
    }

    private func access(
        _ step: String, _ table: TableSchema
    ) throws(StorageError) -> QueryExplanation.Access {
        guard step.hasPrefix("SEARCH") else { return .scan }
        let column = try indexes(of: table).first { step.contains(" INDEX \($0.name) ") }?.column
        return column.flatMap { table.key.first == $0 ? nil : .index(table.columns[$0].property) } ?? .key
    }

    /// The table's indexes, each with its first column.
    private func indexes(of table: TableSchema) throws(StorageError) -> [(name: String, column: Int)] {
        guard table.isForeign else {
            return table.columns.enumerated().filter { $1.isIndexed || $1.isUnique }
                .map { (SchemaCompiler.plainIndexName($1, table), $0) }
        }
        return try connection.foreign.table(table, connection).indexes.compactMap { index in
            let column = table.columns.firstIndex { $0.name == index.columns.first }
            return column.map { (index.name, $0) }
        }
    }

    private func count(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Int {
        var cursor = try rows(plan, arguments)
        guard try cursor.next() else { return 0 }
        return Int(cursor.cells[0].int)
    }
}
