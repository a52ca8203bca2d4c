internal import StorageAPI

/// A walk forward through the rows of a tree, which it keeps alive.
struct RowWalk {
    private let tree: RowTree
    private var position: RowTree.Position

    init(_ tree: RowTree) {
        self.tree = tree
        position = tree.start
    }

    private var isAtEnd: Bool { position.node >= tree.nodes.count }

    /// The row at which the walk stands; nil behind the last.
    var row: UnsafeRawPointer? { isAtEnd ? nil : tree.row(at: position) }
    /// The node, where the walk stands at its beginning.
    var wholeNode: RowNode? { position.page == 0 && position.row == 0 && !isAtEnd ? tree.nodes[position.node] : nil }
    /// The page, where the walk stands at its beginning.
    var wholePage: RowPage? {
        position.row == 0 && !isAtEnd ? tree.nodes[position.node].pages[position.page] : nil
    }

    /// Goes to the first row that does not stand before a key, which must not stand before the one of the last call.
    /// Costs one comparison where that is the row here.
    mutating func seek(_ key: UnsafePointer<Cell>, count: Int) {
        guard let row, tree.order.compare(row, to: key, count: count) < 0 else { return }
        position = tree.search(key, count: count).position
    }

    /// Whether the row here has a key that begins with the key's first `count` columns.
    func isAt(_ key: UnsafePointer<Cell>, count: Int) -> Bool {
        row.map { tree.order.compare($0, to: key, count: count) == 0 } ?? false
    }

    // Called only where there is a row.

    mutating func advance() {
        position.row += 1
        if position.row == tree.nodes[position.node].pages[position.page].count { advancePage() }
    }

    mutating func advancePage() {
        position.row = 0
        position.page += 1
        if position.page == tree.nodes[position.node].pages.count { advanceNode() }
    }

    mutating func advanceNode() { position = RowTree.Position(node: position.node + 1, page: 0, row: 0) }
}
