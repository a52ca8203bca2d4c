internal import StorageDriver

/// A query of which the server can answer only a part: it returns the rows that may match, and the driver's evaluation of
/// queries, which defines their meaning, does the rest.
final class PartialEvaluation: ValueTables {
    private let query: PreparedQuery
    private let arguments: QueryArguments
    private let session: PostgreSQLSession
    private let needed: NeededColumns
    /// The rows that may match, once they are asked for.
    private var candidates: RowIterator?
    /// The rows of other tables that were asked for, by the beginnings of their keys.
    private var related: [RelatedKey: [[Value]]] = [:]

    private struct RelatedKey: Hashable {
        let table: String
        let prefix: [Value]
    }

    /// The number of kept lists of rows of other tables at which all are dropped.
    private static let maximumKept = 10_000

    init(_ query: PreparedQuery, _ arguments: QueryArguments, in session: PostgreSQLSession) {
        self.query = query
        self.arguments = arguments
        self.session = session
        needed = NeededColumns(query.plan)
    }

    func cursor() throws(StorageError) -> Cursor {
        let plan = query.plan
        // Sent before the cursor moves, because the session may begin again until then.
        candidates = RowIterator(
            try session.serverRows(query, arguments).cursor(), query.compiled.columns, of: plan.table)
        // An empty prefix of the key matches all rows that the server returns.
        var rest = plan.query
        rest.scope = .key(columns: 0)
        let restPlan = QueryPlan(id: nil, query: rest, table: plan.table, tables: plan.tables)
        let evaluation = QueryEvaluation(restPlan, arguments, in: self, isReading: session.isReading)
        return try evaluation.cursor()
    }

    func rows(of table: TableSchema, keyPrefix: [Value]) throws(StorageError) -> RowStream<[Value]> {
        if !keyPrefix.isEmpty { return RowStream(try relatedRows(of: table, keyPrefix)) }
        return RowStream { [self] () throws(StorageError) in try candidates?.next() }
    }

    /// The keys of the rows along an edge that leads to an indexed column. The server finds the rows of the query itself.
    func keys(of table: TableSchema, within bounds: ColumnBounds) throws(StorageError) -> [[Value]]? {
        guard let values = bounds.values, values.count == 1 else { return nil }
        let type = table.columns[bounds.column].type
        let filter = QueryTerm.comparison(.equal, .column(bounds.column), .argument(0), type)
        return try rows(Query(.columns(table.key), filter: filter), of: table, values).all()
    }

    private func relatedRows(of table: TableSchema, _ prefix: [Value]) throws(StorageError) -> [[Value]] {
        let key = RelatedKey(table: table.name, prefix: prefix)
        if let known = related[key] { return known }
        let columns = needed.of(table)
        let query = Query(.columns(columns), scope: .key(columns: prefix.count))
        let plan = QueryPlan(id: nil, query: query, table: table, tables: self.query.plan.tables)
        let found = try RowIterator(try session.rows(plan, QueryArguments(prefix)), columns, of: table).all()
        if related.count >= Self.maximumKept { related = [:] }
        related[key] = found
        return found
    }

    private func rows(_ query: Query, of table: TableSchema, _ values: [Value]) throws(StorageError) -> RowIterator {
        let plan = QueryPlan(id: nil, query: query, table: table, tables: self.query.plan.tables)
        return RowIterator(try session.rows(plan, QueryArguments(values)), width: query.width)
    }
}

/// A cursor's rows as values, one by one.
private final class RowIterator {
    private var cursor: Cursor
    private let width: Int
    /// The index in a row of each of the cursor's columns; nil if they are the row.
    private let indexes: [Int]?

    init(_ cursor: consuming Cursor, width: Int) {
        self.cursor = cursor
        self.width = width
        indexes = nil
    }

    /// Rows of a table of which the cursor has some columns. The other columns are null and are not read.
    init(_ cursor: consuming Cursor, _ columns: [Int], of table: TableSchema) {
        self.cursor = cursor
        width = table.columns.count
        indexes = columns
    }

    func next() throws(StorageError) -> [Value]? {
        guard try cursor.next() else { return nil }
        guard let indexes else { return (0..<width).map { cursor.cells[$0].value } }
        var row = [Value](repeating: .null, count: width)
        for (column, index) in indexes.enumerated() { row[index] = cursor.cells[column].value }
        return row
    }

    func all() throws(StorageError) -> [[Value]] {
        var rows: [[Value]] = []
        while let row = try next() { rows.append(row) }
        return rows
    }
}
