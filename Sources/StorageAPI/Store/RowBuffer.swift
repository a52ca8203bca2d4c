/// Rows of cells of one width, side by side. The cells' bytes belong to an arena beside it.
final class RowBuffer {
    // Exclusivity is not checked at run time: no access to these lasts beyond one statement of this class.
    let width: Int
    @exclusivity(unchecked) private(set) var count = 0
    @exclusivity(unchecked) private(set) var cells: UnsafeMutablePointer<Cell>
    @exclusivity(unchecked) private(set) var capacity: Int

    init(width: Int) {
        self.width = max(width, 1)
        capacity = 8
        cells = .allocate(capacity: capacity * self.width)
    }

    deinit { cells.deallocate() }

    /// Adds a row of nulls and returns its index. Rows may move: pointers to earlier ones are to be made anew.
    func append() -> Int {
        if count == capacity { grow() }
        row(count).initialize(repeating: .null, count: width)
        count += 1
        return count - 1
    }

    func row(_ index: Int) -> UnsafeMutablePointer<Cell> { cells + index * width }

    func removeAll(from start: Int = 0) { count = start }

    private func grow() {
        let larger = UnsafeMutablePointer<Cell>.allocate(capacity: capacity * 2 * width)
        larger.update(from: cells, count: count * width)
        cells.deallocate()
        cells = larger
        capacity *= 2
    }
}
