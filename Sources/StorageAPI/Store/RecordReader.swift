/// Reads whole records without their types: the roots' rows, then one query for each owned table, put together from the
/// innermost out.
struct RecordReader {
    private let reading: Reading
    private let model: RecordedModel

    /// The owned records so far, by table and by the leading values that they share with their owner.
    private typealias Owned = [Int: [[Value]: [Record]]]
    /// The records of types that own themselves, by their owner's leading values and number, then by property.
    private typealias Nodes = [[Value]: [String: [Record]]]

    init(_ reading: Reading, _ model: RecordedModel) {
        self.reading = reading
        self.model = model
    }

    private var tables: [TableBinding] { model.tables.tables }

    func records(_ selection: Selection) throws(StorageError) -> [Record] {
        let root = model.tables.root
        let (plan, arguments) = try reading.handle.plan(selection, .columns(root.columns))
        let roots = try rows(plan, arguments, root)
        let keys = roots.map { row in root.keyCells.map { row[$0] } }
        let list = ValueList(width: model.tables.rootKeyCount, values: keys.flatMap { $0 })
        var owned: Owned = [:]
        var nodes: [Int: Nodes] = [:]
        let rowsOf = try roots.isEmpty ? [:] : self.rows(ownedBy: list)
        for (entry, rows) in nodeRows(rowsOf) { nodes[entry] = attach(rows) }
        for table in tables.dropFirst().reversed() where table.form == .child {
            for row in rowsOf[table.index] ?? [] {
                let ownerWidth = model.owners[table.index].map { width(of: $0) } ?? 0
                let record = record(row, table, Array(row.prefix(table.prefixCount)), owned, nodes[table.index])
                owned[table.index, default: [:]][Array(row.prefix(ownerWidth)), default: []].append(record)
            }
        }
        return zip(roots, keys).map { row, key in record(row, root, key, owned, nodes[0]) }
    }

    /// How many leading values name a row of a table.
    private func width(of table: Int) -> Int {
        table == 0 ? model.tables.rootKeyCount : tables[table].prefixCount
    }

    // MARK: Rows

    private func rows(ownedBy keys: ValueList) throws(StorageError) -> [Int: [[Value]]] {
        var rows: [Int: [[Value]]] = [:]
        for table in tables.dropFirst() {
            let scope = Query.Scope.keys(columns: keys.width, list: 0)
            let plan = reading.handle.plan(rowsOf: table.index, scope)
            rows[table.index] = try self.rows(plan, QueryArguments(lists: [keys]), table)
        }
        return rows
    }

    private func rows(
        _ plan: QueryPlan, _ arguments: QueryArguments, _ table: TableBinding
    ) throws(StorageError) -> [[Value]] {
        var cursor = try reading.session.rows(plan, arguments)
        let context = RowContext(model: model.tables, table: table)
        var rows: [[Value]] = []
        while try cursor.next() {
            var row: [Value] = []
            for cell in table.columns.indices {
                // The dynamic form carries any value, and would repair text that is not UTF-8.
                let column = table.schema.columns[table.columns[cell]]
                guard ColumnCheck(column).problem(cursor.cells[cell]) == nil else {
                    throw context.mismatch(at: cell, of: cursor.cells, wanted: "\(column.type)", because: nil)
                }
                row.append(cursor.cells[cell].value)
            }
            rows.append(row)
        }
        return rows
    }

    // MARK: Types that own themselves

    private struct NodeRow {
        let table: TableBinding
        let row: [Value]

        var group: [Value] { Array(row.prefix(table.groupCount)) }
        var number: Value { row[table.groupCount] }
        var parent: Value { row[table.groupCount + 1] }
    }

    /// The rows below each place where a recursion begins.
    private func nodeRows(_ rows: [Int: [[Value]]]) -> [Int: [NodeRow]] {
        var nodes: [Int: [NodeRow]] = [:]
        for table in tables where table.form == .node {
            guard let entry = model.owners[table.index] else { continue }
            nodes[entry, default: []] += (rows[table.index] ?? []).map { NodeRow(table: table, row: $0) }
        }
        return nodes
    }

    /// Puts records to their owners. A record's number is greater than its owner's, so from the last on all that a
    /// record owns is there before it.
    private func attach(_ rows: [NodeRow]) -> Nodes {
        var nodes: Nodes = [:]
        for node in rows.sorted(by: { $0.number > $1.number }) {
            let own = nodes.removeValue(forKey: node.group + [node.number]) ?? [:]
            var fields = scalars(node.row, node.table)
            fields += own.sorted { $0.key < $1.key }.map { Record.Field(name: $0.key, content: .children($0.value)) }
            let record = Record(model: name(of: node.table), fields: fields)
            nodes[node.group + [node.parent], default: [:]][node.table.schema.path.last ?? "", default: []]
                .insert(record, at: 0)
        }
        return nodes
    }

    // MARK: Records

    private func record(
        _ row: [Value], _ table: TableBinding, _ key: [Value], _ owned: Owned, _ nodes: Nodes?
    ) -> Record {
        var fields = scalars(row, table)
        for relation in table.relations {
            let children = owned[relation.target]?[key] ?? []
            let content: Record.Content =
                relation.isMany
                ? .children(isPresent(relation, row, table) ? children : nil) : .child(children.first)
            fields.append(Record.Field(name: relation.storedProperty, content: content))
        }
        for (name, children) in (nodes?[key + [.int(0)]] ?? [:]).sorted(by: { $0.key < $1.key }) {
            fields.append(Record.Field(name: name, content: .children(children)))
        }
        return Record(model: name(of: table), fields: fields)
    }

    private func scalars(_ row: [Value], _ table: TableBinding) -> [Record.Field] {
        zip(table.columns, row).compactMap { column, value in
            let schema = table.schema.columns[column]
            return schema.role == .property
                ? Record.Field(name: schema.property, content: .value(value, schema.type)) : nil
        }
    }

    private func isPresent(_ relation: RelationBinding, _ row: [Value], _ table: TableBinding) -> Bool {
        let presence = zip(table.columns, row).first { column, _ in
            table.schema.columns[column].role == .presence
                && table.schema.columns[column].property == relation.storedProperty
        }
        return presence.map { $0.1 == .int(1) } ?? true
    }

    private func name(of table: TableBinding) -> String { table.schema.path.joined(separator: ".") }
}
