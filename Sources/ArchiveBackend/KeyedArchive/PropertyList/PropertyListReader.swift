internal import StorageDriver

/// Reads the objects of one binary property list without a copy.
///
/// The bytes are not trusted: every object number, offset and count is checked before it is used, and the reader
/// allocates no memory. Objects may refer to each other in cycles, which the caller must handle.
struct PropertyListReader {
    // The bytes outlive this value: the call that makes it holds them.
    let bytes: UnsafeRawBufferPointer
    /// The number of objects.
    let count: Int
    let top: Int
    /// The offset at which the objects end and the table of their offsets begins.
    let table: Int
    let offsetWidth: Int
    let referenceWidth: Int

    /// The head of an object: its marker, and the offset of its content.
    struct Head {
        var marker: UInt8
        /// Bytes of an integer, real or UID, and units of everything else: bytes, code units, elements, pairs.
        var count: Int
        var start: Int

        var kind: UInt8 { marker & 0xF0 }
    }

    static let magic: StaticString = "bplist00"

    init(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        let trailer = bytes.count - 32
        guard trailer >= 9,
            Self.magic.withUTF8Buffer({ equal(UnsafeRawBufferPointer($0), .init(rebasing: bytes[..<8])) })
        else { throw Self.noBinaryList(bytes) }
        let offsetWidth = Int(bytes[trailer + 6])
        let referenceWidth = Int(bytes[trailer + 7])
        let count = Self.number(bytes, at: trailer + 8, width: 8)
        let top = Self.number(bytes, at: trailer + 16, width: 8)
        let table = Self.number(bytes, at: trailer + 24, width: 8)
        guard (1...8).contains(offsetWidth), (1...8).contains(referenceWidth), table >= 9, table <= trailer,
            count >= 1, top < count, count <= UInt64((trailer - Int(table)) / offsetWidth),
            Int(table) + Int(count) * offsetWidth == trailer
        else { throw Self.damage("The property list's trailer contradicts its length", at: trailer) }
        self.bytes = bytes
        self.count = Int(count)
        self.top = Int(top)
        self.table = Int(table)
        self.offsetWidth = offsetWidth
        self.referenceWidth = referenceWidth
    }

    // MARK: Numbers

