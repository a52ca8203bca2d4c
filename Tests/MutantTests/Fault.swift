import StorageAPI
import StorageDriver

/// The behaviour in which a mutant differs from the backend below it. What is not set is as that backend has it.
struct Fault: Sendable {
    // MARK: Rows

    /// Each value on its way in, and the keys that are looked for; the last argument says whether it is part of a key.
    var written: (@Sendable (Value, ColumnSchema, Bool) -> Value)?
    /// Each value on its way out.
    var read: (@Sendable (Value, ColumnSchema) -> Value)?
    /// The rows of a result.
    var rows: (@Sendable ([[Value]], Question) -> [[Value]])?
    /// Returns whether a value of a sort key comes before another; nil where the order is the right one.
    var precedes: (@Sendable (ColumnSchema, Value, Value) -> Bool?)?
    /// Changes a query.
    var query: (@Sendable (inout Question) -> Void)?
    /// The number of rows that a query examines beyond those that it needs.
    var looked: (@Sendable (QueryPlan) -> Int)?
    /// The rows that a failing query gives in place of its error.
    var queryFailure: (@Sendable (StorageError, QueryPlan) throws(StorageError) -> [[Value]])?

    // MARK: Writes

    /// Changes a write. It may look at what is stored, and throw.
    var write: (@Sendable (inout Write, any StorageWriter) throws(StorageError) -> Void)?
    /// Changes the number of rows that a write reports.
    var count: (@Sendable (Int, Write) -> Int)?
    var greatestKey: (@Sendable (Int64, TableSchema, any StorageWriter, MutantState) throws(StorageError) -> Int64)?
    /// The changes that are made in place of one.
    var change: (@Sendable (TableChange) throws(StorageError) -> [TableChange])?
    /// True if a column is made unique, whatever is stored.
    var acceptsEqualValues = false
    /// The recorded tables.
    var tables: (@Sendable ([TableSchema]) -> [TableSchema])?

    // MARK: Transactions

    /// The fault of transactions and readers.
    var transaction: TransactionFault?

    enum TransactionFault: Sendable {
        case commitsOnFailure
        case savepointKeepsFailure
        case savepointFailureUndoesAll
        /// Restores rows in the order in which they were written, so what was written between two writes remains.
        case savepointUndoneForwards
        case ownWritesUnseen
        case movingSnapshots
        case dirtyReads
        /// After a call that failed every write is refused.
        case refusesAfterFailure
        /// A write that the disk has refused is acknowledged.
        case forgetsFailedWrites
        /// Loses the writes of a transaction that makes a table.
        case losesWritesOfNewTables
        /// Loads by keys what was stored before the last commit in a transaction; after its first write, what was
        /// stored before that.
        case looksUpEarlier
        /// A unique value is free for its first record alone.
        case uniqueStaysTaken
        /// Chooses every record for a condition in a transaction.
        case choosesAll
        /// While there is a reader every write is refused.
        case refusesWhileRead
        /// A query ends the cursor of the one before it in the same session and table.
        case oneCursorForEachTable
        /// Behind its 256th row a result is that of the last commit.
        case readsInParts
    }

    // MARK: The engine

    var info: (@Sendable (inout BackendInfo) -> Void)?
    /// The errors of writes and of opening.
    var error: (@Sendable (StorageError) -> StorageError)?
    /// True if commits of others are never announced.
    var isSilentOfOthers = false
    /// True if others' changes of the tables are never announced.
    var isSilentOfTables = false
    /// The fault of opening and closing.
    var opening: OpeningFault?

    enum OpeningFault: Sendable {
        /// The sixth opening finds nothing.
        case forgets
        /// Leaves the place locked when a store is closed after a failed write.
        case leavesLock
        /// A second opening gets a store on the same data, though none is to be shared.
        case opensTwice
        /// A reopened store is as before the last of four transactions or more.
        case losesLastCommit
        /// Removes the bytes that SQLite has not yet moved to its database before it is opened.
        case forgetsLog
        /// A database that was not closed is removed before it is opened.
        case emptiesUnclosed
        /// A file that cannot be opened is replaced by an empty one.
        case replacesDamaged
        /// No commit is waited for.
        case waitsForNoDisk
    }
}

