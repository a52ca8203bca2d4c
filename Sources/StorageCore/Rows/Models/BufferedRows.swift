import StorageDriver

/// Rows that are kept to be decoded in another order than they came in.
package final class BufferedRows: CursorSource {
    // Exclusivity is not checked at run time: no access to these lasts beyond one statement of this class.
    private let rows: RowBuffer
    /// The memory of added rows; nil without rows.
    @exclusivity(unchecked) private var arena: Arena?
    @exclusivity(unchecked) private var order: [Int] = []
    @exclusivity(unchecked) private var position = -1
    private let current: UnsafeMutablePointer<Cell>

    package convenience init(width: Int) { self.init(RowBuffer(width: width)) }

    /// Rows whose bytes another object holds.
    init(_ rows: RowBuffer) {
        self.rows = rows
        current = .allocate(capacity: rows.width)
        current.initialize(repeating: .null, count: rows.width)
    }

    deinit { current.deallocate() }

    package var count: Int { rows.count }

    /// Adds the next rows of a cursor: a part, so many and at most about a mebibyte, or all.
    ///
    /// - Returns: false if the cursor has no more. It must not be advanced after its last row.
    package func addPart(of cursor: inout Cursor, limit: Int = .max) throws(StorageError) -> Bool {
        while count < limit {
            guard try cursor.next() else { return false }
            add(cursor.cells)
            if limit < .max, (arena?.size ?? 0) > Self.partBytes { break }
        }
        return true
    }

    /// The bytes of records that are read ahead at a time.
    package static var partBytes: Int { 1 << 20 }

    package func add(_ cells: UnsafePointer<Cell>) {
        let row = rows.row(rows.append())
        if arena == nil { arena = Arena() }
        for cell in 0..<rows.width { row[cell] = arena?.copy(cells[cell]) ?? .null }
    }

    package func add(_ values: [Value]) {
        let row = rows.row(rows.append())
        if arena == nil { arena = Arena() }
        for (cell, value) in values.prefix(rows.width).enumerated() { row[cell] = arena?.cell(for: value) ?? .null }
    }

    func cell(_ cell: Int, of row: Int) -> Cell { rows.row(row)[cell] }

    package func row(_ index: Int) -> UnsafePointer<Cell> { UnsafePointer(rows.row(index)) }

    /// The indices of the rows in the order of the given cells.
    package func indices(sortedBy cells: [Int]) -> [Int] {
        (0..<count).sorted { left, right in
            for cell in cells {
                let order = self.cell(cell, of: left).keyOrder(to: self.cell(cell, of: right))
                if order != .same { return order == .before }
            }
            return left < right
        }
    }

    /// A cursor over the rows in the given order.
    func cursor(_ order: [Int]) -> Cursor {
        self.order = order
        position = -1
        // The cursor keeps this object, which owns the current row's cells, alive.
        return Cursor(source: self, context: Unmanaged.passUnretained(self).toOpaque(), cells: UnsafePointer(current)) {
            Unmanaged<BufferedRows>.fromOpaque($0).takeUnretainedValue().step()
        }
    }

    private func step() -> Int32 {
        position += 1
        guard position < order.count else { return 0 }
        current.update(from: rows.row(order[position]), count: rows.width)
        return 1
    }

    package func failure() -> StorageError { StorageError(.io, "Rows in memory cannot fail to be read.") }

    package func finish() {}
}
