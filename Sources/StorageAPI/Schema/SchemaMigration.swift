import Logging
import StorageDriver

/// Carries out the steps of a schema's change, inside the caller's transaction: all of them or none.
struct SchemaMigration {
    let writer: any StorageWriter
    let directory: ModelDirectory
    let logger: Logger
    let info: BackendInfo

    func run(_ step: SchemaStep) throws(StorageError) {
        switch step {
        case .note(let note, let table): logger.notice("\(note)", metadata: ["table": "\(table)"])
        case .requireEmpty(let table, let error):
            if try !isEmpty(table) { throw error }
        case .requireTrue(let table, let column, let error):
            let query = Query(.exists, filter: .comparison(.equal, .column(column), .argument(0), .bool))
            if try integer(query, table, QueryArguments([.int(0)])) != 0 { throw error }
        case .requireChild(let owner, let child, let error):
            if try integer(Query(.count), owner, QueryArguments()) > integer(Query(.count), child, QueryArguments()) {
                throw error
            }
        case .change(let change, let note), .mark(let change, let note):
            try checkUnique(change)
            try writer.change(change)
            logger.notice("\(note)", metadata: ["table": "\(change.table.name)"])
        case .rebuild(let old, let new, let sources, let note):
            try rebuild(old, as: new, sources)
            logger.notice("\(note)", metadata: ["table": "\(new.name)"])
        }
    }

    /// Looks for what a property that becomes unique has twice, since an engine would name its index at most.
    private func checkUnique(_ change: TableChange) throws(StorageError) {
        guard case .alter(let old, let new, _) = change else { return }
        for column in old.columns.indices where new.columns[column].isUnique && !old.columns[column].isUnique {
            try checkUnique(column, old)
        }
    }

    private func checkUnique(_ column: Int, _ table: TableSchema) throws(StorageError) {
        var groups = Query.Grouping(
            keys: [TypedTerm(.column(column), table.columns[column].type)], aggregates: [Query.Aggregate(.count)],
            order: [])
        groups.filter = .comparison(.greater, .column(1), .argument(0), .int64)
        groups.isLimited = true
        var arguments = QueryArguments([.int(1)])
        arguments.groupLimit = 1
        let query = Query(.groups(groups), filter: .not(.isNull(.column(column))))
        var cursor = try writer.rows(plan(query, table), arguments)
        guard try cursor.next() else { return }
        throw StorageError(
            .constraint,
            "The property must be unique, and \(cursor.cells[1].int) records have the value \(cursor.cells[0].value); "
                + "change all but one of them first. Nothing was changed.",
            operation: "open", model: table.path.first, property: table.columns[column].property
        ).with { $0.storedValue = cursor.cells[0].value }
    }

    private func isEmpty(_ table: TableSchema) throws(StorageError) -> Bool {
        try integer(Query(.exists), table, QueryArguments()) == 0
    }

    private func integer(
        _ query: Query, _ table: TableSchema, _ arguments: QueryArguments
    ) throws(StorageError) -> Int64 {
        var cursor = try writer.rows(plan(query, table), arguments)
        return try cursor.next() ? cursor.cells[0].int : 0
    }

    private func plan(_ query: Query, _ table: TableSchema) -> QueryPlan {
        QueryPlan(id: nil, query: query, table: table, tables: [table])
    }

    /// Copies all rows into a table of the new schema, which then replaces the old one under its name.
    private func rebuild(_ old: TableSchema, as new: TableSchema, _ sources: [ColumnSource]) throws(StorageError) {
        var temporary = new
        let names = try writer.tables().map(\.name)
        var allocator = NameAllocator(used: names, reservedPrefixes: info.reservedNamePrefixes)
        temporary.name = allocator.allocate(new.name + "_rebuilt")
        temporary.path = ["", temporary.name]
        let greatest = new.assignsKeys && old.assignsKeys ? try writer.greatestKey(in: old) : 0
        try writer.change(.create(temporary))
        try copyRows(old, to: temporary, sources)
        try AssignedKeys(writer: writer, directory: directory).remember(greatest, in: temporary)
        try writer.change(.drop(old))
        try writer.change(.alter(from: temporary, to: new, added: []))
    }

    private func copyRows(_ old: TableSchema, to new: TableSchema, _ sources: [ColumnSource]) throws(StorageError) {
        var cursor = try writer.rows(plan(Query(.columns(Array(old.columns.indices))), old), QueryArguments())
        let plan = WritePlan(
            id: directory.nextPlan(), operation: .insert, table: new, columns: Array(new.columns.indices))
        var list = ValueList(width: sources.count, values: [])
        while try cursor.next() {
            let key = old.key.map { cursor.cells[$0].value }
            for source in sources { list.values.append(try converted(source, cursor.cells, key)) }
            if list.count == 256 { try insert(&list, plan) }
        }
        try insert(&list, plan)
    }

    // Inlined into its caller, the batch, which cannot be copied, ends the compiler of Swift 6.3.1 in an optimised build.
    @inline(never)
    private func insert(_ list: inout ValueList, _ plan: WritePlan) throws(StorageError) {
        guard list.count > 0 else { return }
        let cells = ValueCells(list)
        _ = try writer.write(RowBatch(plan: plan, count: list.count, cells: UnsafePointer(cells.rows.cells)))
        list.values.removeAll()
    }

    private func converted(
        _ source: ColumnSource, _ cells: UnsafePointer<Cell>, _ key: [Value]
    ) throws(StorageError) -> Value {
        let stored = source.column.map { cells[$0].value } ?? .null
        if stored.isNull {
            if let missing = source.missing, source.to.isOptional || !missing.isNull { return missing }
            if source.to.isOptional { return .null }
            throw source.error.with { $0.key = key }
        }
        guard let value = ValueConversion.convert(stored, from: source.from, to: source.to.type) else {
            throw source.error.with {
                $0.key = key
                $0.storedValue = stored
            }
        }
        return value
    }
}

extension TableChange {
    /// The table as it is after the change.
    var table: TableSchema {
        switch self {
        case .create(let table), .drop(let table), .alter(_, let table, _): table
        }
    }
}