/// A query as a fault sees it.
struct Question {
    var query: Query
    var arguments: QueryArguments
    let table: TableSchema
    let tables: [TableSchema]
    /// True if the store has no plan for it and asks it once, as a change of the schema does.
    var isUnplanned = false

    /// Adds a value and returns the term that stands for it.
    mutating func argument(_ value: Value) -> QueryTerm {
        arguments.values.append(value)
        return .argument(arguments.values.count - 1)
    }

    /// Adds values and returns the number of their list.
    mutating func list(_ values: [Value]) -> Int {
        arguments.lists.append(ValueList(width: 1, values: values))
        return arguments.lists.count - 1
    }
}

/// A write as a fault sees it: rows of values.
struct Write {
    var operation: WriteOperation
    var table: TableSchema
    var columns: [Int]
    var keyColumns: [Int]
    var rows: [[Value]]
    var patch: [Value]
    private let id: Int

    init(_ batch: borrowing RowBatch) {
        operation = batch.plan.operation
        table = batch.plan.table
        columns = batch.plan.columns
        keyColumns = batch.plan.keyColumns
        patch = batch.patch
        id = batch.plan.id
        rows = []
        for index in 0..<batch.count { rows.append(batch.row(index)) }
    }

    /// A write that removes every row of a table.
    init(truncating table: TableSchema) {
        self.table = table
        operation = .truncate
        columns = [0]
        keyColumns = []
        rows = []
        patch = []
        id = 0
    }

    /// A write that removes rows of a table by their keys, which it does not have as yet.
    init(deletingFrom table: TableSchema) {
        self.init(truncating: table)
        operation = .delete
        columns = table.key
    }

    /// Carries the write out; `id` is the plan's own, so what a backend has prepared for it must still fit.
    func run(on writer: any StorageWriter) throws(StorageError) -> Int {
        let plan = WritePlan(id: id, operation: operation, table: table, columns: columns, keyColumns: keyColumns)
        let cells = ValueCells(
            ValueList(width: operation == .patch ? keyColumns.count : columns.count, values: rows.flatMap { $0 }))
        let values = ValueCells(ValueList(width: patch.count, values: patch))
        return try writer.write(
            RowBatch(
                plan: plan, count: rows.count, cells: cells.cells, values: operation == .patch ? values.cells : nil))
    }

    // MARK: What faults ask

    var isPut: Bool { operation == .insert || operation == .upsert || operation == .update }

    /// The place of a property's value in a row.
    func cell(_ isWanted: (ColumnSchema) -> Bool) -> Int? { columns.firstIndex { isWanted(table.columns[$0]) } }

    /// A row's key.
    func key(of row: [Value]) -> [Value] {
        table.key.compactMap { column in columns.firstIndex(of: column).map { row[$0] } }
    }

    /// The stored row with the key of a row that is written, in this write's columns.
    func stored(_ row: [Value], _ writer: any StorageWriter) throws(StorageError) -> [Value]? {
        let key = key(of: row)
        return try writer.values(
            of: table, columns, Query.Scope.key(columns: key.count), arguments: QueryArguments(key)
        ).first
    }
}

extension StorageSession {
    /// Columns of a table's rows.
    func values(
        of table: TableSchema, _ columns: [Int], _ scope: Query.Scope = .all, arguments: QueryArguments = .init()
    ) throws(StorageError) -> [[Value]] {
        let plan = QueryPlan(id: nil, query: Query(.columns(columns), scope: scope), table: table, tables: [table])
        return try collect(rows(plan, arguments), width: columns.count)
    }
}

/// All rows of a cursor.
func collect(_ cursor: consuming Cursor, width: Int) throws(StorageError) -> [[Value]] {
    var rows: [[Value]] = []
    while try cursor.next() { rows.append((0..<width).map { [cells = cursor.cells] in cells[$0].value }) }
    return rows
}

extension Write {
    /// Changes every value on its way in.
    mutating func map(_ written: (Value, ColumnSchema, Bool) -> Value) {
        let rowColumns = operation == .patch ? keyColumns : columns
        rows = rows.map { row in
            zip(row, rowColumns).map { written($0, table.columns[$1], table.key.contains($1)) }
        }
        patch = zip(patch, columns).map { written($0, table.columns[$1], false) }
    }
}
