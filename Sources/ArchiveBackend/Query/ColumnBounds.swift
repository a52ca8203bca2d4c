internal import StorageAPI

/// What a filter says for certain about one column's value: rows outside need not be looked at.
struct ColumnBounds {
    let column: Int
    /// The values that it can have, if they are listed.
    private(set) var values: [Value]?
    private(set) var lower: Value?
    /// Whether a value equal to the lower bound is out as well.
    private(set) var isAboveLower = false
    private(set) var upper: Value?
    private(set) var isBelowUpper = false

    init(_ column: Int) { self.column = column }

    var isSingle: Bool { values?.count == 1 }

    /// How many rows are to be expected, the best first.
    var rank: Int {
        if let values { return values.count == 1 ? 0 : 1 }
        return lower != nil && upper != nil ? 2 : lower != nil || upper != nil ? 3 : 4
    }

    /// Takes a term of the filter into account, if it is about the column and an argument.
    mutating func narrow(by term: QueryTerm, _ arguments: QueryArguments) {
        switch term {
        case .comparison(let comparison, .column(column), .argument(let argument), _):
            narrow(comparison, arguments.values[argument])
        case .isIn(.column(column), let list, _) where values == nil: values = arguments.lists[list].values
        case .isNull(.column(column)): values = [.null]
        case .text(.hasPrefix, .column(column), .argument(let argument)):
            guard case .text(let prefix) = arguments.values[argument], !prefix.isEmpty else { return }
            narrow(.greaterOrEqual, .text(prefix))
            if let end = Self.textBehind(prefix) { narrow(.less, .text(end)) }
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

    /// A text that stands behind every text with the prefix, and before everything else that does.
    private static func textBehind(_ prefix: String) -> String? {
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

    /// The bounds of each column that the filter says something of, as long as all terms must hold.
    static func all(in filter: QueryTerm?, _ arguments: QueryArguments, columns: [Int]) -> [ColumnBounds] {
        guard let filter else { return [] }
        let terms = filter.conjuncts
        return columns.map { column in
            var bounds = ColumnBounds(column)
            for term in terms { bounds.narrow(by: term, arguments) }
            return bounds
        }.filter { $0.rank < 4 }
    }

    // MARK: Ranges

    /// The ranges of a tree whose first column this is.
    func ranges(of tree: RowTree) -> [RowRange] {
        if let values {
            let cells = ValueCells(ValueList(width: 1, values: Set(values).sorted()))
            return (0..<cells.count).map { RowRange(tree, prefix: cells.cells + $0, count: 1) }
        }
        let cells = ValueCells(ValueList(width: 1, values: [lower ?? .null, upper ?? .null]))
        let start =
            lower == nil
            ? tree.start
            : isAboveLower ? tree.searchEnd(cells.cells, count: 1) : tree.search(cells.cells, count: 1).position
        let end =
            upper == nil
            ? tree.end
            : isBelowUpper ? tree.search(cells.cells + 1, count: 1).position : tree.searchEnd(cells.cells + 1, count: 1)
        return [RowRange(tree, from: start, to: end)]
    }
}
