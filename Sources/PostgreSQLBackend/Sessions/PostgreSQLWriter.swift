internal import StorageDriver

/// The writing session of one transaction.
final class PostgreSQLWriter: PostgreSQLSession, DeferringWriter {
    private var depth = 0
    /// True if no other transaction writes at the same time.
    let isExclusive: Bool
    /// The transaction's number, by which its outcome can be asked for.
    private var transaction = ""
    /// Its number among the store's write transactions, and whether it sends the number to observers.
    private(set) var number: Int64 = 0
    private var isObserved = false
    private var version = ""
    var changesTables = false
    /// The number of partitions that the transaction has added.
    var addedRanges = 0
    /// True if the indexes of large tables are made after the commit.
    var leavesIndexes = false
    /// The tables, once they were asked for; nil after a change.
    var knownTables: [TableSchema]?
    /// The tables that other software may have made, if they were listed with the transaction's beginning.
    private var candidates: StatementResult?
    /// True if the tables were asked for.
    private(set) var asksTables = false
    /// True if batches may be executed later, and queries with them.
    var isDeferring = false
    private var deferred: [Deferred] = []
    private var deferredSize = 0
    /// True if a deferred batch has failed, or a call that must write alone. A call that leaves the error alone must not let the others
    /// be committed.
    private var hasFailed = false
    /// The rows that flow into tables in bulk.
    var bulk = BulkRows()
    /// The end of the server's log after the commit; nil if positions are not read.
    private(set) var lsn: Int64?
    /// The tables' version if the committed transaction has changed it.
    private(set) var newVersion: String?
    var greatestKeys = GreatestKeys()
    /// The number of rows that the store has written to each table since it began to watch for reactions; nil if it does not
    /// watch.
    var written: WrittenRows?
    /// True if a key was to be assigned, which only one transaction does at a time.
    private(set) var assignsKeys = false

    var server: ServerIdentity { connection.server ?? ServerIdentity() }

    init(_ connection: Connection, _ engine: PostgreSQLEngine, isExclusive: Bool) {
        self.isExclusive = isExclusive
        super.init(connection, engine)
        connection.use(engine.record)
    }

    // MARK: The transaction

    /// Begins the transaction, waits for its turn among all writers, and returns the version of the tables.
    ///
    /// - Parameter willAskTables: whether the tables are likely to be asked for.
    func begin(willAskTables: Bool) throws(StorageError) -> String {
        connection.begin(isExclusive ? "READ COMMITTED" : "SERIALIZABLE", isWriting: true)
        connection.add(Catalog.turn(names, isExclusive: isExclusive))
        do throws(StorageError) {
            // With a pooler, a connection may outlive a crash of its server.
            let isNew = connection.server == nil || connection.isShared
            let question = connection.processQuestion
            let own = isExclusive ? Catalog.transaction(engine.record) : Catalog.sharedTransaction
            let results = try connection.run(
                [Catalog.version(engine.record), own] + (isNew ? [ServerIdentity.statement] : [])
                    + (willAskTables ? [engine.foreignCandidates] : []) + (question.map { [$0] } ?? []))
            let count = (isNew ? 3 : 2) + (willAskTables ? 1 : 0)
            guard results.count == count + (question == nil ? 0 : 1), let version = results[0].text(),
                let transaction = results[1].text()
            else { throw Catalog.damaged }
            try connection.requireProcess(question == nil ? nil : results.last)
            if willAskTables { candidates = results[count - 1] }
            if Catalog.isGone(version) { throw Catalog.gone }
            if isNew { connection.server = ServerIdentity(results[2]) }
            (self.version, self.transaction) = (version, transaction)
            if isExclusive {
                guard let number = results[1].integer(0, 2) else { throw Catalog.damaged }
                self.number = number
                isObserved = results[1].isTrue(0, 3)
                engine.listener?.began(number)
            }
            try readDeclarations(upTo: results[1].text(0, 1) ?? "")
            return version
        } catch {
            rollBack()
            throw Catalog.isGone(error) ? Catalog.gone.caused(by: error) : PostgreSQLFailure.waiting(error)
        }
    }

    /// Reads the declarations of tables again if triggers or rules were added since they were read.
    private func readDeclarations(upTo newest: String) throws(StorageError) {
        guard names.foreign.newest != newest else { return }
        guard let candidates = try ask([engine.foreignCandidates]).first else { throw Catalog.damaged }
        _ = try foreignTables(candidates)
        names.foreign.newest = newest
        connection.forgetPlans()
    }

    func rollBack() {
        deferred = []
        greatestKeys.removeAll()
        names.ranged.forget()
        bulk.cancel(connection)
        connection.dropWaiting()
        if connection.loss == nil { connection.sendOnly("ROLLBACK") }
    }

