import StorageDriver

/// A reading session in which records that have expired by a time do not exist.
final class UnexpiredReader: ForwardingReader {
    private let expiring: ExpiringModels
    private let now: Value

    init(_ reader: any StorageReader, _ expiring: ExpiringModels, now: Value) {
        self.expiring = expiring
        self.now = now
        super.init(reader)
    }

    override func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        let (plan, arguments) = unexpired(plan, arguments)
        return try super.rows(plan, arguments)
    }

    override func explain(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> QueryExplanation {
        let (plan, arguments) = unexpired(plan, arguments)
        return try super.explain(plan, arguments)
    }

    override func prefetch(_ queries: [QueryRequest]) {
        super.prefetch(
            queries.map { query in
                let (plan, arguments) = unexpired(query.plan, query.arguments)
                return QueryRequest(plan: plan, arguments: arguments)
            })
    }

    private func unexpired(_ plan: QueryPlan, _ arguments: QueryArguments) -> (QueryPlan, QueryArguments) {
        guard let unexpired = expiring.unexpired(plan, argumentCount: arguments.values.count) else {
            return (plan, arguments)
        }
        var arguments = arguments
        arguments.values.append(now)
        return (unexpired, arguments)
    }
}
