/// Bytes that grow and are kept for the next use. The bytes that it hands out are valid until it changes.
final class ByteBuffer {
    // Owned by the buffer from allocation to deinit; no pointer to it is kept elsewhere across a change. Exclusivity is not
    // checked at run time: no access to these lasts beyond one statement of this class.
    @exclusivity(unchecked) private var memory: UnsafeMutableRawPointer
    @exclusivity(unchecked) private var capacity: Int
    @exclusivity(unchecked) private(set) var count = 0

    init(capacity: Int = 4096) {
        self.capacity = max(capacity, 64)
        memory = .allocate(byteCount: self.capacity, alignment: 16)
    }

    deinit { memory.deallocate() }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }
    var mutableBytes: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: memory, count: count) }

    func append(_ more: UnsafeRawBufferPointer) {
        guard let source = more.baseAddress else { return }
        grow(by: more.count).copyMemory(from: source, byteCount: more.count)
    }

    func append(_ more: [UInt8]) { more.withUnsafeBytes { append($0) } }

    func appendZeros(_ count: Int) {
        _ = grow(by: count).initializeMemory(as: UInt8.self, repeating: 0, count: count)
    }

    func append<N: FixedWidthInteger>(_ number: N) {
        withUnsafeBytes(of: number.littleEndian) { append($0) }
    }

    func removeAll() { count = 0 }

    /// Removes the bytes, and releases their memory if it is larger than the limit.
    func removeAll(keepingAtMost limit: Int) {
        count = 0
        guard capacity > limit else { return }
        memory.deallocate()
        capacity = max(limit, 64)
        memory = .allocate(byteCount: capacity, alignment: 16)
    }

    /// The new bytes, which are not yet initialised.
    private func grow(by more: Int) -> UnsafeMutableRawPointer {
        if more > capacity - count {
            let larger = max(capacity * 2, count + more)
            let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
            moved.copyMemory(from: memory, byteCount: count)
            memory.deallocate()
            (memory, capacity) = (moved, larger)
        }
        defer { count += more }
        return memory + count
    }
}

extension UnsafeRawBufferPointer {
    /// The integer at an offset, which the caller has checked.
    func littleEndian<N: FixedWidthInteger>(at place: Int, as type: N.Type = N.self) -> N {
        N(littleEndian: loadUnaligned(fromByteOffset: place, as: type))
    }

    /// Returns whether both are the same bytes, eight at a step.
    func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        let words = count / 8
        for word in 0..<words where littleEndian(at: 8 * word, as: UInt64.self) != other.littleEndian(at: 8 * word) {
            return false
        }
        return (8 * words..<count).allSatisfy { self[$0] == other[$0] }
    }

    /// True if all bytes are zero, eight at a step.
    var isZero: Bool {
        let words = count / 8
        for word in 0..<words where littleEndian(at: 8 * word, as: UInt64.self) != 0 { return false }
        return self[(8 * words)...].allSatisfy { $0 == 0 }
    }

    /// Bytes at an offset, which the caller has checked.
    func part(_ place: Int, _ count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[place..<place + count])
    }
}
