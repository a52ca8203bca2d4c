import Logging
import StorageDriver

/// Carries out the steps of a schema's change, inside the caller's transaction: all of them or none.
struct SchemaMigration {
    let writer: any StorageWriter
    let directory: ModelDirectory
    let logger: Logger
    let info: BackendInfo
    /// The columns that the engine keeps unique already.
    let unique: Set<UniqueColumn>

    private var checks: SchemaChecks { SchemaChecks(session: writer, unique: unique) }

    func run(_ step: SchemaStep) throws(StorageError) {
        switch step {
        case .note(let note, let table): logger.notice("\(note)", metadata: ["table": "\(table)"])
        case .requireEmpty, .requireTrue, .requireChild: try checks.check(step)
        case .change(let change, let note), .mark(let change, let note):
            try checks.check(step)
            try writer.change(change)
            logger.notice("\(note)", metadata: ["table": "\(change.table.name)"])
        case .rebuild(let old, let new, let sources, let note):
            try checks.checkUnique(sources, of: old)
            try rebuild(old, as: new, sources)
            logger.notice("\(note)", metadata: ["table": "\(new.name)"])
        }
    }

    /// Copies all rows into a table of the new schema, which then replaces the old one under its name.
    private func rebuild(_ old: TableSchema, as new: TableSchema, _ sources: [ColumnSource]) throws(StorageError) {
        let copied = Self.copiedColumns(sources)
        var temporary = new
        temporary.columns.removeSubrange(copied...)
        let names = try writer.tables().map(\.name)
        var allocator = NameAllocator(used: names, reservedPrefixes: info.reservedNamePrefixes)
        temporary.name = allocator.allocate(new.name + "_rebuilt")
        temporary.path = ["", temporary.name]
        let greatest = new.assignsKeys && old.assignsKeys ? try writer.greatestKey(in: old) : 0
        try writer.change(.create(temporary))
        try AssignedKeys(writer: writer, directory: directory).remember(greatest, in: temporary)
        try copyRows(old, to: temporary, Array(sources[..<copied]))
        try writer.change(.drop(old))
        try writer.change(.alter(from: temporary, to: new, added: sources[copied...].map { $0.missing ?? .null }))
    }

    /// Returns the number of columns that are copied. New columns at the end are added after the copy, with their
    /// values. An open store that does not know them then inserts rows with these values too (clause S11). If a new
    /// column has no value, rows can't be inserted without it.
    private static func copiedColumns(_ sources: [ColumnSource]) -> Int {
        let added = sources.reversed().prefix { $0.column == nil }
        let haveValues = added.allSatisfy { $0.to.isOptional || $0.missing?.isNull == false }
        return haveValues ? sources.count - added.count : sources.count
    }

    private func copyRows(_ old: TableSchema, to new: TableSchema, _ sources: [ColumnSource]) throws(StorageError) {
        let plan = WritePlan(
            id: directory.nextPlan(), operation: .insert, table: new, columns: Array(new.columns.indices))
        var list = ValueList(width: sources.count, values: [])
        try checks.forEachRow(of: old, sources) { (row) throws(StorageError) in
            list.values += row
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
}
