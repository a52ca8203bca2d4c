internal import StorageDriver

/// The prepared statements of a connection, by the plans' numbers. The number of a plan may pass to another plan.
final class PreparedPlans {
    /// The number of plans whose statements a connection keeps. With one more it forgets them all.
    static let maximumCount = 256
    private var queries: [Int: PreparedQuery] = [:]
    private var writes: [Int: PreparedWrite] = [:]

    /// True if the limit of plans is reached.
    var isFull: Bool { queries.count + writes.count >= Self.maximumCount }

    /// Returns whether a number of further plans stays within the limit.
    func hasRoom(_ count: Int) -> Bool { queries.count + writes.count + count < Self.maximumCount }

    func query(_ plan: QueryPlan) -> PreparedQuery? {
        guard let id = plan.id, let query = queries[id], query.plan === plan else { return nil }
        return query
    }

    func write(_ plan: WritePlan) -> PreparedWrite? {
        guard let write = writes[plan.id], write.plan === plan else { return nil }
        return write
    }

    /// - Returns: the name of the statement that it replaces.
    func keep(_ query: PreparedQuery) -> String? {
        query.plan.id.flatMap { queries.updateValue(query, forKey: $0)?.name }
    }

    func keep(_ write: PreparedWrite) -> String? { writes.updateValue(write, forKey: write.plan.id)?.name }

    /// - Returns: the names of all statements.
    func removeAll() -> [String] {
        defer {
            queries = [:]
            writes = [:]
        }
        return queries.values.map(\.name) + writes.values.map(\.name)
    }
}

/// A query on one connection.
final class PreparedQuery {
    let plan: QueryPlan
    let name: String
    let compiled: CompiledQuery
    /// The version of the schema in which the plan's tables were found as it needs them.
    var checkedVersion: String?
    /// The bytes of a row in earlier answers; nil before the first.
    var rowBytes: Int?
    /// True if the server was found not to answer it exactly.
    var isInexact = false

    init(_ plan: QueryPlan, name: String, _ compiled: CompiledQuery) {
        self.plan = plan
        self.name = name
        self.compiled = compiled
    }
}

/// A write on one connection.
final class PreparedWrite {
    let plan: WritePlan
    let name: String
    let compiled: CompiledWrite

    init(_ plan: WritePlan, name: String, _ compiled: CompiledWrite) {
        self.plan = plan
        self.name = name
        self.compiled = compiled
    }
}

extension Connection {
    /// Forgets the plans that were checked against another record of tables.
    func use(_ record: Catalog.Record) {
        if versionIndex == record.versionIndex { return }
        // The statements of another store of the database have the same names.
        if versionIndex != nil { forgetStore() }
        versionIndex = record.versionIndex
        forgetPlans()
    }

    func prepared(_ plan: QueryPlan, _ names: Names) throws(StorageError) -> PreparedQuery {
        if let query = plans.query(plan) { return query }
        let compiled = CompiledQuery(plan, try names.with(plan))
        let query = PreparedQuery(plan, name: plan.id == nil ? "" : statementName(), compiled)
        if plan.id != nil, let old = plans.keep(query) { forget(old) }
        return query
    }

    func prepared(_ plan: WritePlan, _ names: Names) throws(StorageError) -> PreparedWrite {
        if let write = plans.write(plan) { return write }
        let compiled = CompiledWrite(plan, try names.with([plan.table]))
        let write = PreparedWrite(plan, name: statementName(), compiled)
        if let old = plans.keep(write) { forget(old) }
        return write
    }

    private func statementName() -> String {
        if plans.isFull { forgetPlans() }
        return "s\(nextNumber())"
    }
}
