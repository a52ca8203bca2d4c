internal import StorageDriver

/// A reading session.
final class PostgreSQLReader: PostgreSQLSession, StorageReader {
    private let scope: ReadScope
    /// True if the session is one transaction that must not see intermediate states of several writers.
    private let isSerializable: Bool
    private var isInTransaction = false
    /// State for repeating a read after a lost connection: only before the first answer, and only once.
    private var hasRead = false
    private var hasHadAnswer = false
    private var isSurviving = false
    /// The version of the tables when the snapshot was taken; nil before.
    private var snapshotVersion: String?
    /// The snapshot's tables, once they were asked for.
    private var snapshotTables: [TableSchema]?
    /// True if the snapshot was found to be older than the tables.
    private var isOutdated = false
    /// The number of times that a session without an answer may start again.
    private var attemptsLeft = 10

    /// The pool of the connection, which may be a replica's.
    private(set) var pool: ConnectionPool
    private var isOnReplica: Bool

    init(
        _ connection: Connection, _ engine: PostgreSQLEngine, scope: ReadScope, isSerializable: Bool,
        of pool: ConnectionPool, isOnReplica: Bool = false
    ) {
        (self.pool, self.isOnReplica) = (pool, isOnReplica)
        self.scope = isSerializable ? .snapshot : scope
        self.isSerializable = isSerializable
        super.init(connection, engine)
        use(connection)
    }

    private func use(_ connection: Connection) {
        self.connection = connection
        connection.use(engine.record)
        connection.endsWhenCancelled = true
        if engine.role.isReplica { engine.listener?.willRead(connection) }
        if scope == .snapshot { begin() }
    }

    override func surviving<T: ~Copyable>(_ body: () throws(StorageError) -> T) throws(StorageError) -> T {
        // Nested queries restart with the outer one.
        guard !isSurviving else { return try body() }
        isSurviving = true
        defer { isSurviving = false }
        let deadline = engine.retryDeadline
        while true {
            do throws(StorageError) {
                let result = try body()
                (hasRead, hasHadAnswer) = (true, true)
                return result
            } catch {
                guard !hasRead || !hasHadAnswer && connection.loss != nil && deadline.shouldRetry(after: error) else {
                    throw error
                }
                try beginAgain(after: error, deadline)
            }
        }
    }

    /// Begins the session again. Its caller has had no answer yet.
    private func beginAgain(after error: StorageError, _ deadline: RetryDeadline) throws(StorageError) {
        if isOnReplica, connection.loss != nil || (error.underlying as? PostgreSQLError)?.state == "40001" {
            return try leaveReplica()
        }
        if connection.loss != nil {
            // The loss of some connections is seen only when a statement is sent.
            (hasRead, isInTransaction, snapshotVersion, snapshotTables) = (true, false, nil, nil)
            while true {
                do throws(StorageError) {
                    return use(try engine.newConnection())
                } catch {
                    guard deadline.shouldRetry(after: error) else { throw error }
                }
            }
        }
        guard isOutdated || isSerializable && error.code == .conflict, attemptsLeft > 0 else { throw error }
        attemptsLeft -= 1
        isOutdated = false
        if isInTransaction { rollBack() }
        if scope == .snapshot { begin() }
    }

    /// Begins the session again on the primary: the replica is lost, or has removed rows that the session would read.
    private func leaveReplica() throws(StorageError) {
        let (primary, pool) = try engine.takeFromPrimary()
        if connection.loss == nil {
            if isInTransaction { connection.sendOnly("ROLLBACK") }
            self.pool.give(connection)
        } else {
            engine.replicas?.failed(self.pool)
            self.pool.giveUp()
        }
        (self.pool, isOnReplica) = (pool, false)
        (hasRead, isInTransaction, snapshotVersion, snapshotTables) = (false, false, nil, nil)
        use(primary)
    }

    private func rollBack() {
        connection.dropWaiting()
        connection.add("ROLLBACK")
        (isInTransaction, snapshotVersion, snapshotTables) = (false, nil, nil)
    }

    private func begin() {
        connection.begin((isSerializable ? "SERIALIZABLE" : "REPEATABLE READ") + " READ ONLY", isWriting: false)
        isInTransaction = true
    }

    func end() {
        // The caller does not wait for the end. The server ends the transaction at once, and the answer is read before the next
        // one.
        connection.dropWaiting()
        // A commit tells the server that the reads of a serializable transaction are valid for concurrent writers. It cannot
        // fail: a transaction that only reads is refused when it reads.
        if isInTransaction { connection.sendOnly(isSerializable ? "COMMIT" : "ROLLBACK") }
        pool.give(connection)
    }

    override func beginCursors() {
        if !isInTransaction { begin() }
    }

    override var isReading: Bool { true }

    override func tables() throws(StorageError) -> [TableSchema] {
        try surviving { () throws(StorageError) in
            guard scope == .query, engine.record.versionIndex != nil else {
                // A snapshot keeps the same tables to its end.
                if let snapshotTables { return snapshotTables }
                let known = try knownTables()
                let tables = if let known { known } else { try super.tables() }
                if isInTransaction { snapshotTables = tables }
                return tables
            }
            let recorded = try engine.readTables(connection)
            guard let candidates = try ask([engine.foreignCandidates]).first else { throw Catalog.damaged }
            return try recorded + foreignTables(candidates)
        }
    }

