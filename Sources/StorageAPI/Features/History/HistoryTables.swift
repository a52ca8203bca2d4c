import StorageDriver

/// The store's own tables of its history, and the plans on them.
///
/// They are roots whose names begin with a NUL, which no model's name has, and nothing lists them as models.
final class HistoryTables: Sendable {
    let settings: TableSchema
    let commits: TableSchema
    let changes: TableSchema

    let readSettings: QueryPlan
    let writeSettings: WritePlan
    let lastCommit: QueryPlan
    let firstCommit: QueryPlan
    let commit: QueryPlan
    let commitsByKey: QueryPlan
    /// All commits, the oldest first.
    let allCommits: QueryPlan
    let addCommit: WritePlan
    let putCommit: WritePlan
    let removeCommits: WritePlan
    let addChanges: WritePlan
    let setKinds: WritePlan
    let removeChanges: WritePlan
    /// The changes of one commit after a place.
    let changesOfCommit: QueryPlan
    /// The changes of later commits.
    let changesAfter: QueryPlan
    /// The same, of one model.
    let modelChangesOfCommit: QueryPlan
    let modelChangesAfter: QueryPlan
    /// The first change of one record after a commit.
    let firstChange: QueryPlan
    /// The keys of the changes of commits before one.
    let changesBefore: QueryPlan

    /// The tables of a store; nil if it has none.
    convenience init?(in tables: [TableSchema], _ directory: ModelDirectory) {
        func table(_ name: String) -> TableSchema? { tables.first { $0.path == ["\u{0}" + name] } }
        guard let settings = table("settings"), let commits = table("commits"), let changes = table("changes") else {
            return nil
        }
        self.init(settings: settings, commits: commits, changes: changes, directory)
    }

    init(settings: TableSchema, commits: TableSchema, changes: TableSchema, _ directory: ModelDirectory) {
        (self.settings, self.commits, self.changes) = (settings, commits, changes)
        func read(_ table: TableSchema, _ query: Query) -> QueryPlan {
            QueryPlan(id: directory.nextPlan(), query: query, table: table, tables: [table])
        }
        func write(_ table: TableSchema, _ operation: WriteOperation, _ columns: [Int]? = nil) -> WritePlan {
            WritePlan(
                id: directory.nextPlan(), operation: operation, table: table,
                columns: columns ?? Array(table.columns.indices))
        }
        readSettings = read(settings, Query(.columns([1])))
        writeSettings = write(settings, .insert)

        let header = Query.Result.columns(Array(commits.columns.indices))
        // Their numbers are stored as negative ones: the first in key order is the last commit, which every write asks for.
        let oldestFirst = Query.SortKey(term: .column(0), type: .int64, isDescending: true)
        lastCommit = read(commits, Query(header).limited)
        firstCommit = read(commits, Query(header, order: [oldestFirst]).limited)
        allCommits = read(commits, Query(header, order: [oldestFirst]))
        commit = read(commits, Query(header, scope: .key(columns: 1)))
        commitsByKey = read(commits, Query(header, scope: .keys(columns: 1, list: 0)))
        addCommit = write(commits, .insert)
        putCommit = write(commits, .upsert)
        removeCommits = write(commits, .delete, [0])

        let row = Query.Result.columns(Array(changes.columns.indices))
        func compared(_ comparison: Comparison, _ column: Int, _ argument: Int, _ type: ColumnType) -> QueryTerm {
            .comparison(comparison, .column(column), .argument(argument), type)
        }
        let ofModel = compared(.equal, 2, 1, .string)
        let later = compared(.greater, 0, 0, .int64)
        // The arguments of a scope come first.
        let laterPlace = compared(.greater, 1, 1, .int64)
        addChanges = write(changes, .insert)
        setKinds = write(changes, .update, [0, 1, 3])
        removeChanges = write(changes, .delete, [0, 1])
        changesOfCommit = read(changes, Query(row, scope: .key(columns: 1), filter: laterPlace).limited)
        changesAfter = read(changes, Query(row, filter: later).limited)
        modelChangesOfCommit = read(
            changes,
            Query(row, scope: .key(columns: 1), filter: .and([laterPlace, compared(.equal, 2, 2, .string)])).limited)
        modelChangesAfter = read(changes, Query(row, filter: .and([later, ofModel])).limited)
        let ofRecord = QueryTerm.or([
            compared(.equal, 4, 2, .data), compared(.equal, 3, 3, .int64),
        ])
        firstChange = read(changes, Query(row, filter: .and([later, ofModel, ofRecord])).limited)
        changesBefore = read(changes, Query(.columns([0, 1]), filter: compared(.less, 0, 0, .int64)).limited)
    }

    /// Makes the tables in a store that has none.
    static func make(in writer: any StorageWriter, _ directory: ModelDirectory) throws(StorageError) -> HistoryTables {
        // No prefix is reserved here: it is reserved for the store, and these tables are the store's own.
        var names = NameAllocator(used: try writer.tables().map(\.name), reservedPrefixes: [])
        func table(_ name: String, key: [Int], _ columns: [ColumnSchema]) throws(StorageError) -> TableSchema {
            let table = TableSchema(
                name: names.allocate("storage_history_" + name), path: ["\u{0}" + name], columns: columns, key: key)
            try writer.change(.create(table))
            return table
        }
        func column(_ name: String, _ type: ColumnType, isOptional: Bool = false) -> ColumnSchema {
            ColumnSchema(name: name, property: name, type: type, isOptional: isOptional)
        }
        return HistoryTables(
            settings: try table("settings", key: [0], [column("id", .int64), column("settings", .string)]),
            commits: try table(
                "commits", key: [0],
                [
                    column("number", .int64), column("time", .date), column("author", .string, isOptional: true),
                    column("note", .string, isOptional: true),
                ]),
            changes: try table(
                "changes", key: [0, 1],
                [
                    column("commit", .int64), column("place", .int64), column("model", .string), column("kind", .int64),
                    column("key", .data), column("record", .data, isOptional: true),
                ]),
            directory)
    }
}

extension Query {
    fileprivate var limited: Query {
        var query = self
        query.isLimited = true
        return query
    }
}
