internal import Dispatch
internal import Logging
internal import StorageDriver

/// Makes indexes beside writers, by `CREATE INDEX CONCURRENTLY`, on a separate connection.
///
/// It holds an advisory lock for as long as it exists, so that of several programs one makes the indexes. It never waits for
/// that lock: a session that waits has a snapshot, for whose end the server would wait before it completes an index.
final class IndexBuilder: Sendable {
    private let configuration: PostgreSQLBackend
    private let names: Names
    private let connection: Connection
    private let logger: Logger
    private let progress: @Sendable (IndexProgress) -> Void
    private let lock: Int64

    private static let secondsBetweenReports = 1
    private static let millisecondsToRemove = 2000

    /// Nil if another program makes indexes, or if a pooler gives each transaction another process.
    init?(
        _ configuration: PostgreSQLBackend, _ names: Names, role: ServerRole, record: Catalog.Record, logger: Logger,
        _ progress: @escaping @Sendable (IndexProgress) -> Void
    ) throws(StorageError) {
        (self.configuration, self.names) = (configuration.listening, names)
        (self.logger, self.progress, lock) = (logger, progress, record.indexes)
        connection = try Connection(configuration.listening, role)
        connection.endsWhenCancelled = true
        guard !connection.isShared else { return nil }
        try connection.run("SET statement_timeout = 0")
        guard try connection.run("SELECT pg_catalog.pg_try_advisory_lock(\(lock))").isTrue() else { return nil }
    }

    /// Sets how long the server waits for transactions of others: for any time, or for the timeout.
    func wait(isPatient: Bool) throws(StorageError) {
        try connection.run("SET lock_timeout = \(isPatient ? 0 : configuration.timeoutMilliseconds)")
    }

    /// Frees the lock at once. The end of the connection frees it too, a little later.
    func release() {
        if connection.loss == nil { _ = try? connection.run("SELECT pg_catalog.pg_advisory_unlock(\(lock))") }
    }

    // MARK: Indexes that changes have left

    /// Makes the indexes that have a row, and drops an index that no table records.
    func finish() throws(StorageError) {
        let found = try connection.run([UnbuiltIndexes.list(names), Catalog.definitions(names)])
        guard found.count == 2 else { throw Catalog.damaged }
        let tables = try Catalog.tables(found[1])
        for row in 0..<found[0].count {
            guard let name = found[0].text(row) else { continue }
            if let index = ColumnIndex.recorded(name, in: tables) {
                try make(index)
            } else {
                try connection.run("DROP INDEX CONCURRENTLY IF EXISTS \(names.own(name))")
                logger.notice("an index that no table records is dropped", metadata: ["index": "\(name)"])
            }
            try connection.run(UnbuiltIndexes.remove(name, names))
        }
    }

    // MARK: Unique indexes

    /// Makes a unique index before the transaction that records it.
    func makeUnique(_ index: ColumnIndex) throws(StorageError) {
        try connection.run(UnbuiltIndexes.add(index.name, of: index.table.name, names))
        try make(index)
    }

    // MARK: One index

    private func make(_ index: ColumnIndex) throws(StorageError) {
        let state = try connection.run(Self.state(index, names))
        if state.isTrue() { return }
        let metadata: Logger.Metadata = ["index": "\(index.model).\(index.property)"]
        logger.notice("index is made beside writers", metadata: metadata)
        if try isPartitioned(index) {
            try makeInPartitions(index, isThere: state.count > 0)
        } else {
            // The rest of an earlier attempt.
            if state.count > 0 { try connection.run("DROP INDEX CONCURRENTLY \(names.own(index.name))") }
            try build(index, index.name, on: names.table(index.table))
        }
        logger.notice("index is made", metadata: metadata)
    }

    /// The state of an index: whether it can be used. No row if it does not exist.
    static func state(_ index: ColumnIndex, _ names: Names) -> Statement {
        Statement(
            "SELECT indisvalid AND indrelid = pg_catalog.to_regclass(\(names.table(index.table).literal)) "
                + "FROM pg_catalog.pg_index WHERE indexrelid = pg_catalog.to_regclass(\(names.own(index.name).literal))"
        )
    }

    private func isPartitioned(_ index: ColumnIndex) throws(StorageError) -> Bool {
        let table = names.table(index.table).literal
        return try connection.run(
            "SELECT relkind = 'p' FROM pg_catalog.pg_class WHERE oid = pg_catalog.to_regclass(\(table))"
        ).isTrue()
    }

