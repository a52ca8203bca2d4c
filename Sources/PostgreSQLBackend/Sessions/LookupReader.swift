internal import StorageDriver

/// A reader of one statement, with a pooler. It sends a first lookup together with lookups of other readers. For any other or
/// later query it takes a connection.
final class LookupReader: StorageReader, PrefetchingSession, QueryExplaining {
    private let lookups: SharedLookups
    private let take: () throws(StorageError) -> PostgreSQLReader
    private var own: PostgreSQLReader?

    init(_ lookups: SharedLookups, _ take: @escaping () throws(StorageError) -> PostgreSQLReader) {
        self.lookups = lookups
        self.take = take
    }

    func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        guard own == nil, plan.id != nil, plan.isLookup else { return try session().rows(plan, arguments) }
        let answer = try lookups.answer(to: QueryRequest(plan: plan, arguments: arguments), take)
        guard let answer else { return try session().rows(plan, arguments) }
        return ResultRows(answer.result, answer.forms, isReading: true).cursor()
    }

    func tables() throws(StorageError) -> [TableSchema] { try session().tables() }

    func greatestKey(in table: TableSchema) throws(StorageError) -> Int64 { try session().greatestKey(in: table) }

    func prefetch(_ queries: [QueryRequest]) { own?.prefetch(queries) }

    func explain(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> QueryExplanation {
        try session().explain(plan, arguments)
    }

    func end() {
        own?.end()
        own = nil
    }

    private func session() throws(StorageError) -> PostgreSQLReader {
        if let own { return own }
        let session = try take()
        own = session
        return session
    }
}

extension QueryPlan {
    /// True if it reads one row by its whole key, in a table that a store created.
    fileprivate var isLookup: Bool {
        guard case .key(let columns) = query.scope else { return false }
        return columns == table.key.count && !table.isForeign
    }
}
