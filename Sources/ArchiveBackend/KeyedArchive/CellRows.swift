internal import StorageDriver

/// Rows of cells of one width, side by side, in memory that is kept for the next record.
struct CellRows: ~Copyable {
    let width: Int
    private(set) var count = 0
    // Owned by this value alone: `capacity` rows of `width` cells, of which the first `count` are set.
    private(set) var cells: UnsafeMutablePointer<Cell>
    private var capacity = 4

    init(width: Int) {
        self.width = max(width, 1)
        cells = .allocate(capacity: capacity * self.width)
    }

    deinit { cells.deallocate() }

    mutating func removeAll() { count = 0 }

    /// Adds a copy of a row and returns its index. Rows may move.
    @inline(__always)
    mutating func append(_ row: UnsafePointer<Cell>) -> Int {
        if count == capacity { grow() }
        (cells + count &* width).update(from: row, count: width)
        count &+= 1
        return count &- 1
    }

    @inline(__always)
    func row(_ index: Int) -> UnsafeMutablePointer<Cell> { cells + index &* width }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<Cell>.allocate(capacity: capacity * 2 * width)
        larger.update(from: cells, count: count * width)
        cells.deallocate()
        cells = larger
        capacity *= 2
    }
}
