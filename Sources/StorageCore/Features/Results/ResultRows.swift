import StorageDriver

/// The source of a request's rows.
package enum ResultRows: Sendable {
    case groups(GroupSelection)
    case records(Selection, [QueryNode])
    /// An owned property of the records with the keys, in the order of these.
    case owned(QueryNode, of: KeyList)
}

/// A row whose values are read one after the other, or in the order of `cells`.
package final class ResultRow {
    private let cells: UnsafePointer<Cell>
    private let context: RowContext
    private let places: [Int]?
    private var next: Int
    private var relation = 0

    /// The cells must outlive the row: it is made for one row, and gone before the next.
    package init(_ cells: UnsafePointer<Cell>, _ context: RowContext, places: [Int]? = nil) {
        self.cells = cells
        self.context = context
        self.places = places
        next = places == nil ? context.table.prefixCount : 0
    }

    /// The key of the record, with which rows of owned properties begin.
    package var key: [Value] { context.table.keyCells.map { cells[$0].value } }

    package func read<T>(_ body: (inout RowReader) throws(StorageError) -> T) throws(StorageError) -> T {
        let place = places.map { $0.indices.contains(next) ? $0[next] : context.table.columns.count } ?? next
        var reader = RowReader(cells, from: place, to: context.table.columns.count, context: .passUnretained(context))
        reader.relation = relation
        let value = try body(&reader)
        relation = reader.relation
        next = places == nil ? reader.index : next + 1
        return value
    }
}
