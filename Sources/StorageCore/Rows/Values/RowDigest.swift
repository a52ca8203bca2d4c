import StorageDriver

/// A digest of rows: 128 bits, with a seed of the process.
package struct RowDigest {
    package struct Result: Equatable {
        let first: Int
        let second: Int
    }

    private var first = Hasher()
    private var second = Hasher()

    package init() { second.combine(1) }

    package var result: Result { Result(first: first.finalize(), second: second.finalize()) }

    package mutating func add(_ value: some Hashable) {
        first.combine(value)
        second.combine(value)
    }

    package mutating func add(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            first.combine(bytes: bytes)
            second.combine(bytes: bytes)
        }
    }

    /// Adds a row of a cursor, or its end.
    ///
    /// - Parameter besides: a cell that does not count.
    package mutating func add(_ cursor: Int, _ row: UnsafeBufferPointer<Cell>?, besides: Int? = nil) {
        Self.add(cursor, row, besides: besides, to: &first)
        Self.add(cursor, row, besides: besides, to: &second)
    }

    private static func add(
        _ cursor: Int, _ row: UnsafeBufferPointer<Cell>?, besides: Int?, to hasher: inout Hasher
    ) {
        hasher.combine(cursor)
        guard let row else { return hasher.combine(UInt32.max) }
        for (place, cell) in row.enumerated() where place != besides {
            hasher.combine(cell.tag)
            switch cell.tag {
            case .text, .blob:
                hasher.combine(cell.length)
                hasher.combine(bytes: cell.bytes)
            // The two zeros are equal, and so is every NaN to each other (clause V4).
            case .double: hasher.combine(cell.double.isNaN ? Double.nan : cell.double)
            default: hasher.combine(cell.bits)
            }
        }
    }
}
