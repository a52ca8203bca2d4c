public import StorageDriver

/// A column of a recorded model whose records are one row each.
package struct FlatColumn: Sendable {
    /// The stored name of the property.
    package let name: String
    package let type: ColumnType
    package let isOptional: Bool

    package init(name: String, type: ColumnType, isOptional: Bool) {
        (self.name, self.type, self.isOptional) = (name, type, isOptional)
    }
}

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

    /// The columns of records that are one row each, in the order of ``checkedCells()``; nil for records that are more than a row.
    package var flatColumns: [FlatColumn]? {
        let fields = context.recordFields
        guard fields.relations.isEmpty else { return nil }
        var columns: [FlatColumn] = []
        for column in fields.columns {
            guard case .value = column.content else { return nil }
            columns.append(FlatColumn(name: column.name.text, type: column.type, isOptional: !column.isRequired))
        }
        return columns
    }

    /// The cells of the current row, one for each of ``flatColumns``. Valid until the next call of ``next()``.
    ///
    /// - Throws: `typeMismatch` for a value that does not fit its column.
    package func checkedCells() throws(StorageError) -> UnsafeBufferPointer<Cell> {
        let cells = UnsafeBufferPointer(start: cursor.cells + start, count: end - start)
        for (place, column) in context.recordFields.columns.enumerated() {
            if column.check.problem(cells[place]) == nil { continue }
            throw context.mismatch(
                at: start + place, of: cursor.cells, wanted: column.type.description, because: nil)
        }
        return cells
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
