internal import StorageDriver

/// The common part of reading and writing: runs query plans on one connection.
class PostgreSQLSession: PrefetchingSession {
    final let engine: PostgreSQLEngine
    final var connection: Connection
    /// The queries that are likely to be asked next, and the answers already requested.
    private final var prefetched: [QueryRequest] = []
    private final var answers: [(request: QueryRequest, result: StatementResult)] = []

    init(_ connection: Connection, _ engine: PostgreSQLEngine) {
        self.connection = connection
        self.engine = engine
    }

    final var names: Names { engine.names }

    /// True if the session ends with its task. Another task may wait on a writer's thread.
    var isReading: Bool { false }

    /// The recorded tables, then the tables of other software.
    func tables() throws(StorageError) -> [TableSchema] {
        let recorded = engine.record.versionIndex == nil ? [] : [Catalog.definitions(names)]
        let results = try ask(recorded + [engine.foreignCandidates])
        guard let candidates = results.last, results.count == recorded.count + 1 else { throw Catalog.damaged }
        return try (recorded.isEmpty ? [] : Catalog.tables(results[0])) + foreignTables(candidates)
    }

    /// The tables of other software among the candidates.
    final func foreignTables(_ candidates: StatementResult) throws(StorageError) -> [TableSchema] {
        guard let statement = ForeignCatalog.declarations(candidates) else { return try names.foreign.keep(nil) }
        return try names.foreign.keep(ask([statement]).first)
    }

    func greatestKey(in table: TableSchema) throws(StorageError) -> Int64 {
        if table.isForeign { return try greatestForeignKey(in: table) }
        var parameters = Parameters()
        parameters.add(plain: table.name)
        let keys = names.own("storage_keys")
        let statement = Statement("SELECT greatest FROM \(keys) WHERE name = $1::text", name: "greatest", parameters)
        return try surviving { () throws(StorageError) in try ask([statement]).first?.integer() ?? 0 }
    }

    /// Runs a body that asks the server, and repeats it if the connection was lost before the session's first answer.
    func surviving<T: ~Copyable>(_ body: () throws(StorageError) -> T) throws(StorageError) -> T { try body() }

    /// Runs statements whose failure does not end the session, and returns their results.
    func ask(_ statements: [Statement]) throws(StorageError) -> [StatementResult] { try connection.run(statements) }

    /// The same for queries, after a check that their tables are stored as they need them.
    func ask(_ statements: [Statement], for queries: [PreparedQuery]) throws(StorageError) -> [StatementResult] {
        try ask(statements)
    }

    /// Asks in a savepoint: an error would otherwise end the whole transaction.
    final func askGuarded(_ statements: [Statement]) throws(StorageError) -> [StatementResult] {
        connection.add("SAVEPOINT storage_ask")
        do throws(StorageError) {
            return try connection.run(statements + [Statement("RELEASE storage_ask")]).dropLast()
        } catch {
            connection.add("ROLLBACK TO storage_ask")
            connection.add("RELEASE storage_ask")
            throw error
        }
    }

    // MARK: Rows

