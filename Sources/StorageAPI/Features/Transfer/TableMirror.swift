import StorageDriver

/// Makes the rows of one table equal to the rows of another store's.
///
/// Both tables are read side by side in key order. Where few rows differ, these are removed and written again; otherwise, and
/// where the table is missing or has no rows yet, all are copied.
struct TableMirror {
    private let from: TableSchema
    private let source: Store
    private let store: Store
    /// The most rows that are held to be written; with more, all rows are copied.
    private static let mostRows = 20_000

    init(_ from: TableSchema, of source: Store, to store: Store) {
        (self.from, self.source, self.store) = (from, source, store)
    }

    /// - Returns: the number of changed rows, and the digest of the source's rows; nil if the source no longer has the table as it was.
    nonisolated(nonsending) func run() async throws(StorageError) -> (Int, [UInt8])? {
        let result = try await source.reads { () throws(StorageError) in try compare() }
        switch result {
        case .equal(let digest): return (0, digest)
        case .different(let changes, let digest):
            if let changed = try await apply(changes) { return (changed, digest) }
            return try await copyAll()
        case .whole: return try await copyAll()
        case .outdated: return nil
        }
    }

    // MARK: Comparing

    private enum Comparison {
        /// The tables have the same rows, with this digest.
        case equal([UInt8])
        /// A few rows differ; the digest is of the source's.
        case different(Changes, [UInt8])
        /// All rows are to be copied.
        case whole
        /// The source no longer has the table as it was.
        case outdated
    }

    /// The rows that differ. Moved from the thread that reads to the thread that writes, which use them one after the other.
    private final class Changes: @unchecked Sendable {
        let table: TableSchema
        /// The keys of the rows that go or are replaced, one after the other.
        var gone: [Value] = []
        var rows: [RowCopies] = []
        var count = 0
        /// The greatest key that the source has assigned.
        var greatest: Int64 = 0
        /// True if the table has remembered another one.
        var hasOtherGreatest = false

        init(_ table: TableSchema) { self.table = table }

        func add(_ cells: UnsafePointer<Cell>, of store: Store) throws(StorageError) {
            if rows.last?.isFull ?? true { rows.append(RowCopies(table, store)) }
            try rows.last?.add(cells)
        }
    }

    private func compare() throws(StorageError) -> Comparison {
        try source.withReader("mirror", .snapshot, seesExpired: true) { (left) throws(StorageError) in
            try store.withReader("mirror", .snapshot, seesExpired: true) { (right) throws(StorageError) in
                guard try left.tables().contains(from) else { return .outdated }
                guard let table = from.mirrored(in: try right.tables()) else { return .whole }
                var hasher = TableHasher(from)
                let changes = Changes(table)
                if from.assignsKeys {
                    changes.greatest = try left.greatestKey(in: from)
                    changes.hasOtherGreatest = try right.greatestKey(in: table) != changes.greatest
                }
                let (first, second) = (try TableScan(from, in: left), try TableScan(table, in: right))
                try advance(first, if: true, second, if: true)
                if !second.isAtRow, first.isAtRow { return .whole }
                while first.isAtRow || second.isAtRow {
                    let (hasFirst, hasSecond) = Self.sides(first, second)
                    if hasFirst { hasher.add(first.cells) }
                    if !hasFirst || !hasSecond || !areEqual(first, second) {
                        if hasSecond { changes.gone += second.key }
                        if hasFirst { try changes.add(first.cells, of: store) }
                        changes.count += 1
                        if changes.count > Self.mostRows { return .whole }
                    }
                    try advance(first, if: hasFirst, second, if: hasSecond)
                }
                let digest = hasher.finish()
                return changes.count == 0 && !changes.hasOtherGreatest ? .equal(digest) : .different(changes, digest)
            }
        }
    }

    private func advance(
        _ first: TableScan, if hasFirst: Bool, _ second: TableScan, if hasSecond: Bool
    ) throws(StorageError) {
        if hasFirst { _ = try first.next() }
        if hasSecond { _ = try second.step() }
    }

    /// Returns the scans that have the next row by its key.
    private static func sides(_ first: TableScan, _ second: TableScan) -> (Bool, Bool) {
        guard first.isAtRow, second.isAtRow else { return (first.isAtRow, second.isAtRow) }
        return switch first.order(to: second, count: first.table.key.count) {
        case .before: (true, false)
        case .same: (true, true)
        case .after: (false, true)
        }
    }

    private func areEqual(_ first: TableScan, _ second: TableScan) -> Bool {
        from.columns.indices.allSatisfy { first.cells[$0].isEqual(to: second.cells[$0]) }
    }

    // MARK: Writing

    /// Writes the rows that differ; nil if all have to be copied.
    private nonisolated(nonsending) func apply(_ changes: Changes) async throws(StorageError) -> Int? {
        try await store.mirroring { (writer) throws(StorageError) in
            let table = changes.table
            // All that go first, so that no unique value is in the way.
            try writer.write(
                changes.gone, store.registry.directory.plan(.delete, of: table, columns: table.key))
            for rows in changes.rows { _ = try rows.write(writer) }
            // An assigned key whose row is gone is remembered by a row that comes and goes, which needs an empty table.
            if table.assignsKeys, try writer.greatestKey(in: table) != changes.greatest { return nil }
            return changes.count
        }
    }

    /// Copies all rows, and reads them again for that; nil if the source no longer has the table as it was.
    private nonisolated(nonsending) func copyAll() async throws(StorageError) -> (Int, [UInt8])? {
        try await store.mirroring { (writer) throws(StorageError) in
            try source.withReader("mirror", .snapshot, seesExpired: true) { (reader) throws(StorageError) in
                guard try reader.tables().contains(from) else { return nil }
                let table = try MirroredTables(writer, store).table(like: from)
                try writer.truncate(table, store.registry.directory)
                if from.assignsKeys {
                    let keys = AssignedKeys(writer: writer, directory: store.registry.directory)
                    try keys.remember(reader.greatestKey(in: from), in: table)
                }
                var (hasher, count) = (TableHasher(from), 0)
                let scan = try TableScan(from, in: reader)
                let batch = RowCopies(table, store)
                while try scan.next() {
                    hasher.add(scan.cells)
                    try batch.add(scan.cells)
                    if batch.isFull { count += try batch.write(writer) }
                }
                count += try batch.write(writer)
                return (count, hasher.finish())
            }
        }
    }
}
