internal import CSQLite
internal import StorageDriver

/// The rows that the triggers and foreign keys of a database change by themselves, on the connection that writes.
///
/// While SQLite compiles a statement, it asks its authorizer about each table that the statement, its triggers and the actions
/// of foreign keys may write. The counts of changed rows tell whether they have done so. A database without triggers
/// and actions has no authorizer.
final class Reactions {
    /// The tables that a statement may write.
    struct Reach {
        /// The table that the statement itself writes.
        fileprivate var target: String?
        /// The tables that triggers and foreign keys write. The target may be among them.
        fileprivate var others: Set<String> = []
        /// The accesses by the statement itself.
        fileprivate var own: Set<String> = []
    }

    /// The declarations that may change rows, in the words of the lacking capability; empty if none exist.
    private(set) var declared: [String] = []
    /// The tables in which other rows than the written ones were changed since ``forget()``.
    private(set) var tables: Set<String> = []
    /// The tables in which any rows were changed since then, the written ones too.
    private(set) var altered: Set<String> = []
    private var recorded: Reach?
    private var totalBefore: Int32 = 0
    private var target: String?
    /// The number of changes of rows of the running statement's table; 0 for a table without row numbers.
    private var changes = 0
    /// True if each of them leaves a row that the statement writes.
    private var areOfWrittenRows = true
    /// The row numbers that the running statement writes; nil if they are not known.
    private var rows: Set<Int64>?
    /// The row numbers that the next statement writes.
    private var nextRows: Set<Int64>?

    /// Looks at the schema.
    func read(_ connection: Connection) throws(StorageError) {
        let wasPossible = !declared.isEmpty
        let statement = try Statement(
            connection,
            """
            SELECT type || ' ' || name FROM sqlite_schema WHERE type = 'trigger'
              OR type = 'table' AND sql LIKE '%REFERENCES%' AND EXISTS (SELECT 1 FROM pragma_foreign_key_list(name, 'main')
                WHERE on_delete NOT IN ('NO ACTION', 'RESTRICT') OR on_update NOT IN ('NO ACTION', 'RESTRICT'))
            """)
        var cursor = try statement.cursor()
        var declared: [String] = []
        while try cursor.next() {
            if case .text(let name) = cursor.cells[0].value { declared.append(name) }
        }
        self.declared = declared
        if !declared.isEmpty, !wasPossible { observe(connection.database) }
    }

    /// Stays for as long as the connection is open: to set it makes SQLite compile all statements again.
    private func observe(_ database: OpaquePointer) {
        // The connection has both, and closes the database before it releases this.
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_set_authorizer(
            database,
            { context, action, table, column, _, trigger in
                Reactions.from(context)?.willAccess(action, table: table, column: column, by: trigger)
                return SQLITE_OK
            }, context)
        sqlite3_update_hook(
            database,
            { context, action, _, table, row in Reactions.from(context)?.didChange(action, in: table, row: row) },
            context)
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> Reactions? {
        context.map { Unmanaged<Reactions>.fromOpaque($0).takeUnretainedValue() }
    }

    // MARK: Compiling

    /// Calls the body, which compiles a statement, and returns the tables that it may write.
    func reach(of compile: () -> Int32) -> (code: Int32, reach: Reach) {
        recorded = Reach()
        let code = compile()
        defer { recorded = nil }
        return (code, recorded ?? Reach())
    }

    private func willAccess(
        _ action: Int32, table: UnsafePointer<CChar>?, column: UnsafePointer<CChar>?,
        by trigger: UnsafePointer<CChar>?
    ) {
        guard recorded != nil, [SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE].contains(action), let table else { return }
        let name = String(cString: table)
        if recorded?.target == nil { recorded?.target = name }
        // The action of a foreign key has no name. In the table that the statement itself writes, it repeats an access
        // of the statement.
        let access = "\(action) " + (column.map { String(cString: $0) } ?? "")
        if trigger == nil, recorded?.target == name, recorded?.own.insert(access).inserted == true { return }
        recorded?.others.insert(name)
    }

    // MARK: Running

    /// Notes the rows that the next statement writes. A trigger's change in these rows is no change of another record.
    func willWrite(_ rows: Set<Int64>?) { nextRows = rows }

    func willRun(_ reach: Reach, _ database: OpaquePointer) {
        totalBefore = sqlite3_total_changes(database)
        (target, rows, nextRows) = (reach.target, nextRows, nil)
        (changes, areOfWrittenRows) = (0, rows != nil)
    }

    private func didChange(_ action: Int32, in table: UnsafePointer<CChar>?, row: Int64) {
        guard let target, let table, String(cString: table) == target else { return }
        changes += 1
        if action == SQLITE_DELETE || rows?.contains(row) != true { areOfWrittenRows = false }
    }

    func forget() { (tables, altered) = ([], []) }

    /// Returns to the state before the undone changes.
    func undo(to tables: Set<String>) { self.tables = tables }

    /// - Parameter changed: the number of rows that the statement itself has changed.
    func didRun(_ reach: Reach, changed: Int, _ database: OpaquePointer) {
        defer { target = nil }
        let all = Int(sqlite3_total_changes(database) &- totalBefore)
        guard all > changed, let target else { return }
        var others = reach.others
        if changes > changed { others.insert(target) }
        altered.formUnion(others)
        if areOfWrittenRows, changes >= changed { others.remove(target) }
        tables.formUnion(others)
    }
}

extension RowBatch {
    /// The row numbers of some rows; nil if the table's key is not the row number.
    func rowNumbers(_ range: Range<Int>, isKeyed: Bool) -> Set<Int64>? {
        let given = plan.operation == .patch ? plan.keyColumns : plan.columns
        guard isKeyed, plan.operation != .delete, plan.table.key.count == 1,
            let place = given.firstIndex(of: plan.table.key[0])
        else { return nil }
        var numbers: Set<Int64> = []
        for row in range {
            let cell = cells[row * width + place]
            guard cell.tag == .int else { return nil }
            numbers.insert(cell.int)
        }
        return numbers
    }
}
