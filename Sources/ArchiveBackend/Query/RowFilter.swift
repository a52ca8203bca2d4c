internal import Foundation
internal import StorageDriver

/// A query's filter over rows where they lie.
///
/// Comparisons, tests of text and memberships of one column and argument values work on the row's bytes.
/// `QueryEvaluation` evaluates everything else, and defines the meaning of these. The rows' pages, the arguments and
/// this value must outlive a call.
struct RowFilter {
    typealias Test = (UnsafeRawPointer) throws(StorageError) -> Bool

    private let format: RowFormat
    private let arguments: QueryArguments
    private let cells: ValueCells
    private let evaluation: QueryEvaluation<ArchiveTables>

    init(_ format: RowFormat, arguments: QueryArguments, evaluation: QueryEvaluation<ArchiveTables>) {
        self.format = format
        self.arguments = arguments
        self.evaluation = evaluation
        cells = ValueCells(ValueList(width: 1, values: arguments.values))
    }

    /// The test for a term; it keeps its operands alive.
    func test(_ term: QueryTerm) -> Test {
        switch term {
        case .constant(let constant): return { _ in constant }
        case .and(let terms): return all(terms.map(test))
        case .or(let terms): return any(terms.map(test))
        case .not(let inner):
            let inner = test(inner)
            return { (row) throws(StorageError) in try !inner(row) }
        case .isNull(.column(let column)):
            let format = format
            return { row in format.cell(column, of: row).isNull }
        case .comparison(let comparison, .column(let column), .argument(let argument), let type):
            return compare(comparison, column: column, argument: argument, type: type)
        case .text(let test, .column(let column), .argument(let argument)) where test != .like:
            return text(test, column: column, argument: argument)
        case .isIn(.column(let column), let list, let type) where type.storage == .integer && type != .uint64:
            return isIn(column, list)
        default:
            let (evaluation, format) = (evaluation, format)
            return { (row) throws(StorageError) in
                try evaluation.isTrue(term, PackedRow(row: row, format: format))
            }
        }
    }

    private func all(_ tests: [Test]) -> Test {
        if tests.count == 2 {
            let (first, second) = (tests[0], tests[1])
            return { (row) throws(StorageError) in
                guard try first(row) else { return false }
                return try second(row)
            }
        }
        return { (row) throws(StorageError) in
            for test in tests where try !test(row) { return false }
            return true
        }
    }

    private func any(_ tests: [Test]) -> Test {
        { (row) throws(StorageError) in
            for test in tests where try test(row) { return true }
            return false
        }
    }

    private func compare(
        _ comparison: Comparison, column: Int, argument: Int, type: ColumnType
    ) -> Test {
        let (format, cells, isDecimal) = (format, cells, type == .decimal)
        let wanted = cells.cells[argument]
        func test(_ holds: @escaping (Int) -> Bool) -> Test {
            { row in
                _ = cells
                let cell = format.cell(column, of: row)
                return !cell.isNull && holds(cell.compared(to: wanted, isDecimal: isDecimal))
            }
        }
        switch comparison {
        case .equal: return test { $0 == 0 }
        // A null is not equal to a value.
        case .notEqual:
            let isEqual = test { $0 == 0 }
            return { (row) throws(StorageError) in try !isEqual(row) }
        case .less: return test { $0 < 0 }
        case .lessOrEqual: return test { $0 <= 0 }
        case .greater: return test { $0 > 0 }
        case .greaterOrEqual: return test { $0 >= 0 }
        }
    }

    private func text(_ kind: TextTest, column: Int, argument: Int) -> Test {
        let (format, cells) = (format, cells)
        let wanted = cells.cells[argument].bytes
        return { row in
            _ = cells
            let cell = format.cell(column, of: row)
            guard cell.tag == .text else { return false }
            let bytes = cell.bytes
            guard bytes.count >= wanted.count else { return false }
            guard let start = bytes.baseAddress, let pattern = wanted.baseAddress, !wanted.isEmpty else { return true }
            switch kind {
            case .hasPrefix: return memcmp(start, pattern, wanted.count) == 0
            case .hasSuffix: return memcmp(start + (bytes.count - wanted.count), pattern, wanted.count) == 0
            case .contains: return Self.contains(bytes, wanted)
            case .like: return false
            }
        }
    }

    private static func contains(_ text: UnsafeRawBufferPointer, _ wanted: UnsafeRawBufferPointer) -> Bool {
        guard var start = text.baseAddress, let pattern = wanted.baseAddress, let first = wanted.first else {
            return wanted.isEmpty
        }
        let last = start + (text.count - wanted.count)
        while start <= last, let found = memchr(start, Int32(first), last - start + 1) {
            if memcmp(found, pattern, wanted.count) == 0 { return true }
            start = UnsafeRawPointer(found) + 1
        }
        return false
    }

    private func isIn(_ column: Int, _ list: Int) -> Test {
        let format = format
        let values = arguments.lists[list].values
        let numbers = Set(values.compactMap { if case .int(let number) = $0 { number } else { nil } })
        let hasNull = values.contains(where: \.isNull)
        return { row in
            let cell = format.cell(column, of: row)
            return cell.isNull ? hasNull : cell.tag == .int && numbers.contains(cell.int)
        }
    }
}
