import StorageDriver

/// A reading session that notes which models its queries touch, and takes a digest of every row that they return.
///
/// Two reads by the same code with equal digests have read the same values, so they have the same result.
final class ObservingSession: StorageReader, QueryExplaining, AnnouncingSession {
    private let session: any StorageReader
    /// The stored names of the models that were read.
    private(set) var models: Set<String> = []
    private var digest = RowDigest()
    private var cursors = 0

    init(_ session: any StorageReader) { self.session = session }

    func tables() throws(StorageError) -> [TableSchema] { try session.tables() }

    func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        for table in plan.tables { note(table) }
        cursors += 1
        let (number, width) = (cursors, plan.query.width)
        return WatchedRows(try session.rows(plan, arguments)) { cells in
            self.digest.add(number, cells.map { UnsafeBufferPointer(start: $0, count: width) })
        }.cursor
    }

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

    /// Adds a row of a cursor, or its end.
    mutating func add(_ cursor: Int, _ row: UnsafeBufferPointer<Cell>?) {
        Self.add(cursor, row, to: &first)
        Self.add(cursor, row, to: &second)
    }

    private static func add(_ cursor: Int, _ row: UnsafeBufferPointer<Cell>?, to hasher: inout Hasher) {
        hasher.combine(cursor)
        guard let row else { return hasher.combine(UInt32.max) }
        for cell in row {
            hasher.combine(cell.tag)
            switch cell.tag {
            case .text, .blob:
                hasher.combine(cell.length)
                hasher.combine(bytes: cell.bytes)
            default: hasher.combine(cell.bits)
            }
        }
    }
}
