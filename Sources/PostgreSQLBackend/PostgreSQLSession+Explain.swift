internal import Foundation
internal import StorageDriver

extension PostgreSQLSession: QueryExplaining {
    /// Returns the server's plan for the values of this call, and on further lines the steps that the program applies
    /// to its rows.
    func explain(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> QueryExplanation {
        let compiled = try prepared(plan, arguments).compiled
        let statement = Statement("EXPLAIN (FORMAT JSON) " + compiled.sql, compiled.bind(arguments))
        let nodes = try surviving { () throws(StorageError) in
            let results = try ask([statement])
            return try self.nodes(results.first)
        }
        let ways = nodes.compactMap { node in node.index.flatMap { way($0, plan.table) } }
        let (access, column) = ways.first ?? (.scan, nil)
        return QueryExplanation(
            table: plan.table.name, access: access,
            rowsExamined: try count(plan.counting(by: column), arguments),
            sorts: nodes.contains { $0.type.hasSuffix("Sort") },
            statement: ([compiled.sql] + compiled.rest.map { "-- then in the program: \($0)" }).joined(separator: "\n"))
    }

    /// Returns the access that an index gives to the rows of the table, and its first column; nil for an index of
    /// another table.
    private func way(_ index: String, _ table: TableSchema) -> (QueryExplanation.Access, Int?)? {
        if table.isForeign {
            // Nothing is known of a table that has gone meanwhile.
            let own = (try? names.foreign.table(table))?.indexes.first { $0.name == index }
            guard let own, let column = table.columns.firstIndex(where: { $0.name == own.columns.first }) else {
                return nil
            }
            return own.isPrimary ? (.key, column) : (.index(table.columns[column].property), column)
        }
        if index == Names.key(of: table) { return (.key, table.key.first) }
        let column = table.columns.firstIndex { Names.index($0, of: table) == index }
        return column.map { (.index(table.columns[$0].property), $0) }
    }

    private func count(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Int {
        var cursor = try rows(plan, arguments)
        guard try cursor.next() else { return 0 }
        return Int(clamping: cursor.cells[0].int)
    }

    private func nodes(_ result: StatementResult?) throws(StorageError) -> [PlanNode] {
        do {
            let text = Data(result?.bytes(0, 0) ?? UnsafeRawBufferPointer(start: nil, count: 0))
            return try JSONDecoder().decode([ExplainedPlan].self, from: text).flatMap(\.plan.all)
        } catch {
            throw StorageError(.io, "The server explains the query in an unknown form.", underlying: error)
        }
    }
}

/// The result of `EXPLAIN (FORMAT JSON)`.
private struct ExplainedPlan: Decodable {
    let plan: PlanNode

    private enum CodingKeys: String, CodingKey { case plan = "Plan" }
}

private struct PlanNode: Decodable {
    let type: String
    let index: String?
    private let plans: [PlanNode]?

    private enum CodingKeys: String, CodingKey {
        case type = "Node Type"
        case index = "Index Name"
        case plans = "Plans"
    }

    var all: [PlanNode] { [self] + (plans ?? []).flatMap(\.all) }
}

extension QueryTerm {
    /// The columns of the row in scope that the term looks at.
    private var columns: Set<Int> {
        switch self {
        case .column(let column): return [column]
        case .isAmong(let columns, _): return Set(columns)
        case .related, .relatedCount, .relatedAggregate, .quantified: return []
        default:
            var found: Set<Int> = []
            _ = replacingOperands { term in
                found.formUnion(term.columns)
                return term
            }
            return found
        }
    }

    /// `a condition on name, age`.
    func summary(_ table: TableSchema) -> String {
        let names = columns.sorted().map { table.columns[$0].property }
        return names.isEmpty ? "a condition on related records" : "a condition on " + names.joined(separator: ", ")
    }
}
