internal import StorageDriver

// The first column of a key as a number, so that most steps of a search compare two numbers that lie side by side, and
// not two rows somewhere in memory ("poor man's normalized keys": G. Graefe, "Modern B-Tree Techniques", 2011, 3.5).
extension Cell {
    /// A number that preserves the order of values: unequal prefixes are in the order of their values, equal ones don't
    /// decide.
    @inline(__always)
    func orderPrefix(isDecimal: Bool) -> UInt64 {
        switch tag {
        case .int: Self.prefix(1, Self.ordered(Double(int)))
        case .unsigned: Self.prefix(1, Self.ordered(Double(bits)))
        case .double: Self.prefix(1, double.isNaN ? .max : Self.ordered(double))
        // Decimals are text that is compared by value.
        case .text: Self.prefix(2, isDecimal ? 0 : firstBytes)
        case .blob: Self.prefix(3, firstBytes)
        default: 0
        }
    }

    /// Kinds of values come one after the other: null, numbers, text, bytes.
    @inline(__always)
    private static func prefix(_ kind: UInt64, _ bits: UInt64) -> UInt64 { kind << 62 | bits >> 2 }

    /// The bits of a number in its order. Rounding an integer to a double keeps order, if not difference.
    @inline(__always)
    private static func ordered(_ number: Double) -> UInt64 {
        // Both zeros are one.
        let bits = (number + 0).bitPattern
        return bits >> 63 == 1 ? ~bits : bits | 1 << 63
    }

    /// The first eight bytes as a number, padded with zeros.
    private var firstBytes: UInt64 {
        var number: UInt64 = 0
        for byte in bytes.prefix(8) { number = number << 8 | UInt64(byte) }
        return number << UInt64(8 * max(0, 8 - Int(length)))
    }
}

extension RowOrder {
    /// The prefix of a row's key.
    func prefix(of row: UnsafeRawPointer) -> UInt64 {
        guard let (column, isDecimal) = columns.first else { return 0 }
        return format.cell(column, of: row).orderPrefix(isDecimal: isDecimal)
    }
}

/// The target of a search: the first columns of a key.
struct KeySearch {
    let order: RowOrder
    let key: UnsafePointer<Cell>
    /// The number of columns.
    let count: Int
    /// 0 to find the first row that is not before the key, 1 for the first that is after it.
    let least: Int
    private let prefix: UInt64

    init(_ order: RowOrder, _ key: UnsafePointer<Cell>, count: Int, least: Int) {
        (self.order, self.key, self.count, self.least) = (order, key, count, least)
        let isDecimal = order.columns.first?.isDecimal ?? false
        prefix = count > 0 ? key[0].orderPrefix(isDecimal: isDecimal) : 0
    }

    /// Returns whether the target is at a row or before it, given the row's prefix.
    @inline(__always)
    func isReached(by rowPrefix: UInt64, _ row: () -> UnsafeRawPointer) -> Bool {
        if rowPrefix != prefix, count > 0 { return rowPrefix > prefix }
        return order.compare(row(), to: key, count: count) >= least
    }
}
