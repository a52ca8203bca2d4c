import StorageDriver
import Synchronization

/// The tables in which the store keeps its history, and the plans on them.
///
/// They are roots whose names begin with a NUL, which no model's name has, and they are never listed as models.
final class HistoryTables: Sendable {
    let settings: TableSchema
    let commits: TableSchema
    let changes: TableSchema

    /// True if a version of the library made them that recorded no origins and no changes by rules; see ``HistoryFormat``.
    let isFirstFormat: Bool

    let readSettings: QueryPlan
    let lastSettings = Mutex<(text: String, settings: HistorySettings)?>(nil)
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
    /// Changes by their commits and places.
    let changesByKey: QueryPlan
    /// The places, models, kinds and keys of the changes of a model's records with some keys, or of all its records, in later
    /// commits.
    let laterKeys: QueryPlan
    /// The places, models, kinds and keys of all changes in later commits.
    let keysAfter: QueryPlan

    /// The tables of a store; nil if the store lacks them.
    convenience init?(in tables: [TableSchema], _ directory: ModelDirectory) {
        guard let settings = HistorySettings.table.find(in: tables), let commits = CommitRow.table.find(in: tables),
            let changes = HistoryChange.table.find(in: tables)
        else { return nil }
        self.init(settings: settings, commits: commits, changes: changes, directory)
    }

    init(settings: TableSchema, commits: TableSchema, changes: TableSchema, _ directory: ModelDirectory) {
        (self.settings, self.commits, self.changes) = (settings, commits, changes)
        isFirstFormat = CommitRow.isFirstFormat(commits)
        // The row is the only one, and a bounded query needs no cursor at a server.
        readSettings = directory.plan(Query(.columns([1])).limited, of: settings)

        let header = Query.Result.columns(Array(commits.columns.indices))
        // In key order the last commit is the first.
        let oldestFirst = Query.SortKey(term: .column(0), type: .int64, isDescending: true)
        lastCommit = directory.plan(Query(header).limited, of: commits)
        firstCommit = directory.plan(Query(header, order: [oldestFirst]).limited, of: commits)
        allCommits = directory.plan(Query(header, order: [oldestFirst]), of: commits)
        commit = directory.plan(Query(header, scope: .key(columns: 1)), of: commits)
        commitsByKey = directory.plan(Query(header, scope: .keys(columns: 1, list: 0)), of: commits)
        addCommit = directory.plan(.insert, of: commits)
        putCommit = directory.plan(.upsert, of: commits)
        removeCommits = directory.plan(.delete, of: commits, columns: [0])

        let row = Query.Result.columns(Array(changes.columns.indices))
        func column(_ column: Int, _ comparison: Comparison, argument: Int, type: ColumnType = .int64) -> QueryTerm {
            .comparison(comparison, .column(column), .argument(argument), type)
        }
        let ofModel = column(2, .equal, argument: 1, type: .string)
        let later = column(0, .greater, argument: 0)
        // The arguments of a scope come first.
        let laterPlace = column(1, .greater, argument: 1)
        addChanges = directory.plan(.insert, of: changes)
        setKinds = directory.plan(.update, of: changes, columns: [0, 1, 3])
        removeChanges = directory.plan(.delete, of: changes, columns: [0, 1])
        changesOfCommit = directory.plan(Query(row, scope: .key(columns: 1), filter: laterPlace).limited, of: changes)
        changesAfter = directory.plan(Query(row, filter: later).limited, of: changes)
        let ofSameModel = column(2, .equal, argument: 2, type: .string)
        modelChangesOfCommit = directory.plan(
            Query(row, scope: .key(columns: 1), filter: .and([laterPlace, ofSameModel])).limited, of: changes)
        modelChangesAfter = directory.plan(Query(row, filter: .and([later, ofModel])).limited, of: changes)
        let ofRecord = QueryTerm.or([
            column(4, .equal, argument: 2, type: .data), column(3, .equal, argument: 3),
        ])
        firstChange = directory.plan(Query(row, filter: .and([later, ofModel, ofRecord])).limited, of: changes)
        changesBefore = directory.plan(
            Query(.columns([0, 1]), filter: column(0, .less, argument: 0)).limited, of: changes)
        changesByKey = directory.plan(Query(row, scope: .keys(columns: 2, list: 0)), of: changes)
        let ofRecords = QueryTerm.or([.isIn(.column(4), list: 0, .data), column(3, .equal, argument: 2)])
        laterKeys = directory.plan(
            Query(.columns([0, 1, 3, 4]), filter: .and([later, ofModel, ofRecords])), of: changes)
        keysAfter = directory.plan(Query(.columns([0, 1, 2, 3, 4]), filter: later), of: changes)
    }

    /// Creates the tables in a store that lacks them.
    static func create(in writer: any StorageWriter, _ directory: ModelDirectory) throws(StorageError) -> HistoryTables
    {
        HistoryTables(
            settings: try HistorySettings.table.create(in: writer), commits: try CommitRow.table.create(in: writer),
            changes: try HistoryChange.table.create(in: writer), directory)
    }
}

extension Query {
    fileprivate var limited: Query {
        var query = self
        query.isLimited = true
        return query
    }
}
