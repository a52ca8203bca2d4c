internal import StorageDriver

/// The access path of a query, and the order in which it yields rows.
enum AccessPath {
    /// All rows, in key order.
    case scan
    /// Rows whose key begins with the first arguments.
    case key(columns: Int)
    /// Rows whose key begins with the first arguments, the last first.
    case keyReversed(columns: Int)
    /// Rows whose key begins with one of a list's rows.
    case keys(columns: Int, list: Int)
    /// Rows within the bounds of the key's first column.
    case keyBounds(ColumnBounds)
    /// Rows within the bounds of an indexed column, in the index's order.
    case index(ColumnIndex, ColumnBounds)
    /// Rows within the bounds of the key's first column, or of an indexed one, in its order or from its greatest value down.
    case ordered(ColumnIndex?, ColumnBounds?, isDescending: Bool)

    /// The access with the fewest rows to examine, as far as the query's shape shows.
    init(_ plan: QueryPlan, _ arguments: QueryArguments, table: ArchiveTable) {
        switch plan.query.scope {
        case .key(let columns):
            self = Self.isReversed(plan, columns) ? .keyReversed(columns: columns) : .key(columns: columns)
        case .keys(let columns, let list): self = .keys(columns: columns, list: list)
        case .all:
            let indexes = plan.query.filter == nil ? [] : [table.schema.key] + table.indexes.map(\.columns)
            for bounds in ColumnBounds.all(in: plan.query.filter, arguments, indexes: indexes) {
                guard !table.schema.key.starts(with: bounds.columns), let index = table.index(on: bounds.column) else {
                    if bounds.listsMany(of: table.rows) { continue }
                    self = Self.page(plan, by: table.schema.key, within: bounds) ?? .keyBounds(bounds)
                    return
                }
                let path = Self.page(plan, by: index.columns, of: index, within: bounds) ?? .index(index, bounds)
                let savesSorting = !plan.query.order.isEmpty && path.isOrdered(as: plan.query.order, table)
                guard savesSorting || bounds.isWorthwhile(in: index.entries) else { continue }
                self = path
                return
            }
            let orders = table.indexes.lazy.compactMap { Self.page(plan, by: $0.columns, of: $0) }
            self = Self.page(plan, by: table.schema.key) ?? orders.first ?? .scan
        }
    }

    /// The order of the key or of an index, if the rows are asked for in it. It is worth its lookups when few rows are wanted.
    private static func page(
        _ plan: QueryPlan, by columns: [Int], of index: ColumnIndex? = nil, within bounds: ColumnBounds? = nil
    ) -> AccessPath? {
        guard plan.query.isLimited, plan.query.order.count == 1, plan.query.order[0].hasUsualNulls, columns.count == 1,
            plan.query.order[0].term == .column(columns[0]), bounds?.prefixes == nil
        else { return nil }
        return .ordered(index, bounds, isDescending: plan.query.order[0].isDescending)
    }

    /// Returns whether the order is that of the key's last column, the greatest first, and few rows are wanted.
    private static func isReversed(_ plan: QueryPlan, _ columns: Int) -> Bool {
        guard plan.query.isLimited, plan.query.order.count == 1, plan.query.order[0].isDescending,
            columns == plan.table.key.count - 1
        else { return false }
        return plan.query.order[0].term == .column(plan.table.key[columns])
    }

    func source(_ table: ArchiveTable, _ arguments: QueryArguments) -> RowSource {
        switch self {
        case .scan: return RowSource(nil, [RowRange(table.rows)])
        case .key(let columns):
            let key = ValueCells(ValueList(width: columns, values: Array(arguments.values.prefix(columns))))
            return RowSource(nil, [RowRange(table.rows, prefix: key.cells, count: columns)])
        case .keyReversed(let columns):
            let key = ValueCells(ValueList(width: columns, values: Array(arguments.values.prefix(columns))))
            return RowSource(nil, Self.reversed(table.rows, key: key, columns: columns))
        case .keys(let columns, let list): return Self.keys(arguments.lists[list], columns: columns, table: table)
        case .keyBounds(let bounds): return RowSource(nil, bounds.ranges(of: table.rows))
        case .index(let index, let bounds):
            return RowSource(IndexLookup(index, in: table), bounds.ranges(of: index.entries))
        case .ordered(let index, let bounds, let isDescending):
            let lookup = index.map { IndexLookup($0, in: table) }
            let tree = index?.entries ?? table.rows
            let (start, end) = bounds?.positions(in: tree) ?? (tree.start, tree.end)
            if isDescending { return RowSource(lookup, Self.descending(tree, from: start, to: end)) }
            return RowSource(lookup, [RowRange(tree, from: start, to: end)])
        }
    }