    /// Commits, together with the deferred batches.
    ///
    /// - Returns: false if a deferred batch has failed, or other writers conflict, and the transaction is undone.
    func commit() throws(StorageError) -> Bool {
        // A closure may have left the error alone, so it may have taken a wrong decision. The store repeats it without others.
        if isDeferring, hasFailed || connection.hasConflicted {
            rollBack()
            return false
        }
        // A commit cannot depend on a count, and changed definitions cannot be read before the statements that change them, so
        // these run first.
        if changesTables || !bulk.isEmpty || deferred.contains(where: \.mustChangeAll) {
            do throws(StorageError) {
                try flush()
            } catch {
                rollBack()
                if connection.loss != nil || !isDeferring { throw error }
                return false
            }
        }
        if deferred.count >= TransactionNames.minimumUses, connection.namesInTransactions { connection.planOnce() }
        let keys = greatestKeys.tables
        let batches = deferred.map(\.statement) + keys.map { greatestKeys.statement(of: $0, names) }
        deferred = []
        let outcome: Connection.Outcome
        var number: Int64?
        if !isExclusive { engine.listener?.ending() }
        defer { if !isExclusive { engine.listener?.ended(number) } }
        do throws(StorageError) {
            outcome = try connection.outcome(batches + ending())
        } catch {
            greatestKeys.removeAll()
            engine.replicas?.recordCommit(at: nil)
            try resolve(error)
            return true
        }
        // The number is taken even if the commit fails.
        if !isExclusive { number = outcome.results.dropFirst(batches.count).first?.integer() }
        if let failure = outcome.failure {
            rollBack()
            let isRepeatable = failure.index < batches.count || !isExclusive && failure.error.code == .conflict
            if isDeferring, isRepeatable { return false }
            throw isExclusive ? failure.error : PostgreSQLFailure.waiting(failure.error)
        }
        // The server answers the commit of a failed transaction with a rollback, without an error.
        let commit = engine.asksForLSN ? outcome.results.dropLast().last : outcome.results.last
        guard commit?.tag == "COMMIT" else {
            throw StorageError(
                .io, "The transaction had failed before its end, so the server has undone it; nothing of it is stored.")
        }
        if engine.asksForLSN {
            lsn = outcome.results.last?.integer()
            engine.replicas?.recordCommit(at: lsn)
        }
        for (table, result) in zip(keys, outcome.results.dropFirst(batches.count - keys.count)) {
            greatestKeys.reported(table, result)
        }
        if changesTables, outcome.results.count > 3, let version = outcome.results[1].text() {
            engine.keepTables(try Catalog.tables(outcome.results[2]), at: version)
            newVersion = version
        }
        if leavesIndexes { engine.indexes.areUnbuilt.store(true, ordering: .releasing) }
        analyzeGrown()
        return true
    }

    /// The statements that end the transaction.
    private func ending() -> [Statement] {
        var statements: [Statement] = []
        if changesTables {
            let rename = Statement(Catalog.rename(from: version, to: transaction))
            statements = [rename, Catalog.version(engine.record), Catalog.definitions(names)]
        }
        if !isExclusive { statements.append(Catalog.number(engine.record)) }
        if isObserved { statements.append(Catalog.notify(engine.record, number)) }
        statements.append(Statement("COMMIT"))
        // After its end, in the same round trip.
        if engine.asksForLSN { statements.append(Statement("SELECT \(Replicas.primaryLSN)", name: "lsn")) }
        return statements
    }

    /// Asks on another connection whether the transaction was committed before the connection was lost. If the tables have
    /// changed, the next transaction finds their other version.
    ///
    /// - Throws: the loss if it was not.
    private func resolve(_ loss: StorageError) throws(StorageError) {
        do throws(StorageError) {
            guard try CommitOutcome(engine).isCommitted(transaction, connection.server ?? ServerIdentity(), after: loss)
            else { throw loss }
        } catch {
            if error.code == .outcomeUnknown { engine.listener?.lost() }
            throw error
        }
    }

    override func ask(_ statements: [Statement]) throws(StorageError) -> [StatementResult] {
        if !bulk.isEmpty || deferred.isEmpty { try flush() }
        guard !deferred.isEmpty else { return try askGuarded(statements) }
        // In one round trip with the deferred statements.
        let guarded = [Statement("SAVEPOINT storage_ask")] + statements + [Statement("RELEASE storage_ask")]
        return try flushStatements(before: guarded).dropFirst().dropLast()
    }

