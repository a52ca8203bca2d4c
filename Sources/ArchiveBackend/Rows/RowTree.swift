internal import StorageAPI

/// Rows in the order of their keys: a list of nodes, each a list of pages.
///
/// A value: a copy costs one reference, and a change to one of two copies copies the list of nodes, one node and one
/// page, whatever the number of rows. What a copy refers to stays as it is, so a reader needs nothing but a copy.
struct RowTree {
    let order: RowOrder
    private(set) var nodes: [RowNode] = []
    private(set) var count = 0

    init(_ order: RowOrder) { self.order = order }

    /// Where a row is, or would be.
    struct Position {
        var node: Int
        var page: Int
        var row: Int
    }

    /// Whether the other tree is this one unchanged.
    func isSame(as other: RowTree) -> Bool {
        count == other.count && nodes.elementsEqual(other.nodes) { $0 === $1 }
    }

    // MARK: Searching

    /// The place of the first row that does not stand before the key, and whether its key begins with the key's first
    /// `count` columns. Costs comparisons with the logarithm of the number of rows.
    func search(_ key: UnsafePointer<Cell>, count keyCount: Int) -> (position: Position, isFound: Bool) {
        let node = Self.firstIndex(nodes.count) { order.compare(nodes[$0].lastRow, to: key, count: keyCount) >= 0 }
        guard node < nodes.count else { return (end, false) }
        let pages = nodes[node].pages
        let page = Self.firstIndex(pages.count) { order.compare(pages[$0].lastRow, to: key, count: keyCount) >= 0 }
        guard page < pages.count else { return (end, false) }
        let (row, isFound) = pages[page].search(order, key, count: keyCount)
        return (Position(node: node, page: page, row: row), isFound)
    }

    /// The place behind all rows whose keys begin with the key's first `count` columns or stand before it.
    func searchEnd(_ key: UnsafePointer<Cell>, count keyCount: Int) -> Position {
        let node = Self.firstIndex(nodes.count) { order.compare(nodes[$0].lastRow, to: key, count: keyCount) > 0 }
        guard node < nodes.count else { return end }
        let pages = nodes[node].pages
        let page = Self.firstIndex(pages.count) { order.compare(pages[$0].lastRow, to: key, count: keyCount) > 0 }
        guard page < pages.count else { return end }
        let row = Self.firstIndex(pages[page].count) {
            order.compare(pages[page][$0], to: key, count: keyCount) > 0
        }
        return Position(node: node, page: page, row: row)
    }

    /// The first index for which the condition holds, which from there on holds for all.
    @inline(__always)
    private static func firstIndex(_ count: Int, where condition: (Int) -> Bool) -> Int {
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

    /// The row at a place that ``search(_:count:)`` has found.
    func row(at position: Position) -> UnsafeRawPointer {
        nodes[position.node].pages[position.page][position.row]
    }

    /// The row whose key is exactly the given one.
    func row(_ key: UnsafePointer<Cell>) -> UnsafeRawPointer? {
        let (position, isFound) = search(key, count: order.columns.count)
        return isFound ? row(at: position) : nil
    }

    /// The row in front of a place.
    func row(before position: Position) -> UnsafeRawPointer? {
        if position.row > 0 { return nodes[position.node].pages[position.page][position.row - 1] }
        if position.page > 0 { return nodes[position.node].pages[position.page - 1].lastRow }
        return position.node > 0 ? nodes[position.node - 1].lastRow : nil
    }

    var lastRow: UnsafeRawPointer? { nodes.last?.lastRow }

    // MARK: Changing

    /// Adds a row at the place that the search for its key has given.
    mutating func insert(_ row: UnsafeRawPointer, at position: Position) {
        count += 1
        if position.node == nodes.count { return append(row) }
        let node = mutableNode(position.node)
        node.insert(row, page: position.page, at: position.row)
        splitIfFull(position.node)
    }

    /// Adds a row behind all others.
    private mutating func append(_ row: UnsafeRawPointer) {
        guard !nodes.isEmpty else { return nodes.append(RowNode([RowPage(row)])) }
        let last = nodes.count - 1
        let node = mutableNode(last)
        if !node.append(row) { nodes.append(RowNode([RowPage(row, capacity: RowPage.fullBytes)])) }
    }

    /// Puts a row in the place of the one with the same key. Its bytes must not be this tree's own.
    mutating func replace(_ row: UnsafeRawPointer, at position: Position) {
        mutableNode(position.node).replace(row, page: position.page, at: position.row)
        splitIfFull(position.node)
    }

    mutating func remove(at position: Position) {
        count -= 1
        let node = mutableNode(position.node)
        node.remove(page: position.page, at: position.row)
        if node.pages.isEmpty { nodes.remove(at: position.node) }
    }

    private mutating func splitIfFull(_ index: Int) {
        guard nodes[index].pages.count > RowNode.mostPages else { return }
        nodes.insert(nodes[index].split(), at: index + 1)
    }

    private mutating func mutableNode(_ index: Int) -> RowNode {
        if !isKnownUniquelyReferenced(&nodes[index]) { nodes[index] = RowNode(nodes[index].pages) }
        return nodes[index]
    }
}

/// Some pages that follow each other.
///
/// Unchecked: changed only by a tree that holds the one reference to it, as ``RowTree`` asks before each change.
final class RowNode: @unchecked Sendable {
    // Exclusivity is not checked at run time: no access lasts beyond one statement of this class, and none of its methods
    // calls out.
    @exclusivity(unchecked) private(set) var pages: [RowPage]

