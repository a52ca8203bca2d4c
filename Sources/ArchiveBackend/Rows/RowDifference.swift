/// The rows in which two trees of one order differ, in that order.
///
/// Pages and nodes that both trees refer to are skipped at once, so the changes of a commit are found at a cost of the
/// pages it has touched and of the two lists of nodes.
struct RowDifference {
    private var old: RowWalk
    private var new: RowWalk
    private let order: RowOrder

    init(from old: RowTree, to new: RowTree) {
        self.old = RowWalk(old)
        self.new = RowWalk(new)
        order = new.order
    }

    /// A row that is in only one tree, or differs between the two; the newer one if the row is in both.
    mutating func next() -> UnsafeRawPointer? {
        while true {
            if old.isAtPage, new.isAtPage { RowWalk.skipShared(&old, &new) }
            guard let newRow = new.row else {
                guard let oldRow = old.row else { return nil }
                old.advance()
                return oldRow
            }
            guard let oldRow = old.row else {
                new.advance()
                return newRow
            }
            // Most rows of a changed page are as they were.
            if RowFormat.areEqual(oldRow, newRow) {
                RowWalk.skipEqual(&old, &new)
                old.advance()
                new.advance()
                continue
            }
            let comparison = order.compareRows(oldRow, newRow, count: order.columns.count)
            if comparison < 0 {
                old.advance()
                return oldRow
            }
            new.advance()
            if comparison == 0 { old.advance() }
            return newRow
        }
    }
}
