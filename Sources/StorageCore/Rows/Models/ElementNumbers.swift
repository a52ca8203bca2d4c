import StorageDriver

/// Gives the elements of arrays of references the positions 0, 1, 2, … instead of the stored ones, which have gaps: only the
/// order is data. Used by one thread.
package final class ElementNumbers {
    private let row: RowBuffer
    /// The cells before the position, which the elements of one array share.
    private let prefix: [Int]
    private let position: Int
    private var current: [Cell] = []
    private var arena = Arena()
    private var number: Int64 = 0

    init(width: Int, prefix: [Int], position: Int) {
        row = RowBuffer(width: width)
        _ = row.append()
        self.prefix = prefix
        self.position = position
    }

    /// For whole rows of a table; nil if they are no elements, or have the numbers of a type that owns itself.
    convenience init?(_ table: TableSchema) {
        guard table.isOfReferences, let position = table.key.last, table.columns[position].role == .position else {
            return nil
        }
        self.init(width: table.columns.count, prefix: Array(table.key.dropLast()), position: position)
    }

    /// For the cells that a model reads from a table.
    package convenience init?(_ table: TableBinding) {
        guard table.element != nil, table.form == .child else { return nil }
        let position = table.prefixCount - 1
        self.init(width: table.columns.count, prefix: Array(0..<position), position: position)
    }

    /// The row with its element's number, valid until the next one. Texts and blobs stay where they are.
    package func numbered(_ cells: UnsafePointer<Cell>) -> UnsafePointer<Cell> {
        let isSame = !current.isEmpty && prefix.indices.allSatisfy { current[$0].isEqual(to: cells[prefix[$0]]) }
        if isSame {
            number += 1
        } else {
            arena.reset()
            current = prefix.map { arena.copy(cells[$0]) }
            number = 0
        }
        let copy = row.row(0)
        copy.update(from: cells, count: row.width)
        copy[position] = .int(number)
        return UnsafePointer(copy)
    }
}
