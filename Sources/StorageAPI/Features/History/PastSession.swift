import StorageDriver

/// A store as it was after a commit: a session in which whole tables are read, in the order of their keys.
///
/// Rows of records that later commits have changed come from the history, and all others from the store. The schema is the
/// current one. Used by one thread.
final class PastSession: StorageReader {
    /// The commit after which the store was as it is read.
    let commit: Int64
    /// The models whose current records are read, because the history does not keep former ones.
    let unkept: [StoredName]
    private let reader: any StorageReader
    private let registry: ModelRegistry
    private let history: HistoryReading
    private let former: FormerSchemas
    private let entries: QueryPlan
    private var changed: [StoredName: ChangedRecords] = [:]

    /// Reads the entries of the later commits.
    ///
    /// - Parameters:
    ///   - models: the models to read; nil for all.
    ///   - unkeptAsNow: whether models whose records are not kept are read as they are now.
    /// - Throws: `configuration` if the store keeps no history; `notKept` if the moment, or the records of a model since then, are
    ///   not kept; `invalidValue` for a moment that the history has not reached, or a token of another store.
    init(
        _ models: [StoredModel]?, of store: Store, at moment: Store.Moment, in reader: any StorageReader,
        unkeptAsNow: Bool
    ) throws(StorageError) {
        history = try store.history.reading(in: reader)
        registry = store.registry
        let settings = try history.tables.settings(in: reader)
        commit = try history.commit(at: moment, settings)
        self.reader = reader
        former = try FormerSchemas(in: reader)
        let changes = history.tables.changes
        entries = registry.directory.plan(
            Query(.columns(Array(changes.columns.indices)), scope: .keys(columns: 2, list: 0)), of: changes)
        let stored = StoredModel.all(in: former.tables)
        var widths: [StoredName: Int] = [:]
        var unkept: [StoredName] = []
        for model in models ?? stored {
            if let since = settings.model(model.name)?.recordsSince, since <= commit {
                widths[model.name] = model.tables[0].key.count
            } else {
                unkept.append(model.name)
            }
        }
        self.unkept = unkept
        guard unkept.isEmpty || unkeptAsNow else {
            let names = unkept.map(\.text).joined(separator: ", ")
            throw StorageError(
                .notKept,
                "The history keeps no records of \(names) as they were after commit \(commit). Name the other models to copy, or "
                    + "take these as they are now.", model: unkept.first?.text)
        }
        changed = try ChangedRecords.after(
            commit, of: widths, stored: Set(stored.map(\.name)), isWhole: models == nil, in: history)
    }

    /// The time of the commit in seconds since the reference date; nil if it is not kept.
    var time: Double? { get throws(StorageError) { try history.commit(commit)?.time } }

    // MARK: StorageReader

    func tables() throws(StorageError) -> [TableSchema] { try reader.tables() }

    /// The current greatest key: no key that was assigned since is assigned again.
    func greatestKey(in table: TableSchema) throws(StorageError) -> Int64 { try reader.greatestKey(in: table) }

    /// - Throws: `unsupported` for any query but a whole table's rows and, as they are now, their number.
    func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        let rows = try reader.rows(plan, arguments)
        guard let records = changed[plan.table.storedPath[0]], !records.records.isEmpty else { return rows }
        switch plan.query {
        case Query(.count): return rows
        case Query(.columns(Array(plan.table.columns.indices))):
            return PastRows.cursor(rows, of: plan, replacing: records) { (indices) throws(StorageError) in
                try self.rows(of: records, indices, plan)
            }
        default: throw StorageError(.unsupported, "A former state of a store is read table by table.")
        }
    }

    func end() {}

    // MARK: Former records

    /// The rows that some records had in a table.
    private func rows(
        of records: ChangedRecords, _ indices: Range<Int>, _ plan: QueryPlan
    ) throws(StorageError) -> [[[Value]]] {
        let there = indices.filter { records.records[$0].place > 0 }
        let places = there.map { [Value.int(records.records[$0].commit), .int(records.records[$0].place)] }
        var rows = [[[Value]]](repeating: [], count: indices.count)
        guard !there.isEmpty else { return rows }
        var changes: [[Value]: HistoryChange] = [:]
        var cursor = try reader.rows(entries, QueryArguments(lists: [KeyList(width: 2, places).list]))
        while try cursor.next() {
            let change = try HistoryChange(cursor.cells)
            changes[[.int(change.commit), .int(change.place)]] = change
        }
        let handle = try registry.whole(records.model, in: reader)
        let defaults = registry.defaults(of: records.model)
        for (index, place) in zip(there, places) {
            guard let change = changes[place], let image = change.before else {
                throw StorageError(.corrupt, "An entry of the store's history is missing; restore a backup.")
            }
            let session = try ImageSession(
                image, key: records.key(of: index), handle.tables, defaults: defaults, since: former.since(change))
            var cursor = try session.rows(plan, QueryArguments())
            while try cursor.next() {
                rows[index - indices.lowerBound].append(plan.table.columns.indices.map { cursor.cells[$0].value })
            }
        }
        return rows
    }
}
