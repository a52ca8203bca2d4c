internal import StorageAPI

extension SQLiteSession: QueryExplaining {
    func explain(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> QueryExplanation {
        var compiler = QueryCompiler(plan, arguments)
        let sql = compiler.select()
        let steps = try steps(of: sql)
        // The first step that names the table t0; others are about its children and lists.
        let way = steps.first { Self.isRoot($0) } ?? ""
        let access = access(way, plan.table)
        let column: Int? =
            switch access {
            case .key: plan.table.key.first
            case .index(let property): plan.table.columns.firstIndex { $0.property == property && $0.role == .property }
            case .scan: nil
            }
        return QueryExplanation(
            table: plan.table.name, access: access,
            rowsExamined: try count(plan.counting(by: column), arguments),
            sorts: steps.contains { $0.hasPrefix("USE TEMP B-TREE FOR") }, statement: sql)
    }

    private func steps(of sql: String) throws(StorageError) -> [String] {
        let statement = try Statement(connection, "EXPLAIN QUERY PLAN " + sql)
        var cursor = statement.cursor()
        var steps: [String] = []
        while try cursor.next() {
            if case .text(let step) = cursor.cells[3].value { steps.append(step) }
        }
        return steps
    }

    private static func isRoot(_ step: String) -> Bool {
        let words = step.split(separator: " ")
        return words.count > 1 && (words[0] == "SEARCH" || words[0] == "SCAN") && words[1] == "t0"
    }

    private func access(_ step: String, _ table: TableSchema) -> QueryExplanation.Access {
        let column = table.columns.first { column in
            (column.isIndexed || column.isUnique)
                && step.contains(" INDEX \(SchemaCompiler.plainIndexName(column, table)) ")
        }
        guard step.hasPrefix("SEARCH") else { return .scan }
        return column.map { .index($0.property) } ?? .key
    }

    private func count(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Int {
        var cursor = try rows(plan, arguments)
        guard try cursor.next() else { return 0 }
        return Int(cursor.cells[0].int)
    }
}
