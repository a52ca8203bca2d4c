/// A row with values by column: an array of them, or a backend's packed row.
public protocol ValueRow {
    /// The value of a column, an index into the table's.
    subscript(_ column: Int) -> Value { get }
}

extension [Value]: ValueRow {}

/// The tables of a backend that gives its rows one by one, for ``QueryEvaluation``.
///
/// Any method may throw, and so may the rows that it gives while they are read: a file that is damaged, or a connection that
/// is lost, ends the query with the engine's error.
public protocol ValueTables {
    /// The backend's type of a row.
    associatedtype Row: ValueRow = [Value]
    /// The rows whose key begins with the given values, in key order. Each row has all columns of the table.
    func rows(of table: TableSchema, keyPrefix: [Value]) throws(StorageError) -> RowStream<Row>
    /// The rows whose keys begin with one of several prefixes, in the order of the prefixes, which are all different
    /// and as long. By default they are asked for one after the other; an engine for which each is a round trip asks
    /// for many at once.
    func rows(of table: TableSchema, keyPrefixes: [[Value]]) throws(StorageError) -> RowStream<Row>
    /// The rows in the order of a column, or from its greatest value down: the key's first column, or a column with a
    /// separate index. Rows of one value are in key order either way. The order is exactly that of
    /// ``Value/order(to:as:)``, so an index that keeps a part of each value cannot give it. Pages and ranges of the key
    /// come from here, and few of the rows are read. Nil, the default, if the engine has no such order; it then sorts,
    /// or reads all rows.
    ///
    /// - Parameters:
    ///   - table: the table to read.
    ///   - column: the position of the column in the table.
    ///   - bounds: rows outside need not be given, and rows inside are tested again. It never lists values. Nil for all rows.
    ///   - descending: true for the greatest value first. Of a key of several columns, only the ascending order is asked for.
    func rows(
        of table: TableSchema, orderedBy column: Int, within bounds: ColumnBounds?, descending: Bool
    ) throws(StorageError) -> RowStream<Row>?
    /// The keys of the rows whose value of a column is within the bounds, each once and in any order; nil without an
    /// index, or if a scan costs less (``ColumnBounds/mostRows(of:)``). Keys of other rows may be among them, since
    /// rows are tested again: an index may keep the beginning of long values. Called only for columns that an index
    /// begins with (``TableSchema/indexes``). An index on that column alone serves too, and costs more where many rows
    /// share a value.
    func keys(of table: TableSchema, within bounds: ColumnBounds) throws(StorageError) -> [[Value]]?
}

extension ValueTables {
    /// The rows of one prefix after the other.
    public func rows(of table: TableSchema, keyPrefixes: [[Value]]) throws(StorageError) -> RowStream<Row> {
        if keyPrefixes.count == 1 { return try rows(of: table, keyPrefix: keyPrefixes[0]) }
        var left = keyPrefixes[...]
        var current: RowStream<Row>?
        return RowStream { () throws(StorageError) in
            while true {
                if let row = try current?.next() { return row }
                guard let prefix = left.popFirst() else { return nil }
                current = try rows(of: table, keyPrefix: prefix)
            }
        }
    }

    /// None.
    public func rows(
        of _: TableSchema, orderedBy _: Int, within _: ColumnBounds?, descending _: Bool
    ) throws(StorageError) -> RowStream<Row>? { nil }
}

/// Rows that are made one by one. Each step may fail.
public struct RowStream<Row: ValueRow> {
    @usableFromInline let step: () throws(StorageError) -> Row?

    /// - Parameter next: returns row after row, then nil. It may be called again after nil, and not after it has thrown.
    @inlinable
    public init(_ next: @escaping () throws(StorageError) -> Row?) { step = next }

    /// Rows in memory, or made without failing.
    @inlinable
    public init(_ rows: some Sequence<Row>) {
        var iterator = rows.makeIterator()
        step = { iterator.next() }
    }

