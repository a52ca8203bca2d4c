internal import StorageDriver

/// The writing session of one transaction.
final class PostgreSQLWriter: PostgreSQLSession, StorageWriter {
    private var depth = 0
    /// The transaction's number and its server's timeline, by which its outcome can be asked for.
    private var transaction = ""
    private var timeline = ""
    /// Its number among those that write to the store, and whether it sends that to those who observe.
    private var number: Int64 = 0
    private var isObserved = false
    private var version = ""
    private var changesTables = false

    // MARK: The transaction

    /// Begins the transaction, waits for its turn among all writers, and returns the version of the tables.
    func begin() throws(StorageError) -> String {
        connection.add("BEGIN ISOLATION LEVEL READ COMMITTED")
        connection.add("SELECT pg_catalog.pg_advisory_xact_lock(\(engine.record.lock))")
        do throws(StorageError) {
            let results = try connection.run([Catalog.version(engine.record), Catalog.transaction(engine.record)])
            guard results.count == 2, let version = results[0].text(), let transaction = results[1].text(),
                let timeline = results[1].text(0, 1), let number = results[1].integer(0, 2)
            else { throw Catalog.damaged }
            (self.version, self.transaction, self.timeline, self.number) = (version, transaction, timeline, number)
            isObserved = results[1].isTrue(0, 3)
            engine.listener?.began(number)
            return version
        } catch {
            rollBack()
            throw error
        }
    }

    func rollBack() {
        connection.dropWaiting()
        if connection.loss == nil { connection.sendOnly("ROLLBACK") }
    }

    /// Commits, and returns the tables' version if this transaction has changed it.
    func commit() throws(StorageError) -> String? {
        var statements: [Statement] = []
        if changesTables {
            let rename = Statement(Catalog.rename(from: version, to: transaction))
            statements = [rename, Catalog.version(engine.record), Catalog.definitions(names)]
        }
        if isObserved { statements.append(Catalog.notify(engine.record, number)) }
        statements.append(Statement("COMMIT"))
        let results: [StatementResult]
        do throws(StorageError) {
            results = try connection.run(statements)
        } catch {
            guard connection.loss != nil else {
                rollBack()
                throw error
            }
            return try outcome(after: error)
        }
        // The server answers a commit of what has failed with a rollback, and no error.
        guard results.last?.tag == "COMMIT" else {
            throw StorageError(
                .io, "The transaction had failed before its end, so the server has undone it; nothing of it is stored.")
        }
        guard changesTables, results.count > 3, let version = results[1].text() else { return nil }
        engine.note(try Catalog.tables(results[2]), at: version)
        return version
    }

    /// Asks on another connection whether the transaction was committed before the connection was lost.
    private func outcome(after loss: StorageError) throws(StorageError) -> String? {
        do throws(StorageError) {
            guard try CommitOutcome(engine).isCommitted(transaction, timeline, after: loss) else { throw loss }
        } catch {
            if error.code == .outcomeUnknown { engine.listener?.lost() }
            throw error
        }
        // The next transaction finds another version of the tables, and looks at them.
        return nil
    }

    override func ask(_ statements: [Statement]) throws(StorageError) -> [StatementResult] {
        try askGuarded(statements)
    }

    func savepoint(_ body: () throws(StorageError) -> Void) throws(StorageError) {
        depth += 1
        defer { depth -= 1 }
        let name = "storage_\(depth)"
        let begin = "SAVEPOINT \(name)"
        connection.add(begin)
        do {
            try body()
        } catch {
            if let place = connection.waiting.lastIndex(where: { $0.sql == begin }) {
                // The server has not heard of it.
                connection.dropWaiting(from: place)
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

    // MARK: Tables

    func change(_ change: TableChange) throws(StorageError) {
        changesTables = true
        connection.forgetPlans()
        do throws(StorageError) {
            let statements = SchemaCompiler(names).statements(for: change).map { Statement($0) }
            _ = try connection.run(statements + Catalog.record(change, names))
        } catch {
            throw refusal(error, change)
        }
    }

    private func refusal(_ error: StorageError, _ change: TableChange) -> StorageError {
        guard let cause = error.underlying as? PostgreSQLError else { return error }
        switch (cause.state, change) {
        case ("23505", .alter(_, let new, _)):
            let column = new.columns.first { Names.index($0, of: new) == cause.constraint }
            return StorageError(
                .constraint, "Records have equal values of \(column?.property ?? "a property"), which must be unique.",
                model: new.path.first, property: column?.property, underlying: cause)
        case ("42P07", .create(let table)):
            return StorageError(
                .schemaMismatch,
                "The schema has a table or view \(table.name) that no store has created; rename it, or the model. Nothing was changed.",
                model: table.path.first, underlying: cause)
        default: return error
        }
    }
}
