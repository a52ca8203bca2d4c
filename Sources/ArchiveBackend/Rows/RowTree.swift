internal import StorageDriver

/// Rows in the order of their keys: a list of nodes, each a list of pages.
///
/// A value: a copy costs a few references, and a change to one of two copies copies a part of the list of nodes, one
/// node and one page, whatever the number of rows. The target of a copy never changes, so a reader needs only a copy.
struct RowTree {
    let order: RowOrder
    private(set) var nodes = NodeList()
    private(set) var count = 0

    init(_ order: RowOrder) { self.order = order }

    /// The position of a row, or the position at which it would be inserted.
    struct Position: Comparable {
        var node: Int
        var page: Int
        var row: Int

        static func < (left: Self, right: Self) -> Bool {
            (left.node, left.page, left.row) < (right.node, right.page, right.row)
        }
    }

    /// Returns whether the other tree is this one unchanged.
    func isSame(as other: RowTree) -> Bool {
        count == other.count && NodeList.areSame(nodes, other.nodes)
    }

    // MARK: Searching

    /// The position of the first row that is not before the key, and whether its key begins with the key's first
    /// `count` columns. The number of comparisons is logarithmic in the number of rows.
    func search(_ key: UnsafePointer<Cell>, count keyCount: Int) -> (position: Position, isFound: Bool) {
        let search = KeySearch(order, key, count: keyCount, least: 0)
        guard let (node, page) = page(of: search) else { return (end, false) }
        let (row, isFound) = nodes[node].pages[page].search(order, key, count: keyCount)
        return (Position(node: node, page: page, row: row), isFound)
    }

    /// The position after all rows whose keys begin with the key's first `count` columns or are before it.
    func searchEnd(_ key: UnsafePointer<Cell>, count keyCount: Int) -> Position {
        let search = KeySearch(order, key, count: keyCount, least: 1)
        guard let (node, page) = page(of: search) else { return end }
        let rows = nodes[node].pages[page]
        let row = Self.firstIndex(rows.count) { order.compare(rows[$0], to: key, count: keyCount) > 0 }
        return Position(node: node, page: page, row: row)
    }

    /// The page with the first target row; nil if all rows are before it.
    private func page(of search: KeySearch) -> (node: Int, page: Int)? {
        let node = nodes.firstIndex(search)
        return node < nodes.count ? (node, nodes[node].firstPage(search)) : nil
    }

    /// The first index for which the condition holds. It must hold for all later ones.
    @inline(__always)
    static func firstIndex(_ count: Int, where condition: (Int) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if condition(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    var start: Position { Position(node: 0, page: 0, row: 0) }
    var end: Position { Position(node: nodes.count, page: 0, row: 0) }

    /// The row at a position that ``search(_:count:)`` has found.
    func row(at position: Position) -> UnsafeRawPointer {
        nodes[position.node].pages[position.page][position.row]
    }

    /// The row whose key is exactly the given one.
    func row(_ key: UnsafePointer<Cell>) -> UnsafeRawPointer? {
        let (position, isFound) = search(key, count: order.columns.count)
        return isFound ? row(at: position) : nil
    }

    /// The row before a position.
    func row(before position: Position) -> UnsafeRawPointer? {
        if position.row > 0 { return nodes[position.node].pages[position.page][position.row - 1] }
        if position.page > 0 { return nodes[position.node].pages[position.page - 1].lastRow }
        return position.node > 0 ? nodes[position.node - 1].lastRow : nil
    }

    var lastRow: UnsafeRawPointer? { nodes.last?.lastRow }

    // MARK: Changing

    /// Inserts a row at the position that the search for its key returned.
    mutating func insert(_ row: UnsafeRawPointer, at position: Position) {
        count += 1
        if position.node == nodes.count { return append(row) }
        nodes.mutable(position.node).insert(row, page: position.page, at: position.row)
        endChange(of: position.node)
    }

    /// Appends a row.
    private mutating func append(_ row: UnsafeRawPointer) {
        let count = nodes.count
        guard count > 0 else { return nodes.insert(RowNode(RowPage(row), order), at: 0) }
        if !nodes.mutable(count - 1).append(row) {
            nodes.insert(RowNode(RowPage(row, capacity: RowPage.fullBytes), order), at: count)
        }
    }

    /// Replaces the row with the same key. Its bytes must not be in this tree.
    mutating func replace(_ row: UnsafeRawPointer, at position: Position) {
        nodes.mutable(position.node).replace(row, page: position.page, at: position.row)
        endChange(of: position.node)
    }

    mutating func remove(at position: Position) {
        count -= 1
        let node = nodes.mutable(position.node)
        node.remove(page: position.page, at: position.row)
        if node.pages.isEmpty { nodes.remove(at: position.node) } else { nodes.noteLastRow(of: position.node) }
    }

    /// Splits a changed node if it is full.
    private mutating func endChange(of index: Int) {
        if nodes[index].pages.count > RowNode.maximumPages {
            let rest = nodes[index].split()
            nodes.insert(rest, at: index + 1)
        }
        nodes.noteLastRow(of: index)
    }
}
