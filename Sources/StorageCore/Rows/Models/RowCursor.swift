public import StorageDriver

/// A query's rows, ready to be decoded: a cursor, and the context of its table.
public struct RowCursor: ~Copyable {
    @usableFromInline var cursor: Cursor
    @usableFromInline let context: RowContext
    @usableFromInline let start: Int
    @usableFromInline let end: Int

    init(_ cursor: consuming Cursor, _ context: RowContext) {
        self.cursor = cursor
        self.context = context
        start = context.table.prefixCount
        end = context.table.columns.count
    }

    /// Moves to the next row; false after the last.
    @inlinable @inline(__always)
    public mutating func next() throws(StorageError) -> Bool { try cursor.next() }

    /// The next row as a model; nil after the last.
    @inlinable @inline(__always)
    package mutating func nextModel<M: Storable>(_: M.Type) throws(StorageError) -> M? {
        guard try next() else { return nil }
        var row = self.row
        let model = try M(reading: &row)
        try row.finish()
        return model
    }

    /// The bytes of the current row's texts and blobs.
    package var rowBytes: Int { (start..<end).reduce(0) { $0 + cursor.cells[$1].bytes.count } }

    /// The current row. Valid until the next call of ``next()``.
    @inlinable
    public var row: RowReader {
        @inline(__always) get {
            RowReader(cursor.cells, from: start, to: end, context: .passUnretained(context))
        }
    }
}
