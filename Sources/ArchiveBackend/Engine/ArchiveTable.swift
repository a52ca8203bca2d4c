internal import StorageDriver
import Synchronization

/// A table's rows, its indexes, and its record in the file.
///
/// A value, as ``RowTree`` is: a copy is a snapshot.
struct ArchiveTable {
    private let definition: Definition
    private(set) var rows: RowTree
    private(set) var indexes: [ColumnIndex] = []
    /// The greatest key ever stored, if the table assigns keys.
    var greatestKey: Int64 = 0

    /// The part of a table that does not depend on its rows. All copies share one, since each commit makes some.
    private final class Definition: Sendable {
        let schema: TableSchema
        let format: RowFormat
        let missing: [Value]
        let rootKeyCount: Int
        /// Its part of the catalog, after the first request for it.
        let recorded = Mutex<[UInt8]?>(nil)

        init(_ schema: TableSchema, missing: [Value]) {
            (self.schema, self.missing) = (schema, missing)
            format = RowFormat(width: schema.columns.count)
            let owners = schema.key.prefix { schema.columns[$0].role == .owner }.count
            rootKeyCount = schema.isRoot ? schema.key.count : owners
        }
    }

    init(_ schema: TableSchema, missing: [Value]? = nil) {
        definition = Definition(schema, missing: missing ?? schema.columns.map { _ in .null })
        rows = RowTree(RowOrder(format: definition.format, columns: schema.key.map { ($0, false) }))
        for columns in schema.indexes { indexes.append(ColumnIndex(columns, of: schema, format)) }
    }

    var schema: TableSchema { definition.schema }
    var format: RowFormat { definition.format }
    /// For each column the value that records have which were written before it was added.
    var missing: [Value] { definition.missing }
    /// The number of leading key columns that form the root's key.
    var rootKeyCount: Int { definition.rootKeyCount }

    /// Returns the part of the table's ``CatalogEntry`` that does not depend on its rows, as a JSON object.
    func recordedForm() throws(StorageError) -> [UInt8] {
        try definition.recorded.withLock { (recorded) throws(StorageError) in
            if let recorded { return recorded }
            let text = try CatalogEntry.definition(schema, missing: missing)
            recorded = text
            return text
        }
    }

    /// Memory for the key of a model's root, given its tables.
    static func withKey(
        of members: [ArchiveTable], _ body: (UnsafeMutablePointer<Cell>) throws(StorageError) -> Void
    ) throws(StorageError) {
        let key = UnsafeMutablePointer<Cell>.allocate(capacity: max(members.first?.rootKeyCount ?? 0, 1))
        defer { key.deallocate() }
        try body(key)
    }

    func index(on column: Int) -> ColumnIndex? { indexes.first { $0.column == column } }

    // MARK: Writing

    /// Stores a packed row at the position that the search for its key returned, if no row has its key.
    mutating func insert(_ row: UnsafeRawPointer, at position: RowTree.Position, _ builder: RowBuilder)
        throws(StorageError)
    {
        noteKey(of: row)
        rows.insert(row, at: position)
        if !indexes.isEmpty { try addToIndexes(rows.row(key(of: row, builder)), builder) }
    }

    /// Replaces the row at the position, which has the same key.
    mutating func replace(_ row: UnsafeRawPointer, at position: RowTree.Position, _ builder: RowBuilder)
        throws(StorageError)
    {
        if indexes.isEmpty { return rows.replace(row, at: position) }
        removeFromIndexes(rows.row(at: position), builder)
        rows.replace(row, at: position)
        try addToIndexes(rows.row(key(of: row, builder)), builder)
    }

    /// Removes the rows whose keys begin with the key's first `count` columns, and returns their number.
    mutating func remove(prefix key: UnsafePointer<Cell>, count: Int, _ builder: RowBuilder) -> Int {
        var removed = 0
        while true {
            let (position, isFound) = rows.search(key, count: count)
            guard isFound else { return removed }
            if !indexes.isEmpty { removeFromIndexes(rows.row(at: position), builder) }
            rows.remove(at: position)
            removed += 1
        }
    }

