import StorageDriver
import Synchronization

/// A prepared model of an open store: its tables and their plans.
@usableFromInline
package final class ModelHandle: Sendable {
    package let tables: ModelTables
    let directory: ModelDirectory
    private let shapes = Mutex(RecentlyUsed<Shape, QueryPlan>(maximum: maximumPlans))
    private let patches = Mutex(RecentlyUsed<[Int], WritePlan>(maximum: maximumPlans))
    private let knownReferrers = Mutex<(version: Int, list: [Referrer])?>(nil)
    /// A graph writer that the last write has left.
    private let spareGraphWriter = Mutex<GraphWriter?>(nil)

    private struct Shape: Hashable {
        let table: Int
        let query: Query
        /// The tables of other models, by their names.
        let others: [String]
    }

    /// The maximum number of remembered shapes of a model's queries, and of its partial updates. A program has dozens.
    private static let maximumPlans = 1000

    private let wholeRows: [TableReads]
    private let wholeWrites: [TableWrites]
    /// The writes that remove rows of recorded, undeclared tables.
    let undeclaredWrites: [(delete: WritePlan, truncate: WritePlan)]
    /// The undeclared data that a save must preserve; nil without any.
    let kept: UndeclaredTables?
    /// The error that keeps the model out of transactions: another process has changed its tables, and it no longer
    /// fits.
    let refusal: StorageError?

    /// True if the records can only be read.
    let isReadOnly: Bool

    /// The plan for one record's root row.
    let rowOfKey: QueryPlan
    /// The reader of rows of a model without children; nil for other models, for which each query reads children too.
    ///
    /// Shared by all threads, because a context without children is never written, except for its record fields. These
    /// are made before any other thread has the context.
    nonisolated(unsafe) let plainRows: RowContext?

    /// - Throws: as ``UndeclaredTables``.
    package convenience init(_ tables: ModelTables, directory: ModelDirectory) throws(StorageError) {
        self.init(
            tables, directory: directory, kept: try UndeclaredTables(tables, directory: directory),
            undeclared: tables.undeclared)
    }

    /// The model with new plans, since tables of other models that they touch have changed.
    func replanned() -> ModelHandle {
        return ModelHandle(
            tables, directory: directory, kept: kept, undeclared: tables.undeclared, refusal: refusal)
    }

    /// Rebinds the model to the current tables, which another process may have changed.
    func compared(with recorded: [TableSchema], directory: ModelDirectory) -> ModelHandle {
        do throws(StorageError) {
            let now = try tables.rebound(to: recorded)
            return ModelHandle(
                tables.bound(like: now), directory: directory,
                kept: try UndeclaredTables(now, directory: directory), undeclared: now.undeclared)
        } catch {
            return ModelHandle(tables, directory: directory, kept: nil, undeclared: [], refusal: error)
        }
    }

    private init(
        _ tables: ModelTables, directory: ModelDirectory, kept: UndeclaredTables?, undeclared: [TableSchema],
        refusal: StorageError? = nil
    ) {
        (self.kept, self.refusal) = (kept, refusal)
        self.tables = tables
        isReadOnly = tables.root.schema.isReadOnly
        self.directory = directory
        let keyCount = tables.rootKeyCount
        let schemas = tables.tables.map(\.schema)
        let root = TableReads(tables.root, schemas, keyCount: keyCount, directory: directory)
        wholeRows =
            [root] + tables.tables.dropFirst().map { TableReads($0, schemas, keyCount: keyCount, directory: directory) }
        rowOfKey = root.key
        plainRows = tables.hasChildren ? nil : RowContext(model: tables, table: tables.root)
        _ = plainRows?.recordFields
        wholeWrites = tables.tables.map { TableWrites($0, keyCount: keyCount, directory: directory) }
        undeclaredWrites = undeclared.map { table in
            let key = Array(table.key.prefix(keyCount))
            return (
                WritePlan(id: directory.nextPlan(), operation: .delete, table: table, columns: key),
                WritePlan(id: directory.nextPlan(), operation: .truncate, table: table, columns: [])
            )
        }
    }

    package var name: StoredName { tables.name }

    /// The plan for a shape. It is the same each time, unless many others were used since.
    ///
    /// - Parameter others: the tables of other models that it touches.
    package func plan(_ query: Query, table: Int = 0, others: [TableSchema] = []) -> QueryPlan {
        shapes.withLock { shapes in
            shapes.value(Shape(table: table, query: query, others: others.map(\.name))) { oldest in
                QueryPlan(
                    id: oldest?.id ?? directory.nextPlan(), query: query, table: tables.tables[table].schema,
                    tables: tables.tables.map(\.schema) + others)
            }
        }
    }

    /// All cells that a model reads from a table, of all roots, of one, or of a list of them.
    package func plan(rowsOf table: Int = 0, _ scope: Query.Scope) -> QueryPlan {
        switch scope {
        case .all: wholeRows[table].all
        case .key: wholeRows[table].key
        case .keys: wholeRows[table].keys
        }
    }

    /// The plan for writing or removing whole rows of a table.
    package func plan(_ operation: WriteOperation, table: Int = 0) -> WritePlan {
        switch operation {
        case .insert: wholeWrites[table].insert
        case .upsert: wholeWrites[table].upsert
        case .update: wholeWrites[table].update
        case .delete: wholeWrites[table].delete
        case .truncate: wholeWrites[table].truncate
        case .patch: plan(setting: [])
        }
    }

    /// The plan for removing single elements of an array of references, by their whole keys.
    func planOfElements(_ table: Int) -> WritePlan { wholeWrites[table].deleteElement ?? wholeWrites[table].delete }

    /// Returns the references to the model's records, as found at this version of the known models.
    func referrers(
        at version: Int, _ find: () throws(StorageError) -> [Referrer]
    ) throws(StorageError) -> [Referrer] {
        if let known = knownReferrers.withLock({ $0 }), known.version == version { return known.list }
        let list = try find()
        knownReferrers.withLock { $0 = (version, list) }
        return list
    }

    /// A graph writer for one write. Making one takes as long as writing a small model.
    func takeGraphWriter(_ limits: BackendInfo.Limits) -> GraphWriter {
        spareGraphWriter.withLock { $0.take() } ?? GraphWriter(tables, limits: limits)
    }

    /// Keeps a graph writer for the next write. Don't give back a writer that has failed.
    func giveBack(_ graph: GraphWriter) {
        guard graph.isSmall else { return }
        spareGraphWriter.withLock { $0 = graph }
    }

    /// The plan for setting some columns of the root.
    func plan(setting columns: [Int]) -> WritePlan {
        patches.withLock { patches in
            patches.value(columns) { oldest in
                WritePlan(
                    id: oldest?.id ?? directory.nextPlan(), operation: .patch, table: tables.root.schema,
                    columns: columns,
                    keyColumns: tables.root.schema.key)
            }
        }
    }

    /// The plan for updating some columns of the root's rows, each row with separate values.
    ///
    /// - Parameter columns: the key's columns first, which no patch sets, so that the two kinds share one list of
    ///   plans.
    func plan(updating columns: [Int]) -> WritePlan {
        patches.withLock { patches in
            patches.value(columns) { oldest in
                WritePlan(
                    id: oldest?.id ?? directory.nextPlan(), operation: .update, table: tables.root.schema,
                    columns: columns)
            }
        }
    }
}

