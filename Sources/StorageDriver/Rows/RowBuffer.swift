/// Contiguous rows of cells of one width. The bytes of the cells belong to an arena.
@usableFromInline
package final class RowBuffer {
    // Exclusivity is not checked at run time: no access to these lasts beyond one statement of this class.
    @usableFromInline package let width: Int
    @exclusivity(unchecked) @usableFromInline package internal(set) var count = 0
    @exclusivity(unchecked) @usableFromInline package internal(set) var cells: UnsafeMutablePointer<Cell>
    @exclusivity(unchecked) @usableFromInline package var capacity: Int

    @inlinable
    package init(width: Int) {
        self.width = max(width, 1)
        capacity = 8
        cells = .allocate(capacity: capacity * self.width)
    }

    deinit { cells.deallocate() }

    /// Adds a row of nulls and returns its index. Rows may move, which invalidates pointers to them.
    @inlinable
    package func append() -> Int {
        if count == capacity { grow() }
        row(count).initialize(repeating: .null, count: width)
        count += 1
        return count - 1
    }

    @inlinable @inline(__always)
    package func row(_ index: Int) -> UnsafeMutablePointer<Cell> { cells + index * width }

    @inlinable
    package func removeAll(from start: Int = 0) { count = start }

    @usableFromInline
    func grow() {
        let larger = UnsafeMutablePointer<Cell>.allocate(capacity: capacity * 2 * width)
        larger.update(from: cells, count: count * width)
        cells.deallocate()
        cells = larger
        capacity *= 2
    }
}
