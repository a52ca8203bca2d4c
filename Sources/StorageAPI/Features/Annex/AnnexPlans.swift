import StorageDriver
internal import Synchronization

/// The statements on the table of the annexes. A store makes them once, so that its engine compiles each of them once.
struct AnnexPlans: Sendable {
    let table: TableSchema
    let value: QueryPlan
    /// All rows, and the rows after a key, before one, and between two.
    private let (all, after, before, between): (QueryPlan, QueryPlan, QueryPlan, QueryPlan)
    let keys: QueryPlan
    let put: WritePlan
    let remove: WritePlan

    private init(_ table: TableSchema, _ directory: ModelDirectory) {
        self.table = table
        value = directory.plan(Query(.columns([2]), scope: .key(columns: 2)), of: table)
        func rows(_ bounds: [Comparison]) -> QueryPlan {
            var query = Query(.columns([1, 2]), scope: .key(columns: 1))
            query.isLimited = true
            let terms = bounds.enumerated().map { number, bound in
                QueryTerm.comparison(bound, .column(1), .argument(number + 1), .data)
            }
            query.filter = terms.count > 1 ? .and(terms) : terms.first
            return directory.plan(query, of: table)
        }
        (all, after, before, between) = (rows([]), rows([.greater]), rows([.less]), rows([.greater, .less]))
        keys = directory.plan(Query(.columns([1]), scope: .key(columns: 1)), of: table)
        put = directory.plan(.upsert, of: table)
        remove = directory.plan(.delete, of: table, columns: table.key)
    }

    /// The statement for the rows between two keys.
    func rows(after key: [UInt8]?, before end: [UInt8]?) -> QueryPlan {
        if key == nil { return end == nil ? all : before }
        return end == nil ? after : between
    }

    /// The feature of a store that keeps them.
    final class Known: StoreFeature {
        private let directory: ModelDirectory
        private let plans = Mutex<AnnexPlans?>(nil)

        init(_ registry: ModelRegistry) { directory = registry.directory }

        /// The statements on a session's table, which another process may have made.
        func of(_ table: TableSchema) -> AnnexPlans {
            plans.withLock { plans in
                if let plans, plans.table == table { return plans }
                let made = AnnexPlans(table, directory)
                plans = made
                return made
            }
        }
    }
}
