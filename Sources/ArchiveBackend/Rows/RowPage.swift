internal import StorageDriver

/// Some rows that follow each other, in one piece of memory: rows from its start, and from its end backwards the
/// offsets of the rows in their order.
///
/// Unchecked: a page is changed only by a tree that holds the one reference to it (``RowNode`` asks before each change),
/// and a tree is a value of one thread; a page that others can see is never changed.
final class RowPage: @unchecked Sendable {
    // Exclusivity is not checked at run time: no access to these lasts beyond one statement of this class, and none of
    // its methods calls out.
    @exclusivity(unchecked) private var memory: UnsafeMutableRawPointer
    @exclusivity(unchecked) private var capacity: Int
    /// The bytes from the start that rows have used, including removed rows.
    @exclusivity(unchecked) private var used = 0
    /// Bytes of the rows that exist, and of their offsets.
    @exclusivity(unchecked) private(set) var liveBytes = 0
    @exclusivity(unchecked) private(set) var count = 0

    /// The bytes that a page has unless one row alone is longer. Small enough to be copied for one changed row.
    static let fullBytes = 8_192
    private static let offsetBytes = MemoryLayout<UInt32>.stride

    /// - Parameter capacity: the bytes to begin with.
    init(capacity: Int) {
        self.capacity = (max(capacity, 512) + 7) & ~7
        memory = .allocate(byteCount: self.capacity, alignment: 8)
    }

    /// A page with one row.
    convenience init(_ row: UnsafeRawPointer, capacity: Int = 0) {
        self.init(capacity: max(capacity, RowFormat.size(of: row) + Self.offsetBytes))
        insertCopy(of: row, at: 0)
    }

    /// A copy of a page, as it lies in memory.
    init(_ other: RowPage) {
        (capacity, used, liveBytes, count) = (other.capacity, other.used, other.liveBytes, other.count)
        memory = .allocate(byteCount: capacity, alignment: 8)
        memory.copyMemory(from: other.memory, byteCount: used)
        let offsets = capacity - Self.offsetBytes * count
        (memory + offsets).copyMemory(from: other.memory + offsets, byteCount: Self.offsetBytes * count)
    }

    /// A copy of some of a page's rows.
    init(_ other: RowPage, _ rows: Range<Int>) {
        let bytes = rows.reduce(0) { $0 + RowFormat.size(of: other[$1]) + Self.offsetBytes }
        capacity = (max(bytes + bytes / 8, 512) + 7) & ~7
        memory = .allocate(byteCount: capacity, alignment: 8)
        for row in rows { insertCopy(of: other[row], at: count) }
    }

    deinit { memory.deallocate() }

    /// The row at an index below ``count``. Valid until the page changes.
    @inline(__always)
    subscript(index: Int) -> UnsafeRawPointer { UnsafeRawPointer(memory) + Int(offset(index).pointee) }

    /// A page is never empty but while it is being made or emptied.
    var lastRow: UnsafeRawPointer { self[count - 1] }

    @inline(__always)
    private func offset(_ index: Int) -> UnsafeMutablePointer<UInt32> {
        (memory + capacity - Self.offsetBytes * (index + 1)).assumingMemoryBound(to: UInt32.self)
    }

    /// Returns whether the page stays within its size with one more row.
    func fits(_ size: Int) -> Bool { count == 0 || liveBytes + size + Self.offsetBytes <= Self.fullBytes }

    /// Adds a row, whose bytes must not be in this page.
    func insertCopy(of row: UnsafeRawPointer, at index: Int) {
        let size = RowFormat.size(of: row)
        let needed = size + Self.offsetBytes
        if used + Self.offsetBytes * count + needed > capacity { rearrange(freeing: needed) }
        let start = offset(count)
        // The offsets of later rows precede it in memory.
        start.update(from: start + 1, count: count - index)
        offset(index).pointee = UInt32(truncatingIfNeeded: used)
        (memory + used).copyMemory(from: row, byteCount: size)
        used += size
        liveBytes += needed
        count += 1
    }

    /// Replaces a row by another one with the same key, whose bytes must not be in this page.
    func replace(with row: UnsafeRawPointer, at index: Int) {
        let size = RowFormat.size(of: row)
        let old = RowFormat.size(of: self[index])
        if size > old {
            remove(at: index)
            insertCopy(of: row, at: index)
        } else {
            (memory + Int(offset(index).pointee)).copyMemory(from: row, byteCount: size)
            liveBytes -= old - size
        }
    }

    func remove(at index: Int) {
        liveBytes -= RowFormat.size(of: self[index]) + Self.offsetBytes
        let end = offset(count - 1)
        (end + 1).update(from: end, count: count - 1 - index)
        count -= 1
    }

    /// Moves the rows together, into more memory where they need it.
    private func rearrange(freeing bytes: Int) {
        let wanted = liveBytes + bytes
        let larger = wanted <= Self.fullBytes ? min(max(wanted * 2, 1024), Self.fullBytes) : wanted
        let copy = RowPage(capacity: larger)
        for row in 0..<count { copy.insertCopy(of: self[row], at: row) }
        swap(&memory, &copy.memory)
        swap(&capacity, &copy.capacity)
        used = copy.used
    }

    /// The index of the first row that is not before a key, and whether it has the key.
    @inline(__always)
    func search(_ order: RowOrder, _ key: UnsafePointer<Cell>, count keyCount: Int) -> (index: Int, isFound: Bool) {
        var low = 0
        var high = count
        var isFound = false
        while low < high {
            let middle = (low + high) / 2
            let comparison = order.compare(self[middle], to: key, count: keyCount)
            if comparison < 0 {
                low = middle + 1
            } else {
                high = middle
                if comparison == 0 { isFound = true }
            }
        }
        return (low, isFound)
    }
}
