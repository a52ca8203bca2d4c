import StorageDriver

/// A reading session that notes which models its queries touch, and takes a digest of every row that they return.
///
/// Two reads by the same code with equal digests have read the same values, so they have the same result.
final class ObservingSession: StorageReader, QueryExplaining {
    private let session: any StorageReader
    /// The stored names of the models that were read.
    private(set) var models: Set<String> = []
    fileprivate var digest = RowDigest()
    private var cursors = 0

    init(_ session: any StorageReader) { self.session = session }

    func tables() throws(StorageError) -> [TableSchema] { try session.tables() }

    func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        for table in plan.tables { note(table) }
        cursors += 1
        return ObservedRows(try session.rows(plan, arguments), plan.query.width, self, number: cursors).observed
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

    func end() { session.end() }

    /// The digest of what was read so far.
    var result: RowDigest.Result { digest.result }

    private func note(_ table: TableSchema) {
        // A table's path begins with its model's name.
        if let model = table.path.first { models.insert(model) }
    }
}

/// The rows of a query, of which a session takes the digest.
private final class ObservedRows: CursorSource {
    // Exclusivity is not checked at run time: no access to these lasts beyond one statement of this class.
    @exclusivity(unchecked) private var cursor: Cursor
    private let session: ObservingSession
    private let width: Int
    private let number: Int
    private var error: StorageError?

    init(_ cursor: consuming Cursor, _ width: Int, _ session: ObservingSession, number: Int) {
        self.cursor = cursor
        self.width = width
        self.session = session
        self.number = number
    }

    /// The rows as a cursor, which keeps this object alive, and with it the inner cursor and its cells.
    var observed: Cursor {
        Cursor(source: self, context: Unmanaged.passUnretained(self).toOpaque(), cells: cursor.cells) {
            Unmanaged<ObservedRows>.fromOpaque($0).takeUnretainedValue().step()
        }
    }

    private func step() -> Int32 {
        do throws(StorageError) {
            let isRow = try cursor.next()
            session.digest.add(number, isRow ? UnsafeBufferPointer(start: cursor.cells, count: width) : nil)
            return isRow ? 1 : 0
        } catch {
            self.error = error
            return -1
        }
    }

    func failure() -> StorageError { error ?? StorageError(.io, "The row could not be read.") }

    func finish() {}
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