    /// Makes the index of each partition, and attaches it to the index of the table, which is complete with the last one.
    private func makeInPartitions(_ index: ColumnIndex, isThere: Bool) throws(StorageError) {
        let (table, whole) = (names.table(index.table), names.own(index.name))
        if !isThere {
            try connection.run(SchemaCompiler(names).sql(of: index, index.name, on: "ONLY " + table))
        }
        let parts = try connection.run(
            """
            SELECT c.oid::int8, c.oid::pg_catalog.regclass::text
            FROM pg_catalog.pg_inherits h JOIN pg_catalog.pg_class c ON c.oid = h.inhrelid
            WHERE h.inhparent = pg_catalog.to_regclass(\(table.literal)) AND NOT EXISTS (SELECT FROM pg_catalog.pg_index i
              JOIN pg_catalog.pg_inherits a ON a.inhrelid = i.indexrelid
              WHERE i.indrelid = c.oid AND a.inhparent = pg_catalog.to_regclass(\(whole.literal)))
            ORDER BY c.oid
            """)
        for row in 0..<parts.count {
            guard let number = parts.integer(row), let part = parts.text(row, 1) else { throw Catalog.damaged }
            let name = "\(index.name)_\(number)"
            let own = names.own(name)
            let isValid = try connection.run(
                "SELECT indisvalid FROM pg_catalog.pg_index WHERE indexrelid = pg_catalog.to_regclass(\(own.literal))")
            if isValid.count > 0, !isValid.isTrue() { try connection.run("DROP INDEX CONCURRENTLY \(own)") }
            if !isValid.isTrue() { try build(index, name, on: part) }
            try connection.run("ALTER INDEX \(whole) ATTACH PARTITION \(own)")
        }
    }

    private func build(_ index: ColumnIndex, _ name: String, on target: String) throws(StorageError) {
        let sql = SchemaCompiler(names).sql(of: index, name, on: target, isConcurrent: true)
        do throws(StorageError) {
            try reporting(index) { () throws(StorageError) in _ = try connection.run(sql) }
        } catch {
            remove(name)
            guard (error.underlying as? PostgreSQLError)?.state == "23505" else { throw error }
            throw StorageError(
                .constraint,
                "Records have equal values of \(index.property), which must be unique; change all but one of them first.",
                model: index.model, property: index.property, underlying: error.underlying
            )
        }
    }

    /// Drops an index that was not completed, because it slows writes down, and a unique one refuses some. If transactions of
    /// others last too long for that, the next call drops it.
    private func remove(_ name: String) {
        guard let connection = try? Connection(configuration),
            (try? connection.run("SET lock_timeout = \(Self.millisecondsToRemove)")) != nil
        else { return }
        _ = try? connection.run("DROP INDEX CONCURRENTLY IF EXISTS \(names.own(name))")
    }

    /// Runs a body that makes an index, and reports its progress meanwhile.
    private func reporting(
        _ index: ColumnIndex, _ body: () throws(StorageError) -> Void
    ) throws(StorageError) {
        guard let process = connection.process?.number else { return try body() }
        let (end, ended) = (DispatchSemaphore(value: 0), DispatchGroup())
        DispatchQueue(label: "storage.postgresql.indexes").async(group: ended) { [configuration, progress] in
            var watching: Connection?
            while end.wait(timeout: .now() + .seconds(Self.secondsBetweenReports)) == .timedOut {
                // A report needs the connection.
                watching = watching ?? (try? Connection(configuration))
                guard let found = try? watching?.run(Self.progress(of: process)), let step = found.text() else {
                    continue
                }
                progress(
                    IndexProgress(
                        model: index.model, property: index.property, step: step,
                        done: Int(clamping: found.integer(0, 1) ?? 0), total: Int(clamping: found.integer(0, 2) ?? 0)))
            }
        }
        defer {
            end.signal()
            ended.wait()
        }
        try body()
    }

    private static func progress(of process: Int64) -> String {
        """
        SELECT phase, CASE WHEN blocks_total > 0 THEN blocks_done ELSE tuples_done END,
          CASE WHEN blocks_total > 0 THEN blocks_total ELSE tuples_total END
        FROM pg_catalog.pg_stat_progress_create_index WHERE pid = \(process)
        """
    }
}
