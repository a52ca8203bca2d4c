import StorageDriver

/// A reading session that tracks the models which its queries read, and takes a digest of the rows that they return.
///
/// Two reads by the same code with equal digests have read the same values, so they have the same result. Rows, and cells of
/// rows, that are read and are no part of the result are not in the digest: else an equal result would count as another.
final class ReadTracker: ForwardingReader, ReadTrackingSession {
    /// The stored names of the models that were read.
    private(set) var models: Set<StoredName> = []
    private var digest = RowDigest()
    private var cursors = 0

    override func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        try trackedRows(plan, arguments, shown: plan.query.width)
    }

    func trackedRows(
        _ plan: QueryPlan, _ arguments: QueryArguments, shown: Int?
    ) throws(StorageError) -> Cursor {
        for table in plan.tables { track(table) }
        guard let shown else { return try super.rows(plan, arguments) }
        cursors += 1
        let number = cursors
        // Only the order of an array's elements is data; the gaps between their positions are not.
        let position = plan.elementPosition
        return WatchedRows(try super.rows(plan, arguments)) { cells in
            self.digest.add(number, cells.map { UnsafeBufferPointer(start: $0, count: shown) }, besides: position)
        }.cursor
    }

    func untracked(reading model: StoredName) -> any StorageSession {
        models.insert(model)
        return reader
    }

    func show(_ body: (inout RowDigest) -> Void) { body(&digest) }

    /// Forgets everything read so far.
    func restart() { (models, digest, cursors) = ([], RowDigest(), 0) }

    override func greatestKey(in table: TableSchema) throws(StorageError) -> Int64 {
        track(table)
        let key = try super.greatestKey(in: table)
        digest.add(key)
        return key
    }

    /// The digest of everything read so far.
    var result: RowDigest.Result { digest.result }

    private func track(_ table: TableSchema) {
        // A table's path begins with its model's name.
        if let model = table.storedPath.first { models.insert(model) }
    }
}

extension QueryPlan {
    /// The cell with the positions of an array's elements, if the rows belong to an array of references.
    fileprivate var elementPosition: Int? {
        guard table.isOfReferences, case .columns(let columns) = query.result, let last = table.key.last,
            table.columns[last].role == .position
        else { return nil }
        return columns.firstIndex(of: last)
    }
}
