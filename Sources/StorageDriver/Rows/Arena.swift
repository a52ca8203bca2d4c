/// Memory for the bytes of a batch: blocks that never move, so cells can point into them while more are written.
@usableFromInline
package struct Arena: ~Copyable {
    @usableFromInline var next: UnsafeMutableRawPointer
    @usableFromInline var end: UnsafeMutableRawPointer
    /// The most bytes that one value may have.
    @usableFromInline package let limit: Int
    private var blocks: [UnsafeMutableRawBufferPointer]

    /// The greatest size of a block that holds several values. Blocks begin small, since many batches and cursors have a single row.
    static let blockSize = 64 * 1024
    private static let firstSize = 4 * 1024
    private var nextSize = Arena.firstSize * 4

    @usableFromInline
    package init(limit: Int = Int(UInt32.max)) {
        // A cell says the length of its bytes in 32 bits.
        self.limit = min(limit, Int(UInt32.max))
        let block = Self.block(Self.firstSize)
        blocks = [block]
        (next, end) = Self.bounds(of: block)
    }

    deinit {
        for block in blocks { block.deallocate() }
    }

    /// The bytes of all blocks, which say when a batch is big enough.
    package private(set) var size = Arena.firstSize

    /// Room for `count` bytes, valid until ``reset()``.
    @inlinable @inline(__always)
    package mutating func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        if count <= end - next {
            let place = next
            next += count
            return place
        }
        return allocateBlock(for: count)
    }

    /// Copies a cell whose bytes have another owner.
    @inlinable
    package mutating func copy(_ cell: Cell) -> Cell {
        guard cell.tag == .text || cell.tag == .blob, let source = cell.bytes.baseAddress else { return cell }
        let place = allocate(cell.bytes.count)
        place.copyMemory(from: source, byteCount: cell.bytes.count)
        return Cell(bits: UInt64(UInt(bitPattern: place)), length: cell.length, tag: cell.tag)
    }

    /// Forgets everything, keeping a block.
    package mutating func reset() {
        // The largest block that is used for several values.
        let kept = blocks.lazy.map(\.count).filter { $0 <= Self.blockSize }.max() ?? 0
        if blocks.count > 1, let place = blocks.firstIndex(where: { $0.count == kept }) {
            blocks.swapAt(0, place)
            for block in blocks.dropFirst() { block.deallocate() }
            blocks.removeLast(blocks.count - 1)
        }
        size = blocks[0].count
        (next, end) = Self.bounds(of: blocks[0])
    }

    @usableFromInline
    mutating func allocateBlock(for count: Int) -> UnsafeMutableRawPointer {
        let block = Self.block(max(nextSize, count))
        blocks.append(block)
        size += block.count
        let (start, blockEnd) = Self.bounds(of: block)
        // A value that fills a separate block leaves the current block in use.
        if count < nextSize {
            nextSize = min(nextSize * 4, Self.blockSize)
            next = start + count
            end = blockEnd
        }
        return start
    }

    private static func block(_ count: Int) -> UnsafeMutableRawBufferPointer {
        .allocate(byteCount: count, alignment: 16)
    }

    private static func bounds(
        of block: UnsafeMutableRawBufferPointer
    ) -> (UnsafeMutableRawPointer, UnsafeMutableRawPointer) {
        // A block is never empty, so it has an address.
        let start = block.baseAddress.unsafelyUnwrapped
        return (start, start + block.count)
    }
}
