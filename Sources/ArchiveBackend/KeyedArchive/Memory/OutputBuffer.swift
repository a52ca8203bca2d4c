/// Bytes that grow at their end, in memory that is kept for the next use.
struct OutputBuffer: ~Copyable {
    // Owned by this value alone and `capacity` bytes long; every write reserves its bytes first.
    private var start: UnsafeMutableRawPointer
    private(set) var capacity: Int
    private(set) var count = 0

    init(capacity: Int = 4096) {
        self.capacity = max(capacity, 16)
        start = .allocate(byteCount: self.capacity, alignment: 16)
    }

    deinit { start.deallocate() }

    /// Valid until the next change.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    mutating func removeAll() { count = 0 }

    mutating func removeLast(_ bytes: Int) { count -= bytes }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        reserve(1)
        start.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count &+= 1
    }

    /// Appends the low `width` bytes of a number, 1 to 8 of them, the most significant first.
    @inline(__always)
    mutating func append(bigEndian value: UInt64, width: Int) {
        reserve(8)
        let high = value << UInt64(truncatingIfNeeded: 64 &- 8 &* width)
        start.storeBytes(of: high.bigEndian, toByteOffset: count, as: UInt64.self)
        count &+= width
    }

    /// Appends numbers one after the other, the low `width` bytes of each, 1 to 4 of them.
    @inline(__always)
    mutating func append(bigEndian numbers: some Collection<UInt32>, width: Int) {
        // Each number is stored as eight bytes. The next number overwrites the bytes beyond `width`.
        reserve(numbers.count &* width &+ 8)
        let shift = UInt64(truncatingIfNeeded: 64 &- 8 &* width)
        for number in numbers {
            start.storeBytes(of: (UInt64(number) &<< shift).bigEndian, toByteOffset: count, as: UInt64.self)
            count &+= width
        }
    }

    @inline(__always)
    mutating func append(_ source: UnsafeRawBufferPointer) {
        guard let first = source.baseAddress else { return }
        reserve(source.count)
        (start + count).copyMemory(from: first, byteCount: source.count)
        count &+= source.count
    }

    mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { append(UnsafeRawBufferPointer($0)) }
    }

    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    @inline(__always)
    private mutating func reserve(_ more: Int) {
        if capacity &- count < more { grow(by: more) }
    }

    @inline(never)
    private mutating func grow(by more: Int) {
        let larger = (count + more) * 2
        let copy = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
        copy.copyMemory(from: start, byteCount: count)
        start.deallocate()
        start = copy
        capacity = larger
    }
}
