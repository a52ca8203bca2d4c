internal import StorageDriver

/// The statements prepared for one plan.
final class PreparedPlan {
    let plan: AnyObject
    // Exclusivity is not checked at run time: each access is one reading or one assignment.
    @exclusivity(unchecked) var lastUse: UInt64
    @exclusivity(unchecked) var query: Statement?
    /// The bound of the query's sort: nil before anybody has asked for it.
    @exclusivity(unchecked) var bound: SortBound?
    @exclusivity(unchecked) private var one: Statement?
    @exclusivity(unchecked) private var many: Statement?
    @exclusivity(unchecked) private var deletes: [String: Statement] = [:]

    init(for plan: AnyObject, use: UInt64) {
        self.plan = plan
        lastUse = use
    }

    /// The statement for one row.
    func one(_ make: () throws(StorageError) -> Statement) throws(StorageError) -> Statement {
        if let one { return one }
        let made = try make()
        one = made
        return made
    }

    /// The statement that deletes the rows that a query selects from a table.
    func delete(
        _ table: String, _ make: () throws(StorageError) -> Statement
    ) throws(StorageError) -> Statement {
        if let statement = deletes[table] { return statement }
        let made = try make()
        deletes[table] = made
        return made
    }

    /// The statement for several rows.
    func many(_ make: () throws(StorageError) -> Statement) throws(StorageError) -> Statement {
        if let many { return many }
        let made = try make()
        many = made
        return made
    }
}