    /// Stores a complete row from the file; returns false if it replaces one.
    mutating func load(_ cells: UnsafePointer<Cell>, _ builder: RowBuilder) throws(StorageError) -> Bool {
        builder.begin(width: schema.key.count)
        for (index, column) in schema.key.enumerated() { builder.key[index] = cells[column] }
        let row = try builder.pack(cells, format)
        // Compacted files have their rows in order.
        if let last = rows.lastRow, rows.order.compare(last, to: builder.key, count: schema.key.count) >= 0 {
            let (position, isFound) = rows.search(builder.key, count: schema.key.count)
            if isFound {
                try replace(row, at: position, builder)
                return false
            }
            try insert(row, at: position, builder)
        } else {
            try insert(row, at: rows.end, builder)
        }
        return true
    }

    /// Removes the rows that belong to a root, given its row's cells and where its key is in them.
    mutating func removeOwned(by root: UnsafePointer<Cell>, key: [Int], _ builder: RowBuilder) {
        builder.begin(width: key.count)
        for (index, column) in key.enumerated() { builder.key[index] = root[column] }
        _ = remove(prefix: builder.key, count: rootKeyCount, builder)
    }

    mutating func removeAll() {
        self = ArchiveTable(schema, missing: missing)
    }

    private mutating func noteKey(of row: UnsafeRawPointer) {
        guard schema.assignsKeys, let column = schema.key.first else { return }
        let cell = format.cell(column, of: row)
        if cell.tag == .int { greatestKey = max(greatestKey, cell.int) }
    }

    private func key(of row: UnsafeRawPointer, _ builder: RowBuilder) -> UnsafePointer<Cell> {
        for (index, column) in schema.key.enumerated() { builder.key[index] = format.cell(column, of: row) }
        return UnsafePointer(builder.key)
    }

    // A row that was packed in the builder has moved into the tree by now: the builder packs entries next.
    private mutating func addToIndexes(_ row: UnsafeRawPointer?, _ builder: RowBuilder) throws(StorageError) {
        guard let row else { return }
        for index in indexes.indices { try indexes[index].add(row, builder) }
    }

    private mutating func removeFromIndexes(_ row: UnsafeRawPointer, _ builder: RowBuilder) {
        for index in indexes.indices { indexes[index].remove(row, builder) }
    }

    // MARK: Schema

    /// The table with another schema. Columns that are added at the end have the given values.
    ///
    /// - Throws: `constraint` if rows have equal values of a column that is to be unique.
    func altered(to new: TableSchema, added: [Value]) throws(StorageError) -> ArchiveTable {
        var table = ArchiveTable(new, missing: missing + added)
        table.greatestKey = greatestKey
        let builder = RowBuilder()
        if added.isEmpty {
            table.rows = rows
        } else {
            let values = ValueCells(ValueList(width: added.count, values: added))
            var range = RowRange(rows)
            while let row = range.next() {
                builder.begin(width: format.width + added.count)
                for column in 0..<format.width { builder.cells[column] = format.cell(column, of: row) }
                for column in added.indices { builder.cells[format.width + column] = values.cells[column] }
                table.rows.insert(try builder.pack(table.format), at: table.rows.end)
            }
        }
        try table.fillIndexes(builder)
        return table
    }

    private mutating func fillIndexes(_ builder: RowBuilder) throws(StorageError) {
        var range = RowRange(rows)
        while !indexes.isEmpty, let row = range.next() {
            for index in indexes.indices {
                let column = indexes[index].column
                let isTaken =
                    indexes[index].isUnique
                    && indexes[index].hasOther(format.cell(column, of: row), than: key(of: row, builder))
                if isTaken { throw equalValues(schema.columns[column].property) }
                try indexes[index].add(row, builder)
            }
        }
    }

    private func equalValues(_ property: String) -> StorageError {
        StorageError(
            .constraint, "Records have equal values of \(property), which must be unique.", model: schema.path.first,
            property: property)
    }
}

