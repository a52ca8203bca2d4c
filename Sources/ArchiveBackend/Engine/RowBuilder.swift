internal import StorageDriver

/// Memory in which rows are put together before a tree takes them.
///
/// Used by one thread at a time. A tree copies rows in, so cells may point at rows that the tree is about to change.
final class RowBuilder {
    // Exclusivity is not checked at run time: no access to these lasts beyond one statement.
    @exclusivity(unchecked) private(set) var cells: UnsafeMutablePointer<Cell>
    @exclusivity(unchecked) private(set) var key: UnsafeMutablePointer<Cell>
    @exclusivity(unchecked) private var width: Int
    @exclusivity(unchecked) private var memory: UnsafeMutableRawPointer
    @exclusivity(unchecked) private var capacity: Int
    /// Bytes of all rows that were packed so far.
    @exclusivity(unchecked) private(set) var packedBytes = 0
    /// Bytes of the largest.
    @exclusivity(unchecked) private(set) var largestRow = 0

    private static let usualCapacity = 1 << 16

    init() {
        width = 32
        capacity = 1024
        cells = .allocate(capacity: width)
        key = .allocate(capacity: width)
        memory = .allocate(byteCount: capacity, alignment: 8)
    }

    deinit {
        cells.deallocate()
        key.deallocate()
        memory.deallocate()
    }

    /// Resets the packed size, and frees the memory of an unusually large row.
    func beginTransaction() {
        (packedBytes, largestRow) = (0, 0)
        guard capacity > Self.usualCapacity else { return }
        memory.deallocate()
        capacity = Self.usualCapacity
        memory = .allocate(byteCount: capacity, alignment: 8)
    }

    /// Makes the cells as many as a row has, all null.
    func begin(width wanted: Int) {
        if wanted > width {
            cells.deallocate()
            key.deallocate()
            width = wanted
            cells = .allocate(capacity: width)
            key = .allocate(capacity: width)
        }
        cells.initialize(repeating: .null, count: wanted)
    }

    /// The builder's cells as a row; valid until the next one is packed.
    ///
    /// - Throws: `limitExceeded` for a row longer than ``RowFormat/maximumBytes``.
    func pack(_ format: RowFormat) throws(StorageError) -> UnsafeRawPointer { try pack(cells, format) }

    func pack(_ cells: UnsafePointer<Cell>, _ format: RowFormat) throws(StorageError) -> UnsafeRawPointer {
        guard let size = format.size(of: cells) else {
            throw StorageError(
                .limitExceeded,
                "A record's values together have more than \(RowFormat.maximumBytes) bytes; keep large data in files.")
        }
        if size > capacity {
            memory.deallocate()
            capacity = size * 2
            memory = .allocate(byteCount: capacity, alignment: 8)
        }
        format.write(cells, size: size, to: memory)
        packedBytes &+= size
        if size > largestRow { largestRow = size }
        return UnsafeRawPointer(memory)
    }
}
