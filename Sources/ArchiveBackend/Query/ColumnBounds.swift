internal import StorageDriver

extension ColumnBounds {
    /// Whether looking up the rows of an index's entries costs less than looking at all rows.
    func isWorthwhile(in entries: RowTree) -> Bool {
        values != nil || !ranges(of: entries).contains { $0.hasMore(than: Self.mostRows(of: entries.count)) }
    }

    /// The ranges of a tree whose first column this is.
    func ranges(of tree: RowTree) -> [RowRange] {
        if let values {
            let cells = ValueCells(ValueList(width: 1, values: Set(values).sorted()))
            return (0..<cells.count).map { RowRange(tree, prefix: cells.cells + $0, count: 1) }
        }
        let cells = ValueCells(ValueList(width: 1, values: [lower ?? .null, upper ?? .null]))
        let start =
            lower == nil
            ? tree.start
            : isAboveLower ? tree.searchEnd(cells.cells, count: 1) : tree.search(cells.cells, count: 1).position
        let end =
            upper == nil
            ? tree.end
            : isBelowUpper ? tree.search(cells.cells + 1, count: 1).position : tree.searchEnd(cells.cells + 1, count: 1)
        return [RowRange(tree, from: start, to: end)]
    }
}
