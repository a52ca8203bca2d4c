internal import Logging
internal import StorageDriver
import Synchronization

/// An open store: one connection that writes, a pool of connections that read, and one that listens while the store is
/// observed.
final class PostgreSQLEngine: SharedTablesEngine, BatchingEngine, ReactingEngine {
    let names: Names
    /// The store's record in the database.
    private let found: Mutex<Catalog.Record>
    /// Counts the commits of others; nil if they cannot be detected.
    let listener: CommitListener?
    /// Tracks whether the server is a replica.
    let role: ServerRole
    let configuration: PostgreSQLBackend
    private let pool: ConnectionPool
    /// The servers that answer reads in place of the primary; nil without replicas.
    let replicas: Replicas?
    /// Sends lookups together; nil without a pooler.
    private let lookups: SharedLookups?
    private let writer: Mutex<WriterState>
    /// The recorded tables that were read last, with their version.
    private let recorded = Mutex<(version: String, tables: [TableSchema])?>(nil)
    /// The number of times that another process was found to have changed the tables.
    private let foreignChanges = Atomic(0)
    private let serverVersion: String
    /// The version of the recorded schema when the store was opened; nil if it had none.
    private let format: Int?
    let logger: Logger
    let indexes: EngineIndexes

    private struct WriterState: ~Copyable {
        var connection: Connection?
        var isClosed = false
        /// The tables' version that this engine's last transaction has seen or made.
        var tablesVersion: String
        /// The greatest keys that this engine's last transaction has left, and its number: they hold if the next one's follows.
        var greatestKeys = GreatestKeys()
        var lastNumber: Int64 = 0
        /// The server of the last transaction, and the position in its log of the last commit; nil if positions are not read,
        /// or before the first commit.
        var server = ServerIdentity()
        var lsn: Int64?
        /// True if recent calls have assigned keys, which only one transaction does at a time.
        var assignsKeys = false
        /// The number of transactions that are still likely to ask for the tables, as one before them has.
        var likelyAskers = 0
    }

    init(_ configuration: PostgreSQLBackend, logger: Logger) throws(StorageError) {
        let shared = configuration.shared
        let role = shared?.role ?? ServerRole()
        (self.configuration, self.logger, self.role) = (configuration, logger, role)
        let names = Names(configuration)
        self.names = names
        let deadline = RetryDeadline(milliseconds: configuration.failoverMilliseconds)
        let (connection, opening, replicas) = try Self.waiting(deadline) { () throws(StorageError) in
            try Self.open(configuration, names, role: role, logger: logger)
        }
        // A connection that the store does not share is closed if opening fails.
        defer { shared?.writers.give(connection) }
        serverVersion = connection.serverVersion
        lookups = connection.isShared ? SharedLookups() : nil
        names.foreign.newest = opening.newestDeclaration
        let record = opening.record
        (format, indexes) = (opening.format, EngineIndexes(areUnbuilt: opening.hasUnbuiltIndexes))
        found = Mutex(record)
        listener = record.canCount ? CommitListener(configuration, role: role, record: record, last: opening.last) : nil
        self.replicas = replicas
        listener?.replicas.withLock { $0 = replicas }
        writer = Mutex(WriterState(connection: shared == nil ? connection : nil, tablesVersion: opening.version))
        pool = shared?.readers ?? ConnectionPool(configuration, role)
        logger.debug(
            "store opened", metadata: ["location": "\(configuration.location)", "postgresql": "\(serverVersion)"])
    }

