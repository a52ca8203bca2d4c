import StorageDriver

/// One property, of whatever model the store has recorded, that refers to a model's records.
package struct Referrer: Sendable {
    /// The stored name of the referring model.
    package let model: StoredName
    /// The table of the referring rows: the model's root table, or a table of its owned records.
    let table: TableSchema
    /// The columns that have the parts of the key.
    let columns: [Int]
    let rule: DeleteRule
    /// True if the rows are the elements of an array of references.
    let isElement: Bool
    /// True if the rows are such elements and belong to a type that owns itself.
    var isNumbered: Bool { isElement && table.columns.contains { $0.role == .node } }
    private let find: QueryPlan
    private let nullify: WritePlan
    private let exists: QueryPlan

    /// All references to a model, in the order of their tables, whether or not a program declares them. References that are not
    /// checked are left out.
    static func all(to target: ModelHandle, in session: any StorageSession) throws(StorageError) -> [Referrer] {
        var found: [Referrer] = []
        for table in try session.tables() {
            for reference in table.references where reference.schema.onDelete != .unchecked {
                guard reference.schema.storedModel == target.name,
                    reference.columns.count == target.tables.rootKeyCount
                else { continue }
                found.append(Referrer(table, reference, directory: target.directory))
            }
        }
        return found
    }

    private init(
        _ table: TableSchema, _ reference: (columns: [Int], schema: ReferenceSchema), directory: ModelDirectory
    ) {
        self.table = table
        self.model = table.storedPath[0]
        columns = reference.columns
        rule = reference.schema.onDelete
        isElement = reference.schema.isElement
        func plan(_ query: Query) -> QueryPlan {
            QueryPlan(id: directory.nextPlan(), query: query, table: table, tables: [table])
        }
        find = plan(Query(.columns(table.key), filter: .refers(columns, of: table, list: 0)))
        exists = plan(Query(.exists, filter: .not(.isNull(.column(columns[0])))))
        nullify =
            isElement
            ? WritePlan(id: directory.nextPlan(), operation: .delete, table: table, columns: table.key)
            : WritePlan(
                id: directory.nextPlan(), operation: .patch, table: table, columns: columns, keyColumns: table.key)
    }

    /// The property's path, for errors: `Book.author`.
    var name: String {
        let property = table.columns[columns[0]].property
        return (table.path + (isElement ? [] : [property])).joined(separator: ".")
    }

    /// The keys of the rows that refer to one of the keys.
    package func rows(_ keys: KeyList, in session: any StorageSession) throws(StorageError) -> KeyList {
        try session.rows(find, QueryArguments(lists: [keys.list])).keys(width: table.key.count)
    }

    /// The keys of the records that have the rows, each once.
    package func roots(of rows: KeyList, keyCount: Int) -> KeyList {
        KeyList(width: keyCount, rows.lazy.map { Array($0.prefix(keyCount)) }).distinct
    }

    /// Sets the reference in rows to nil, or removes the elements of an array.
    func nullify(_ rows: KeyList, in writer: any StorageWriter) throws(StorageError) {
        let keys = rows.cells
        if isElement {
            _ = try writer.write(RowBatch(plan: nullify, count: keys.count, cells: keys.cells))
            return
        }
        let nothing = ValueCells(ValueList(width: columns.count, values: columns.map { _ in .null }))
        _ = try writer.write(RowBatch(plan: nullify, count: keys.count, cells: keys.cells, values: nothing.cells))
    }

    /// A record without the elements that refer to one of the keys.
    func removing(_ keys: Set<[Value]>, from record: DynamicRecord) -> DynamicRecord {
        let elements = StoredName(table.storedPath.joined())
        let names = columns.map { table.columns[$0].property }
        var record = record
        for index in record.fields.indices {
            switch record.fields[index].content {
            case .child(let child?): record.fields[index].content = .child(removing(keys, from: child))
            case .children(let children?):
                record.fields[index].content = .children(
                    children.filter { child in
                        child.storedModel != elements || !keys.contains(names.compactMap { child.value($0) })
                    }.map { removing(keys, from: $0) })
            case .value, .child, .children: break
            }
        }
        return record
    }

    /// - Throws: `constraint` if a row of another model refers to a record.
    func requireNone(of target: ModelHandle, in session: any StorageSession) throws(StorageError) {
        guard model != target.name else { return }
        var cursor = try session.rows(exists, QueryArguments())
        guard try cursor.next(), cursor.cells[0].int != 0 else { return }
        throw StorageError(
            .constraint,
            "\(name) refers to records of \(target.name), so they cannot all go at once; truncate \(model) before, or "
                + "delete the records, which follows the references' rules.",
            model: target.name, property: name)
    }
}

extension QueryTerm {
    /// Returns the term that the columns of a reference have one of the keys of an argument list.
    package static func refers(_ columns: [Int], of table: TableSchema, list: Int) -> QueryTerm {
        columns.count == 1
            ? .isIn(.column(columns[0]), list: list, table.columns[columns[0]].type) : .isAmong(columns, list: list)
    }
}
