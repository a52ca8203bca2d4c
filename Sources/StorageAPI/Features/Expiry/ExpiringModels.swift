import StorageDriver
import Synchronization

/// The models of a store whose records expire, and the plans that exclude expired records.
///
/// Remade when the known models change.
final class ExpiringModels: Sendable {
    /// A model with a time of expiry.
    struct Model: Sendable {
        let root: TableSchema
        /// The root's column that has the time.
        let column: Int
        /// The source by which its records are deleted: the type, for a model that the store does not record. Nil if the program
        /// declares an expiry that the store no longer records: expired records are then hidden and stay.
        let source: ModelSource?

        var name: StoredName { root.storedPath[0] }

        /// The keys of records that have expired by the time in the argument, in order of expiry.
        ///
        /// - Parameter areSome: whether the keys of the first list are left out.
        func expiredKeys(areSome: Bool) -> Query {
            let hasExpired = QueryTerm.comparison(.lessOrEqual, .column(column), .argument(0), .date)
            let isListed = QueryTerm.refers(root.key, of: root, list: 0)
            var query = Query(
                .columns(root.key), filter: areSome ? .and([hasExpired, .not(isListed)]) : hasExpired,
                order: [Query.SortKey(term: .column(column), type: .date, isDescending: false)])
            query.isLimited = true
            return query
        }
    }

    /// The maximum number of records that one commit removes. Records that delete rules remove with them do not count.
    static let part = 1000

    let models: [Model]
    private let directory: ModelDirectory
    private let plans = Mutex(RecentlyUsed<ObjectIdentifier, Unexpired>(maximum: 1000))

    /// A plan, and the same plan without expired records.
    private struct Unexpired {
        /// Kept, so that no other plan gets its identity.
        let plan: QueryPlan
        /// The number of arguments of the plan; the time follows them.
        let argumentCount: Int
        let unexpired: QueryPlan
    }

    /// - Parameters:
    ///   - recorded: the store's tables.
    ///   - declared: the program's models, for models that the store does not record.
    init?(
        _ recorded: [TableSchema], declared: [(type: any Storable.Type, handle: ModelHandle)],
        _ directory: ModelDirectory
    ) {
        func expiry(_ root: TableSchema) -> Int? { root.columns.firstIndex(where: \.isExpiry) }
        let roots = recorded.filter { $0.isRoot && !$0.isStoresOwn }
        let known = roots.compactMap { root in
            expiry(root).map { Model(root: root, column: $0, source: .recorded(root.storedPath[0])) }
        }
        let others = declared.compactMap { type, handle -> Model? in
            let own = handle.tables.root.schema
            guard let column = handle.tables.root.declaredExpiry else { return nil }
            if own.isForeign { return Model(root: own, column: column, source: .type(type)) }
            guard let root = roots.first(where: { $0.name == own.name }), expiry(root) == nil,
                let place = root.columns.firstIndex(where: { $0.name == own.columns[column].name })
            else { return nil }
            return Model(root: root, column: place, source: nil)
        }
        models = known + others
        if models.isEmpty { return nil }
        self.directory = directory
    }

    /// The plan without expired records, with the time as an additional last argument; nil if none of its records
    /// expire.
    func unexpired(_ plan: QueryPlan, argumentCount: Int) -> QueryPlan? {
        guard plan.tables.contains(where: { model(of: $0) != nil }) else { return nil }
        guard plan.id != nil else { return make(plan, argumentCount, id: nil) }
        let known = plans.withLock { plans in
            plans.value(ObjectIdentifier(plan)) { oldest in
                let id = oldest?.unexpired.id ?? directory.nextPlan()
                return Unexpired(
                    plan: plan, argumentCount: argumentCount, unexpired: make(plan, argumentCount, id: id))
            }
        }
        return known.argumentCount == argumentCount ? known.unexpired : make(plan, argumentCount, id: nil)
    }

    /// The model whose root or owned rows a table has, if it expires.
    fileprivate func model(of table: TableSchema) -> Model? { models.first { $0.name == table.storedPath[0] } }

