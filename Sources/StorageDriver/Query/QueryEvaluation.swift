/// A row that gives the values of its columns: an array of them, or what a backend packs its rows in.
public protocol ValueRow {
    /// The value of a column, an index into the table's.
    subscript(_ column: Int) -> Value { get }
}

extension [Value]: ValueRow {}

/// The tables of a backend that keeps rows in memory, as ``QueryEvaluation`` looks at them.
public protocol ValueTables {
    /// A row as the backend has it.
    associatedtype Row: ValueRow = [Value]
    /// Rows, which may be made one by one.
    associatedtype Rows: Sequence<Row>
    /// The rows whose key begins with the given values, in key order. Each row has all columns of the table.
    func rows(of table: TableSchema, keyPrefix: [Value]) -> Rows
    /// The keys of the rows whose value of a column is within the bounds, each once and in any order; nil where no index
    /// tells, or looking at all rows costs less (``ColumnBounds/mostRows(of:)``). Only columns that the schema declares
    /// as indexed or unique are asked for.
    func keys(of table: TableSchema, within bounds: ColumnBounds) -> [[Value]]?
}

/// The reference meaning of queries, over rows of values. A backend without a query engine of its own uses it as it is.
public struct QueryEvaluation<Tables: ValueTables> {
    let tables: Tables
    let plan: QueryPlan
    let arguments: QueryArguments
    let sets: [Set<Value>]
    private let isReading: Bool

    /// A query over the tables as they are.
    ///
    /// - Parameters:
    ///   - plan: what is asked.
    ///   - arguments: the values that it is asked with.
    ///   - tables: the rows.
    ///   - isReading: whether it ends with `cancelled` soon after its task is, as a reader's must. A writer's must not: its
    ///     thread may be one that another task waits on.
    public init(_ plan: QueryPlan, _ arguments: QueryArguments, in tables: Tables, isReading: Bool = false) {
        self.plan = plan
        self.arguments = arguments
        self.tables = tables
        self.isReading = isReading
        sets = arguments.lists.map { $0.width == 1 ? Set($0.values) : [] }
    }

    /// The result rows, one at a time: in memory that does not grow with their number where they come in key order.
    ///
    /// - Throws: `overflow` and `typeMismatch`, where a computation fails; also as the cursor moves.
    public func cursor() throws(StorageError) -> Cursor {
        let query = plan.query
        let output: (Tables.Row) throws(StorageError) -> [Value]
        switch query.result {
        case _ where !query.order.isEmpty || query.isComputedWhole:
            return Cursor(rows: try rows(), columns: query.width)
        case .columns(let columns): output = { row in columns.map { row[$0] } }
        case .terms(let terms): output = { (row) throws(StorageError) in try values(of: terms, in: row) }
        case .count, .exists, .groups: return Cursor(rows: try rows(), columns: query.width)
        }
        var candidates = candidates().makeIterator()
        var cancellation = CancellationCheck(isOn: isReading)
        var toSkip = query.isLimited ? arguments.offset : 0
        var left = query.isLimited ? arguments.limit ?? .max : .max
        return Cursor(columns: query.width) { () throws(StorageError) in
            while left > 0, let row = candidates.next() {
                try cancellation.row()
                guard try isMatch(row) else { continue }
                guard toSkip == 0 else {
                    toSkip -= 1
                    continue
                }
                left -= 1
                return try output(row)
            }
            return nil
        }
    }

    /// All result rows. Costs a pass over the rows in scope, and sorting where there are sort keys.
    ///
    /// - Throws: `overflow` and `typeMismatch`, where a computation fails.
    public func rows() throws(StorageError) -> [[Value]] {
        switch plan.query.result {
        case .count: return [[.int(Int64(try count()))]]
        case .exists: return [[.int(try count(upTo: plan.query.isComputedWhole ? .max : 1) == 0 ? 0 : 1)]]
        case .columns(let columns):
            return try page { (row) throws(StorageError) in columns.map { row[$0] } }
        case .terms(let terms): return try page(of: terms)
        case .groups(let grouping): return try groups(grouping)
        }
    }

    /// Whether the query's filter holds for the row.
    public func isMatch(_ row: Tables.Row) throws(StorageError) -> Bool {
        guard let filter = plan.query.filter else { return true }
        return try isTrue(filter, row)
    }

    /// How many rows match; looks no further than so many.
    private func count(upTo most: Int = .max) throws(StorageError) -> Int {
        var count = 0
        var cancellation = CancellationCheck(isOn: isReading)
        for row in candidates() {
            try cancellation.row()
            guard try isMatch(row) else { continue }
            count += 1
            if count == most { break }
        }
        return count
    }

