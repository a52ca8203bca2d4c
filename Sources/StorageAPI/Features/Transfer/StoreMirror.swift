import StorageDriver

/// One step of a mirror, for a caller that shows progress.
package struct MirrorProgress: Hashable, Sendable {
    /// The stored name of the model whose rows are compared, or of an internal table.
    package let model: String
    /// The number of rows compared so far.
    package let rows: Int
}

/// The result of a mirror.
package struct MirrorResult: Sendable {
    /// The number of rows written and removed.
    package var changed = 0
    /// True if the source has dropped or changed a table meanwhile, which is left out; mirror it again.
    package var isOutdated = false
    /// The digest of each table as it was read from the source.
    var digests: [StoredPath: [UInt8]] = [:]
}

// A whole store at another place: models, the features' data, and the history with the name that its tokens have.

extension Store {
    /// Makes all tables of this store equal to the tables of another, row by row: only rows that differ are written.
    ///
    /// Tables whose definitions differ are made again. Each table is read in one snapshot, and created and written in one transaction:
    /// a mirror that ended early goes on where it ended, a program can open this store at any moment, and the mirror of a source
    /// without writers is exact. A table that the source drops or changes meanwhile is left out. The record that closes a store to
    /// writers belongs to its place and is not copied.
    ///
    /// - Throws: `typeMismatch` for a stored value that does not fit its column; `limitExceeded` for a value that this store cannot
    ///   hold; errors of both engines; `moved` or `conflict` if this store is closed to the caller.
    package nonisolated(nonsending) func mirror(
        _ source: Store, progress: @escaping @Sendable (MirrorProgress) -> Void = { _ in }
    ) async throws(StorageError) -> MirrorResult {
        let tables = try await source.contentTables()
        try await mirroring { (writer) throws(StorageError) in
            try MirroredTables(writer, self).dropOthers(than: tables)
        }
        var result = MirrorResult()
        for from in tables {
            guard let (changed, digest) = try await TableMirror(from, of: source, to: self).run() else {
                result.isOutdated = true
                continue
            }
            result.changed += changed
            result.digests[from.storedPath] = digest
            progress(MirrorProgress(model: from.storedPath[0].text, rows: result.changed))
        }
        return result
    }

    /// Returns whether all tables of this store are as a mirror has read them from its source.
    package nonisolated(nonsending) func equals(_ result: MirrorResult) async throws(StorageError) -> Bool {
        try await reads { () throws(StorageError) in
            try self.withReader("mirror", .snapshot, seesExpired: true) { (reader) throws(StorageError) in
                let tables = try reader.tables().filter { !$0.isOfPlace && !$0.isReadOnly }
                guard tables.count == result.digests.count else { return false }
                for table in tables {
                    var hasher = TableHasher(table)
                    let scan = try TableScan(table, in: reader)
                    while try scan.next() { hasher.add(scan.cells) }
                    if result.digests[table.storedPath] != hasher.finish() { return false }
                }
                return true
            }
        }
    }

    private nonisolated(nonsending) func contentTables() async throws(StorageError) -> [TableSchema] {
        try await reads { () throws(StorageError) in
            try self.withReader("mirror", .snapshot, seesExpired: true) { (reader) throws(StorageError) in
                try reader.tables().filter { !$0.isOfPlace && !$0.isReadOnly }
            }
        }
    }

    /// Writes without the work of features, which the source's rows have seen already.
    nonisolated(nonsending) func mirroring<T: Sendable>(
        _ body: @escaping (any StorageWriter) throws(StorageError) -> T
    ) async throws(StorageError) -> T {
        try await writing("mirror", isPreceded: false) { [features] context throws(StorageError) in
            let writer = try context.innerWriter()
            try features.requireWritable(writer)
            return try body(writer)
        }
    }
}

/// The tables of a store that mirrors another.
struct MirroredTables {
    private let writer: any StorageWriter
    private let store: Store

    init(_ writer: any StorageWriter, _ store: Store) { (self.writer, self.store) = (writer, store) }

    /// Drops the tables that the source does not have with the same definition.
    ///
    /// - Throws: `limitExceeded` for a table of the source with more columns than this store allows.
    func dropOthers(than wanted: [TableSchema]) throws(StorageError) {
        let limit = store.info.limits.columns
        if let wide = wanted.first(where: { $0.columns.count > limit }) {
            throw StorageError(
                .limitExceeded, "The table \(wide.name) has more than \(limit) columns.", model: wide.path.first)
        }
        for table in try writer.tables().reversed() where !table.isOfPlace && !table.isReadOnly {
            if table.mirrored(in: wanted)?.isAlike(table) != true { try writer.change(.drop(table)) }
        }
    }

    /// The table that mirrors the source's. Creates it if this store lacks it.
    ///
    /// - Throws: `conflict` if another program has made a table of another definition since the mirror began.
    func table(like wanted: TableSchema) throws(StorageError) -> TableSchema {
        let tables = try writer.tables()
        if let known = wanted.mirrored(in: tables) {
            guard known.isAlike(wanted) else {
                throw StorageError(
                    .conflict, "Another program has changed the table \(known.name) meanwhile; begin again.",
                    model: known.path.first)
            }
            return known
        }
        // Names of internal tables have prefixes that others must not have.
        var names = NameAllocator(
            used: tables.map(\.name), reservedPrefixes: wanted.isStoresOwn ? [] : store.info.reservedNamePrefixes)
        var table = wanted
        table.name = names.allocate(table.name)
        table.isForeign = false
        try writer.change(.create(table))
        return table
    }
}

extension TableSchema {
    /// The table of another store at the same path.
    func mirrored(in tables: [TableSchema]) -> TableSchema? { tables.first { $0.storedPath == storedPath } }

    /// Returns whether two tables differ only in the names that backends gave them.
    func isAlike(_ other: TableSchema) -> Bool {
        var renamed = other
        renamed.name = name
        renamed.isForeign = isForeign
        return self == renamed
    }
}

/// The digest of one table's rows as they are stored.
struct TableHasher {
    private var hasher: ModelHasher

    init(_ table: TableSchema) {
        hasher = ModelHasher(StoredModel(name: table.storedPath[0], tables: [table]))
        hasher.begin(table)
    }

    mutating func add(_ cells: UnsafePointer<Cell>) { hasher.add(row: cells) }

    mutating func finish() -> [UInt8] {
        hasher.end()
        return hasher.finish().bytes
    }
}