    /// The next row; nil after the last.
    @inlinable
    public func next() throws(StorageError) -> Row? { try step() }
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

    /// The result rows, one at a time. In the order in which they are found they take constant memory.
    ///
    /// - Throws: `overflow` and `typeMismatch` if a computation fails, and errors of the tables, also as the cursor moves.
    public func cursor() throws(StorageError) -> Cursor {
        let query = plan.query
        let output: (Tables.Row) throws(StorageError) -> [Value]
        switch query.result {
        case _ where query.isComputedWhole: return Cursor(rows: try rows(), columns: query.width)
        case .columns(let columns): output = { row in columns.map { row[$0] } }
        case .terms(let terms): output = { (row) throws(StorageError) in try values(of: terms, in: row) }
        case .count, .exists, .groups: return Cursor(rows: try rows(), columns: query.width)
        }
        let chosen = try chosen()
        return Cursor(columns: query.width) { () throws(StorageError) in
            // A row may lie in the tables' memory.
            defer { withExtendedLifetime(tables) {} }
            guard let row = try chosen.next() else { return nil }
            return try output(row)
        }
    }

    /// All result rows. Costs a pass over the rows in scope, and sorting if no index has the order of the sort keys.
    ///
    /// - Throws: `overflow` and `typeMismatch` if a computation fails, and errors of the tables.
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
        let matches = matches(try access().rows)
        var count = 0
        while count < most, try matches.next() != nil { count += 1 }
        return count
    }

    private func matches(_ rows: RowStream<Tables.Row>) -> RowStream<Tables.Row> {
        var cancellation = CancellationCheck(isOn: isReading, counting: work)
        return RowStream { () throws(StorageError) in
            while let row = try rows.next() {
                try cancellation.row()
                if try isMatch(row) { return row }
            }
            return nil
        }
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
        // A term that can fail is computed for every row, as on every engine.
        if plan.query.isComputedWhole {
            let all = try sorted(access()).map(output)
            return plan.query.isLimited ? Array(Self.part(of: all, arguments.offset, arguments.limit)) : all
        }
        let chosen = try chosen()
        var page: [[Value]] = []
        while let row = try chosen.next() { page.append(try output(row)) }
        return page
    }

    /// The rows that the filter and the limit choose, in the query's order. Rows that come in that order are read as they are
    /// asked for.
    func chosen() throws(StorageError) -> RowStream<Tables.Row> {
        let access = try access()
        guard access.isInOrder else {
            let sorted = try sorted(access)
            return RowStream(
                plan.query.isLimited ? Self.part(of: sorted, arguments.offset, arguments.limit) : sorted[...])
        }
        let matches = matches(access.rows)
        guard plan.query.isLimited else { return matches }
        var (toSkip, left) = (arguments.offset, arguments.limit ?? .max)
        return RowStream { () throws(StorageError) in
            while left > 0, let row = try matches.next() {
                guard toSkip == 0 else {
                    toSkip -= 1
                    continue
                }
                left -= 1
                return row
            }
            return nil
        }
    }

    /// All matching rows in the query's order.
    private func sorted(_ access: RowAccess) throws(StorageError) -> [Tables.Row] {
        let matches = matches(access.rows)
        var rows: [Tables.Row] = []
        while let row = try matches.next() { rows.append(row) }
        if access.isInOrder { return rows }
        return try sorted(rows, plan.query.order) { (term, row) throws(StorageError) in try value(term, row) }
    }

    static func part<T>(of rows: [T], _ offset: Int, _ limit: Int?) -> ArraySlice<T> {
        rows.dropFirst(offset).prefix(limit ?? .max)
    }

    /// The access path to the rows in question.
    struct RowAccess {
        var way: QueryExplanation.Access
        var rows: RowStream<Tables.Row>
        /// True if the rows come in the query's order.
        var isInOrder: Bool
        /// True if an index yielded the keys in another order.
        var sortsKeys = false
    }

    func access() throws(StorageError) -> RowAccess {
        let table = plan.table
        switch plan.query.scope {
        case .all: return try filteredAccess()
        case .key(let columns):
            return inKeyOrder(.key, try tables.rows(of: table, keyPrefix: Array(arguments.values.prefix(columns))))
        case .keys(_, let list):
            let keys = arguments.lists[list]
            let prefixes = Self.ordered(Set((0..<keys.count).map { Array(keys[$0]) }))
            return inKeyOrder(.key, try tables.rows(of: table, keyPrefixes: prefixes))
        }
    }

    private func inKeyOrder(
        _ way: QueryExplanation.Access, _ rows: RowStream<Tables.Row>, sortsKeys: Bool = false
    ) -> RowAccess {
        let order = plan.query.order
        let isByKey = order.count == 1 && !order[0].isDescending && order[0].term == .column(plan.table.key[0])
        return RowAccess(way: way, rows: rows, isInOrder: order.isEmpty || isByKey, sortsKeys: sortsKeys)
    }

    /// Finds rows by the keys that the filter names by equality or in a list, otherwise by the index that leaves the
    /// fewest rows, otherwise in the query's order or by a range of the key.
    private func filteredAccess() throws(StorageError) -> RowAccess {
        let table = plan.table
        for bounds in ColumnBounds.all(in: plan.query.filter, arguments, indexes: [table.key] + table.indexes) {
            if table.key.starts(with: bounds.columns) {
                guard let prefixes = bounds.prefixes else { continue }
                return inKeyOrder(.key, try tables.rows(of: table, keyPrefixes: Self.ordered(Set(prefixes))))
            }
            if bounds.column == pageColumn, bounds.prefixes == nil, let access = try orderedAccess() { return access }
            guard let keys = try tables.keys(of: table, within: bounds) else { continue }
            let sortsKeys = !bounds.isInKeyOrder
            return inKeyOrder(
                .index(table.columns[bounds.column].property),
                try tables.rows(of: table, keyPrefixes: sortsKeys ? Self.ordered(keys) : keys), sortsKeys: sortsKeys)
        }
        if let access = try orderedAccess() { return access }
        if let bounds = range(of: table.key[0]),
            let rows = try tables.rows(of: table, orderedBy: table.key[0], within: bounds, descending: false)
        {
            return inKeyOrder(.key, rows)
        }
        // All keys begin with an empty prefix.
        return inKeyOrder(.scan, try tables.rows(of: table, keyPrefix: []))
    }

    /// The column in whose order a page is asked for, if the key or an index may have it.
    private var pageColumn: Int? {
        let (query, table) = (plan.query, plan.table)
        guard query.isLimited, arguments.limit != nil, !query.isComputedWhole, query.order.count == 1,
            query.order[0].hasUsualNulls, case .column(let column) = query.order[0].term
        else { return nil }
        if column == table.key[0] { return table.key.count == 1 || !query.order[0].isDescending ? column : nil }
        return table.indexes.contains([column]) ? column : nil
    }

    /// The rows of a page in the query's order, if the engine has it. A few look-ups cost less than sorting all rows.
    private func orderedAccess() throws(StorageError) -> RowAccess? {
        guard let column = pageColumn,
            let rows = try tables.rows(
                of: plan.table, orderedBy: column, within: range(of: column),
                descending: plan.query.order[0].isDescending)
        else { return nil }
        let way =
            column == plan.table.key[0] ? .key : QueryExplanation.Access.index(plan.table.columns[column].property)
        return RowAccess(way: way, rows: rows, isInOrder: true)
    }

    /// The bounds of a column, if the filter sets any and does not list its values.
    private func range(of column: Int) -> ColumnBounds? {
        ColumnBounds.all(in: plan.query.filter, arguments, columns: [column]).first { $0.prefixes == nil }
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
