/// The rows in which two trees of one order differ, in that order.
///
/// Pages and nodes that both trees refer to are passed over at once, so what a commit has changed is found at a cost of
/// the pages it has touched and of the two lists of nodes.
struct RowDifference {
    private var old: Walk
    private var new: Walk
    private let order: RowOrder

    init(from old: RowTree, to new: RowTree) {
        self.old = Walk(old)
        self.new = Walk(new)
        order = new.order
    }

    /// A row that is in one tree only or differs between the two; the newer one where there are two.
    mutating func next() -> UnsafeRawPointer? {
        while true {
            skipShared()
            guard let newRow = new.row else {
                guard let oldRow = old.row else { return nil }
                old.advance()
                return oldRow
            }
            guard let oldRow = old.row else {
                new.advance()
                return newRow
            }
            let comparison = order.compareRows(oldRow, newRow, count: order.columns.count)
            if comparison < 0 {
                old.advance()
                return oldRow
            }
            new.advance()
            if comparison > 0 { return newRow }
            old.advance()
            if !RowFormat.areEqual(oldRow, newRow) { return newRow }
        }
    }

    private mutating func skipShared() {
        while true {
            if let node = old.wholeNode, node === new.wholeNode {
                old.advanceNode()
                new.advanceNode()
            } else if let page = old.wholePage, page === new.wholePage {
                old.advancePage()
                new.advancePage()
            } else {
                return
            }
        }
    }

    /// A walk through the rows of a tree.
    private struct Walk {
        private let nodes: [RowNode]
        private var node = 0
        private var page = 0
        private var index = 0

        init(_ tree: RowTree) { nodes = tree.nodes }

        var row: UnsafeRawPointer? { node < nodes.count ? nodes[node].pages[page][index] : nil }

        /// The node, where the walk stands at its beginning.
        var wholeNode: RowNode? { page == 0 && index == 0 && node < nodes.count ? nodes[node] : nil }
        /// The page, where the walk stands at its beginning.
        var wholePage: RowPage? { index == 0 && node < nodes.count ? nodes[node].pages[page] : nil }

        mutating func advance() {
            index += 1
            if index == nodes[node].pages[page].count { advancePage() }
        }

        mutating func advancePage() {
            index = 0
            page += 1
            if page == nodes[node].pages.count { advanceNode() }
        }

        mutating func advanceNode() {
            (page, index) = (0, 0)
            node += 1
        }
    }
}
