internal import CSQLite
internal import Foundation
internal import Logging
internal import StorageDriver

/// One connection and its prepared statements.
///
/// Unchecked: one thread at a time uses a connection. The engine's lock around the writer and the pool of readers
/// ensure this, and order memory between two uses.
final class Connection: @unchecked Sendable {
    let database: OpaquePointer
    let logger: Logger
    let logsStatements: Bool
    private let path: String
    let isWriter: Bool
    /// The setting of a writing connection for syncs.
    private let synchronous: String
    /// The limit of the log that a writing connection enforces.
    private var logLimit: LogLimit?
    // Exclusivity is not checked at run time: no access to these lasts beyond one statement of this class.
    @exclusivity(unchecked) private var plans: [PreparedPlan?] = []
    /// The number of prepared plans.
    private var preparedCount = 0
    /// Counts uses of plans, to find the least recently used.
    @exclusivity(unchecked) private var uses: UInt64 = 0
    @exclusivity(unchecked) private var fixed = [Statement?](repeating: nil, count: Fixed.allCases.count)
    private let functions = SQLFunctions()
    /// The tables of other software.
    let foreign = ForeignCatalog()
    /// True if this transaction has changed tables.
    private(set) var hasChangedTables = false
    /// The tables, as of a version of the database.
    var tables: KnownTables?
    /// The session of each transaction that writes. It holds the connection, as its statements do, until that is closed.
    var writer: SQLiteWriter {
        if let ownWriter { return ownWriter }
        let writer = SQLiteWriter(self)
        ownWriter = writer
        return writer
    }
    private var ownWriter: SQLiteWriter?
    /// The versions after the last transaction of this connection.
    var seen = SeenVersions()
    /// The recorded tables by their definitions' text.
    let definitions: Definitions
    /// The rows that the database changes by itself.
    let reactions = Reactions()
    /// True if the database may change rows by itself after a statement of this connection.
    @exclusivity(unchecked) private(set) var reacts = false
    /// The file that the store has open; nil before that is known.
    var file: DatabaseFile?
    /// The file if it was opened as immutable.
    let unwritable: UnwritableFile?
    private var isOpen = true
    /// True if a transaction was begun, and is neither committed nor rolled back.
    private var hasBegun = false
    /// True if SQLite has ended that transaction by itself, as it does after some failures: a full disk, an I/O error.
    /// Each statement that ran afterwards would be a separate transaction.
    @exclusivity(unchecked) private(set) var hasLostTransaction = false
    /// The failure that ended the transaction.
    private var loss: StorageError?
    /// The first failure that left the file's contents unknown.
    private(set) var damage: StorageError?

    /// Statements of no plan. Each is prepared once.
    enum Fixed: Int, CaseIterable {
        case begin, beginRead, commit, rollBack, savepoint, release, rollBackTo
        case dataVersion, schemaVersion, greatestKey

        fileprivate var sql: String {
            switch self {
            case .begin: "BEGIN IMMEDIATE"
            case .beginRead: "BEGIN"
            case .commit: "COMMIT"
            case .rollBack: "ROLLBACK"
            case .savepoint: "SAVEPOINT storage"
            case .release: "RELEASE storage"
            case .rollBackTo: "ROLLBACK TO storage"
            case .dataVersion: "PRAGMA data_version"
            case .schemaVersion: "PRAGMA schema_version"
            case .greatestKey: "SELECT seq FROM sqlite_sequence WHERE name = ?1"
            }
        }
    }

    static var version: String { String(cString: sqlite3_libversion()) }

    init(
        _ configuration: SQLiteBackend, isWriter: Bool, _ definitions: Definitions, logger: Logger
    ) throws(StorageError) {
        path = configuration.path
        self.isWriter = isWriter
        self.definitions = definitions
        synchronous = "PRAGMA synchronous = \(configuration.durability == .full ? "FULL" : "NORMAL")"
        self.logger = logger
        logsStatements = logger.logLevel <= .trace
        // A reader does not recreate a file that has been removed.
        let creates = isWriter ? SQLITE_OPEN_CREATE : 0
        let access = configuration.isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | creates
        var handle: OpaquePointer?
        let unwritable = try UnwritableFile(path, isReadOnly: configuration.isReadOnly)
        self.unwritable = unwritable
        let flags = SQLITE_OPEN_NOMUTEX | (unwritable == nil ? 0 : SQLITE_OPEN_URI)
        let code = sqlite3_open_v2(unwritable?.name ?? path, &handle, access | flags, nil)
        guard code == SQLITE_OK, let handle else {
            let error = SQLiteFailure.error(code, handle, doing: "open \(path)")
            sqlite3_close_v2(handle)
            throw error
        }
        database = handle
        sqlite3_extended_result_codes(handle, 1)
        do throws(StorageError) {
            try configure(configuration)
        } catch {
            closeQuietly()
            throw error
        }
    }

    deinit { closeQuietly() }

