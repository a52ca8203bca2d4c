/// The number of rows that one fetch from a cursor of the server asks for, so that they hold bounded memory. It follows the
/// bytes of earlier rows, because the server counts rows and not bytes.
struct BatchSize {
    /// The bytes that are asked for, about.
    private static let bytesPerFetch = 4 << 20
    private static let maximumRows = 1000
    private static let initialRows = 4
    /// The greatest factor by which the number grows with each answer.
    private static let growth = 8

    private(set) var count: Int
    /// The bytes of a row, as the last answers had them; nil before the first.
    private(set) var rowBytes: Int?

    /// - Parameters:
    ///   - rowBytes: the bytes of earlier rows of the same query; nil for the first.
    ///   - isUnbounded: whether a row may have any number of bytes.
    init(rowBytes: Int?, isUnbounded: Bool) {
        self.rowBytes = rowBytes
        count = rowBytes.map(Self.rows) ?? (isUnbounded ? Self.initialRows : Self.maximumRows)
    }

    /// Adapts the number to an answer.
    mutating func adjust(to result: StatementResult) {
        guard result.count > 0 else { return }
        let average = result.size / result.count
        // One small answer after large ones predicts little.
        let expected = max(average, (rowBytes ?? 0) / 2)
        rowBytes = expected
        count = min(Self.rows(expected), count * Self.growth)
    }

    private static func rows(_ bytes: Int) -> Int { min(max(bytesPerFetch / max(bytes, 1), 1), maximumRows) }

    /// Returns whether a number of rows is too large for one answer, whatever their size.
    static func exceedsAnswer(_ rows: Int, rowBytes: Int?, isUnbounded: Bool) -> Bool {
        rows > bytesPerFetch / max(rowBytes ?? (isUnbounded ? 40_000 : 1000), 1)
    }
}
