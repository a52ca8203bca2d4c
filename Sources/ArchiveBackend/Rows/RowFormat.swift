internal import Foundation
internal import StorageDriver

/// The memory layout of a row: contiguous, with every column at a known offset.
///
/// ```
/// 0                 UInt32     bytes of the row, a multiple of 8
/// 4                 UInt8 × n  the columns' tags
/// slots             UInt64 × n the bits of a number; for text and blobs the offset from the row, and the length << 32
/// fixed             …          the bytes of text and blobs
/// ```
/// Rows begin at addresses that 8 divides. They live in this process only, so the order of bytes is the machine's.
struct RowFormat: Sendable {
    /// The number of columns in a row.
    let width: Int
    private let slots: Int
    private let fixed: Int

    /// Bytes that one row may have: so few that its archive, where a text may take twice as many, fits into an entry of
    /// the file. Also, a row's length and its offsets are 32-bit numbers.
    static let maximumBytes = 60 << 20

    init(width: Int) {
        self.width = width
        slots = (4 + width + 7) & ~7
        fixed = slots + 8 * width
    }

    /// The size of a row of these cells in bytes; nil if it would be too long.
    func size(of cells: UnsafePointer<Cell>) -> Int? {
        var size = fixed
        for column in 0..<width where cells[column].tag == .text || cells[column].tag == .blob {
            size += Int(cells[column].length)
        }
        return size <= Self.maximumBytes - 8 ? (size + 7) & ~7 : nil
    }

    /// Writes a row of the size that ``size(of:)`` returned to memory of that size.
    func write(_ cells: UnsafePointer<Cell>, size: Int, to row: UnsafeMutableRawPointer) {
        // The padding counts when rows are compared.
        (row + slots - 8).storeBytes(of: 0, as: UInt64.self)
        (row + size - 8).storeBytes(of: 0, as: UInt64.self)
        row.storeBytes(of: UInt32(truncatingIfNeeded: size), as: UInt32.self)
        var next = fixed
        for column in 0..<width {
            let cell = cells[column]
            var bits = cell.bits
            if cell.tag == .text || cell.tag == .blob {
                let bytes = cell.bytes
                if let start = bytes.baseAddress { (row + next).copyMemory(from: start, byteCount: bytes.count) }
                bits = UInt64(next) | UInt64(cell.length) << 32
                next += bytes.count
            }
            (row + 4 + column).storeBytes(of: UInt8(truncatingIfNeeded: cell.tag.rawValue), as: UInt8.self)
            (row + slots + 8 * column).storeBytes(of: bits, as: UInt64.self)
        }
    }

    /// A column of a row; its bytes are the row's.
    @inline(__always)
    func cell(_ column: Int, of row: UnsafeRawPointer) -> Cell {
        let tag = Cell.Tag(rawValue: UInt32((row + 4 + column).loadUnaligned(as: UInt8.self)))
        let bits = (row + slots + 8 * column).load(as: UInt64.self)
        guard tag == .text || tag == .blob else { return Cell(bits: bits, length: 0, tag: tag) }
        let address = UInt64(UInt(bitPattern: row)) + (bits & 0xFFFF_FFFF)
        return Cell(bits: address, length: UInt32(truncatingIfNeeded: bits >> 32), tag: tag)
    }

    /// The bytes that a row takes.
    @inline(__always)
    static func size(of row: UnsafeRawPointer) -> Int { Int(row.load(as: UInt32.self)) }

    /// Returns whether two rows of one format hold the same values.
    static func areEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
        let size = size(of: left)
        guard size == Self.size(of: right) else { return false }
        return memcmp(left, right, size) == 0
    }
}

extension Cell {
    /// The order of two values of a column, as ``Value/order(to:as:)`` has it: negative, zero or positive.
    @inline(__always)
    func compared(to other: Cell, isDecimal: Bool) -> Int {
        if tag == .int, other.tag == .int { return int < other.int ? -1 : int == other.int ? 0 : 1 }
        return comparedByKind(to: other, isDecimal: isDecimal)
    }

    private func comparedByKind(to other: Cell, isDecimal: Bool) -> Int {
        if tag == other.tag {
            if tag == .null { return 0 }
            if tag == .blob || (tag == .text && !isDecimal) { return comparedByBytes(to: other) }
            // Doubles compare directly, except NaN, for which no comparison holds.
            if tag == .double {
                if double < other.double { return -1 }
                if double > other.double { return 1 }
                if double == other.double { return 0 }
            }
        }
        if isNull { return -1 }
        if other.isNull { return 1 }
        switch value.order(to: other.value, as: isDecimal ? .decimal : .double) {
        case .before: return -1
        case .same: return 0
        case .after: return 1
        }
    }

    private func comparedByBytes(to other: Cell) -> Int {
        let shared = Int(min(length, other.length))
        if shared > 0, let left = bytes.baseAddress, let right = other.bytes.baseAddress {
            let order = Int(memcmp(left, right, shared))
            if order != 0 { return order }
        }
        return Int(length) - Int(other.length)
    }
}

/// The sort order of a tree's rows: some of their columns.
struct RowOrder: Sendable {
    let format: RowFormat
    /// The columns in order, and whether each is a decimal, whose text is compared by value.
    let columns: [(column: Int, isDecimal: Bool)]

    /// The order of a row and the first `count` columns of a key.
    @inline(__always)
    func compare(_ row: UnsafeRawPointer, to key: UnsafePointer<Cell>, count: Int) -> Int {
        var index = 0
        while index < count {
            let (column, isDecimal) = columns[index]
            let order = format.cell(column, of: row).compared(to: key[index], isDecimal: isDecimal)
            if order != 0 { return order }
            index += 1
        }
        return 0
    }

    /// The order of two rows of the tree, by the first `count` columns of their keys.
    func compareRows(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, count: Int) -> Int {
        for (column, isDecimal) in columns.prefix(count) {
            let order = format.cell(column, of: left)
                .compared(to: format.cell(column, of: right), isDecimal: isDecimal)
            if order != 0 { return order }
        }
        return 0
    }
}