    /// A big-endian number of 1 to 8 bytes, which must be within the bytes.
    @inline(__always)
    private static func number(_ bytes: UnsafeRawBufferPointer, at start: Int, width: Int) -> UInt64 {
        switch width {
        case 1: return UInt64(bytes[start])
        case 2: return UInt64(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt16.self)))
        case 4: return UInt64(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self)))
        case 8: return UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
        default:
            var value: UInt64 = 0
            for index in 0..<width { value = value << 8 | UInt64(bytes[start + index]) }
            return value
        }
    }

    /// The number of an object in a container. It may be any number.
    @inline(__always)
    func reference(_ start: Int, _ index: Int) -> UInt64 {
        Self.number(bytes, at: start &+ index &* referenceWidth, width: referenceWidth)
    }

    /// The offset of an object.
    @inline(__always)
    func offset(_ object: UInt64) throws(StorageError) -> Int {
        guard object < UInt64(truncatingIfNeeded: count) else { throw badReference(object) }
        let offset = Self.number(bytes, at: table &+ Int(truncatingIfNeeded: object) &* offsetWidth, width: offsetWidth)
        guard offset >= 8, offset < UInt64(truncatingIfNeeded: table) else { throw badOffset(object) }
        return Int(truncatingIfNeeded: offset)
    }

    // MARK: Objects

    @inline(__always)
    func head(_ object: UInt64) throws(StorageError) -> Head {
        let place = try offset(object)
        let marker = bytes[place]
        var head = Head(marker: marker, count: Int(marker & 15), start: place &+ 1)
        switch marker & 0xF0 {
        case 0x00: head.count = 0
        case 0x10, 0x20:
            guard head.count <= 4 else { throw badWidth(place) }
            head.count = 1 << head.count
        case 0x30:
            guard marker == 0x33 else { throw badWidth(place) }
            head.count = 8
        case 0x80:
            head.count &+= 1
            guard head.count <= 8 else { throw badWidth(place) }
        default:
            if head.count == 15 { try readCount(&head) }
        }
        // Of at most so many bytes, a count times the largest unit is no overflow; a division would take longer.
        let room = table &- head.start
        guard head.count <= room, head.count &* unit(marker) <= room else { throw tooLong(place) }
        return head
    }

    /// The number of bytes for one unit of an object's count.
    @inline(__always)
    private func unit(_ marker: UInt8) -> Int {
        switch marker & 0xF0 {
        case 0x60: 2
        case 0xA0, 0xC0: referenceWidth
        case 0xD0: referenceWidth &* 2
        default: 1
        }
    }

    /// A count above 14 follows as an integer.
    private func readCount(_ head: inout Head) throws(StorageError) {
        let place = head.start
        guard place < table, bytes[place] & 0xF0 == 0x10, bytes[place] & 15 <= 3 else { throw badWidth(place) }
        let width = 1 << Int(bytes[place] & 15)
        guard width < table - place else { throw tooLong(place) }
        guard let count = Int(exactly: Self.number(bytes, at: place + 1, width: width)) else { throw tooLong(place) }
        head.count = count
        head.start = place + 1 + width
    }

    /// The content of an object whose units are bytes.
    @inline(__always)
    func content(_ head: Head) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[head.start..<head.start &+ head.count])
    }

    /// A UID's number, checked by the caller against `$objects`.
    @inline(__always)
    func uid(_ head: Head) -> UInt64 { Self.number(bytes, at: head.start, width: head.count) }

    /// An integer: 8 bytes are signed, fewer are unsigned, and 16 bytes are for values above `Int64.max`.
    @inline(__always)
    func integer(_ head: Head) throws(StorageError) -> Cell {
        if head.count < 8 { return .int(Int64(bitPattern: Self.number(bytes, at: head.start, width: head.count))) }
        if head.count == 8 { return .int(Int64(bitPattern: Self.number(bytes, at: head.start, width: 8))) }
        guard Self.number(bytes, at: head.start, width: 8) == 0 else {
            throw Self.damage("An integer has more than 64 bits", at: head.start)
        }
        return .unsigned(Self.number(bytes, at: head.start + 8, width: 8))
    }

    @inline(__always)
    func real(_ head: Head) throws(StorageError) -> Double {
        let bits = head.count <= 8 ? Self.number(bytes, at: head.start, width: head.count) : 0
        switch head.count {
        case 8: return Double(bitPattern: bits)
        case 4: return Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
        default: throw badWidth(head.start - 1)
        }
    }

    /// Returns whether an object is a string of these ASCII bytes.
    func isString(_ object: UInt64, _ text: StaticString) throws(StorageError) -> Bool {
        let head = try head(object)
        return head.kind == 0x50
            && equal(content(head), UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// The index of this key in a dictionary; nil if it is missing. A repeated key is an error.
    func place(of key: StaticString, in dictionary: Head) throws(StorageError) -> Int? {
        var found: Int?
        for index in 0..<dictionary.count {
            guard try isString(reference(dictionary.start, index), key) else { continue }
            guard found == nil else { throw Self.damage("The key \(key) stands twice", at: dictionary.start) }
            found = index
        }
        return found
    }

    /// The value of a key of a dictionary, or nil.
    func value(of key: StaticString, in dictionary: Head) throws(StorageError) -> UInt64? {
        guard let place = try place(of: key, in: dictionary) else { return nil }
        return reference(dictionary.start, dictionary.count + place)
    }

    /// Returns whether two dictionaries have the same keys in the same order.
    @inline(__always)
    func hasSameKeys(_ left: Head, _ right: Head) -> Bool {
        guard left.count == right.count else { return false }
        let length = left.count &* referenceWidth
        return equal(
            UnsafeRawBufferPointer(rebasing: bytes[left.start..<left.start &+ length]),
            UnsafeRawBufferPointer(rebasing: bytes[right.start..<right.start &+ length]))
    }

    // MARK: Errors

    static func damage(_ what: String, at byte: Int) -> StorageError {
        StorageError(.corrupt, "\(what) (byte \(byte)). Restore the archive from a copy.")
    }

    private static func noBinaryList(_ bytes: UnsafeRawBufferPointer) -> StorageError {
        guard bytes.starts(with: "<".utf8) || bytes.starts(with: "\u{FEFF}<".utf8) else {
            return damage("This is not a binary property list", at: 0)
        }
        return StorageError(
            .corrupt,
            "This is not a binary property list, but seems to be an XML one; convert it: plutil -convert binary1 FILE.")
    }

    @inline(never)
    private func badReference(_ object: UInt64) -> StorageError {
        StorageError(.corrupt, "The archive refers to object \(object) of \(count). Restore it from a copy.")
    }

    @inline(never)
    private func badOffset(_ object: UInt64) -> StorageError {
        StorageError(.corrupt, "Object \(object) stands outside the archive. Restore it from a copy.")
    }

    @inline(never)
    private func badWidth(_ place: Int) -> StorageError { Self.damage("An object has an impossible width", at: place) }

    @inline(never)
    private func tooLong(_ place: Int) -> StorageError {
        Self.damage("An object is longer than the archive", at: place)
    }
}
