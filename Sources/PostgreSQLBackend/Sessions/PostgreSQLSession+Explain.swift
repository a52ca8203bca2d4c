internal import Foundation
internal import StorageDriver

extension PostgreSQLSession: QueryExplaining {
    /// Returns the server's plan for the values of this call, and on further lines the steps that the program applies
    /// to its rows.
    func explain(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> QueryExplanation {
        let query = try prepared(plan, arguments)
        let (compiled, statement) = (query.compiled, explanation(of: query, arguments))
        let nodes = try surviving { () throws(StorageError) in
            let results = try ask([statement])
            return try self.nodes(results.first)
        }
        let accesses = nodes.compactMap { node in node.index.flatMap { self.access(by: $0, to: plan.table) } }
        let (access, column) = accesses.first ?? (.scan, nil)
        return QueryExplanation(
            table: plan.table.name, access: access,
            rowsExamined: try count(plan.counting(by: column), arguments),
            sorts: nodes.contains { $0.type.hasSuffix("Sort") },
            statement: ([compiled.sql] + compiled.rest.map { "-- then in the program: \($0)" }).joined(separator: "\n"))
    }

    /// Returns the access that an index gives to the rows of the table, and its first column; nil for an index of
    /// another table.
    private func access(by index: String, to table: TableSchema) -> (QueryExplanation.Access, Int?)? {
        if table.isForeign {
            // A table that was dropped meanwhile is unknown.
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

extension PostgreSQLSession: WorkCountingSession {
    /// Counts the rows that the server's scans look at, and each scan once. The server runs the query twice, the first time to
    /// count. It scans a small table even if an index would serve, so sequential scans are off for the first run.
    final func rows(
        _ plan: QueryPlan, _ arguments: QueryArguments, counting work: QueryWork
    ) throws(StorageError) -> Cursor {
        let query = try prepared(plan, arguments)
        let analysis = explanation(of: query, arguments, options: "ANALYZE, TIMING OFF, SUMMARY OFF, ")
        // The setting ends with the transaction, or with these statements outside one, so that it does not outlive a failure.
        func scans(_ setting: String) -> Statement {
            Statement("SELECT pg_catalog.set_config('enable_seqscan', \(setting.literal), true)")
        }
        let statements = [scans("off"), analysis, scans("on")]
        let results = try surviving { () throws(StorageError) in try ask(statements) }
        let nodes = try nodes(results.count == statements.count ? results[1] : nil)
        work.add(nodes.reduce(0) { $0 + $1.examinedRows })
        return try rows(plan, arguments)
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
    /// The average number of rows that the node has returned each time, and the number of times; nil if it was not run.
    private let rows: Double?
    private let loops: Double?
    private let removed: Double?
    private let rechecked: Double?

    private enum CodingKeys: String, CodingKey {
        case type = "Node Type"
        case index = "Index Name"
        case plans = "Plans"
        case rows = "Actual Rows"
        case loops = "Actual Loops"
        case removed = "Rows Removed by Filter"
        case rechecked = "Rows Removed by Index Recheck"
    }

    /// The rows that a scan has looked at, and one more each time; 0 for other nodes.
    var examinedRows: Int {
        // The scan of a bitmap counts the rows that its index has named.
        guard type.hasSuffix("Scan"), type != "Bitmap Index Scan", let loops else { return 0 }
        return Int(exactly: (((rows ?? 0) + (removed ?? 0) + (rechecked ?? 0) + 1) * loops).rounded()) ?? 0
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
