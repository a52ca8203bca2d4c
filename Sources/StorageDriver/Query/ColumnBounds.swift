/// The bounds that a filter sets for the first column of an index, or of the key: rows outside them need not be examined.
///
/// Rows inside must still be tested. Rows without a value may be inside without a ``lower`` bound.
public struct ColumnBounds {
    /// The column, an index into the table's.
    public let column: Int
    /// The values that it can have, if they are listed.
    public private(set) var values: [Value]?
    /// The column and the next ones in the index whose values are listed too.
    public private(set) var columns: [Int]
    /// The values that ``columns`` can have together, if they are listed. The rows inside have one of these, in place
    /// of one of ``values``.
    public var prefixes: [[Value]]? { several ?? values?.map { [$0] } }
    /// The same for several columns. A list of values is often long, and no array is made for each.
    private var several: [[Value]]?
    /// The number of columns in the index.
    private let width: Int
    /// The least value that it can have, if any.
    public private(set) var lower: Value?
    /// True if a value equal to the lower bound is outside.
    public private(set) var isAboveLower = false
    /// The greatest value that it can have, if any.
    public private(set) var upper: Value?
    /// True if a value equal to the upper bound is outside.
    public private(set) var isBelowUpper = false

    private init(_ column: Int, width: Int) {
        self.column = column
        self.width = width
        columns = [column]
    }

    /// Rows with these values of the leading columns of an index.
    init(_ columns: [Int], equalTo values: [Value], width: Int) {
        column = columns[0]
        self.width = width
        self.columns = columns
        self.values = [values[0]]
        if columns.count > 1 { several = [values] }
    }

    /// The number of ``prefixes``; nil if they are not listed.
    public var prefixCount: Int? { several?.count ?? values?.count }

    /// True if the filter restricts the column and the columns after it to one value.
    public var isSingle: Bool { prefixCount == 1 }

    /// True if the entries of the index within the bounds are in the order of the rows' keys.
    public var isInKeyOrder: Bool { isSingle && columns.count == width }

    /// The most rows for which a range should use an index: a quarter of the table's rows. Each is looked up by its key
    /// and all are sorted by key, which costs several times as much as examining a row in a scan.
    public static func mostRows(of count: Int) -> Int { count / 4 }

    /// A rank by the expected number of rows, the fewest first.
    private var rank: Int {
        if let prefixCount { return prefixCount == 1 ? columns.count > 1 ? 0 : 1 : 2 }
        return lower != nil && upper != nil ? 3 : lower != nil || upper != nil ? 4 : 5
    }

    /// Narrows the bounds by a term of the filter, if it compares the column with an argument.
    private mutating func narrow(by term: QueryTerm, _ arguments: QueryArguments) {
        switch term {
        case .comparison(let comparison, .column(column), .argument(let argument), _):
            narrow(comparison, arguments.values[argument])
        case .comparison(let comparison, .argument(let argument), .column(column), _):
            narrow(comparison.mirrored, arguments.values[argument])
        case .isIn(.column(column), let list, _) where values == nil: values = arguments.lists[list].values
        case .isNull(.column(column)): values = [.null]
        case .text(.hasPrefix, .column(column), .argument(let argument)):
            guard case .text(let prefix) = arguments.values[argument], !prefix.isEmpty else { return }
            narrow(.greaterOrEqual, .text(prefix))
            if let end = Self.textAfter(prefix) { narrow(.less, .text(end)) }
        default: return
        }
    }

    private mutating func narrow(_ comparison: Comparison, _ value: Value) {
        switch comparison {
        case .equal: values = [value]
        case .notEqual: return
        case .greater, .greaterOrEqual:
            guard lower.map({ $0 < value }) ?? true else { return }
            (lower, isAboveLower) = (value, comparison == .greater)
        case .less, .lessOrEqual:
            guard upper.map({ value < $0 }) ?? true else { return }
            (upper, isBelowUpper) = (value, comparison == .less)
        }
    }

    /// The least text that is greater than every text with the prefix.
    private static func textAfter(_ prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // The order of scalars is that of UTF-8 bytes.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(next) else { continue }
            scalars.append(scalar)
            return String(String.UnicodeScalarView(scalars))
        }
        return nil
    }

    /// The bounds of each column that the filter restricts, if all its terms must hold. The bounds that leave the
    /// fewest rows come first, as far as the query's shape shows.
    ///
    /// Uses only conditions that are evaluated before any that can fail, so a row outside the bounds could not have
    /// failed.
    public static func all(
        in filter: QueryTerm?, _ arguments: QueryArguments, columns: some Sequence<Int>
    ) -> [ColumnBounds] {
        all(in: filter, arguments, indexes: columns.map { [$0] })
    }

    /// The same for indexes that may have several columns (``TableSchema/indexes``).
    public static func all(
        in filter: QueryTerm?, _ arguments: QueryArguments, indexes: [[Int]]
    ) -> [ColumnBounds] {
        guard let filter else { return [] }
        let terms = filter.conjuncts
        let bounds = indexes.compactMap { index in
            index.first.map { ColumnBounds($0, index: index, in: terms, arguments: arguments) }
        }
        return (0..<5).flatMap { rank in bounds.filter { $0.rank == rank } }
    }

    private init(_ column: Int, index: [Int], in terms: [QueryTerm], arguments: QueryArguments) {
        self.init(column, width: index.count)
        for term in terms { narrow(by: term, arguments) }
        guard index.count > 1 else { return }
        for case .isAmong(let columns, let list) in terms where columns.first == column {
            setPrefixes(arguments.lists[list], zip(columns, index).prefix { $0 == $1 }.map(\.0))
            return
        }
        extendPrefixes(index, in: terms, arguments: arguments)
    }

    /// Adds columns to the prefixes as long as the earlier ones have one value each.
    private mutating func extendPrefixes(_ index: [Int], in terms: [QueryTerm], arguments: QueryArguments) {
        for next in index.dropFirst() {
            guard prefixCount == 1, let known = prefixes?.first else { return }
            var bounds = ColumnBounds(next, width: 1)
            for term in terms { bounds.narrow(by: term, arguments) }
            guard let values = bounds.values else { return }
            columns.append(next)
            several = values.map { known + [$0] }
        }
    }

    /// Sets the values that columns can have together.
    private mutating func setPrefixes(_ rows: ValueList, _ columns: [Int]) {
        self.columns = columns
        let listed = Set((0..<rows.count).map { Array(rows[$0].prefix(columns.count)) })
        values = Array(Set(listed.compactMap(\.first)))
        if columns.count > 1 { several = Array(listed) }
    }
}

extension Comparison {
    /// The comparison with its two sides exchanged.
    package var mirrored: Comparison {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }
}
