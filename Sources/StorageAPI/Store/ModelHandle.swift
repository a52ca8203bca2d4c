import Synchronization

/// A model as an open store knows it: its tables and the plans made for them.
final class ModelHandle: Sendable {
    let tables: ModelTables
    private let ids: PlanIDs
    private let shapes = Mutex<[Shape: QueryPlan]>([:])
    private let writes = Mutex<[WriteShape: WritePlan]>([:])

    private struct Shape: Hashable {
        let table: Int
        let query: Query
    }

    private struct WriteShape: Hashable {
        let table: Int
        let operation: WriteOperation
        let columns: [Int]
    }

    /// How many shapes a model's queries may have before new ones are no longer remembered. A program has dozens.
    private static let mostShapes = 1000

    /// For each table the plans that read its rows whole: all, one root's, several roots'.
    private let wholeRows: [[QueryPlan]]

    init(_ tables: ModelTables, ids: PlanIDs) {
        self.tables = tables
        self.ids = ids
        let keyCount = tables.rootKeyCount
        let scopes: [Query.Scope] = [.all, .key(columns: keyCount), .keys(columns: keyCount, list: 0)]
        let schemas = tables.tables.map(\.schema)
        wholeRows = tables.tables.map { table in
            scopes.map { scope in
                QueryPlan(
                    id: ids.next(), query: Query(.columns(table.columns), scope: scope), table: table.schema,
                    tables: schemas)
            }
        }
    }

    var name: String { tables.name }

    /// The plan for a shape; the same plan each time.
    func plan(_ query: Query, table: Int = 0) -> QueryPlan {
        shapes.withLock { shapes in
            let shape = Shape(table: table, query: query)
            if let plan = shapes[shape] { return plan }
            let isRemembered = shapes.count < Self.mostShapes
            let plan = QueryPlan(
                id: isRemembered ? ids.next() : nil, query: query, table: tables.tables[table].schema,
                tables: tables.tables.map(\.schema))
            if isRemembered { shapes[shape] = plan }
            return plan
        }
    }

    /// All cells that a model reads from a table, of all roots, of one, or of a list of them.
    func plan(rowsOf table: Int = 0, _ scope: Query.Scope) -> QueryPlan {
        switch scope {
        case .all: wholeRows[table][0]
        case .key: wholeRows[table][1]
        case .keys: wholeRows[table][2]
        }
    }

    /// The plan for writing whole rows of a table.
    func plan(_ operation: WriteOperation, table: Int = 0) -> WritePlan {
        let binding = tables.tables[table]
        switch operation {
        case .insert, .upsert, .update: return plan(operation, table: table, columns: binding.columns)
        case .delete:
            return plan(operation, table: table, columns: Array(binding.schema.key.prefix(tables.rootKeyCount)))
        case .patch, .truncate: return plan(operation, table: table, columns: [])
        }
    }

    /// The plan for setting some columns of the root.
    func plan(setting columns: [Int]) -> WritePlan { plan(.patch, table: 0, columns: columns) }

    private func plan(_ operation: WriteOperation, table: Int, columns: [Int]) -> WritePlan {
        writes.withLock { writes in
            let shape = WriteShape(table: table, operation: operation, columns: columns)
            if let plan = writes[shape] { return plan }
            let plan = WritePlan(
                id: ids.next(), operation: operation, table: tables.tables[table].schema, columns: columns,
                keyColumns: operation == .patch ? tables.root.schema.key : [])
            writes[shape] = plan
            return plan
        }
    }
}

/// Gives the plans of one store their numbers.
final class PlanIDs: Sendable {
    private let last = Atomic<Int>(-1)

    func next() -> Int { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
