import StorageDriver

/// A session that reads as if what has expired by a time were not there.
final class UnexpiredReader: StorageReader, QueryExplaining, AnnouncingSession {
    private let session: any StorageReader
    private let expiring: ExpiringModels
    private let now: Value

    init(_ session: any StorageReader, _ expiring: ExpiringModels, now: Value) {
        self.session = session
        self.expiring = expiring
        self.now = now
    }

    func tables() throws(StorageError) -> [TableSchema] { try session.tables() }

    func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        let (plan, arguments) = unexpired(plan, arguments)
        return try session.rows(plan, arguments)
    }

    func greatestKey(in table: TableSchema) throws(StorageError) -> Int64 { try session.greatestKey(in: table) }

    func explain(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> QueryExplanation {
        let (plan, arguments) = unexpired(plan, arguments)
        return try session.explained(plan, arguments)
    }

    func announce(_ queries: [QueryRequest]) {
        session.passOn(
            queries.map { query in
                let (plan, arguments) = unexpired(query.plan, query.arguments)
                return QueryRequest(plan: plan, arguments: arguments)
            })
    }

    func end() { session.end() }

    private func unexpired(_ plan: QueryPlan, _ arguments: QueryArguments) -> (QueryPlan, QueryArguments) {
        guard let unexpired = expiring.unexpired(plan, argumentCount: arguments.values.count) else {
            return (plan, arguments)
        }
        var arguments = arguments
        arguments.values.append(now)
        return (unexpired, arguments)
    }
}
