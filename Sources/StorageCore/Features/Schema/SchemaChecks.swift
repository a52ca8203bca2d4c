import StorageDriver

/// Checks that the rows of a table permit a step of a schema change.
package struct SchemaChecks {
    let session: any StorageSession
    /// The columns that the engine keeps unique already.
    let unique: Set<UniqueColumn>

    package init(session: any StorageSession, unique: Set<UniqueColumn> = []) {
        (self.session, self.unique) = (session, unique)
    }

    /// - Throws: `schemaMismatch` or `constraint` if the rows that are stored do not let the step be made.
    package func check(_ step: SchemaStep) throws(StorageError) {
        switch step {
        case .note, .change(.create, _), .change(.drop, _), .mark: return
        case .change(.alter(let old, let new, _), _): try checkUnique(old, new)
        case .requireEmpty(let table, let error):
            if try integer(Query(.exists), table) != 0 { throw error }
        case .requireTrue(let table, let column, let error):
            let query = Query(.exists, filter: .comparison(.equal, .column(column), .argument(0), .bool))
            if try integer(query, table, arguments: QueryArguments([.int(0)])) != 0 { throw error }
        case .requireChild(let owner, let child, let error):
            if try integer(Query(.count), owner) > integer(Query(.count), child) { throw error }
        case .rebuild(let old, _, let sources, _):
            try checkUnique(sources, of: old)
            try forEachRow(of: old, sources) { (_) in }
        }
    }

    package func count(_ table: TableSchema) throws(StorageError) -> Int {
        Int(clamping: try integer(Query(.count), table))
    }

    /// Looks for duplicate values of properties that become unique while their table is rebuilt.
    func checkUnique(_ sources: [ColumnSource], of old: TableSchema) throws(StorageError) {
        for source in sources {
            guard let column = source.column, source.to.isUnique, !old.columns[column].isUnique else { continue }
            try checkUnique(column, old)
        }
    }

    /// Looks for duplicate values of a property that becomes unique, because an engine would name only its index.
    private func checkUnique(_ old: TableSchema, _ new: TableSchema) throws(StorageError) {
        for column in old.columns.indices where new.columns[column].isUnique && !old.columns[column].isUnique {
            if unique.contains(UniqueColumn(table: old.name, column: old.columns[column].name)) { continue }
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
        var cursor = try session.rows(plan(query, table), arguments)
        guard try cursor.next() else { return }
        throw StorageError(
            .constraint,
            "The property must be unique, and \(cursor.cells[1].int) records have the value \(cursor.cells[0].value); "
                + "change all but one of them first. Nothing was changed.",
            operation: "open", model: table.path.first, property: table.columns[column].property
        ).with { $0.storedValue = cursor.cells[0].value }
    }

    private func integer(
        _ query: Query, _ table: TableSchema, arguments: QueryArguments = QueryArguments()
    ) throws(StorageError) -> Int64 {
        var cursor = try session.rows(plan(query, table), arguments)
        return try cursor.next() ? cursor.cells[0].int : 0
    }

    private func plan(_ query: Query, _ table: TableSchema) -> QueryPlan {
        QueryPlan(id: nil, query: query, table: table, tables: [table])
    }

    /// Calls the body with each row of a table as it is after the columns have been changed.
    func forEachRow(
        of table: TableSchema, _ sources: [ColumnSource], _ body: ([Value]) throws(StorageError) -> Void
    ) throws(StorageError) {
        let query = Query(.columns(Array(table.columns.indices)))
        var cursor = try session.rows(plan(query, table), QueryArguments())
        while try cursor.next() {
            let key = table.key.map { cursor.cells[$0].value }
            var row: [Value] = []
            for source in sources { row.append(try converted(source, cursor.cells, key: key)) }
            try body(row)
        }
    }

    private func converted(
        _ source: ColumnSource, _ cells: UnsafePointer<Cell>, key: [Value]
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