    /// The rows whose key begins with this one, from the last to the first.
    private static func reversed(_ rows: RowTree, key: ValueCells, columns: Int) -> () -> RowRange? {
        var end = rows.searchEnd(key.cells, count: columns)
        let width = columns + 1
        let last = ValueCells(width: width)
        _ = last.rows.append()
        return {
            guard let row = rows.row(before: end), rows.order.compare(row, to: key.cells, count: columns) == 0 else {
                return nil
            }
            for (cell, column) in rows.order.columns.prefix(width).enumerated() {
                last.rows.row(0)[cell] = rows.order.format.cell(column.column, of: row)
            }
            let start = rows.search(last.cells, count: width).position
            defer { end = start }
            return RowRange(rows, from: start, to: end)
        }
    }

    /// The lists's keys in key order, each once.
    private static func keys(_ list: ValueList, columns: Int, table: ArchiveTable) -> RowSource {
        let cells = ValueCells(list)
        func order(_ left: Int, _ right: Int) -> Int {
            for column in 0..<columns {
                let order = cells.cells[left * columns + column]
                    .compared(to: cells.cells[right * columns + column], isDecimal: false)
                if order != 0 { return order }
            }
            return 0
        }
        let sorted = (0..<list.count).sorted { order($0, $1) < 0 }
        var next = 0
        return RowSource(nil) {
            while next > 0, next < sorted.count, order(sorted[next - 1], sorted[next]) == 0 { next += 1 }
            guard next < sorted.count else { return nil }
            defer { next += 1 }
            return RowRange(table.rows, prefix: cells.cells + sorted[next] * columns, count: columns)
        }
    }

    /// The rows of each value of the first column together, the greatest value first; rows of one value stay in order.
    private static func descending(
        _ tree: RowTree, from first: RowTree.Position, to last: RowTree.Position
    ) -> () -> RowRange? {
        var end = last
        return {
            guard first < end, let row = tree.row(before: end) else { return nil }
            let value = tree.order.format.cell(tree.order.columns[0].column, of: row)
            let start = withUnsafePointer(to: value) { tree.search($0, count: 1).position }
            defer { end = start }
            return RowRange(tree, from: start, to: end)
        }
    }

    /// Returns whether the rows come in the order that the query asks for. No sort keys mean key order.
    func isOrdered(as order: [Query.SortKey], _ table: ArchiveTable) -> Bool {
        switch self {
        case .scan, .key, .keys, .keyBounds:
            guard let first = order.first else { return true }
            return first.term == .column(table.schema.key[0]) && !first.isDescending && order.count == 1
        case .index(let index, let bounds):
            guard let first = order.first else { return bounds.isInKeyOrder }
            guard order.count == 1, first.term == .column(index.column) else { return false }
            // Rows of one value are in key order, unless other columns of the index come first.
            return bounds.isInKeyOrder
                || (index.columns.count == 1 && !first.isDescending && first.hasUsualNulls)
        case .ordered, .keyReversed: return true
        }
    }
}

extension ColumnBounds {
    /// Returns whether looking up the rows of an index's entries costs less than looking at all rows.
    func isWorthwhile(in entries: RowTree) -> Bool {
        if isSingle { return true }
        if listsMany(of: entries) { return false }
        var left = Self.mostRows(of: entries.count)
        return ranges(of: entries).allSatisfy { range in
            left -= range.count(upTo: left + 1)
            return left >= 0
        }
    }

    /// Returns whether it lists so many values that looking each up costs more than looking at all rows.
    func listsMany(of tree: RowTree) -> Bool {
        guard let prefixCount, !isSingle else { return false }
        return prefixCount > Self.mostRows(of: tree.count)
    }

    /// The ranges of a tree whose first columns these are.
    func ranges(of tree: RowTree) -> [RowRange] {
        if columns.count == 1, let values {
            let cells = ValueCells(ValueList(width: 1, values: Set(values).sorted()))
            return (0..<cells.count).map { RowRange(tree, prefix: cells.cells + $0, count: 1) }
        }
        if let prefixes {
            let sorted = Set(prefixes).sorted { $0.lexicographicallyPrecedes($1) }
            let width = columns.count
            let cells = ValueCells(ValueList(width: width, values: sorted.flatMap(\.self)))
            return sorted.indices.map { RowRange(tree, prefix: cells.cells + $0 * width, count: width) }
        }
        let (start, end) = positions(in: tree)
        return [RowRange(tree, from: start, to: end)]
    }

    /// The positions between which the rows of a tree are that have values between the bounds.
    func positions(in tree: RowTree) -> (start: RowTree.Position, end: RowTree.Position) {
        let cells = ValueCells(ValueList(width: 1, values: [lower ?? .null, upper ?? .null]))
        let start =
            if lower != nil, !isAboveLower {
                tree.search(cells.cells, count: 1).position
            } else if lower == nil, upper == nil {
                tree.start
            } else {
                // After the lower bound, or after null, for which no comparison holds.
                tree.searchEnd(cells.cells, count: 1)
            }
        let end =
            upper == nil
            ? tree.end
            : isBelowUpper ? tree.search(cells.cells + 1, count: 1).position : tree.searchEnd(cells.cells + 1, count: 1)
        return (start, end)
    }
}
