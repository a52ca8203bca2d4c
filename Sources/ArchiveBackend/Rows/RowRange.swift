internal import StorageDriver

/// A walk through the rows between two places of a tree. Keeps the tree's pages alive.
struct RowRange {
    private let nodes: NodeList
    private let end: RowTree.Position
    private var position: RowTree.Position
    /// The pages of the node at the position.
    private var pages: [RowPage] = []
    private var page: RowPage?
    private var row = 0
    /// The row in the page at which the walk leaves the page.
    private var pageEnd = 0

    init(_ tree: RowTree, from start: RowTree.Position, to end: RowTree.Position) {
        nodes = tree.nodes
        self.end = end
        position = start
        enter(row: start.row)
    }

    /// All rows.
    init(_ tree: RowTree) { self.init(tree, from: tree.start, to: tree.end) }

    /// The rows whose keys begin with the first `count` columns of the key.
    init(_ tree: RowTree, prefix key: UnsafePointer<Cell>, count: Int) {
        let start = tree.search(key, count: count)
        var end = start.position
        if start.isFound {
            // A whole key has one row.
            if count == tree.order.columns.count { end.row += 1 } else { end = tree.searchEnd(key, count: count) }
        }
        self.init(tree, from: start.position, to: end)
    }

    @inline(__always)
    mutating func next() -> UnsafeRawPointer? {
        while row == pageEnd {
            guard page != nil else { return nil }
            advance()
        }
        defer { row += 1 }
        return page?[row]
    }

    /// Whether there are more rows than so many. Looks at no more pages than those take.
    func hasMore(than count: Int) -> Bool {
        var rest = self
        var seen = 0
        while rest.page != nil {
            seen += rest.pageEnd - rest.row
            if seen > count { return true }
            rest.advance()
        }
        return false
    }

    /// Goes to the page at the position, and leaves it empty-handed where the range has ended.
    private mutating func enter(row first: Int) {
        let isBeyond = position.node > end.node || (position.node == end.node && position.page > end.page)
        guard !isBeyond, position.node < nodes.count else {
            page = nil
            (row, pageEnd) = (0, 0)
            return
        }
        if position.page == 0 || pages.isEmpty { pages = nodes[position.node].pages }
        let entered = pages[position.page]
        let isLast = position.node == end.node && position.page == end.page
        page = entered
        row = first
        pageEnd = isLast ? max(end.row, first) : entered.count
    }

    private mutating func advance() {
        position.page += 1
        if position.page == pages.count {
            position.page = 0
            position.node += 1
        }
        enter(row: 0)
    }
}
