/// Contiguous rows of one table, each with all columns of the table in order.
package struct TableRows {
    /// Row after row.
    package var cells: UnsafePointer<Cell>
    /// The number of rows.
    package var count: Int

    /// Rows with consecutive cells, which must outlive this value.
    package init(cells: UnsafePointer<Cell>, count: Int) {
        self.cells = cells
        self.count = count
    }
}
