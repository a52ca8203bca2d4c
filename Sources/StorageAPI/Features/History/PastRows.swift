import StorageDriver

/// A table's rows, in which former rows replace the rows of changed records. Used by one thread.
final class PastRows: CursorSource {
    /// The number of records whose former rows are read at a time.
    private static let part = 64

    private let records: ChangedRecords
    private let load: (Range<Int>) throws(StorageError) -> [[[Value]]]
    /// The columns of the record's key.
    private let key: [Int]
    private let row: UnsafeMutablePointer<Cell>
    private let width: Int
    private var rows: Cursor?
    /// True if ``rows`` are at a row that was not given yet.
    private var isAtRow = false
    private var isAtEnd = false
    /// The next changed record.
    private var next = 0
    /// The records whose former rows are read.
    private var loaded = 0..<0
    private var former: [[[Value]]] = []
    /// The rows of the current changed record that were not given yet.
    private var open: ArraySlice<[Value]> = []
    private var arena = Arena()
    private var error: StorageError?

    private init(
        _ rows: consuming Cursor, of plan: QueryPlan, replacing records: ChangedRecords,
        _ load: @escaping (Range<Int>) throws(StorageError) -> [[[Value]]]
    ) {
        self.records = records
        self.load = load
        key = Array(plan.table.key.prefix(records.width))
        width = plan.table.columns.count
        row = .allocate(capacity: max(width, 1))
        row.initialize(repeating: .null, count: max(width, 1))
        self.rows = consume rows
    }

    deinit { row.deallocate() }

    /// - Parameters:
    ///   - rows: all rows of a table, in the order of its key, which begins with the record's.
    ///   - load: returns the rows that each of some records had in the table.
    static func cursor(
        _ rows: consuming Cursor, of plan: QueryPlan, replacing records: ChangedRecords,
        _ load: @escaping (Range<Int>) throws(StorageError) -> [[[Value]]]
    ) -> Cursor {
        let source = PastRows(rows, of: plan, replacing: records, load)
        // The cursor keeps the source alive, so the unretained context and the row stay valid.
        return Cursor(
            source: source, context: Unmanaged.passUnretained(source).toOpaque(), cells: UnsafePointer(source.row)
        ) {
            Unmanaged<PastRows>.fromOpaque($0).takeUnretainedValue().step()
        }
    }

    private func step() -> Int32 {
        do throws(StorageError) {
            return try advance() ? 1 : 0
        } catch {
            self.error = error
            return -1
        }
    }

    private func advance() throws(StorageError) -> Bool {
        while true {
            if let values = open.popFirst() {
                arena.reset()
                for column in 0..<width { row[column] = arena.cell(for: values[column]) }
                return true
            }
            try move()
            guard next < records.records.count else { return take() }
            switch isAtEnd ? .before : order() {
            case .before: try openNext()
            case .same: isAtRow = false
            case .after: return take()
            }
        }
    }

    /// Moves to the next row of the table, unless the current one was not given yet.
    private func move() throws(StorageError) {
        if isAtRow || isAtEnd { return }
        isAtRow = try rows?.next() ?? false
        isAtEnd = !isAtRow
    }

    /// The order of the next changed record to the current row.
    private func order() -> ValueOrder {
        guard let cells = rows?.cells else { return .before }
        return records.order(of: next, to: cells, key)
    }

    /// Gives the current row of the table; false after the last.
    private func take() -> Bool {
        guard isAtRow, let cells = rows?.cells else { return false }
        row.update(from: cells, count: width)
        isAtRow = false
        return true
    }

    private func openNext() throws(StorageError) {
        if !loaded.contains(next) {
            loaded = next..<min(next + Self.part, records.records.count)
            former = try load(loaded)
        }
        open = former[next - loaded.lowerBound][...]
        next += 1
    }

    func failure() -> StorageError { error ?? StorageError(.corrupt, "A former state could not be read.") }

    func finish() { rows = nil }
}
