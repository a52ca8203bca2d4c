package import StorageDriver

/// The rows of one record: its root's row, and for each table of owned properties the rows of that root.
package struct RecordRows {
    /// Rows of one table, in the order of its key, each with all columns of the table in order.
    package typealias Rows = TableRows

    /// One for each table of the layout, in its order.
    package var tables: UnsafeBufferPointer<Rows>
    /// The number of the commit that wrote the record, where its archive says so. Encoding does not look at it.
    package var sequence: UInt64?

    package init(tables: UnsafeBufferPointer<Rows>, sequence: UInt64? = nil) {
        self.tables = tables
        self.sequence = sequence
    }
}