    var info: BackendInfo {
        var lacking: [BackendInfo.Capability: String] = [
            .damageDetection:
                "PostgreSQL finds a changed value only if its cluster has checksums (initdb --data-checksums).",
            .changingWhileReading: "PostgreSQL changes a table when no transaction reads it, so the change waits.",
        ]
        let isReplica = role.isReplica
        if listener == nil {
            lacking[.foreignCommits] =
                record.commits == nil
                ? "No store has written to the schema, so there would be no notices of commits."
                : "The user may not read the sequence storage_commits; grant SELECT on it."
        }
        if mayReact {
            let tables = names.foreign.reactingTables
            let shown = tables.prefix(5).joined(separator: ", ") + (tables.count > 5 ? ", …" : "")
            lacking[.knownChanges] =
                "Triggers, rules or foreign keys change rows by themselves (of \(shown)), and the store does not learn which."
        }
        if isReplica { lacking[.writing] = "The server is a replica; connect to the primary." }
        if configuration.isReadOnly { lacking[.writing] = "The store was opened read-only." }
        var info = BackendInfo(
            name: PostgreSQLBackend.scheme, location: configuration.location,
            format: "PostgreSQL \(serverVersion)" + (format.map { ", schema record \($0)" } ?? ""), lacking: lacking,
            // An entry of an index has 2,704 bytes, with 8 for each level of owned rows; a row has one page, with 18 bytes
            // for each long value.
            limits: BackendInfo.Limits(valueBytes: 200_000_000, keyBytes: 1024, wholeKeyBytes: 2048, columns: 400),
            reservedNamePrefixes: ["storage_", "pg_"], readerThreads: configuration.connections)
        info.namedModels["ranges"] = configuration.ranges.keys.sorted()
        return info
    }

    var isReadOnly: Bool { configuration.isReadOnly }

    var mayReact: Bool { names.foreign.mayReact }

    // MARK: The record

    var record: Catalog.Record { found.withLock { $0 } }

    /// Creates the missing tables of a store that was opened on a replica before anybody had written to it.
    func completeRecord(_ connection: Connection) throws(StorageError) {
        guard record.versionIndex == nil || record.commits == nil else { return }
        let complete = try Catalog.open(connection, configuration, isReadOnly: false).record
        found.withLock { $0 = complete }
    }

    /// Looks up the catalog again after its tables were recreated, for example by a restore.
    ///
    /// - Parameter connection: a connection without a transaction.
    /// - Throws: `schemaMismatch` if the catalog is missing or unchanged.
    func findRecord(_ connection: Connection) throws(StorageError) {
        let old = record
        guard let new = try Catalog.find(connection, names, schema: configuration.schema), new.versionIndex != nil,
            new.commits != nil, new.versionIndex != old.versionIndex || new.commits != old.commits
        else { throw Catalog.gone }
        let isFirst = found.withLock { record in
            defer { record = new }
            return record.versionIndex == old.versionIndex && record.commits == old.commits
        }
        guard isFirst else { return }
        // The version may have the name that it had before, and the tables may be others.
        recorded.withLock { $0 = nil }
        foreignChanges.add(1, ordering: .releasing)
        listener?.use(new)
    }

    /// Lists the tables that other software may have made.
    var foreignCandidates: Statement { ForeignCatalog.candidates(configuration.schema) }

    // MARK: Reading

    func reader(_ scope: ReadScope) throws(StorageError) -> any StorageReader {
        let isSerializable = configuration.writers == .many && !role.isReplica
        if let (connection, replica) = try replicas?.take(pool) {
            return PostgreSQLReader(
                connection, self, scope: scope, isSerializable: false, of: replica, isOnReplica: true)
        }
        if let lookups, scope == .query, !isSerializable {
            return LookupReader(lookups) { () throws(StorageError) in
                PostgreSQLReader(try self.takeFromPrimary().0, self, scope: scope, isSerializable: false, of: self.pool)
            }
        }
        let connection = try takeFromPrimary().0
        return PostgreSQLReader(connection, self, scope: scope, isSerializable: isSerializable, of: pool)
    }

    /// A reading connection to the primary.
    func takeFromPrimary() throws(StorageError) -> (Connection, ConnectionPool) {
        try Self.waiting(retryDeadline) { () throws(StorageError) in
            (try pool.take(for: configuration.shared == nil ? nil : record.versionIndex), pool)
        }
    }

    /// The recorded tables, read again unless the kept ones have this version.
    ///
    /// - Parameter connection: a connection without a transaction, which would see older tables; nil if the session has none.
    func tables(at version: String, by connection: Connection?) throws(StorageError) -> [TableSchema] {
        if let known = recorded.withLock({ $0 }), known.version == version { return known.tables }
        if let connection { return try readTables(connection) }
        // Not a connection of the pool: a session that holds one must not wait for another.
        return try readTables(newConnection())
    }