/// The plans that read a table's rows whole: all, one root's, several roots'.
private struct TableReads {
    let all: QueryPlan
    let key: QueryPlan
    let keys: QueryPlan

    init(_ table: TableBinding, _ tables: [TableSchema], keyCount: Int, directory: ModelDirectory) {
        func plan(_ scope: Query.Scope) -> QueryPlan {
            QueryPlan(
                id: directory.nextPlan(), query: Query(.columns(table.columns), scope: scope), table: table.schema,
                tables: tables
            )
        }
        all = plan(.all)
        key = plan(.key(columns: keyCount))
        keys = plan(.keys(columns: keyCount, list: 0))
    }
}

/// The plans of the writes that take or remove whole rows of a table.
private struct TableWrites {
    let insert: WritePlan
    let upsert: WritePlan
    let update: WritePlan
    let delete: WritePlan
    let truncate: WritePlan
    /// Deletes one element; nil for anything but arrays of references.
    let deleteElement: WritePlan?

    init(_ table: TableBinding, keyCount: Int, directory: ModelDirectory) {
        func plan(_ operation: WriteOperation, _ columns: [Int]) -> WritePlan {
            WritePlan(id: directory.nextPlan(), operation: operation, table: table.schema, columns: columns)
        }
        insert = plan(.insert, table.columns)
        upsert = plan(.upsert, table.columns)
        update = plan(.update, table.columns)
        delete = plan(.delete, Array(table.schema.key.prefix(keyCount)))
        truncate = plan(.truncate, [])
        deleteElement = table.element.map { _ in plan(.delete, table.schema.key) }
    }
}
