/// One value of a row, as it crosses the driver interface: 16 bytes with the value itself, or with the address and
/// length of its bytes.
///
/// A cell does not own memory. A text or blob cell points at memory of the row's creator. When reading, the memory is valid
/// until the next row is read; when writing, until the call that received the batch returns.
@frozen
public struct Cell: BitwiseCopyable, Sendable {
    /// The kind of a cell's value. The raw values are fixed, so that a backend's C code can fill cells.
    @frozen
    public struct Tag: RawRepresentable, Hashable, BitwiseCopyable, Sendable {
        /// The number that C code writes.
        public let rawValue: UInt32

        /// The tag with a number.
        @inlinable
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// No value.
        @inlinable public static var null: Tag { Tag(rawValue: 0) }
        /// `bits` is an `Int64`.
        @inlinable public static var int: Tag { Tag(rawValue: 1) }
        /// `bits` is the bit pattern of a `Double`.
        @inlinable public static var double: Tag { Tag(rawValue: 2) }
        /// `bits` is the address of `length` bytes of UTF-8.
        @inlinable public static var text: Tag { Tag(rawValue: 3) }
        /// `bits` is the address of `length` bytes.
        @inlinable public static var blob: Tag { Tag(rawValue: 4) }
        /// `bits` is a `UInt64` above `Int64.max`.
        @inlinable public static var unsigned: Tag { Tag(rawValue: 5) }
    }

    /// The value, or the address of its bytes, as ``tag`` says.
    public var bits: UInt64
    /// The number of bytes in a text or blob; 0 for others.
    public var length: UInt32
    /// The kind of the cell's value.
    public var tag: Tag

    /// A cell of these parts, which must be consistent, as the properties describe.
    @inlinable
    public init(bits: UInt64, length: UInt32, tag: Tag) {
        self.bits = bits
        self.length = length
        self.tag = tag
    }

    /// No value.
    @inlinable public static var null: Cell { Cell(bits: 0, length: 0, tag: .null) }

    /// A signed integer.
    @inlinable
    public static func int(_ value: Int64) -> Cell {
        Cell(bits: UInt64(bitPattern: value), length: 0, tag: .int)
    }

    /// An unsigned integer; one up to `Int64.max` is an `int`.
    @inlinable
    public static func unsigned(_ value: UInt64) -> Cell {
        Cell(bits: value, length: 0, tag: value > UInt64(Int64.max) ? .unsigned : .int)
    }

    /// A number.
    @inlinable
    public static func double(_ value: Double) -> Cell {
        Cell(bits: value.bitPattern, length: 0, tag: .double)
    }

    /// A Boolean value that indicates that the value is null.
    @inlinable public var isNull: Bool { tag == .null }

    /// The value of an `int` cell.
    @inlinable public var int: Int64 { Int64(bitPattern: bits) }

    /// The value of a `double` cell.
    @inlinable public var double: Double { Double(bitPattern: bits) }

    /// The bytes of a text or blob cell; empty for every other tag, whose bits are no address.
    @inlinable public var bytes: UnsafeRawBufferPointer {
        guard tag == .text || tag == .blob else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: UInt(bits)), count: Int(length))
    }

    /// The cell's value as a copy that owns its bytes. Repairs ill-formed UTF-8: use it to display a value, or after
    /// checking the text.
    public var value: Value {
        switch tag {
        case .int: .int(int)
        case .unsigned: .unsigned(bits)
        case .double: .double(double)
        case .text: .text(String(decoding: bytes, as: UTF8.self))
        case .blob: .blob(Array(bytes))
        default: .null
        }
    }

    /// Returns whether two cells of one column have equal values, as the contract defines equality.
    package func isEqual(to other: Cell) -> Bool {
        guard tag == other.tag else { return isNull == other.isNull && value == other.value }
        switch tag {
        case .null: return true
        case .double: return double == other.double || double.isNaN && other.double.isNaN
        case .text, .blob: return bytes.elementsEqual(other.bytes)
        default: return bits == other.bits
        }
    }

    /// The order of two cells of one column of a key: integers, text or blobs.
    @inlinable
    package func keyOrder(to other: Cell) -> ValueOrder {
        if tag == .int, other.tag == .int { return ValueOrder(int, other.int) }
        return bytesOrder(to: other)
    }

    @usableFromInline
    func bytesOrder(to other: Cell) -> ValueOrder {
        guard tag == other.tag, tag == .text || tag == .blob else { return value.order(to: other.value) }
        let left = bytes
        let right = other.bytes
        if left.elementsEqual(right) { return .same }
        return left.lexicographicallyPrecedes(right) ? .before : .after
    }
}
