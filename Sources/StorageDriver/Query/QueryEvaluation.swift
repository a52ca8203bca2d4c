/// A row with values by column: an array of them, or a backend's packed row.
public protocol ValueRow {
    /// The value of a column, an index into the table's.
    subscript(_ column: Int) -> Value { get }
}

extension [Value]: ValueRow {}

/// The tables of a backend that has its rows in memory, for ``QueryEvaluation``.
public protocol ValueTables {
    /// The backend's type of a row.
    associatedtype Row: ValueRow = [Value]
    /// A sequence of rows, which may be made one by one.
    associatedtype Rows: Sequence<Row>
    /// The rows whose key begins with the given values, in key order. Each row has all columns of the table.
    func rows(of table: TableSchema, keyPrefix: [Value]) -> Rows
    /// The keys of the rows whose value of a column is within the bounds, each once and in any order; nil if there is
    /// no index, or a scan costs less (``ColumnBounds/mostRows(of:)``). Called only for columns that an index begins with
    /// (``TableSchema/indexes``). An index on that column alone serves too, and costs more where many rows share a value.
    func keys(of table: TableSchema, within bounds: ColumnBounds) -> [[Value]]?
}

/// Evaluates queries over rows of values. It defines the meaning of a query. A backend without a query engine uses it
/// unchanged.
public struct QueryEvaluation<Tables: ValueTables> {
    let tables: Tables
    let plan: QueryPlan
    let arguments: QueryArguments
    let sets: [Set<Value>]
    /// The argument lists of conditions with rows of several values, as sets.
    let rowSets: [Set<[Value]>]
    let work: QueryWork?
    let isReading: Bool

    /// A query over tables.
    ///
    /// - Parameters:
    ///   - plan: the query.
    ///   - arguments: its values.
    ///   - tables: the rows.
    ///   - isReading: whether it throws `cancelled` soon after its task is cancelled. A reader's query must; a writer's
    ///     must not, since another task may wait on its thread.
    ///   - work: where the rows that are looked at are counted, if they are.
    public init(
        _ plan: QueryPlan, _ arguments: QueryArguments, in tables: Tables, isReading: Bool = false,
        counting work: QueryWork? = nil
    ) {
        self.plan = plan
        self.arguments = arguments
        self.tables = tables
        self.isReading = isReading
        self.work = work
        sets = arguments.lists.map { $0.width == 1 ? Set($0.values) : [] }
        if case .keys = plan.query.scope, arguments.lists.count == 1 {
            rowSets = []
        } else {
            rowSets = arguments.lists.map { list in list.width > 1 ? Set((0..<list.count).map { Array(list[$0]) }) : []
            }
        }
    }

    /// The result rows, one at a time. In key order they take constant memory.
    ///
    /// - Throws: `overflow` and `typeMismatch` if a computation fails, also as the cursor moves.
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
        var cancellation = CancellationCheck(isOn: isReading, counting: work)
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

    /// All result rows. Costs a pass over the rows in scope, and sorting if there are sort keys.
    ///
    /// - Throws: `overflow` and `typeMismatch` if a computation fails.
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

    /// Returns whether the query's filter holds for the row.
    public func isMatch(_ row: Tables.Row) throws(StorageError) -> Bool {
        guard let filter = plan.query.filter else { return true }
        return try isTrue(filter, row)
    }

    /// Returns the number of matching rows, and stops at the given number.
    private func count(upTo most: Int = .max) throws(StorageError) -> Int {
        var count = 0
        var cancellation = CancellationCheck(isOn: isReading, counting: work)
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
        var cancellation = CancellationCheck(isOn: isReading, counting: work)
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

    func values(of terms: [TypedTerm], in row: Tables.Row) throws(StorageError) -> [Value] {
        var values: [Value] = []
        for term in terms { values.append(try value(term.term, row)) }
        return values
    }

    private func page(_ output: (Tables.Row) throws(StorageError) -> [Value]) throws(StorageError) -> [[Value]] {
        let query = plan.query
        let sorted = try sorted(matches(), query.order) { (term, row) throws(StorageError) in try value(term, row) }
        guard query.isLimited else { return try sorted.map(output) }
        // A term that can fail is computed for every row, as on every engine.
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

    /// The access path to the candidate rows.
    struct RowAccess {
        var way: QueryExplanation.Access
        /// The prefixes of their keys, in key order.
        var prefixes: [[Value]]
        /// True if an index yielded the keys in another order.
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

    /// Finds rows by the keys that the filter names by equality or in a list, otherwise by the index that leaves the
    /// fewest rows.
    private var filteredAccess: RowAccess {
        let table = plan.table
        guard let filter = plan.query.filter else { return RowAccess(way: .scan, prefixes: [[]]) }
        for bounds in ColumnBounds.all(in: filter, arguments, indexes: [table.key] + table.indexes) {
            if table.key.starts(with: bounds.columns) {
                guard let prefixes = bounds.prefixes else { continue }
                return RowAccess(way: .key, prefixes: Self.ordered(Set(prefixes)))
            }
            guard let keys = tables.keys(of: table, within: bounds) else { continue }
            let isSorted = !bounds.isInKeyOrder
            return RowAccess(
                way: .index(table.columns[bounds.column].property), prefixes: isSorted ? Self.ordered(keys) : keys,
                isSorted: isSorted)
        }
        // All keys begin with nothing.
        return RowAccess(way: .scan, prefixes: [[]])
    }

    static func ordered(_ keys: some Sequence<[Value]>) -> [[Value]] {
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

    /// Sorts rows; the sort is stable.
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
