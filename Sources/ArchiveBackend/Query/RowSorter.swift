internal import StorageDriver

/// Puts rows in a query's order; rows that are equal on all sort keys come in the order of the table's key.
struct RowSorter {
    private let table: ArchiveTable
    private let keys: [Query.SortKey]
    private let evaluation: QueryEvaluation<ArchiveTables>
    /// Sort keys that are columns; nil if the values must be computed for every row.
    private let columns: [Int]?

    init(_ table: ArchiveTable, keys: [Query.SortKey], evaluation: QueryEvaluation<ArchiveTables>) {
        self.table = table
        self.keys = keys
        self.evaluation = evaluation
        let columns = keys.compactMap { if case .column(let column) = $0.term { column } else { nil } }
        self.columns = columns.count == keys.count ? columns : nil
    }

    /// The first `count` rows of a source that pass the test. Holds about twice as many.
    func first(
        _ count: Int, of source: RowSource, where test: RowFilter.Test?
    ) throws(StorageError) -> [UnsafeRawPointer] {
        columns == nil ? try computed(count, of: source, test: test) : try direct(count, of: source, test: test)
    }

    private func direct(
        _ count: Int, of source: RowSource, test: RowFilter.Test?
    ) throws(StorageError) -> [UnsafeRawPointer] {
        var source = source
        var kept: [UnsafeRawPointer] = []
        let most = max(count.multipliedReportingOverflow(by: 2).overflow ? Int.max : count * 2, 1024)
        while let row = try source.next() {
            if let test, try !test(row) { continue }
            kept.append(row)
            if kept.count == most { cut(&kept, to: count) }
        }
        cut(&kept, to: count)
        return kept
    }

    private func cut(_ rows: inout [UnsafeRawPointer], to count: Int) {
        rows.sort(by: isBefore)
        rows.removeLast(max(rows.count - count, 0))
    }

    private func isBefore(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
        for (key, column) in zip(keys, columns ?? []) {
            let (left, right) = (table.format.cell(column, of: left), table.format.cell(column, of: right))
            if left.isNull != right.isNull { return left.isNull == key.nullsFirst }
            let order = left.compared(to: right, isDecimal: key.type == .decimal)
            if order != 0 { return (order < 0) != key.isDescending }
        }
        return isBeforeByKey(left, right)
    }

    private func isBeforeByKey(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
        table.rows.order.compareRows(left, right, count: table.schema.key.count) < 0
    }

    /// With sort keys through children, whose values are worked out once for each row.
    private func computed(
        _ count: Int, of source: RowSource, test: RowFilter.Test?
    ) throws(StorageError) -> [UnsafeRawPointer] {
        var source = source
        var rows: [(row: UnsafeRawPointer, values: [Value])] = []
        while let row = try source.next() {
            if let test, try !test(row) { continue }
            let seen = PackedRow(row: row, format: table.format)
            var values: [Value] = []
            for key in keys { values.append(try evaluation.value(key.term, seen)) }
            rows.append((row, values))
        }
        rows.sort { left, right in
            for (key, pair) in zip(keys, zip(left.values, right.values)) {
                let order = key.order(pair.0, pair.1)
                if order != .same { return order == .before }
            }
            return isBeforeByKey(left.row, right.row)
        }
        return rows.prefix(count).map(\.row)
    }
}