    private func configure(_ configuration: SQLiteBackend) throws(StorageError) {
        sqlite3_busy_timeout(database, Int32(clamping: configuration.busyTimeoutMilliseconds))
        try check(csqlite_register_list(database), doing: "register storage_list")
        try check(functions.register(database), doing: "register functions")
        try registerDecimalOrder()
        let cache = isWriter ? configuration.cacheMebibytes * 1024 : max(configuration.cacheMebibytes * 256, 1024)
        try execute("PRAGMA cache_size = -\(cache)")
        // Only tables of other software declare foreign keys. The store carries out the cascades of its tables itself.
        try execute("PRAGMA foreign_keys = ON")
        // The triggers and views of such a database may call only harmless functions
        // (https://sqlite.org/security.html).
        try execute("PRAGMA trusted_schema = OFF")
        if isWriter {
            try execute(synchronous)
            // A statement's journal needs no file. Readers keep SQLite's default. In memory alone they would sort rows
            // as one list, which for a million rows takes twice the time of sorting parts as large as the cache.
            try execute("PRAGMA temp_store = MEMORY")
            // A log that was larger, by one large transaction, is cut to the size that it may have.
            try execute("PRAGMA journal_size_limit = 40960000")
            logLimit = try LogLimit(self)
            // Only Apple's systems need to be asked for a sync that reaches the disk.
            if configuration.durability == .full { try execute("PRAGMA fullfsync = ON") }
        } else {
            try execute("PRAGMA query_only = ON")
        }
        watchCancellation()
    }

    /// True unless the file was opened as immutable and has changed.
    var isCurrent: Bool { unwritable?.isUnchanged ?? true }

    /// True if the file was opened read-only, also if writing was requested but is not permitted.
    var isReadOnly: Bool { sqlite3_db_readonly(database, "main") == 1 }

    private func registerDecimalOrder() throws(StorageError) {
        let code = sqlite3_create_collation_v2(
            database, "storage_decimal", SQLITE_UTF8, nil,
            { _, leftCount, left, rightCount, right in
                let left = UnsafeRawBufferPointer(start: left, count: Int(leftCount))
                let right = UnsafeRawBufferPointer(start: right, count: Int(rightCount))
                switch DecimalText.order(left, right) {
                case .before: return -1
                case .same: return 0
                case .after: return 1
                }
            }, nil)
        try check(code, doing: "register storage_decimal")
    }

    /// Turns write-ahead logging on, before the first write.
    func useWAL() throws(StorageError) -> Bool {
        let mode = try Statement(self, "PRAGMA journal_mode = WAL").text()
        guard mode == "wal" else {
            throw StorageError(
                .unsupported,
                "\(path) cannot use write-ahead logging (mode \(mode ?? "unknown")); put it on a local disk.")
        }
        return true
    }

    // MARK: Statements

    /// Runs SQL that returns no rows.
    func execute(_ sql: String) throws(StorageError) {
        try Statement(self, sql).run()
    }

    func run(_ fixed: Fixed) throws(StorageError) { try statement(fixed).run() }

    func statement(_ fixed: Fixed) throws(StorageError) -> Statement {
        if let known = self.fixed[fixed.rawValue] { return known }
        let statement = try Statement(self, fixed.sql)
        self.fixed[fixed.rawValue] = statement
        return statement
    }

    /// The most plans that stay prepared: a program has dozens, and each statement takes some kibibytes.
    private static let maximumPrepared = 256

    /// Returns the prepared statements of a plan. It is the same object each time, unless many others were used since.
    ///
    /// - Parameters:
    ///   - id: the plan's number, which other plans may have had.
    ///   - plan: the plan itself.
    func prepared(_ id: Int, for plan: AnyObject) -> PreparedPlan {
        uses &+= 1
        if id < plans.count, let known = plans[id], known.plan === plan {
            known.lastUse = uses
            return known
        }
        return prepare(id, plan)
    }

    private func prepare(_ id: Int, _ plan: AnyObject) -> PreparedPlan {
        // A store numbers its plans from 0, so the array is as long as the greatest number.
        while plans.count <= id { plans.append(nil) }
        if plans[id] == nil {
            if preparedCount >= Self.maximumPrepared { forgetOldest() }
            preparedCount += 1
        }
        let new = PreparedPlan(for: plan, use: uses)
        plans[id] = new
        return new
    }

    /// Drops the least recently used eighth of the plans. A cursor retains its statement.
    private func forgetOldest() {
        let byUse = plans.compactMap { $0?.lastUse }.sorted()
        guard let last = byUse.prefix(Self.maximumPrepared / 8).last else { return }
        for (id, plan) in plans.enumerated() where plan.map({ $0.lastUse <= last }) ?? false {
            plans[id] = nil
            preparedCount -= 1
        }
    }

