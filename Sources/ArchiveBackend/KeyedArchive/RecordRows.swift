internal import StorageAPI

/// The rows of one record: its root's row, and for each table of owned properties the rows of that root.
struct RecordRows {
    /// Rows of one table, in the order of its key, each with all columns of the table in order.
    typealias Rows = TableRows

    /// One for each table of the layout, in its order.
    var tables: UnsafeBufferPointer<Rows>
    /// The number of the commit that wrote the record, where its archive says so. Encoding does not look at it.
    var sequence: UInt64?
}