extension ArchiveTable {
    /// Executes a batch and returns the number of touched rows.
    mutating func write(_ batch: borrowing RowBatch, _ builder: RowBuilder) throws(StorageError) -> Int {
        var touched = 0
        switch batch.plan.operation {
        case .insert, .upsert, .update:
            for index in 0..<batch.count { try put(batch, index, builder: builder) }
            touched = batch.count
        case .delete:
            for index in 0..<batch.count {
                touched += remove(prefix: batch.cells + index * batch.width, count: batch.width, builder)
            }
        case .patch:
            for index in 0..<batch.count { touched += try patch(batch, index, builder: builder) }
        case .truncate:
            touched = rows.count
            removeAll()
        }
        return touched
    }

    private mutating func put(
        _ batch: borrowing RowBatch, _ index: Int, builder: RowBuilder
    ) throws(StorageError) {
        let given = batch.cells + index * batch.width
        builder.begin(width: format.width)
        for (cell, column) in batch.plan.columns.enumerated() { builder.cells[column] = given[cell] }
        for (cell, column) in schema.key.enumerated() { builder.key[cell] = builder.cells[column] }
        let (position, isFound) = rows.search(builder.key, count: schema.key.count)
        if isFound {
            try checkReplacing(batch, index)
            if batch.plan.columns.count < format.width {
                keepOthers(batch.plan.columns, at: position, builder: builder)
            }
        } else if batch.plan.operation == .update {
            throw batch.error(.notFound, "No record has this key; save or insert stores it.", row: index)
        }
        try checkUnique(batch, index, builder: builder)
        let row = try packed(batch, index, builder: builder)
        if isFound {
            try replace(row, at: position, builder)
        } else {
            try insert(row, at: position, builder)
        }
    }

    private func checkReplacing(_ batch: borrowing RowBatch, _ index: Int) throws(StorageError) {
        guard batch.plan.operation == .insert else { return }
        throw batch.error(
            .duplicateKey, "A record with this key is stored already; save replaces it, update changes it.", row: index)
    }

    /// Columns that the batch does not name, like the columns of removed properties, keep their values.
    private func keepOthers(_ named: [Int], at position: RowTree.Position, builder: RowBuilder) {
        let old = rows.row(at: position)
        for column in 0..<format.width where !named.contains(column) {
            builder.cells[column] = format.cell(column, of: old)
        }
    }

    private mutating func patch(
        _ batch: borrowing RowBatch, _ index: Int, builder: RowBuilder
    ) throws(StorageError) -> Int {
        guard let values = batch.values else { return 0 }
        var count = 0
        var range = RowRange(rows, prefix: batch.cells + index * batch.width, count: batch.width)
        while let old = range.next() {
            builder.begin(width: format.width)
            for column in 0..<format.width { builder.cells[column] = format.cell(column, of: old) }
            for (cell, column) in batch.plan.columns.enumerated() { builder.cells[column] = values[cell] }
            for (cell, column) in schema.key.enumerated() { builder.key[cell] = builder.cells[column] }
            try checkUnique(batch, index, builder: builder)
            let position = rows.search(builder.key, count: schema.key.count).position
            try replace(try packed(batch, index, builder: builder), at: position, builder)
            count += 1
        }
        return count
    }

    private func packed(
        _ batch: borrowing RowBatch, _ index: Int, builder: RowBuilder
    ) throws(StorageError) -> UnsafeRawPointer {
        do {
            return try builder.pack(format)
        } catch {
            throw batch.error(error.code, error.message, row: index)
        }
    }

    private func checkUnique(
        _ batch: borrowing RowBatch, _ index: Int, builder: RowBuilder
    ) throws(StorageError) {
        for unique in indexes where unique.isUnique {
            guard unique.hasOther(builder.cells[unique.column], than: builder.key) else { continue }
            let property = schema.columns[unique.column].property
            throw batch.error(
                .constraint, "Another record has the same \(property), which is unique.", row: index
            ).property(property)
        }
    }
}
