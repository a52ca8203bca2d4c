internal import StorageDriver

/// An iteration over the rows between two positions of a tree. Keeps the tree's pages alive.
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

    /// Returns the number of rows, or at least `most`. Looks at no more pages than `most` rows take.
    func count(upTo most: Int) -> Int {
        var rest = self
        var seen = 0
        while rest.page != nil, seen < most {
            seen += rest.pageEnd - rest.row
            rest.advance()
        }
        return seen
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

/// A walk forward through the rows of a tree, which it keeps alive.
struct RowWalk {
    private let tree: RowTree
    private var node = 0
    private var page = 0
    private var index = 0
    /// The page at the position; nil after the last. The index is that of one of its rows.
    private var current: RowPage?
    /// True if the iteration has begun.
    private var isBegun: Bool

    /// - Parameter isSought: whether the walk begins with a ``seek(_:count:)`` instead of at the first row.
    init(_ tree: RowTree, isSought: Bool = false) {
        self.tree = tree
        isBegun = !isSought
        if isBegun { load() }
    }

    private mutating func load() { current = node < tree.nodes.count ? tree.nodes[node].pages[page] : nil }

    /// The current row; nil after the last.
    @inline(__always)
    var row: UnsafeRawPointer? { current?[index] }
    /// Returns whether the current row is the first of a page.
    @inline(__always)
    var isAtPage: Bool { index == 0 && current != nil }

    /// Moves to the first row that is not before a key. Keys must ascend from call to call. Costs one comparison if
    /// that is the current row.
    mutating func seek(_ key: UnsafePointer<Cell>, count: Int) {
        if isBegun {
            guard let row, tree.order.compare(row, to: key, count: count) < 0 else { return }
        }
        isBegun = true
        let position = tree.search(key, count: count).position
        (node, page, index) = (position.node, position.page, position.row)
        load()
    }

    /// The row here if its key begins with the key's first `count` columns.
    @inline(__always)
    func row(at key: UnsafePointer<Cell>, count: Int) -> UnsafeRawPointer? {
        guard let row, tree.order.compare(row, to: key, count: count) == 0 else { return nil }
        return row
    }

    /// Advances by one row. After the last row it has no effect.
    @inline(__always)
    mutating func advance() {
        guard let current else { return }
        index += 1
        if index == current.count { advancePage() }
    }

    private mutating func advancePage() {
        index = 0
        page += 1
        if page == tree.nodes[node].pages.count { (node, page) = (node + 1, 0) }
        load()
    }

    /// Moves two iterations that are both at the start of a page past all nodes and pages that their trees share.
    static func skipShared(_ left: inout RowWalk, _ right: inout RowWalk) {
        while left.isAtPage, right.isAtPage {
            let nodes = left.page == 0 && right.page == 0 ? sharedNodes(left, right) : 0
            let pages = nodes == 0 ? sharedPages(left, right) : 0
            if nodes + pages == 0 { return }
            left.skip(nodes, pages)
            right.skip(nodes, pages)
        }
    }

    /// Moves two iterations at equal rows to the last of the consecutive equal rows in their pages.
    static func skipEqual(_ left: inout RowWalk, _ right: inout RowWalk) {
        guard let page = left.current, let other = right.current else { return }
        let most = min(page.count - left.index, other.count - right.index) - 1
        var count = 0
        while count < most, RowFormat.areEqual(page[left.index + count + 1], other[right.index + count + 1]) {
            count &+= 1
        }
        left.index += count
        right.index += count
    }

    /// Returns the number of nodes that both share from here on.
    private static func sharedNodes(_ left: RowWalk, _ right: RowWalk) -> Int {
        NodeList.shared(left.tree.nodes, from: left.node, right.tree.nodes, from: right.node)
    }

    /// Returns the number of pages that both share from here on in their nodes.
    private static func sharedPages(_ left: RowWalk, _ right: RowWalk) -> Int {
        shared(
            left.tree.nodes[left.node].pages, from: left.page, others: right.tree.nodes[right.node].pages,
            otherStart: right.page)
    }

    @inline(__always)
    private static func shared<T: AnyObject>(_ some: [T], from start: Int, others: [T], otherStart: Int) -> Int {
        let most = min(some.count - start, others.count - otherStart)
        var count = 0
        while count < most, some[start + count] === others[otherStart + count] { count += 1 }
        return count
    }

    private mutating func skip(_ nodes: Int, _ pages: Int) {
        node += nodes
        page += pages
        if page > 0, page == tree.nodes[node].pages.count { (node, page) = (node + 1, 0) }
        load()
    }
}