    static let mostPages = 128

    init(_ pages: [RowPage]) { self.pages = pages }

    /// A node and a page are never empty but inside one of the calls below.
    var lastRow: UnsafeRawPointer { pages[pages.count - 1].lastRow }

    func insert(_ row: UnsafeRawPointer, page: Int, at index: Int) {
        var (page, index) = (page, index)
        let size = RowFormat.size(of: row)
        while !pages[page].fits(size) {
            let count = pages[page].count
            if index == 0 { return pages.insert(RowPage(row), at: page) }
            if index == count { return pages.insert(RowPage(row), at: page + 1) }
            splitPage(page, at: count / 2)
            if index >= count / 2 {
                page += 1
                index -= count / 2
            }
        }
        mutablePage(page).insertCopy(of: row, at: index)
    }

    /// Adds a row behind all others, unless the node is full.
    func append(_ row: UnsafeRawPointer) -> Bool {
        let last = pages.count - 1
        if pages[last].fits(RowFormat.size(of: row)) {
            let page = mutablePage(last)
            page.insertCopy(of: row, at: page.count)
            return true
        }
        guard pages.count < Self.mostPages else { return false }
        pages.append(RowPage(row, capacity: RowPage.fullBytes))
        return true
    }

    func replace(_ row: UnsafeRawPointer, page: Int, at index: Int) {
        let size = RowFormat.size(of: row)
        if pages[page].count == 1 || size <= RowFormat.size(of: pages[page][index]) {
            mutablePage(page).replace(with: row, at: index)
        } else {
            mutablePage(page).remove(at: index)
            insert(row, page: page, at: index)
        }
    }

    func remove(page: Int, at index: Int) {
        let changed = mutablePage(page)
        changed.remove(at: index)
        if changed.count == 0 {
            pages.remove(at: page)
        } else if changed.liveBytes < RowPage.fullBytes / 4, page + 1 < pages.count,
            changed.liveBytes + pages[page + 1].liveBytes < RowPage.fullBytes * 3 / 4
        {
            let next = pages.remove(at: page + 1)
            for row in 0..<next.count { changed.insertCopy(of: next[row], at: changed.count) }
        }
    }

    /// Leaves the first half of the pages here and returns a node with the others.
    func split() -> RowNode {
        let half = pages.count / 2
        let rest = RowNode(Array(pages[half...]))
        pages.removeSubrange(half...)
        return rest
    }

    /// Moves the rows from an index on to a page of their own behind the page.
    private func splitPage(_ page: Int, at index: Int) {
        let rest = RowPage(pages[page], index..<pages[page].count)
        pages[page] = RowPage(pages[page], 0..<index)
        pages.insert(rest, at: page + 1)
    }

    private func mutablePage(_ index: Int) -> RowPage {
        if !isKnownUniquelyReferenced(&pages[index]) {
            pages[index] = RowPage(pages[index])
        }
        return pages[index]
    }
}