    /// Returns true if the tables that were read last have this version.
    func knowsTables(at version: String) -> Bool { recorded.withLock { $0?.version == version } }

    var hasReadTables: Bool { recorded.withLock { $0 != nil } }

    /// The tables that were read last, if a snapshot has their version; nil otherwise.
    func knownTables(inSnapshot seen: String) -> [TableSchema]? {
        recorded.withLock { known in
            known.flatMap { Catalog.isVersion($0.version, inSnapshot: seen) ? $0.tables : nil }
        }
    }

    func keepTables(_ tables: [TableSchema], at version: String) { recorded.withLock { $0 = (version, tables) } }

    /// Reads the recorded tables of the last commit and keeps them.
    func readTables(_ connection: Connection) throws(StorageError) -> [TableSchema] {
        while true {
            let results = try connection.run([
                Catalog.version(record), Catalog.definitions(names), Catalog.version(record),
            ])
            guard results.count == 3, let version = results[0].text() else { throw Catalog.damaged }
            let tables = try Catalog.tables(results[1])
            // Otherwise the tables have changed during the read.
            guard results[2].text() == version else { continue }
            keepTables(tables, at: version)
            return tables
        }
    }

    // MARK: Writing

    var tablesVersion: Int { foreignChanges.load(ordering: .acquiring) }

    func write(_ body: (any StorageWriter) throws(StorageError) -> Void) throws(StorageError) {
        _ = try write(isDeferring: false, isRepeatable: false, body)
    }

    func writeRepeatably(_ body: (any StorageWriter) throws(StorageError) -> Void) throws(StorageError) {
        _ = try write(isDeferring: false, isRepeatable: true, body)
    }

    func writeBatching(
        _ body: (any StorageWriter) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        try write(isDeferring: true, isRepeatable: true, body)
    }

    /// - Returns: false if a deferred batch has failed, and the transaction is undone.
    private func write(
        isDeferring: Bool, isRepeatable: Bool, _ body: (any StorageWriter) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        try writer.withLock { (state) throws(StorageError) in
            if state.isClosed { throw Self.closed }
            guard let shared = configuration.shared else {
                return try write(&state, isDeferring: isDeferring, isRepeatable: isRepeatable, body)
            }
            return try withWriter(of: shared, record.versionIndex, retryDeadline) { (connection) throws(StorageError) in
                state.connection = connection
                defer {
                    connection = state.connection
                    state.connection = nil
                }
                return try write(&state, isDeferring: isDeferring, isRepeatable: isRepeatable, body)
            }
        }
    }

    private func write(
        _ state: inout WriterState, isDeferring: Bool, isRepeatable: Bool,
        _ body: (any StorageWriter) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        let deadline = retryDeadline
        while true {
            do throws(StorageError) {
                return try writeOnce(&state, isDeferring: isDeferring, deadline, body)
            } catch {
                // A repeatable call waits until the failover is over.
                guard isRepeatable, state.connection?.loss != nil, deadline.shouldRetry(after: error) else {
                    throw error
                }
            }
        }
    }

    private func writeOnce(
        _ state: inout WriterState, isDeferring: Bool, _ deadline: RetryDeadline,
        _ body: (any StorageWriter) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        // A call that the store can repeat may run beside other writers and conflict with them; the repetition runs alone.
        let isExclusive = configuration.writers == .one || !isDeferring || state.assignsKeys
        let session = try begin(&state, isExclusive: isExclusive, deadline)
        session.isDeferring = isDeferring
        defer {
            if isDeferring { state.assignsKeys = session.assignsKeys }
            state.likelyAskers = session.asksTables ? Self.likelyAskers : max(state.likelyAskers - 1, 0)
        }
        do throws(StorageError) {
            try body(session)
            // Each call of the group then has an error, and the body has none.
            if let loss = session.connection.loss { throw loss }
        } catch {
            session.rollBack()
            throw error
        }
        guard try session.commit() else { return false }
        if let lsn = session.lsn { (state.lsn, state.server) = (lsn, session.server) }
        if let version = session.newVersion { state.tablesVersion = version }
        if session.isExclusive { (state.greatestKeys, state.lastNumber) = (session.greatestKeys, session.number) }
        return true
    }