    private func matches() throws(StorageError) -> [Tables.Row] {
        var matches: [Tables.Row] = []
        var cancellation = CancellationCheck(isOn: isReading)
        for row in candidates() {
            try cancellation.row()
            if try isMatch(row) { matches.append(row) }
        }
        return matches
    }

    /// The values of the terms in the rows that the filter, the order and the limit choose.
    func page(of terms: [TypedTerm]) throws(StorageError) -> [[Value]] {
        try page { (row) throws(StorageError) in try values(of: terms, in: row) }
    }

    private func values(of terms: [TypedTerm], in row: Tables.Row) throws(StorageError) -> [Value] {
        var values: [Value] = []
        for term in terms { values.append(try value(term.term, row)) }
        return values
    }

    private func page(_ output: (Tables.Row) throws(StorageError) -> [Value]) throws(StorageError) -> [[Value]] {
        let query = plan.query
        let sorted = try sorted(matches(), query.order) { (term, row) throws(StorageError) in try value(term, row) }
        guard query.isLimited else { return try sorted.map(output) }
        // What can fail is computed for every row, as everywhere.
        if query.canFail { return Array(Self.part(of: try sorted.map(output), arguments.offset, arguments.limit)) }
        return try Self.part(of: sorted, arguments.offset, arguments.limit).map(output)
    }

    static func part<T>(of rows: [T], _ offset: Int, _ limit: Int?) -> ArraySlice<T> {
        rows.dropFirst(offset).prefix(limit ?? .max)
    }

    /// The rows in question, in key order.
    func candidates() -> some Sequence<Tables.Row> {
        access.prefixes.lazy.flatMap { tables.rows(of: plan.table, keyPrefix: $0) }
    }

    /// How the rows in question are found.
    struct RowAccess {
        var way: QueryExplanation.Access
        /// What their keys begin with, in key order.
        var prefixes: [[Value]]
        /// Whether an index gave the keys in another order.
        var isSorted = false
    }

    var access: RowAccess {
        switch plan.query.scope {
        case .all: return filteredAccess
        case .key(let columns): return RowAccess(way: .key, prefixes: [Array(arguments.values.prefix(columns))])
        case .keys(_, let list):
            let keys = arguments.lists[list]
            return RowAccess(way: .key, prefixes: Self.ordered(Set((0..<keys.count).map { Array(keys[$0]) })))
        }
    }

    /// By the keys that the filter names by equality or in a list, or else by the index that leaves the fewest rows.
    private var filteredAccess: RowAccess {
        let table = plan.table
        let columns = table.key.prefix(1) + table.indexedColumns
        for bounds in ColumnBounds.all(in: plan.query.filter, arguments, columns: columns) {
            if bounds.column == table.key.first {
                guard let values = bounds.values else { continue }
                return RowAccess(way: .key, prefixes: Self.ordered(Set(values.map { [$0] })))
            }
            guard let keys = tables.keys(of: table, within: bounds) else { continue }
            // Entries of one value stand in key order.
            return RowAccess(
                way: .index(table.columns[bounds.column].property),
                prefixes: bounds.isSingle ? keys : Self.ordered(keys), isSorted: !bounds.isSingle)
        }
        // All keys begin with nothing.
        return RowAccess(way: .scan, prefixes: [[]])
    }

    private static func ordered(_ keys: some Sequence<[Value]>) -> [[Value]] {
        keys.sorted { order($0, $1) == .before }
    }

    /// The order of two keys.
    static func order(_ left: [Value], _ right: [Value]) -> ValueOrder {
        for (left, right) in zip(left, right) {
            let order = left.order(to: right)
            if order != .same { return order }
        }
        return .same
    }

    /// Rows in an order; those that are equal in it stay as they stand.
    func sorted<Row>(
        _ rows: [Row], _ keys: [Query.SortKey], _ value: (QueryTerm, Row) throws(StorageError) -> Value
    ) throws(StorageError) -> [Row] {
        guard !keys.isEmpty else { return rows }
        var sortable: [(index: Int, row: Row, key: [Value])] = []
        for (index, row) in rows.enumerated() {
            var key: [Value] = []
            for sort in keys { key.append(try value(sort.term, row)) }
            sortable.append((index, row, key))
        }
        sortable.sort { left, right in
            for (sort, pair) in zip(keys, zip(left.key, right.key)) {
                let order = sort.order(pair.0, pair.1)
                if order != .same { return order == .before }
            }
            return left.index < right.index
        }
        return sortable.map(\.row)
    }
}