    /// The tables do not change while the transaction has its turn, unless it changes them.
    override func tables() throws(StorageError) -> [TableSchema] {
        asksTables = true
        if let knownTables { return knownTables }
        guard !changesTables else {
            let tables = try super.tables()
            knownTables = tables
            return tables
        }
        let isKnown = engine.knowsTables(at: version)
        var statements = isKnown ? [] : [Catalog.definitions(names)]
        if candidates == nil { statements.append(engine.foreignCandidates) }
        let results = statements.isEmpty ? [] : try ask(statements)
        guard results.count == statements.count, let candidates = candidates ?? results.last else {
            throw Catalog.damaged
        }
        let recorded = isKnown ? try engine.tables(at: version, by: connection) : try Catalog.tables(results[0])
        if !isKnown { engine.keepTables(recorded, at: version) }
        let tables = try recorded + foreignTables(candidates)
        knownTables = tables
        return tables
    }

    /// - Throws: an error if the transaction began beside other writers. The store repeats it, now exclusively.
    func requireExclusive() throws(StorageError) {
        if isExclusive { return }
        hasFailed = true
        throw StorageError(
            .conflict, "A transaction that changes tables or assigns keys must write alone; repeat it.")
    }

    override func greatestKey(in table: TableSchema) throws(StorageError) -> Int64 {
        // Other programs take keys of its sequence at any time.
        if table.isForeign { return try super.greatestKey(in: table) }
        assignsKeys = true
        // Of several concurrent writers, all but one would fail at their end.
        try requireExclusive()
        if let known = greatestKeys[table.name] { return known }
        let answer = try ask([GreatestKeys.question(table.name, names)]).first
        return greatestKeys.keep(answer, of: table.name)
    }

    // MARK: Deferred batches

    struct Deferred {
        let statement: Statement
        /// The number of rows that the statement must change, and whether that is checked.
        var count = 0
        var mustChangeAll = false
        /// The query that the statement answers; nil for a batch.
        var question: Question?
    }

    /// Defers a statement to the next that needs an answer.
    ///
    /// - Parameter isInsert: whether it adds rows, whose order among copied rows does not matter.
    func later(_ statement: Deferred, isInsert: Bool) throws(StorageError) {
        if !isInsert, !bulk.isEmpty { try flush() }
        deferred.append(statement)
        deferredSize += statement.statement.parameters.size
        if deferredSize > 1 << 20 { try flush() }
    }

    /// Executes the deferred batches. If that fails, so does the transaction.
    func flush() throws(StorageError) {
        if !bulk.isEmpty {
            try bulk.finish(connection) { () throws(StorageError) in try flushStatements() }
        }
        try flushStatements()
    }

    /// Executes the deferred statements, and further ones that are guarded by the savepoint `storage_ask`.
    ///
    /// - Returns: the results of the further ones.
    @discardableResult
    func flushStatements(before guarded: [Statement] = []) throws(StorageError) -> ArraySlice<StatementResult> {
        guard !deferred.isEmpty || !greatestKeys.unreported.isEmpty || !guarded.isEmpty else { return [] }
        let all = deferred
        let keys = greatestKeys.tables
        (deferred, deferredSize) = ([], 0)
        let outcome = try connection.outcome(
            all.map(\.statement) + keys.map { greatestKeys.statement(of: $0, names) } + guarded)
        let count = all.count + keys.count
        if let failure = outcome.failure, failure.index < count {
            hasFailed = true
            throw failure.error
        }
        for (table, result) in zip(keys, outcome.results.dropFirst(all.count)) { greatestKeys.reported(table, result) }
        for (statement, result) in zip(all, outcome.results) {
            statement.question?.result = result
            guard !statement.mustChangeAll || result.changed == statement.count else {
                hasFailed = true
                throw StorageError(.notFound, "No record has this key; save or insert stores it.")
            }
        }
        if let failure = outcome.failure {
            connection.add("ROLLBACK TO storage_ask")
            connection.add("RELEASE storage_ask")
            throw failure.error
        }
        return outcome.results.dropFirst(count)
    }

    func savepoint(_ body: () throws(StorageError) -> Void) throws(StorageError) {
        // Don't begin a call that cannot be stored: the calls of a group then run on another connection.
        if let loss = connection.loss { throw loss }
        try flush()
        let wasDeferring = isDeferring
        isDeferring = false
        depth += 1
        defer {
            depth -= 1
            isDeferring = wasDeferring
        }
        let name = "storage_\(depth)"
        let begin = "SAVEPOINT \(name)"
        connection.add(begin)
        do {
            try body()
        } catch {
            forgetAnswers()
            greatestKeys.removeAll()
            names.ranged.forget()
            if changesTables { knownTables = nil }
            if let index = connection.waiting.lastIndex(where: { $0.sql == begin }) {
                // The savepoint was not sent yet.
                connection.dropWaiting(from: index)
            } else {
                connection.dropWaiting()
                connection.add("ROLLBACK TO \(name)")
                connection.add("RELEASE \(name)")
            }
            throw error
        }
        if connection.waiting.last?.sql == begin {
            connection.dropWaiting(from: connection.waiting.count - 1)
        } else {
            connection.add("RELEASE \(name)")
        }
    }
}