    /// Finds the declarations that change rows by themselves, on a connection that writes.
    func readReactions() throws(StorageError) {
        let before = reacts
        try reactions.read(self)
        reacts = !reactions.declared.isEmpty
        // Statements know the tables that they reach as of their compilation.
        if before || reacts { (plans, preparedCount) = ([], 0) }
    }

    /// Forgets all prepared plans and the tables, after the schema has changed.
    func forgetPlans() {
        plans = []
        preparedCount = 0
        tables = nil
        hasChangedTables = true
    }

    func check(_ code: Int32, doing action: String) throws(StorageError) {
        guard code == SQLITE_OK else { throw failure(code, doing: action) }
    }

    /// The error for a result code, which is remembered.
    func failure(_ code: Int32, doing action: String, isCompiling: Bool = false) -> StorageError {
        let thrown = functions.takeFailure()
        var error: StorageError
        // Of a function that failed SQLite carries the text alone. Another statement's failure is not this one's.
        if code == SQLITE_ERROR, let thrown, String(cString: sqlite3_errmsg(database)) == thrown.message {
            error = thrown
        } else {
            error = SQLiteFailure.error(code, database, doing: action, isCompiling: isCompiling)
        }
        if error.code == .io, let file, !file.keepsName {
            // SQLite looks for its files by their names. The disk is well, and the file may be put back.
            error = file.moved(by: error.underlying)
        } else if damage == nil, SQLiteFailure.isDamage(error) {
            damage = error
        }
        if hasBegun, !hasLostTransaction, !isInTransaction {
            hasLostTransaction = true
            loss = error
        }
        return error
    }

    // MARK: Transactions

    /// True if SQLite has a transaction open.
    private var isInTransaction: Bool { sqlite3_get_autocommit(database) == 0 }

    /// - Parameter fixed: `begin` or `beginRead`.
    func begin(_ fixed: Fixed) throws(StorageError) {
        try run(fixed)
        hasBegun = true
        hasChangedTables = false
    }

    /// Forgets the tables if this connection undoes a change of them, because no commit of another connection shows it.
    private func forgetUndoneTables() {
        guard hasChangedTables else { return }
        tables = nil
        seen.schema = nil
    }

    func rollBackToSavepoint() throws(StorageError) {
        forgetUndoneTables()
        do {
            try run(.rollBackTo)
            try run(.release)
        } catch {
            // The changes of the savepoint are not undone, so no part of the transaction may be committed.
            (hasLostTransaction, loss) = (true, loss ?? error)
            sqlite3_exec(database, "ROLLBACK", nil, nil, nil)
            throw error
        }
    }

    func commit() throws(StorageError) {
        if hasChangedTables { try noteOwnSchema() }
        try run(.commit)
        hasBegun = false
        noteOwnCommit()
    }

    /// - Throws: the failure after which SQLite has ended the transaction.
    func checkTransaction() throws(StorageError) {
        guard hasLostTransaction else { return }
        throw loss ?? StorageError(.io, "SQLite has ended the transaction after a failure in it.")
    }

    func rollBack() {
        hasBegun = false
        hasLostTransaction = false
        loss = nil
        forgetUndoneTables()
        guard isInTransaction else { return }
        do throws(StorageError) { try run(.rollBack) } catch {
            // In case memory is too short to prepare it, or to run it.
            sqlite3_exec(database, "ROLLBACK", nil, nil, nil)
        }
    }

    /// Overwrites the remains of a failed commit in the log.
    ///
    /// A commit whose sync failed is complete in the log, and a process that opens the file later, as after a crash, would
    /// accept it. A commit without changes replaces it, without a sync. If the file cannot be written at all, this
    /// fails too, and the failed commit stays.
    func overwriteFailedCommit() {
        guard let version = try? Statement(self, "PRAGMA user_version").integer() else { return }
        let change = ["BEGIN IMMEDIATE", "PRAGMA user_version = \(version)", "COMMIT"]
        // No page is copied to the database meanwhile, because the copy would have to wait for the disk.
        let before = ["PRAGMA synchronous = OFF", "PRAGMA wal_autocheckpoint = 0"]
        for sql in before + change { sqlite3_exec(database, sql, nil, nil, nil) }
        rollBack()
        sqlite3_exec(database, synchronous, nil, nil, nil)
        logLimit?.use(database)
    }

    // MARK: Closing

    func close() throws(StorageError) {
        guard isOpen else { return }
        isOpen = false
        forgetStatements()
        try check(sqlite3_close_v2(database), doing: "close \(path)")
    }

    /// Closes a connection that has not written since its last commit, so a failure to close loses no data.
    func closeQuietly() {
        guard isOpen else { return }
        isOpen = false
        forgetStatements()
        sqlite3_close_v2(database)
    }

    private func forgetStatements() {
        forgetPlans()
        ownWriter = nil
        sqlite3_wal_hook(database, nil, nil)
        logLimit = nil
        for statement in Fixed.allCases { fixed[statement.rawValue] = nil }
    }
}
