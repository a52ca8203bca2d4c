/// The columns that the evaluation of a query reads, by table. A row that the server returns has no others.
package struct NeededColumns {
    private let plan: QueryPlan
    private var columns: [String: Set<Int>] = [:]

    package init(_ plan: QueryPlan) {
        self.plan = plan
        switch plan.query.result {
        case .columns(let columns): add(columns, plan.table)
        case .terms(let terms): for term in terms { add(term.term, plan.table) }
        case .groups(let grouping): for input in grouping.inputs { add(input.term, plan.table) }
        case .count, .exists: break
        }
        if let filter = plan.query.filter { add(filter, plan.table) }
        for key in plan.query.order { add(key.term, plan.table) }
    }

    /// The columns of a table, in ascending order.
    package func of(_ table: TableSchema) -> [Int] { columns[table.name, default: []].sorted() }

    /// Returns whether it reads a column.
    func has(_ column: Int, of table: TableSchema) -> Bool { columns[table.name]?.contains(column) ?? false }

    private mutating func add(_ columns: some Sequence<Int>, _ table: TableSchema) {
        self.columns[table.name, default: []].formUnion(columns)
    }

    private mutating func add(_ term: QueryTerm, _ table: TableSchema) {
        switch term {
        case .column(let column): add([column], table)
        case .isAmong(let columns, _): add(columns, table)
        case .related(let edge, let term), .relatedCount(let edge, let term), .quantified(_, let edge, let term):
            add(edge, from: table)
            add(term, plan.tables[edge.table])
        case .relatedAggregate(let edge, let aggregate, let condition):
            add(edge, from: table)
            if let term = aggregate.term?.term { add(term, plan.tables[edge.table]) }
            add(condition, plan.tables[edge.table])
        default:
            _ = term.replacingOperands { operand in
                add(operand, table)
                return operand
            }
        }
    }

    private mutating func add(_ edge: Join, from table: TableSchema) {
        add(edge.inner, plan.tables[edge.table])
        guard let link = edge.link else { return add(edge.outer.compactMap(\.self), table) }
        add(link.outer, table)
        add(link.inner + edge.outer.compactMap(\.self), plan.tables[link.table])
    }
}
