internal import StorageDriver

// Keys of several parts in a list. SQLite compares both sides of `(a, b) IN (SELECT …)` as the first part's type says, and
// so uses an index for the first part alone where the parts have other types. So the list stands before the table, and the
// rows are looked up for each of its keys.
extension QueryCompiler {
    /// Columns whose values are a row of a list, by which the query's rows are found.
    struct ListedKeys {
        let columns: [Int]
        let list: Int
        /// The condition that says so; nil for the query's scope.
        let term: QueryTerm?
        var isScope: Bool { term == nil }
    }

    var listedKeys: ListedKeys? {
        if case .keys(let count, let list) = plan.query.scope {
            let columns = Array(plan.table.key.prefix(count))
            // Rows by keys of one type come in their order without being sorted.
            guard Set(columns.map { plan.table.columns[$0].sqlType }).count > 1 else { return nil }
            return ListedKeys(columns: columns, list: list, term: nil)
        }
        guard case .all = plan.query.scope else { return nil }
        for case .isAmong(let columns, let list) in plan.query.filter?.conjuncts ?? [] {
            return ListedKeys(columns: columns, list: list, term: .isAmong(columns, list: list))
        }
        return nil
    }

    /// The list, before the table that is looked up in.
    func list(_ keys: ListedKeys) -> String {
        let names = keys.columns.indices.map { "c\($0)" }.joined(separator: ", ")
        return "(SELECT DISTINCT \(names) FROM storage_list(?\(parameters.list(keys.list)))) AS k CROSS JOIN "
    }

    func equalities(_ keys: ListedKeys) -> [String] {
        keys.columns.enumerated().map { "\(root.column($1)) = k.c\($0)" }
    }
}