    final func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        try surviving { () throws(StorageError) in
            let query = try prepared(plan, arguments)
            guard query.compiled.isFullyCompiled else {
                return try PartialEvaluation(query, arguments, in: self).cursor()
            }
            guard query.compiled.isSliced else { return try serverRows(query, arguments).cursor() }
            return try exactRows(query, arguments)
        }
    }

    /// The rows of a query whose sums the server may refuse.
    private func exactRows(_ query: PreparedQuery, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        if !query.isInexact {
            do throws(StorageError) {
                return try serverRows(query, arguments).cursor()
            } catch  where (error.underlying as? PostgreSQLError)?.state == "22003" {
                // The sum of integers may also have overflowed, which the program then finds again.
                query.isInexact = true
            }
        }
        let candidates = PreparedQuery(
            query.plan, name: "", CompiledQuery(query.plan, try names.with(query.plan), part: .candidates))
        return try PartialEvaluation(candidates, arguments, in: self).cursor()
    }

    final func prepared(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> PreparedQuery {
        // PostgreSQL's text has no U+0000, and only tables that a store created escape it.
        guard plan.table.isForeign, arguments.hasZero else { return try connection.prepared(plan, names) }
        return PreparedQuery(plan, name: "", CompiledQuery(plan, try names.with(plan), part: .scan))
    }

    /// The rows of a compiled query.
    final func serverRows(_ query: PreparedQuery, _ arguments: QueryArguments) throws(StorageError) -> ResultRows {
        let compiled = query.compiled
        let parameters = compiled.bind(arguments)
        if isLong(query, arguments) { return try longRows(query, parameters) }
        if let result = takeAnswer(query.plan, arguments) {
            return ResultRows(result, compiled.forms, isReading: isReading)
        }
        let (requests, queries) = try takePrefetched(besides: query.plan)
        var statements = [Statement(compiled.sql, name: query.name, parameters)]
        for (request, query) in zip(requests, queries) {
            statements.append(Statement(query.compiled.sql, name: query.name, query.compiled.bind(request.arguments)))
        }
        let results = try ask(statements, for: [query] + queries)
        guard let result = results.first else { throw Catalog.damaged }
        answers = zip(requests, results.dropFirst()).map { ($0, $1) }
        if compiled.isPage, result.count > 0 { query.rowBytes = result.size / result.count }
        return ResultRows(result, compiled.forms, isReading: isReading)
    }

    /// The answers to lookups that travel together; nil for each that more than one statement answers.
    final func answers(to lookups: [QueryRequest]) throws(StorageError) -> [LookupAnswer?] {
        try surviving { () throws(StorageError) in
            var queries: [PreparedQuery] = []
            var statements: [Statement] = []
            var indexes: [Int?] = []
            for lookup in lookups {
                let query = try prepared(lookup.plan, lookup.arguments)
                let compiled = query.compiled
                guard compiled.isFullyCompiled, !compiled.isLong, !compiled.isSliced else {
                    indexes.append(nil)
                    continue
                }
                indexes.append(statements.count)
                statements.append(Statement(compiled.sql, name: query.name, compiled.bind(lookup.arguments)))
                queries.append(query)
            }
            guard !statements.isEmpty else { return indexes.map { _ in nil } }
            let results = try ask(statements, for: queries)
            guard results.count == queries.count else { throw Catalog.damaged }
            return indexes.map { index in
                index.map { LookupAnswer(result: results[$0], forms: queries[$0].compiled.forms) }
            }
        }
    }

    // MARK: Prefetched queries

    final func prefetch(_ queries: [QueryRequest]) { (prefetched, answers) = (queries, []) }

    /// Discards prefetched answers, because the next call changes rows.
    final func forgetAnswers() { (prefetched, answers) = ([], []) }

    /// The result of a prefetched query that was asked with another one.
    private func takeAnswer(_ plan: QueryPlan, _ arguments: QueryArguments) -> StatementResult? {
        let index = answers.firstIndex { request, _ in
            request.plan === plan && request.arguments.values == arguments.values
                && request.arguments.lists.map(\.values) == arguments.lists.map(\.values)
        }
        return index.map { answers.remove(at: $0).result }
    }

    /// The prefetched queries that are sent with this one, each once.
    private func takePrefetched(
        besides plan: QueryPlan
    ) throws(StorageError) -> ([QueryRequest], [PreparedQuery]) {
        defer { prefetched = [] }
        // A plan that would be forgotten to keep another cannot be asked together with it.
        guard connection.plans.hasRoom(prefetched.count) else { return ([], []) }
        let requests = prefetched.filter { $0.plan !== plan && $0.plan.id != nil && !$0.plan.table.isForeign }
        var queries: [PreparedQuery] = []
        for request in requests { queries.append(try connection.prepared(request.plan, names)) }
        let indexes = queries.indices.filter { queries[$0].compiled.isFullyCompiled && !queries[$0].compiled.isLong }
        return (indexes.map { requests[$0] }, indexes.map { queries[$0] })
    }

    /// Returns whether the result may be larger than one fetch.
    final func isLong(_ query: PreparedQuery, _ arguments: QueryArguments) -> Bool {
        query.compiled.isLong
            || query.compiled.isPage
                && BatchSize.exceedsAnswer(
                    arguments.limit ?? .max, rowBytes: query.rowBytes, isUnbounded: query.compiled.isUnbounded)
    }

    /// Rows in parts, by a cursor of the server, so that they hold bounded memory. Several may be open at once.
    private func longRows(_ query: PreparedQuery, _ parameters: Parameters) throws(StorageError) -> ResultRows {
        beginCursors()
        let name = "storage_rows_\(connection.nextNumber())"
        var batchSize = BatchSize(rowBytes: query.rowBytes, isUnbounded: query.compiled.isUnbounded)
        let declare = Statement(declaration(of: query, name), parameters)
        let fetch = Statement("FETCH \(batchSize.count) FROM \(name)")
        guard let first = try ask([declare, fetch], for: [query]).last else { throw Catalog.damaged }
        var isComplete = first.count < batchSize.count
        batchSize.adjust(to: first)
        query.rowBytes = batchSize.rowBytes
        return ResultRows(
            first, query.compiled.forms, isReading: isReading,
            next: { [self] () throws(StorageError) in
                if isComplete { return nil }
                guard let next = try ask([Statement("FETCH \(batchSize.count) FROM \(name)")]).first else { return nil }
                isComplete = next.count < batchSize.count
                batchSize.adjust(to: next)
                query.rowBytes = batchSize.rowBytes
                return next.count == 0 ? nil : next
            },
            // A transaction that has failed has no cursors left.
            atEnd: { [connection] in if connection.loss == nil { connection.add("CLOSE \(name)") } })
    }

    private func declaration(of query: PreparedQuery, _ name: String) -> String {
        "DECLARE \(name) NO SCROLL CURSOR FOR \(query.compiled.sql)"
    }

    /// The `EXPLAIN` of a query, in the form in which the query is sent, because a cursor has another plan.
    ///
    /// - Parameter options: further options of `EXPLAIN`.
    final func explanation(
        of query: PreparedQuery, _ arguments: QueryArguments, options: String = ""
    ) -> Statement {
        let sql = isLong(query, arguments) ? declaration(of: query, "storage_rows") : query.compiled.sql
        return Statement("EXPLAIN (\(options)FORMAT JSON) \(sql)", query.compiled.bind(arguments))
    }

    /// Cursors need a transaction.
    func beginCursors() {}
}
