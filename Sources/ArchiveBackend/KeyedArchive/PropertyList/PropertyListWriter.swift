internal import StorageDriver

/// Writes the objects of one binary property list, each as it comes, and then their table.
///
/// Objects refer to each other by number. The width of the numbers depends on the current length of the list: when it
/// grows, at 256 and at 65,536 objects, the objects so far are rewritten. The format is Core Foundation's, as
/// `CFBinaryPList.c` describes it.
struct PropertyListWriter: ~Copyable {
    private var buffer = OutputBuffer(capacity: 64 * 1024)
    private var offsets = NumberList(capacity: 1024)
    private var width = 1
    private var smallIntegers = NumberList(repeating: Self.none, count: 256)
    private var booleans: (no: UInt32, yes: UInt32) = (Self.none, Self.none)

    /// No object's number.
    static let none = UInt32.max

    init() { begin() }

    /// The number of bytes of the objects so far. The table that follows them has up to four more for each object.
    var size: Int { buffer.count + offsets.count * 4 }

    var memory: Int { buffer.capacity + offsets.capacity * 4 }

    mutating func begin() {
        buffer.removeAll()
        buffer.append("bplist00")
        offsets.removeAll()
        width = 1
        smallIntegers.fill(with: Self.none)
        booleans = (Self.none, Self.none)
    }

    // MARK: Scalars

    mutating func boolean(_ value: Bool) -> UInt32 {
        let known = value ? booleans.yes : booleans.no
        if known != Self.none { return known }
        let object = next()
        buffer.append(value ? 0x09 : 0x08)
        if value { booleans.yes = object } else { booleans.no = object }
        return object
    }

    @inline(__always)
    mutating func integer(_ value: Int64) -> UInt32 {
        if value >= 0, value < 256 { return smallInteger(UInt8(truncatingIfNeeded: value)) }
        let object = next()
        if value < 0 || value > UInt32.max {
            buffer.append(0x13)
            buffer.append(bigEndian: UInt64(bitPattern: value), width: 8)
        } else {
            let isWide = value > UInt16.max
            buffer.append(isWide ? 0x12 : 0x11)
            buffer.append(bigEndian: UInt64(bitPattern: value), width: isWide ? 4 : 2)
        }
        return object
    }

    private mutating func smallInteger(_ value: UInt8) -> UInt32 {
        let known = smallIntegers[Int(value)]
        if known != Self.none { return known }
        let object = next()
        buffer.append(0x10)
        buffer.append(value)
        smallIntegers[Int(value)] = object
        return object
    }

    /// An integer above `Int64.max`, which takes 16 bytes because integers of 8 bytes are signed.
    mutating func unsigned(_ value: UInt64) -> UInt32 {
        let object = next()
        buffer.append(0x14)
        buffer.append(bigEndian: 0, width: 8)
        buffer.append(bigEndian: value, width: 8)
        return object
    }

    @inline(__always)
    mutating func real(_ value: Double) -> UInt32 {
        let object = next()
        buffer.append(0x23)
        buffer.append(bigEndian: value.bitPattern, width: 8)
        return object
    }

    mutating func real(_ value: Float) -> UInt32 {
        let object = next()
        buffer.append(0x22)
        buffer.append(bigEndian: UInt64(value.bitPattern), width: 4)
        return object
    }

    /// The number of an entry of `$objects`.
    @inline(__always)
    mutating func uid(_ value: UInt32) -> UInt32 {
        let object = next()
        let width = value < 256 ? 1 : value < 65536 ? 2 : 4
        buffer.append(UInt8(truncatingIfNeeded: 0x80 | (width - 1)))
        buffer.append(bigEndian: UInt64(value), width: width)
        return object
    }

    // MARK: Bytes

    @inline(__always)
    mutating func data(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        let object = next()
        head(0x40, bytes.count)
        buffer.append(bytes)
        return object
    }

    /// A string all of whose bytes are below 0x80.
    @inline(__always)
    mutating func ascii(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        let object = next()
        head(0x50, bytes.count)
        buffer.append(bytes)
        return object
    }

    mutating func ascii(_ text: StaticString) -> UInt32 {
        text.withUTF8Buffer { ascii(UnsafeRawBufferPointer($0)) }
    }

    /// A string of any characters, or nil if the bytes are no well-formed UTF-8.
    mutating func utf16(_ bytes: UnsafeRawBufferPointer) -> UInt32? {
        var units = 0
        let isBroken = transcode(bytes.makeIterator(), from: UTF8.self, to: UTF16.self, stoppingOnError: true) { _ in
            units += 1
        }
        if isBroken { return nil }
        let object = next()
        head(0x60, units)
        _ = transcode(bytes.makeIterator(), from: UTF8.self, to: UTF16.self, stoppingOnError: true) {
            buffer.append(bigEndian: UInt64($0), width: 2)
        }
        return object
    }

    // MARK: Containers

    @inline(__always)
    mutating func array(_ objects: some Collection<UInt32>) -> UInt32 {
        let object = next()
        head(0xA0, objects.count)
        buffer.append(bigEndian: objects, width: width)
        return object
    }