    /// The number of transactions that list the tables of other software with their beginning after one has asked for tables.
    private static let likelyAskers = 16

    /// Begins a transaction, on a new connection if the old one is lost.
    private func begin(
        _ state: inout WriterState, isExclusive: Bool, _ deadline: RetryDeadline
    ) throws(StorageError) -> PostgreSQLWriter {
        while true {
            do throws(StorageError) {
                return try begin(&state, isExclusive: isExclusive)
            } catch {
                guard deadline.shouldRetry(after: error) else { throw error }
                // Even a working connection may lead to a server that no longer takes writes.
                state.connection = nil
            }
        }
    }

    private func begin(_ state: inout WriterState, isExclusive: Bool) throws(StorageError) -> PostgreSQLWriter {
        if let connection = state.connection, role.isCurrent(connection), connection.isAlive(), !connection.isWornOut {
            do throws(StorageError) {
                return try begin(&state, connection, isExclusive: isExclusive)
            } catch {
                // The loss of some connections is seen only when a statement is sent. This statement had no effect.
                guard connection.loss != nil, error.code != .configuration else { throw error }
            }
        }
        state.connection = nil
        let connection = try newConnection()
        replicas?.follows(connection)
        state.connection = connection
        return try begin(&state, connection, isExclusive: isExclusive)
    }

    private func begin(
        _ state: inout WriterState, _ connection: Connection, isExclusive: Bool
    ) throws(StorageError) -> PostgreSQLWriter {
        var session = PostgreSQLWriter(connection, self, isExclusive: isExclusive)
        let version: String
        do throws(StorageError) {
            version = try session.begin(willAskTables: state.likelyAskers > 0)
        } catch {
            guard error.code == .schemaMismatch, connection.loss == nil else { throw error }
            try findRecord(connection)
            session = PostgreSQLWriter(connection, self, isExclusive: isExclusive)
            version = try session.begin(willAskTables: state.likelyAskers > 0)
        }
        if let lsn = state.lsn, session.server.mayLack(lsn, of: state.server) {
            // The error is reported once.
            state.lsn = nil
            session.rollBack()
            listener?.lost()
            logger.error("commits may be lost", metadata: ["location": "\(configuration.location)"])
            throw Self.lacking
        }
        if version != state.tablesVersion { foreignChanges.add(1, ordering: .releasing) }
        state.tablesVersion = version
        // Every writing transaction of every program takes a number.
        if isExclusive, session.number == state.lastNumber &+ 1 { session.greatestKeys = state.greatestKeys }
        state.greatestKeys.removeAll()
        return session
    }

    private static let lacking = StorageError(
        .outcomeUnknown,
        "The server that has taken over may lack commits that this store has acknowledged last: it does not have all of the former server's log. Nothing of this call is stored; check the stored records before you repeat it."
    )

    /// True if each commit also reads its position in the server's log.
    var asksForLSN: Bool { replicas != nil || configuration.failoverMilliseconds > 0 }

    /// A connection outside the pool, for a call that must not wait for one.
    func newConnection() throws(StorageError) -> Connection { try Connection(configuration, role) }

    /// The time within which the outcome of a commit is looked up.
    var millisecondsToResolve: Int {
        configuration.outcomeMilliseconds
            ?? max(configuration.timeoutMilliseconds, configuration.failoverMilliseconds)
    }

    /// The time for which a call that begins now is repeated.
    var retryDeadline: RetryDeadline { RetryDeadline(milliseconds: configuration.failoverMilliseconds) }

    /// The longest time that a call waits for a server, or that replicas answer without the primary.
    var millisecondsOfOutage: Int {
        max(configuration.timeoutMilliseconds, configuration.failoverMilliseconds, configuration.outageMilliseconds)
    }

    func close() throws(StorageError) {
        // Other stores go on with shared connections.
        if configuration.shared == nil {
            pool.close()
            replicas?.close()
        }
        listener?.finish()
        indexes.end()
        writer.withLock { state in
            state.isClosed = true
            _ = state.connection?.settle()
            state.connection = nil
        }
    }

    static var closed: StorageError { StorageError(.closed, "The store is closed; open it again to use it.") }
}
