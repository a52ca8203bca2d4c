package import StorageDriver

/// Turns models into the rows of their tables and back, without a store: for file formats of whole records.
///
/// The same code as in a ``Store`` encodes and checks models, so everything that a store refuses is refused here. One
/// thread at a time may use it.
package final class ModelRows<Model: Storable> {
    package let handle: ModelHandle
    let limits = BackendInfo.Limits()
    private let declared: DeclaredTables

    /// - Throws: `configuration` for a model that cannot be stored.
    package convenience init(_: Model.Type = Model.self) throws(StorageError) {
        try self.init(DeclaredTables(Model.self))
    }

    private init(_ declared: DeclaredTables) throws(StorageError) {
        self.declared = declared
        handle = try ModelHandle(ModelTables(new: declared), directory: ModelDirectory())
    }

    /// The model's tables, the root's first.
    package var tables: [TableSchema] { handle.tables.tables.map(\.schema) }

    /// For each table and column, the value of rows that were written before the property existed: the property's
    /// default, or null.
    package func defaults() throws(StorageError) -> [[Value]] {
        var defaults: [[Value]] = []
        for (table, binding) in zip(declared.tables, handle.tables.tables) {
            var values = [Value](repeating: .null, count: binding.schema.columns.count)
            var cell = binding.prefixCount
            for member in table.members {
                for column in member.columns {
                    values[binding.columns[cell]] = try Self.initial(member, column, model: table.model.name)
                    cell += 1
                }
            }
            defaults.append(values)
        }
        return defaults
    }

    private static func initial(
        _ member: DeclaredTables.Member, _ column: ColumnSchema, model: StoredName
    ) throws(StorageError) -> Value {
        if column.role == .presence { return .int(0) }
        do {
            return try member.property.defaultValue?() ?? .null
        } catch {
            throw StorageError(
                .invalidValue, "The property's default cannot be encoded: \(error)", model: model,
                property: member.property.name)
        }
    }

    // MARK: Writing

    /// Calls the body with each model's rows, one ``TableRows`` for each of ``tables``, valid until it returns.
    ///
    /// - Throws: `missingKey`, `invalidValue` or `limitExceeded` with the model's index; errors of the body.
    package func write(
        _ models: [Model], _ body: (UnsafeBufferPointer<TableRows>) throws(StorageError) -> Void
    ) throws(StorageError) {
        // Models of one key never share a batch, so each row's root is known by its key.
        var rows = RowCollector(GraphWriter(handle.tables, limits: limits), replaces: true)
        var index = 0
        while index < models.count {
            let first = index
            do throws(StorageError) {
                index = try Model.write(models, from: index, into: &rows)
            } catch {
                throw error.with { $0.element = first + rows.count }
            }
            try split(rows.graph, body)
            rows.removeAll()
        }
    }

    private func split(
        _ graph: GraphWriter, _ body: (UnsafeBufferPointer<TableRows>) throws(StorageError) -> Void
    ) throws(StorageError) {
        var starts = [Int](repeating: 0, count: graph.buffers.count)
        var rows: [TableRows] = []
        for root in 0..<graph.buffers[0].count {
            rows.removeAll(keepingCapacity: true)
            let owner = UnsafePointer(graph.buffers[0].row(root))
            rows.append(TableRows(cells: owner, count: 1))
            for table in handle.tables.tables.dropFirst() {
                let buffer = graph.buffers[table.index]
                let start = starts[table.index]
                var end = start
                while end < buffer.count, isOwned(buffer.row(end), by: owner) { end += 1 }
                starts[table.index] = end
                rows.append(TableRows(cells: UnsafePointer(buffer.row(start)), count: end - start))
            }
            try rows.withUnsafeBufferPointer { (rows) throws(StorageError) in try body(rows) }
        }
    }

    private func isOwned(_ row: UnsafeMutablePointer<Cell>, by root: UnsafePointer<Cell>) -> Bool {
        ChildRows.order(UnsafePointer(row), to: root, of: handle.tables.root) == .same
    }

    // MARK: Reading

    /// Collects rows until they are read as models.
    package final class Reader {
        // Exclusivity is not checked at run time: no access to these lasts beyond one statement of this class.
        private let rows: ModelRows
        @exclusivity(unchecked) private var records: RecordBatch
        /// The models of the rows so far, without the ones that ``finish()`` completes.
        @exclusivity(unchecked) package private(set) var models: [Model] = []

        fileprivate init(_ rows: ModelRows) {
            self.rows = rows
            records = RecordBatch(rows.handle.tables)
        }

        /// Adds the rows of one record, one ``TableRows`` for each table. They are copied.
        ///
        /// - Throws: `typeMismatch` if a value does not fit its property.
        package func add(_ record: UnsafeBufferPointer<TableRows>) throws(StorageError) {
            if try !records.add(record) {
                try flush()
                _ = try records.add(record)
            }
        }

        /// Reads the rest.
        package func finish() throws(StorageError) -> [Model] {
            try flush()
            return models
        }

        private func flush() throws(StorageError) {
            let session = RowsSession(rows.tables, records.buffers)
            try RecordReader(handle: rows.handle, session: session).all(Selection(), into: &models)
            records = RecordBatch(rows.handle.tables)
        }
    }

    /// A reader for rows that come record by record.
    package func reader() -> Reader { Reader(self) }
}

extension ModelRows where Model == DynamicRecord {
    /// For records of a schema.
    ///
    /// - Throws: `configuration` for a schema that cannot be stored.
    package convenience init(_ schema: RecordSchema) throws(StorageError) {
        try self.init(DeclaredTables(schema))
    }
}

/// Copies of records' rows, as many as are decoded at once. Not generic, since it runs for each record.
private struct RecordBatch {
    private(set) var buffers: [BufferedRows]
    private let tables: ModelTables
    /// The number of cells of a row, for each table.
    private let widths: [Int]
    private var lastKey: [Value] = []

    private static let most = 256

    init(_ tables: ModelTables) {
        self.tables = tables
        widths = tables.tables.map(\.schema.columns.count)
        buffers = tables.tables.map { BufferedRows(width: $0.columns.count) }
    }

    /// Adds the rows of a record; returns false if the current rows must be read first.
    mutating func add(_ record: UnsafeBufferPointer<TableRows>) throws(StorageError) -> Bool {
        guard record.count == buffers.count else {
            throw StorageError(.corrupt, "A record has rows of another number of tables than its model.")
        }
        if buffers[0].count == Self.most { return false }
        // Children are read together with their owners, which must be in key order.
        if tables.hasChildren {
            let key = tables.root.keyCells.map { record[0].cells[$0].value }
            if !lastKey.isEmpty, !lastKey.lexicographicallyPrecedes(key) { return false }
            lastKey = key
        }
        for (index, table) in record.enumerated() {
            for row in 0..<table.count { buffers[index].add(table.cells + row * widths[index]) }
        }
        return true
    }
}

/// Rows in memory as a session: every query is for all of them.
final class RowsSession: StorageSession {
    private let schemas: [TableSchema]
    private let buffers: [BufferedRows]

    init(_ schemas: [TableSchema], _ buffers: [BufferedRows]) { (self.schemas, self.buffers) = (schemas, buffers) }

    func tables() -> [TableSchema] { schemas }

    func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        guard let table = schemas.firstIndex(where: { $0.storedPath == plan.table.storedPath }) else {
            throw StorageError(.io, "The rows of \(plan.table.name) are not in memory.")
        }
        return buffers[table].cursor(Array(0..<buffers[table].count))
    }

    /// Rows in memory do not remember other keys.
    func greatestKey(in table: TableSchema) -> Int64 { 0 }
}
