import StorageDriver

/// A reading session that notes which models its queries touch, and takes a digest of the rows that they return.
///
/// Two reads by the same code with equal digests have read the same values, so they have the same result. Rows, and cells of
/// rows, that are read and are no part of the result are not in the digest: else an equal result would count as another.
final class ObservingSession: StorageReader, QueryExplaining, AnnouncingSession {
    private let session: any StorageReader
    /// The stored names of the models that were read.
    private(set) var models: Set<String> = []
    private var digest = RowDigest()
    private var cursors = 0

    init(_ session: any StorageReader) { self.session = session }

    func tables() throws(StorageError) -> [TableSchema] { try session.tables() }

    func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        try rows(plan, arguments, shown: plan.query.width)
    }

    /// - Parameter shown: the number of cells at the beginning of each row that are a part of the result.
    fileprivate func rows(
        _ plan: QueryPlan, _ arguments: QueryArguments, shown: Int
    ) throws(StorageError) -> Cursor {
        for table in plan.tables { note(table) }
        cursors += 1
        let number = cursors
        // Only the order of an array's elements is data, and not where there are gaps.
        let position = plan.elementPosition
        return WatchedRows(try session.rows(plan, arguments)) { cells in
            self.digest.add(number, cells.map { UnsafeBufferPointer(start: $0, count: shown) }, besides: position)
        }.cursor
    }

    /// Rows of which the reader adds to the digest by itself what is a part of the result.
    fileprivate func unshownRows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        for table in plan.tables { note(table) }
        return try session.rows(plan, arguments)
    }

    fileprivate func add(_ body: (inout RowDigest) -> Void) { body(&digest) }

    /// Forgets what was read so far.
    func restart() { (models, digest, cursors) = ([], RowDigest(), 0) }

    func greatestKey(in table: TableSchema) throws(StorageError) -> Int64 {
        note(table)
        let key = try session.greatestKey(in: table)
        digest.add(key)
        return key
    }

    func explain(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> QueryExplanation {
        try session.explained(plan, arguments)
    }

    func announce(_ queries: [QueryRequest]) { session.passOn(queries) }

    func end() { session.end() }

    /// The digest of what was read so far.
    var result: RowDigest.Result { digest.result }

    private func note(_ table: TableSchema) {
        // A table's path begins with its model's name.
        if let model = table.path.first { models.insert(model) }
    }
}

extension StorageSession {
    /// Rows whose first cells alone are a part of what a query gives: the others are looked at to place the rows.
    func rows(_ plan: QueryPlan, _ arguments: QueryArguments, shown: Int) throws(StorageError) -> Cursor {
        guard let observing = self as? ObservingSession else { return try rows(plan, arguments) }
        return try observing.rows(plan, arguments, shown: shown)
    }

    /// Rows of which some are no part of what a query gives. Those that are must be shown.
    func unshownRows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        guard let observing = self as? ObservingSession else { return try rows(plan, arguments) }
        return try observing.unshownRows(plan, arguments)
    }

    /// Shows an observer what is a part of its result.
    func show(_ body: (inout RowDigest) -> Void) { (self as? ObservingSession)?.add(body) }
}

extension QueryPlan {
    /// The cell that has the positions of an array's elements, if the rows are those of references.
    fileprivate var elementPosition: Int? {
        guard table.isOfReferences, case .columns(let columns) = query.result, let last = table.key.last,
            table.columns[last].role == .position
        else { return nil }
        return columns.firstIndex(of: last)
    }
}

/// A digest of rows: 128 bits, with a seed of the process.
struct RowDigest {
    struct Result: Equatable {
        let first: Int
        let second: Int
    }

    private var first = Hasher()
    private var second = Hasher()

    init() { second.combine(1) }

    var result: Result { Result(first: first.finalize(), second: second.finalize()) }

    mutating func add(_ number: Int64) {
        first.combine(number)
        second.combine(number)
    }

    mutating func add(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            first.combine(bytes: bytes)
            second.combine(bytes: bytes)
        }
    }

    /// Adds a row of a cursor, or its end.
    ///
    /// - Parameter besides: a cell that does not count.
    mutating func add(_ cursor: Int, _ row: UnsafeBufferPointer<Cell>?, besides: Int? = nil) {
        Self.add(cursor, row, besides, to: &first)
        Self.add(cursor, row, besides, to: &second)
    }

    private static func add(
        _ cursor: Int, _ row: UnsafeBufferPointer<Cell>?, _ besides: Int?, to hasher: inout Hasher
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