    @inline(__always)
    mutating func dictionary(keys: some Collection<UInt32>, values: some Collection<UInt32>) -> UInt32 {
        let object = next()
        head(0xD0, keys.count)
        buffer.append(bigEndian: keys, width: width)
        buffer.append(bigEndian: values, width: width)
        return object
    }

    /// A dictionary of two keys, as most of the objects that an archive defines.
    mutating func dictionary(
        _ first: (key: UInt32, value: UInt32), _ second: (key: UInt32, value: UInt32)
    ) -> UInt32 {
        let object = next()
        buffer.append(0xD2)
        buffer.append(bigEndian: UInt64(first.key), width: width)
        buffer.append(bigEndian: UInt64(second.key), width: width)
        buffer.append(bigEndian: UInt64(first.value), width: width)
        buffer.append(bigEndian: UInt64(second.value), width: width)
        return object
    }

    @inline(__always)
    private mutating func head(_ kind: UInt8, _ count: Int) {
        if count < 15 { return buffer.append(kind | UInt8(truncatingIfNeeded: count)) }
        buffer.append(kind | 15)
        let power = count < 256 ? 0 : count < 65536 ? 1 : 2
        buffer.append(0x10 | UInt8(truncatingIfNeeded: power))
        buffer.append(bigEndian: UInt64(truncatingIfNeeded: count), width: 1 << power)
    }

    // MARK: The table

    /// The number of the object that is written next.
    @inline(__always)
    private mutating func next() -> UInt32 {
        // Core Foundation wants 256^width above the number of objects, not at it.
        if offsets.count >= 255, width < 4, offsets.count &+ 1 >= 1 << (8 &* width) { widen() }
        offsets.append(UInt32(truncatingIfNeeded: buffer.count))
        return UInt32(truncatingIfNeeded: offsets.count &- 1)
    }

    /// The bytes of a written ASCII string, valid until the next change; empty for any other object.
    func writtenASCII(_ object: UInt32) -> UnsafeRawBufferPointer {
        let all = buffer.bytes
        let start = Int(offsets[Int(object)])
        guard all[start] & 0xF0 == 0x50 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        let (count, length) = Self.extent(all, start)
        return UnsafeRawBufferPointer(rebasing: all[start + length..<start + length + count])
    }

    /// The count in an object's head, and the number of bytes of the head. Works only for objects that this writer has
    /// written.
    private static func extent(_ all: UnsafeRawBufferPointer, _ start: Int) -> (count: Int, length: Int) {
        let low = Int(all[start] & 15)
        if low < 15 { return (low, 1) }
        let width = 1 << Int(all[start + 1] & 15)
        var count = 0
        for index in 0..<width { count = count << 8 | Int(all[start + 2 + index]) }
        return (count, 2 + width)
    }

    @inline(never)
    private mutating func widen() {
        let wider = width * 2
        var copy = OutputBuffer(capacity: buffer.count * 2)
        let all = buffer.bytes
        copy.append(UnsafeRawBufferPointer(rebasing: all[..<8]))
        for index in 0..<offsets.count {
            let start = Int(offsets[index])
            let end = index + 1 < offsets.count ? Int(offsets[index + 1]) : all.count
            offsets[index] = UInt32(truncatingIfNeeded: copy.count)
            var rest = start
            if all[start] & 0xF0 == 0xA0 || all[start] & 0xF0 == 0xD0 {
                rest += Self.extent(all, start).length
                copy.append(UnsafeRawBufferPointer(rebasing: all[start..<rest]))
                while rest < end {
                    copy.append(bigEndian: UInt64(Self.reference(all, at: rest, width: width)), width: wider)
                    rest += width
                }
            } else {
                copy.append(UnsafeRawBufferPointer(rebasing: all[start..<end]))
            }
        }
        buffer = copy
        width = wider
    }

    private static func reference(_ all: UnsafeRawBufferPointer, at start: Int, width: Int) -> UInt32 {
        width == 1 ? UInt32(all[start]) : UInt32(all[start]) << 8 | UInt32(all[start + 1])
    }

    /// Ends the list and gives its bytes, which are valid until the next change.
    ///
    /// - Throws: `limitExceeded` if the list has 4 GiB or more, which offsets of 4 bytes cannot reach.
    mutating func finish(top: UInt32) throws(StorageError) -> UnsafeRawBufferPointer {
        let table = buffer.count
        guard table < UInt32.max else {
            throw StorageError(.limitExceeded, "An archive cannot have 4 GiB or more; split the list of models.")
        }
        let offsetWidth = table < 256 ? 1 : table < 65536 ? 2 : 4
        buffer.append(bigEndian: offsets.suffix(from: 0), width: offsetWidth)
        buffer.append(bigEndian: 0, width: 6)
        buffer.append(UInt8(truncatingIfNeeded: offsetWidth))
        buffer.append(UInt8(truncatingIfNeeded: width))
        buffer.append(bigEndian: UInt64(offsets.count), width: 8)
        buffer.append(bigEndian: UInt64(top), width: 8)
        buffer.append(bigEndian: UInt64(table), width: 8)
        return buffer.bytes
    }
}