    private func make(_ plan: QueryPlan, _ argumentCount: Int, id: Int?) -> QueryPlan {
        var rewriting = UnexpiredQuery(self, plan, now: argumentCount)
        let query = rewriting.query(plan)
        return QueryPlan(id: id, query: query, table: plan.table, tables: rewriting.tables)
    }
}

/// Rewrites a query to exclude expired records, in the query's table and in every joined table.
private struct UnexpiredQuery {
    private let expiring: ExpiringModels
    private let now: QueryTerm
    private(set) var tables: [TableSchema]

    /// - Parameter now: which argument is the time.
    init(_ expiring: ExpiringModels, _ plan: QueryPlan, now: Int) {
        self.expiring = expiring
        self.now = .argument(now)
        tables = plan.tables
    }

    mutating func query(_ plan: QueryPlan) -> Query {
        var query = plan.query
        query.filter = query.filter.map(term)
        if let condition = condition(ofRowsIn: plan.table) {
            query.filter = .and([condition] + (query.filter.map { [$0] } ?? []))
        }
        query.order = query.order.map(sortKey)
        switch query.result {
        case .columns, .count, .exists: break
        case .terms(let terms): query.result = .terms(terms.map(typed))
        case .groups(var grouping):
            // The conditions and sort keys of groups refer to the groups' values.
            grouping.keys = grouping.keys.map(typed)
            grouping.aggregates = grouping.aggregates.map(aggregate)
            query.result = .groups(grouping)
        }
        return query
    }

    /// The condition that the record of a row has not expired; nil if its model's records do not.
    private mutating func condition(ofRowsIn table: TableSchema) -> QueryTerm? {
        guard let model = expiring.model(of: table) else { return nil }
        let isThere = isThere(model)
        if table.isRoot { return isThere }
        let root: Int
        if let known = tables.firstIndex(where: { $0.storedPath == model.root.storedPath }) {
            root = known
        } else {
            root = tables.count
            tables.append(model.root)
        }
        // The rows that a root owns begin with its key.
        let owner = Join(table: root, inner: model.root.key, outer: Array(model.root.key.indices))
        return .quantified(.any, owner, isThere)
    }

    private func isThere(_ model: ExpiringModels.Model) -> QueryTerm {
        let time = QueryTerm.column(model.column)
        let isLater = QueryTerm.comparison(.greater, time, now, .date)
        return model.root.columns[model.column].isOptional ? .or([.isNull(time), isLater]) : isLater
    }

    /// The condition that a record along an edge has not expired.
    private func isThere(along edge: Join) -> QueryTerm? {
        let table = tables[edge.table]
        guard table.isRoot, let model = expiring.model(of: table) else { return nil }
        return isThere(model)
    }

    // MARK: Terms

    private func typed(_ typed: TypedTerm) -> TypedTerm { TypedTerm(term(typed.term), typed.type) }

    private func sortKey(_ key: Query.SortKey) -> Query.SortKey {
        var key = key
        key.term = term(key.term)
        return key
    }

    private func aggregate(_ aggregate: Query.Aggregate) -> Query.Aggregate {
        Query.Aggregate(aggregate.function, of: aggregate.term.map(typed))
    }

    private func term(_ term: QueryTerm) -> QueryTerm {
        let term = term.replacingOperands(self.term)
        switch term {
        case .related(let edge, let inner):
            return .related(edge, isThere(along: edge).map { .choice($0, inner, .null) } ?? inner)
        case .relatedCount(let edge, let inner): return .relatedCount(edge, condition(inner, along: edge))
        case .relatedAggregate(let edge, let aggregate, let inner):
            return .relatedAggregate(edge, aggregate, condition(inner, along: edge))
        case .quantified(.all, let edge, let inner):
            return .quantified(.all, edge, isThere(along: edge).map { .or([.not($0), inner]) } ?? inner)
        case .quantified(let quantifier, let edge, let inner):
            return .quantified(quantifier, edge, condition(inner, along: edge))
        default: return term
        }
    }

    /// The condition, for records along an edge that have not expired.
    private func condition(_ condition: QueryTerm, along edge: Join) -> QueryTerm {
        isThere(along: edge).map { .and([$0, condition]) } ?? condition
    }
}
