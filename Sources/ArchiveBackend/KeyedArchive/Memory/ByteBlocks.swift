/// Memory for values that the archive holds in another form: blocks that never move and are reused.
struct ByteBlocks: ~Copyable {
    private var blocks: [UnsafeMutableRawBufferPointer] = []
    private var current = 0
    private var used = 0
    /// The number of bytes taken.
    private(set) var size = 0

    private static let blockSize = 64 * 1024
    private static let maximumKept = 64

    deinit {
        for block in blocks { block.deallocate() }
    }

    /// Forgets all values. Memory beyond a few megabytes is given back.
    mutating func removeAll() {
        while blocks.count > Self.maximumKept || (blocks.last?.count ?? 0) > Self.blockSize {
            blocks.removeLast().deallocate()
        }
        current = 0
        used = 0
        size = 0
    }

    /// Room for a value, valid until ``removeAll()``. Never of no bytes, so that it has an address.
    mutating func allocate(_ count: Int) -> UnsafeMutableRawBufferPointer {
        size += count
        while current < blocks.count, blocks[current].count - used < count {
            current += 1
            used = 0
        }
        if current == blocks.count {
            blocks.append(.allocate(byteCount: max(count, Self.blockSize), alignment: 16))
        }
        let place = UnsafeMutableRawBufferPointer(rebasing: blocks[current][used..<used + count])
        used += count
        return place
    }

    mutating func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let place = allocate(bytes.count)
        place.copyMemory(from: bytes)
        return UnsafeRawBufferPointer(place)
    }
}
