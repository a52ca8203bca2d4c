internal import Foundation
internal import StorageDriver

extension Cell {
    /// The order of two values of a column, as `Value.order(to:as:)` has it: negative, zero or positive.
    @inline(__always)
    func compared(to other: Cell, isDecimal: Bool) -> Int {
        if tag == .int, other.tag == .int { return int < other.int ? -1 : int == other.int ? 0 : 1 }
        return comparedByKind(to: other, isDecimal: isDecimal)
    }

    private func comparedByKind(to other: Cell, isDecimal: Bool) -> Int {
        if tag == other.tag {
            if tag == .null { return 0 }
            if tag == .blob || (tag == .text && !isDecimal) { return comparedByBytes(to: other) }
            // A number is its own order unless it is NaN, which no comparison finds.
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

/// What the rows of a tree are ordered by: some of their columns.
struct RowOrder: Sendable {
    let format: RowFormat
    /// The columns in order, and whether each is a decimal, whose text is compared by value.
    let columns: [(column: Int, isDecimal: Bool)]

    /// How a row stands to the first `count` columns of a key.
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

    /// How two rows of the tree stand to each other, by the first `count` columns of their keys.
    func compareRows(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, count: Int) -> Int {
        for (column, isDecimal) in columns.prefix(count) {
            let order = format.cell(column, of: left)
                .compared(to: format.cell(column, of: right), isDecimal: isDecimal)
            if order != 0 { return order }
        }
        return 0
    }
}
