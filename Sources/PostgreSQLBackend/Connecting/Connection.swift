internal import CPostgreSQL
internal import Dispatch
internal import Logging
package import StorageDriver

/// A connection to the server. It is always in libpq's pipeline mode: several statements travel together, and the beginning or
/// end of a savepoint goes with the next statement.
///
/// Unchecked: one thread at a time uses it, that of the session which has taken it from the pool.
package final class Connection: @unchecked Sendable {
    package let handle: OpaquePointer
    /// The time that the server may be silent before a check whether it is alive.
    let timeoutMilliseconds: Int
    let parameters: ConnectionParameters
    /// True if a silent server is left for the one that has replaced it.
    let seeksSuccessor: Bool
    /// The index of the server among the hosts of the address.
    let hostIndex: Int
    /// Records whether the server is a replica.
    let role: ServerRole?
    /// The timeline of a primary when the connection was made; nil of a replica.
    private(set) var timeline: Int64?
    private var names = PreparedNames()
    /// Statements that go with the next one.
    private(set) var waiting: [Statement] = []
    /// The number of groups of statements that were sent and whose results are not read yet.
    private var unread = 0
    /// The reason why the connection cannot be used any more.
    package internal(set) var loss: StorageError?
    /// True if another transaction was in the way of a statement since the last one began.
    private(set) var hasConflicted = false
    /// Used for the names of statements and cursors.
    private var lastNumber = 0
    /// The compiled forms of this connection's queries and writes.
    let plans = PreparedPlans()
    /// The record of tables for which the plans were checked, by the number of its index.
    var versionIndex: Int64?
    /// The server process of the connection; nil until it is known, and with a transaction pooler, which gives each transaction
    /// another process.
    private(set) var process: ServerProcess?
    /// The name that each transaction gives its process with such a pooler.
    private var label: String?
    /// True if a pooler may give the server's process to other clients between two transactions.
    package private(set) var isShared = false
    /// True if a pooler keeps one process for each client, as the configuration says.
    package private(set) var isKeptByPooler = false
    /// True if statements are prepared under names and used again.
    private(set) var keepsStatements = true
    /// The names of statements that one transaction repeats; nil if names may outlive a transaction.
    private var transactionNames: TransactionNames?
    /// The settings of this connection on the server.
    private(set) var settings = Settings()
    /// The identity of the server; nil until a transaction that writes has asked for it.
    var server: ServerIdentity?
    /// True if a statement ends when the caller's task is cancelled. A writer may run on the thread of another task.
    var endsWhenCancelled = false
    /// True if the server was asked to end a statement. The request may end a later one, so the connection is not used again.
    var wasCancelled = false

    /// - Throws: `io` if the server cannot be reached, `configuration` if it refuses the user or the database.
    ///
    /// - Parameter role: records whether the server is a replica.
    package init(_ configuration: PostgreSQLBackend, _ role: ServerRole? = nil) throws(StorageError) {
        (parameters, timeoutMilliseconds) = (configuration.parameters, configuration.timeoutMilliseconds)
        self.role = role
        seeksSuccessor = configuration.failoverMilliseconds > 0 && !parameters.candidates.isEmpty
        // With a failover time the caller retries anyway.
        let waiting = DispatchTimeInterval.milliseconds(seeksSuccessor ? 0 : timeoutMilliseconds)
        (hostIndex, handle) =
            parameters.candidates.isEmpty
            ? (0, try parameters.connect(waiting: waiting))
            : try parameters.connectToPrimary(from: role?.hostIndex ?? 0, waiting: waiting)
        PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        guard PQserverVersion(handle) >= 150_000 else {
            let version = Int(PQserverVersion(handle)) / 10_000
            throw StorageError(.unsupported, "The server is PostgreSQL \(version); use PostgreSQL 15 or later.")
        }
        // A sender must not wait longer than for an answer.
        guard PQenterPipelineMode(handle) == 1, PQsetnonblocking(handle, 1) == 0 else {
            throw StorageError(.io, "The connection cannot be used; open the store again.")
        }
        let found = try run(ServerProcess.statement)
        let process = try ServerProcess(found)
        role?.setReplica(found.isTrue(0, 3))
        timeline = found.integer(0, 4)
        try requireCurrentPrimary()
        // Only the server itself gives the number of the process as the one by which a statement is cancelled.
        let isPooled = process.number != Int64(PQbackendPID(handle))
        isShared = configuration.pooler == .transaction || configuration.pooler == .automatic && isPooled
        isKeptByPooler = isPooled && !isShared
        keepsStatements = try keepsNames(configuration)
        names.isOfPooler = isShared && keepsStatements
        if isShared, !keepsStatements, configuration.statements == nil { transactionNames = TransactionNames() }
        if isShared { label = Self.newLabel(handle) } else { self.process = process }
        settings = Settings(configuration, label: label)
        // Sent in a separate group: a first statement that fails would undo them.
        if let last = settings.sessionSettings.last {
            for setting in settings.sessionSettings.dropLast() { add("SET \(setting)") }
            sendOnly("SET \(last)")
        }
    }

    deinit { PQfinish(handle) }

    /// - Throws: `io` if another server has replaced this one, which still runs.
    private func requireCurrentPrimary() throws(StorageError) {
        guard let role, let timeline else { return }
        guard role.record(timeline: timeline) || !seeksSuccessor else {
            // Start the next search with another server.
            role.hostIndex = hostIndex + 1
            throw StorageError(
                .io,
                "The server was the primary before, and another one has replaced it; connect to that one, or open the store again if its cluster was recreated."
            )
        }
        role.hostIndex = hostIndex
    }

    // MARK: State

    /// The process or label that a probe asks about when the connection is silent; nil until one is known.
    var served: ServedBy? { process.map { .process($0) } ?? label.map { .label($0) } }

    /// True if a pooler keeps so many statements for this connection that a new connection should replace it.
    var isWornOut: Bool { names.forgotten > PreparedPlans.maximumCount }

    /// True if no transaction is open.
    var isIdle: Bool { PQtransactionStatus(handle) == PQTRANS_IDLE && isSettled }

    /// The server's version, as people write it.
    var serverVersion: String { String(cString: PQparameterStatus(handle, "server_version")) }

    /// True if a group of statements names those that it repeats. The names end with the transaction.
    var namesInTransactions: Bool { transactionNames != nil }

    /// True if no statement is to be sent, and no answer is to be read.
    var isSettled: Bool { waiting.isEmpty && unread == 0 }

    /// A number that no other statement or cursor of this connection has.
    func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    // MARK: Statements

    /// Adds a statement that is sent with the next one. Its result is dropped.
    func add(_ sql: String) { waiting.append(Statement(sql)) }

    func add(_ statement: Statement) { waiting.append(statement) }

    /// Begins a transaction with the next statement.
    func begin(_ mode: String, isWriting: Bool) {
        hasConflicted = false
        add("BEGIN ISOLATION LEVEL \(mode)")
        // A function takes a snapshot. If a transaction has one snapshot for all of its statements, it must not be taken before
        // the turn to write.
        let hasOneSnapshot = isWriting && !mode.hasPrefix("READ COMMITTED")
        if let setting = isWriting ? settings.writeStatement : settings.readStatement, !hasOneSnapshot {
            add(setting)
        } else if isWriting {
            for setting in settings.writeSettings { add("SET LOCAL \(setting)") }
        }
    }

    /// Makes the server plan a statement that the next group repeats once, for any values, instead of for the values of each of
    /// its first five uses. It holds to the end of the transaction.
    func planOnce() { add("SELECT pg_catalog.set_config('plan_cache_mode', 'force_generic_plan', true)") }

    /// Drops the statements that wait, from an index on.
    func dropWaiting(from index: Int = 0) { waiting.removeSubrange(index...) }

    /// Runs the waiting statements and these, in one round trip, and returns the results of these.
    ///
    /// - Throws: the error of the first that failed. The statements after it did not run.
    @discardableResult
    func run(_ statements: [Statement]) throws(StorageError) -> [StatementResult] {
        let outcome = try outcome(statements)
        if let failure = outcome.failure { throw failure.error }
        return outcome.results
    }

    @discardableResult
    package func run(_ sql: String) throws(StorageError) -> StatementResult { try run(Statement(sql)) }

    package func run(_ statement: Statement) throws(StorageError) -> StatementResult {
        guard let result = try run([statement]).last else { throw lost("a statement has no result") }
        return result
    }

    /// The results of the statements that succeeded, and the error of the first that did not, with its index among them.
    struct Outcome {
        var results: [StatementResult] = []
        var failure: (index: Int, error: StorageError)?
    }

    /// Runs the waiting statements and these, in one round trip.
    ///
    /// - Throws: `io` if the connection is lost.
    func outcome(_ statements: [Statement]) throws(StorageError) -> Outcome {
        try readUnread()
        // In a separate group: a failed transaction refuses it, and a transaction that begins after it in the same group cannot
        // choose its isolation.
        if PQtransactionStatus(handle) == PQTRANS_IDLE {
            let unneeded = names.takeUnneeded()
            if !unneeded.isEmpty {
                _ = try send(unneeded.map { Statement("DEALLOCATE \($0)") })
                unread += 1
            }
        }
        // Without a transaction, the server runs the group as one transaction.
        if let setting = settings.readStatement, PQtransactionStatus(handle) == PQTRANS_IDLE,
            (waiting.first ?? statements.first)?.sql.hasPrefix("BEGIN") != true
        {
            waiting.insert(setting, at: 0)
        }
        let all = waiting + statements
        let given = waiting.count
        waiting = []
        let isInTransaction =
            PQtransactionStatus(handle) == PQTRANS_INTRANS || all.first?.sql.hasPrefix("BEGIN") == true
        if isInTransaction { transactionNames?.choose(all) }
        let steps = try send(all)
        try readUnread()
        var outcome = Outcome()
        for step in steps {
            let (result, error) = try readStep(all[step.index].sql)
            if let error { outcome.failure = outcome.failure ?? (max(step.index - given, 0), error) }
            guard let result else {
                if step.action == .prepare { names.wasNotPrepared(all[step.index].name) }
                continue
            }
            switch step.action {
            case .prepare where keepsStatements: names.wasPrepared(all[step.index].name)
            case .prepare: transactionNames?.wasPrepared(all[step.index].name)
            case .deallocate: transactionNames?.wasDeallocated(all[step.index].name)
            case .run where step.index >= given: outcome.results.append(result)
            case .run: break
            }
        }
        try readEnd()
        return outcome
    }

    /// Sends the waiting statements and this one without waiting for them. Their results are dropped before the next.
    func sendOnly(_ sql: String) {
        do throws(StorageError) {
            add(sql)
            let all = waiting
            waiting = []
            _ = try send(all)
            unread += 1
        } catch {
            loss = loss ?? error
        }
    }

    /// Waits for unread answers, such as the answer to a read's end, before the connection is dropped. This detects a silent
    /// connection, and ends its process on the server, which frees its locks.
    ///
    /// - Returns: false if the connection is lost.
    func settle() -> Bool {
        do throws(StorageError) {
            if loss == nil { try readUnread() }
        } catch {
            // No caller needs these answers. The loss is kept, as in any other call.
            loss = loss ?? error
        }
        return loss == nil
    }

    /// Forgets the statements of all plans. A name is never used for another statement.
    func forgetPlans() { for name in plans.removeAll() { forget(name) } }

    /// Forgets the prepared statements of a store, and keeps the statements that all stores share.
    func forgetStore() { names.forgetStore() }

    /// Forgets a prepared statement, here and in the server.
    func forget(_ name: String) { names.forget(name) }

    /// Forgets a statement that the server does not have any more.
    func dropName(_ name: String) { names.drop(name) }

    // MARK: Messages

    private struct Step {
        enum Action { case prepare, run, deallocate }

        /// The statement's index in the group that was sent.
        let index: Int
        let action: Action
    }

    private func send(_ statements: [Statement]) throws(StorageError) -> [Step] {
        if let loss { throw loss }
        var steps: [Step] = []
        var preparing: Set<String> = []
        // The text that the server has read last, as its statement without a name.
        var unnamed: String?
        for (index, statement) in statements.enumerated() {
            // If a pooler keeps no names, a prepared statement would stay with the server's process, for the pooler's other
            // clients, and be missing for this one.
            let name = keepsStatements ? names.sent(statement.name) : transactionNames?.name(for: statement.name) ?? ""
            if !name.isEmpty, !keepsStatements || !names.isPrepared(statement.name), preparing.insert(name).inserted {
                guard PQsendPrepare(handle, name, statement.sql, 0, nil) == 1 else { throw lost(statement.sql) }
                steps.append(Step(index: index, action: .prepare))
            }
            let isRead = !name.isEmpty || !keepsStatements && unnamed == statement.sql
            let isSent = statement.parameters.withAddresses { values, lengths, formats in
                let count = Int32(clamping: values.count)
                return isRead
                    ? PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1)
                    : PQsendQueryParams(handle, statement.sql, count, nil, values, lengths, formats, 1)
            }
            guard isSent == 1 else { throw lost(statement.sql) }
            if name.isEmpty { unnamed = statement.sql }
            steps.append(Step(index: index, action: .run))
            guard let ended = transactionNames?.ended(by: statement, at: index), !ended.isEmpty else { continue }
            for name in ended {
                let sql = "DEALLOCATE \(name)"
                guard PQsendQueryParams(handle, sql, 0, nil, nil, nil, nil, 1) == 1 else { throw lost(sql) }
                steps.append(Step(index: index, action: .deallocate))
            }
            unnamed = nil
        }
        transactionNames?.forgetChoice()
        guard PQpipelineSync(handle) == 1 else { throw lost("send") }
        try flush()
        return steps
    }

    /// One statement's result or error; neither if one before it failed.
    private func readStep(_ sql: String) throws(StorageError) -> (StatementResult?, StorageError?) {
        var found: StatementResult?
        var failure: StorageError?
        while let result = try nextResult() {
            switch PQresultStatus(result) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK: found = StatementResult(result)
            case PGRES_PIPELINE_ABORTED: PQclear(result)
            default:
                let error = PostgreSQLFailure.error(result, sql)
                failure = failure ?? error
                if error.code == .conflict { hasConflicted = true }
                // The end of the connection itself is seen later.
                loss = loss ?? PostgreSQLFailure.ended(result, sql)
                PQclear(result)
            }
        }
        if PQstatus(handle) != CONNECTION_OK || loss != nil { throw lost(sql) }
        return (found, failure)
    }

    /// The mark after the results of statements that were sent together.
    private func readEnd() throws(StorageError) {
        guard let result = try nextResult() else { throw lost("read") }
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_PIPELINE_SYNC else { throw lost("read") }
    }

    private func readUnread() throws(StorageError) {
        while unread > 0 {
            // Between the results of two statements libpq returns nil once; twice at the end.
            var wasNil = false
            while true {
                guard let result = try nextResult() else {
                    if wasNil || PQstatus(handle) != CONNECTION_OK { throw lost("read") }
                    wasNil = true
                    continue
                }
                wasNil = false
                defer { PQclear(result) }
                if PQresultStatus(result) == PGRES_PIPELINE_SYNC { break }
                if let ending = PostgreSQLFailure.ended(result, "read") {
                    loss = ending
                    throw ending
                }
            }
            unread -= 1
        }
    }
}
