import StorageDriver

// The one way to find which records exist: a query for their keys.
extension ModelHandle {
    /// Returns the keys that have a record. Costs one query.
    package func stored(among keys: KeyList, in session: any StorageSession) throws(StorageError) -> Set<[Value]> {
        try keys.rows(plan(Query(.columns(tables.root.schema.key), scope: keys.scope)), in: session)
    }

    /// Returns the keys that no record has. Costs one query, and another if that holds for some of them and not all.
    func missing(_ keys: KeyList, in session: any StorageSession) throws(StorageError) -> [[Value]] {
        var count = try session.rows(plan(Query(.count, scope: keys.scope)), keys.scopeArguments)
        let number = try count.next() ? Int(clamping: count.cells[0].int) : 0
        if number == keys.count { return [] }
        if number == 0 { return Array(keys) }
        let stored = try stored(among: keys, in: session)
        guard stored.count < keys.count else { return [] }
        return keys.filter { !stored.contains($0) }
    }
}

extension KeyList {
    /// The rows of a query that has these keys as its scope, and as many columns.
    package func rows(_ plan: QueryPlan, in session: any StorageSession) throws(StorageError) -> Set<[Value]> {
        Set(try session.rows(plan, scopeArguments).rows(width: width))
    }
}
