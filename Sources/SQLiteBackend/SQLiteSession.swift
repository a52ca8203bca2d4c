internal import CSQLite
internal import StorageAPI

/// What reading and writing share: running query plans on one connection.
class SQLiteSession: StorageSession {
    final let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    final func tables() throws(StorageError) -> [TableSchema] { try Catalog.tables(connection) }

    func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        let statement = try statement(plan, arguments)
        do {
            try bind(arguments, of: plan, to: statement)
        } catch {
            statement.statement.finish()
            throw error
        }
        return statement.statement.cursor()
    }

    private struct Compiled {
        let statement: Statement
        let prefixEnds: [Int]
        let limitParameter: Int
    }

    private func statement(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Compiled {
        let prepared = plan.id.map(connection.prepared)
        let limitParameter = arguments.values.count + arguments.lists.count + 1
        if let statement = prepared?.query, !statement.isInUse {
            return Compiled(
                statement: statement, prefixEnds: prepared?.prefixEnds ?? [], limitParameter: limitParameter)
        }
        var compiler = QueryCompiler(plan, values: arguments.values.count, lists: arguments.lists.count)
        let sql = compiler.select()
        let statement = try Statement(connection, sql, kinds: Self.kinds(plan))
        prepared?.query = prepared?.query ?? statement
        prepared?.prefixEnds = compiler.prefixEnds
        return Compiled(statement: statement, prefixEnds: compiler.prefixEnds, limitParameter: limitParameter)
    }

    private static func kinds(_ plan: QueryPlan) -> [UInt8] {
        guard case .columns(let columns) = plan.query.result else { return [] }
        return columns.map { plan.table.columns[$0].readKind }
    }

    private func bind(
        _ arguments: QueryArguments, of plan: QueryPlan, to compiled: Compiled
    ) throws(StorageError) {
        let statement = compiled.statement
        for (index, value) in arguments.values.enumerated() { try statement.bind(value, at: index + 1) }
        for (index, list) in arguments.lists.enumerated() {
            try statement.bind(list, at: arguments.values.count + index + 1)
        }
        if plan.query.isLimited {
            try statement.bind(.int(Int64(arguments.limit ?? -1)), at: compiled.limitParameter)
            try statement.bind(.int(Int64(arguments.offset)), at: compiled.limitParameter + 1)
        }
        for (place, index) in compiled.prefixEnds.enumerated() {
            try statement.bindEnd(ofPrefix: arguments.values[index], at: compiled.limitParameter + 2 + place)
        }
    }
}

/// A reading session on a connection from the pool.
final class SQLiteReader: SQLiteSession, StorageReader {
    private let giveBack: (Connection) -> Void
    private let holdsSnapshot: Bool

    init(
        _ connection: Connection, _ scope: ReadScope, giveBack: @escaping (Connection) -> Void
    ) throws(StorageError) {
        self.giveBack = giveBack
        holdsSnapshot = scope == .snapshot
        super.init(connection)
        if holdsSnapshot {
            do throws(StorageError) {
                try connection.run(.beginRead)
            } catch {
                giveBack(connection)
                throw error
            }
        }
    }

    func end() {
        if holdsSnapshot { connection.rollBack() }
        giveBack(connection)
    }
}
