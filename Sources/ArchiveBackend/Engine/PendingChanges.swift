internal import StorageDriver

/// The changes of a transaction so far, relative to the last commit. A savepoint keeps a copy.
final class PendingChanges {
    // Exclusivity is not checked at run time: no access to these lasts beyond one call of this class, and none of its
    // methods calls out.

    /// The tables as the transaction sees them.
    @exclusivity(unchecked) private(set) var tables: ArchiveTables
    /// The tables as a reader of the file would have them before this commit's records: the last commit's, with the
    /// changes of the schema and without the rows of truncated models.
    @exclusivity(unchecked) private(set) var base: ArchiveTables
    /// True if the commit must contain the catalog.
    @exclusivity(unchecked) private(set) var changesSchema = false
    /// The root tables of models whose records before this commit count no more.
    @exclusivity(unchecked) private(set) var truncated: Set<String> = []
    /// True if appended records cannot express the commit, because the meaning of earlier entries has changed.
    @exclusivity(unchecked) private(set) var needsRewrite = false

    init(_ tables: ArchiveTables) {
        self.tables = tables
        base = tables
    }

    init(copying other: PendingChanges) {
        (tables, base) = (other.tables, other.base)
        (changesSchema, truncated, needsRewrite) = (other.changesSchema, other.truncated, other.needsRewrite)
    }

    // MARK: Schema

    func apply(_ change: TableChange) throws(StorageError) {
        changesSchema = true
        switch change {
        case .create(let schema):
            tables.add(ArchiveTable(schema))
            base.add(ArchiveTable(schema))
        case .drop(let schema):
            needsRewrite = needsRewrite || base[schema.name].map { !$0.rows.nodes.isEmpty } ?? false
            tables.remove(schema.name)
            base.remove(schema.name)
        case .alter(let old, let new, let added): try alter(old, to: new, added: added)
        }
    }

    private func alter(
        _ old: TableSchema, to new: TableSchema, added: [Value]
    ) throws(StorageError) {
        let table = try tables.table(old)
        let altered = try table.altered(to: new, added: added)
        tables.replace(old.name, by: altered)
        if !Self.keepsNames(old, new) { needsRewrite = true }
        if let before = base[old.name], before.rows.isSame(as: table.rows) {
            base.replace(old.name, by: altered)
        } else {
            needsRewrite = true
        }
    }

    /// Returns whether earlier records use the names for values that the new table uses.
    private static func keepsNames(_ old: TableSchema, _ new: TableSchema) -> Bool {
        old.hasNames(of: new) && old.key == new.key && zip(old.columns, new.columns).allSatisfy { $0.type == $1.type }
    }

    // MARK: Rows

    func write(
        _ batch: borrowing RowBatch, _ builder: RowBuilder, noting written: WrittenKeys
    ) throws(StorageError) -> Int {
        let schema = batch.plan.table
        if batch.plan.operation == .truncate, schema.isRoot { forget(schema) }
        var touched = 0
        try tables.change(schema.name) { (table) throws(StorageError) in
            written.note(batch, of: table)
            touched = try table.write(batch, builder)
        }
        return touched
    }

    /// Removes all records of a model from the known contents of the file.
    private func forget(_ root: TableSchema) {
        truncated.insert(root.name)
        for table in base.list where table.schema.isOfModel(root) {
            base.replace(table.schema.name, by: ArchiveTable(table.schema, missing: table.missing))
        }
    }
}
