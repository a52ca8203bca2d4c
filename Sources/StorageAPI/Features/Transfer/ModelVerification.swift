import StorageDriver

/// Looks for defects in the rows of one model.
struct ModelVerification {
    private let model: StoredModel
    private let roots: [TableSchema]
    private let reader: any StorageSession
    private let report: (StoreProblem) -> Void

    /// - Parameter tables: the tables of all models.
    init(
        _ model: StoredModel, in tables: [TableSchema], _ reader: any StorageSession,
        _ report: @escaping (StoreProblem) -> Void
    ) {
        self.model = model
        roots = tables
        self.reader = reader
        self.report = report
    }

    func run() throws(StorageError) {
        for table in model.tables {
            try checkRows(of: table)
            for column in table.columns.indices where table.columns[column].isUnique {
                try checkUnique(column, of: table)
            }
        }
        for table in model.tables { try checkReferences(in: table) }
        for table in model.tables.dropFirst() where !table.isNode {
            guard let owner = owner(of: table) else {
                report(StoreProblem("The table \(table.name) has no owner's table.", model: model.name.text))
                continue
            }
            try OwnershipCheck(table, owner: owner, reader, report).run()
        }
        for entry in model.tables where !entry.isNode {
            let nodes = model.tables.filter { $0.isNode && owner(of: $0) == entry }
            if !nodes.isEmpty { try NodeCheck(nodes, below: entry, reader, report).run() }
        }
    }

    /// The table whose rows are the owners of a table's rows; for a type that owns itself, the table at which that begins.
    private func owner(of table: TableSchema) -> TableSchema? {
        model.tables.last {
            !$0.isNode && $0.path.count < table.path.count && table.storedPath.starts(with: $0.storedPath)
        }
    }

    /// Values of their columns' types, and keys in order.
    private func checkRows(of table: TableSchema) throws(StorageError) {
        let scan = try TableScan(table, in: reader)
        var last: [Value] = []
        while try scan.step() {
            scan.forEachProblem { column, problem in
                report(scan.problem("The stored value \(problem).", table.property(of: column)))
            }
            let key = scan.key
            if !last.isEmpty, !last.lexicographicallyPrecedes(key) {
                report(scan.problem(last == key ? "The key is there twice." : "The key is not in its order."))
            }
            last = key
        }
    }

    /// Every reference names a stored record, where that is checked (clause R2). Another program may have left one.
    private func checkReferences(in table: TableSchema) throws(StorageError) {
        for (columns, reference) in table.references where reference.onDelete != .unchecked {
            guard let target = roots.first(where: { $0.isRoot(of: reference.storedModel) }),
                target.key.count == columns.count
            else {
                report(
                    StoreProblem(
                        "It refers to \(reference.model), which the store does not have.", model: model.name.text,
                        property: table.property(of: columns[0])))
                continue
            }
            let edge = Join(table: 1, inner: target.key, outer: columns)
            let filter = QueryTerm.and([
                .not(.isNull(.column(columns[0]))), .quantified(.none, edge, .constant(true)),
            ])
            let query = Query(.columns(table.key + columns), filter: filter)
            var cursor = try reader.rows(
                QueryPlan(id: nil, query: query, table: table, tables: [table, target]), QueryArguments())
            while try cursor.next() {
                let key = columns.indices.map { cursor.cells[table.key.count + $0].value }.keyText
                report(
                    StoreProblem(
                        "\(reference.model) \(key), to which it refers, is not stored.",
                        model: model.name.text, key: table.key.indices.map { cursor.cells[$0].value },
                        property: table.property(of: columns[0])))
            }
        }
    }

    private func checkUnique(_ column: Int, of table: TableSchema) throws(StorageError) {
        let schema = table.columns[column]
        let sort = Query.SortKey(term: .column(column), type: schema.type, isDescending: false)
        let query = Query(.columns([column] + table.key), order: [sort])
        var cursor = try reader.rows(
            QueryPlan(id: nil, query: query, table: table, tables: [table]), QueryArguments())
        var last = Value.null
        while try cursor.next() {
            let value = cursor.cells[0].value
            if !value.isNull, value == last {
                report(
                    StoreProblem(
                        "Another record has the same value, which is unique.", model: model.name.text,
                        key: table.key.indices.map { cursor.cells[$0 + 1].value }, property: schema.property))
            }
            last = value
        }
    }
}

extension TableScan {
    /// A problem of the current row.
    func problem(_ message: String, _ property: String? = nil) -> StoreProblem {
        let path = table.path.dropFirst().joined(separator: ".")
        return StoreProblem(
            message, model: table.path.first, key: key, property: property ?? (path.isEmpty ? nil : path))
    }
}
