/// The number of rows that a cursor of the server is asked for at a time, so that they hold bounded memory. It follows the
/// bytes of the rows that have come: the server counts rows and no bytes.
struct FetchPace {
    /// The bytes that are asked for, about.
    private static let bytesAtATime = 4 << 20
    private static let mostRows = 1000
    private static let fewestUnknownRows = 4
    /// The most rows of a size that is not known yet grow by this factor with each answer.
    private static let growth = 8

    private(set) var count: Int
    /// The bytes of a row, as the last answers had them; nil before the first.
    private(set) var rowBytes: Int?

    /// - Parameters:
    ///   - rowBytes: those of earlier rows of the same query; nil if there were none.
    ///   - isUnbounded: whether a row may have any number of bytes.
    init(rowBytes: Int?, isUnbounded: Bool) {
        self.rowBytes = rowBytes
        count = rowBytes.map(Self.rows) ?? (isUnbounded ? Self.fewestUnknownRows : Self.mostRows)
    }

    /// Adapts the number to an answer.
    mutating func heed(_ result: StatementResult) {
        guard result.count > 0 else { return }
        let average = result.size / result.count
        // One small answer says little of what follows large ones.
        let expected = max(average, (rowBytes ?? 0) / 2)
        rowBytes = expected
        count = min(Self.rows(expected), count * Self.growth)
    }

    private static func rows(_ bytes: Int) -> Int { min(max(bytesAtATime / max(bytes, 1), 1), mostRows) }

    /// Returns whether a number of rows is too large for one answer, whatever their size.
    static func exceedsAnswer(_ rows: Int, rowBytes: Int?, isUnbounded: Bool) -> Bool {
        rows > bytesAtATime / max(rowBytes ?? (isUnbounded ? 40_000 : 1000), 1)
    }
}
