/// Rows of cells with one width, in one block of memory. An arena beside it owns the cells' bytes.
///
/// It is not inlined into other modules, where an access to a property would be checked for exclusivity at run time,
/// which costs more than the call.
package final class RowBuffer {
    package let width: Int
    // Exclusivity is not checked at run time: no access to these lasts beyond one statement of this class.
    @exclusivity(unchecked) private var storedCount = 0
    @exclusivity(unchecked) private var storedCells: UnsafeMutablePointer<Cell>
    @exclusivity(unchecked) private var storedCapacity: Int

    package init(width: Int) {
        self.width = max(width, 1)
        storedCapacity = 8
        storedCells = .allocate(capacity: storedCapacity * self.width)
    }

    deinit { storedCells.deallocate() }

    /// The number of rows.
    package var count: Int { storedCount }

    /// Row after row.
    package var cells: UnsafeMutablePointer<Cell> { storedCells }

    /// The number of rows that fit into the memory.
    package var capacity: Int { storedCapacity }

    /// Adds a row of nulls and returns its index. Rows may move, so pointers to earlier ones must be taken again.
    package func append() -> Int {
        if storedCount == storedCapacity { grow() }
        row(storedCount).initialize(repeating: .null, count: width)
        storedCount += 1
        return storedCount - 1
    }

    package func row(_ index: Int) -> UnsafeMutablePointer<Cell> { storedCells + index * width }

    package func removeAll(from start: Int = 0) { storedCount = start }

    private func grow() {
        let larger = UnsafeMutablePointer<Cell>.allocate(capacity: storedCapacity * 2 * width)
        larger.update(from: storedCells, count: storedCount * width)
        storedCells.deallocate()
        storedCells = larger
        storedCapacity *= 2
    }
}
