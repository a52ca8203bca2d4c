internal import CSQLite
internal import StorageDriver

/// The common part of reading and writing: runs query plans on one connection.
class SQLiteSession: StorageSession {
    final let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    /// The recorded tables, then the tables of other software.
    final func tables() throws(StorageError) -> [TableSchema] { try connection.storedTables() }

    /// Returns the conversions of the foreign columns among a plan's tables, with the numbers that it needs.
    final func conversions(_ plan: QueryPlan) throws(StorageError) -> TableConversions {
        var conversions = try conversions(plan.tables)
        for (table, number) in plan.countedTables { conversions.count(table, as: number) }
        return conversions
    }

    /// Returns the conversions of the foreign columns among tables.
    final func conversions(_ tables: [TableSchema]) throws(StorageError) -> TableConversions {
        var conversions = TableConversions()
        for table in tables where table.isForeign {
            conversions[table] = try connection.foreign.conversions(of: table, connection)
        }
        return conversions
    }

    func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        let statement = try statement(plan, arguments)
        // A sort with a limit may have a bound.
        if plan.query.isLimited, !plan.query.order.isEmpty, let cursor = try bounded(plan, arguments) { return cursor }
        return try rows(plan, arguments, of: statement)
    }

    private func rows(
        _ plan: QueryPlan, _ arguments: QueryArguments, of statement: Statement
    ) throws(StorageError) -> Cursor {
        do {
            try bind(arguments, of: plan, to: statement)
            return try statement.cursor()
        } catch {
            statement.finish()
            throw error
        }
    }

    private func statement(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Statement {
        let prepared = plan.id.map { connection.prepared($0, for: plan) }
        if let statement = prepared?.query, !statement.isInUse { return statement }
        var compiler = QueryCompiler(plan, arguments, conversions: try conversions(plan))
        let sql = compiler.select()
        // A statement that is used once was planned for the current tables.
        let statement = try Statement(
            connection, sql, kinds: Self.kinds(plan), prefixEnds: compiler.prefixEnds,
            planned: plan.id == nil ? [] : plan.tables)
        if prepared?.query == nil { prepared?.query = statement }
        return statement
    }

    static func kinds(_ plan: QueryPlan) -> [UInt8] {
        let isForeign = plan.tables.contains(where: \.isForeign)
        return types(plan).map { isForeign ? $0.foreignReadKind : $0.readKind }
    }

    private static func types(_ plan: QueryPlan) -> [ColumnType] {
        switch plan.query.result {
        case .columns(let columns): columns.map { plan.table.columns[$0].type }
        case .terms(let terms): terms.map(\.type)
        case .groups(let grouping): grouping.keys.map(\.type) + grouping.aggregates.map(\.type)
        case .count, .exists: []
        }
    }

    /// Keeps the snapshot of the next query for the queries after it. A transaction has a snapshot anyway.
    func holdSnapshot() throws(StorageError) {}

    final func bind(
        _ arguments: QueryArguments, of plan: QueryPlan, to statement: Statement
    ) throws(StorageError) {
        let parameters = QueryCompiler.Parameters(arguments)
        // A plan with some of a query's conditions may have fewer parameters than the query has arguments.
        let last = statement.lastParameter
        for (index, value) in arguments.values.enumerated() where parameters.value(index) <= last {
            try statement.bind(value, at: parameters.value(index))
        }
        for (index, list) in arguments.lists.enumerated() where parameters.list(index) <= last {
            try statement.bind(list, at: parameters.list(index))
        }
        if plan.query.isLimited {
            try statement.bind(
                limit: arguments.limit, offset: arguments.offset, at: parameters.limit, looks: plan.query.canFail)
        }
        if case .groups(let grouping) = plan.query.result, grouping.isLimited {
            try statement.bind(
                limit: arguments.groupLimit, offset: arguments.groupOffset, at: parameters.groupLimit,
                looks: plan.query.canFail)
        }
        for (place, index) in statement.prefixEnds.enumerated() {
            try statement.bindEnd(ofPrefix: arguments.values[index], at: parameters.prefixEnd(place))
        }
    }
}

extension SQLiteSession: WorkCountingSession {
    /// Counts the instructions of SQLite's virtual machine.
    final func rows(
        _ plan: QueryPlan, _ arguments: QueryArguments, counting work: QueryWork
    ) throws(StorageError) -> Cursor {
        let statement = try statement(plan, arguments)
        if plan.query.isLimited, !plan.query.order.isEmpty, let cursor = try bounded(plan, arguments, counting: work) {
            return cursor
        }
        work.add(stepsOf: statement)
        return try rows(plan, arguments, of: statement)
    }
}

extension QueryWork {
    /// Counts the instructions of a statement from here on.
    func add(stepsOf statement: Statement) {
        let before = statement.steps
        add { statement.steps - before }
    }
}

extension Statement {
    /// SQLite examines no row for a limit of 0. If it must examine all (`looks`), an offset after the last row gives
    /// none.
    fileprivate func bind(limit: Int?, offset: Int, at index: Int, looks: Bool) throws(StorageError) {
        let isNone = looks && limit == 0
        try bind(.int(isNone ? 1 : Int64(limit ?? -1)), at: index)
        try bind(.int(isNone ? .max : Int64(offset)), at: index + 1)
    }
}

/// A reading session on a connection. The pool keeps both for the next reader.
///
/// Unchecked: one thread at a time uses it, as its connection.
final class SQLiteReader: SQLiteSession, StorageReader, @unchecked Sendable {
    // Exclusivity is not checked at run time: each access is one reading or one assignment.
    /// The pool to return to; nil while it is in the pool.
    @exclusivity(unchecked) private var pool: ConnectionPool?
    @exclusivity(unchecked) private var holdsSnapshot = false

    /// Begins to read, on a connection that the pool has handed out.
    func begin(_ scope: ReadScope, from pool: ConnectionPool) throws(StorageError) {
        self.pool = pool
        guard scope == .snapshot else { return }
        do throws(StorageError) {
            try connection.begin(.beginRead)
        } catch {
            end()
            throw error
        }
        holdsSnapshot = true
    }

    override func holdSnapshot() throws(StorageError) {
        guard !holdsSnapshot else { return }
        try connection.begin(.beginRead)
        holdsSnapshot = true
    }

    func end() {
        guard let pool else { return }
        if holdsSnapshot { connection.rollBack() }
        holdsSnapshot = false
        self.pool = nil
        pool.give(self)
    }
}