    /// The tables of the session's snapshot, if they are the ones that were read last; nil otherwise.
    private func knownTables() throws(StorageError) -> [TableSchema]? {
        // A store that is being opened has read none, and gets them by its first question.
        guard engine.record.versionIndex != nil, engine.hasReadTables else { return nil }
        let results = try ask([Catalog.snapshotVersion(engine.record), engine.foreignCandidates])
        guard results.count == 2, let seen = results[0].text(), let recorded = engine.knownTables(inSnapshot: seen)
        else { return nil }
        return try recorded + foreignTables(results[1])
    }

    override func ask(_ statements: [Statement]) throws(StorageError) -> [StatementResult] {
        scope == .query ? try connection.run(statements) : try askGuarded(statements)
    }

    override func ask(
        _ statements: [Statement], for queries: [PreparedQuery]
    ) throws(StorageError) -> [StatementResult] {
        let version =
            engine.replicas == nil
            ? Catalog.version(engine.record) : Catalog.versionAndLSN(engine.record, isOnReplica: isOnReplica)
        // A transaction of a single query also has a snapshot, from before its waits.
        let isFirst = isInTransaction && snapshotVersion == nil
        var results: [StatementResult]
        do throws(StorageError) {
            results = try ask((isFirst ? [version] : []) + statements + [version])
        } catch  where isOfSchema(error) {
            // The statement does not fit the tables. If the tables have changed, the check below throws its specific error.
            if scope == .query, isInTransaction { rollBack() }
            if let foreign = queries.lazy.flatMap(\.plan.tables).first(where: \.isForeign) {
                throw ForeignCatalog.changed(foreign, by: error.underlying)
            }
            let now = try currentVersion()
            if Catalog.isGone(now) { try findRecord() }
            for query in queries { try check(query, now) }
            connection.forgetPlans()
            throw error
        }
        guard let last = results.popLast(), let now = last.text() else { throw Catalog.damaged }
        if let replicas = engine.replicas { replicas.recordRead(at: last.integer(0, 1)) }
        if Catalog.isGone(now) { try findRecord() }
        if isFirst { snapshotVersion = results.removeFirst().text() }
        for query in queries {
            if let snapshotVersion, snapshotVersion != now { try requireSameTables(query) }
            try check(query, now)
        }
        return results
    }

    /// Looks up the store's record again after its tables were recreated, and begins the session again if its caller has had no
    /// answer yet.
    private func findRecord() throws(StorageError) -> Never {
        try engine.findRecord(isInTransaction ? engine.newConnection() : connection)
        connection.use(engine.record)
        isOutdated = true
        throw StorageError(
            .busy, "The store's tables were recreated since this read began; read again.",
            underlying: OutdatedSnapshot())
    }

    private func isOfSchema(_ error: StorageError) -> Bool {
        guard let state = (error.underlying as? PostgreSQLError)?.state else { return false }
        // Unknown columns, tables, operators and types, and results of another type than before; not a lack of rights.
        return state.hasPrefix("42") && state != "42501" || state == "0A000"
    }

    private func currentVersion() throws(StorageError) -> String {
        try ask([Catalog.version(engine.record)]).first?.text() ?? ""
    }

    /// Checks whether the plan's tables are stored as it needs them, once for each version of the tables.
    private func check(_ query: PreparedQuery, _ version: String) throws(StorageError) {
        if query.checkedVersion == version || engine.record.versionIndex == nil { return }
        let recorded = try tables(at: version)
        try query.plan.tables.filter { !$0.isForeign }.requireStored(in: recorded)
        query.checkedVersion = version
    }

    /// The recorded tables of a version. A transaction whose snapshot has that version reads them itself. With a pooler, each
    /// transaction keeps one of few connections, and transactions that all asked on a second one would wait for each other.
    private func tables(at version: String) throws(StorageError) -> [TableSchema] {
        guard isInTransaction, !engine.knowsTables(at: version) else {
            return try engine.tables(at: version, by: isInTransaction ? nil : connection)
        }
        let results = try ask([Catalog.snapshotVersion(engine.record), Catalog.definitions(names)])
        guard results.count == 2, let seen = results[0].text() else { throw Catalog.damaged }
        guard Catalog.isVersion(version, inSnapshot: seen) else {
            return try engine.tables(at: version, by: nil)
        }
        let tables = try Catalog.tables(results[1])
        engine.keepTables(tables, at: version)
        return tables
    }

    /// A snapshot sees no row of a table that was made after it, nor of a partition that was dropped after it.
    private func requireSameTables(_ query: PreparedQuery) throws(StorageError) {
        let tables = query.plan.tables.map { "pg_catalog.to_regclass(\(names.table($0).literal))" }
        let list = "ANY (ARRAY[\(tables.joined(separator: ", "))]::oid[])"
        // The server shows the number of a dropped relation in place of its name.
        let dropped =
            query.plan.tables.contains { names.ranged.contains($0.name) }
            ? "SELECT count(*) FROM pg_catalog.pg_inherits WHERE inhparent = \(list) "
                + "AND inhrelid::pg_catalog.regclass::text ~ '^[0-9]+$'" : "SELECT 0::int8"
        let sql = "SELECT count(*), (\(dropped)) FROM pg_catalog.pg_class WHERE oid = \(list)"
        guard let answer = try ask([Statement(sql)]).first, answer.integer() == Int64(tables.count) else {
            isOutdated = true
            throw StorageError(
                .busy, "Another process has rebuilt the tables since this read began; read again.",
                model: query.plan.table.path.first, underlying: OutdatedSnapshot())
        }
        if answer.integer(0, 1) != 0 {
            isOutdated = true
            throw StorageError(
                .busy, "Records of a former time were removed since this read began, by a retention; read again.",
                model: query.plan.table.path.first, underlying: OutdatedSnapshot())
        }
    }
}
