internal import StorageDriver

/// The rows that a transaction copies into tables, each table's in as few parts as memory allows.
///
/// Only calls that the store can repeat copy rows: if the server refuses a row, the transaction is undone, and the store runs
/// it again with statements that name the row.
struct BulkRows {
    /// The rows of each table that receives many.
    private(set) var tables: [CopiedRows] = []
    /// The index of the table into which rows are copied now.
    private(set) var open: Int?
    /// The number of rows that were inserted by statements, up to the number from which rows are copied.
    private var inserted: [Int: Int] = [:]

    /// The number of rows of a table after which further rows are copied.
    private static let rowsToCopy = 1000
    /// The number of bytes with which a part is sent while rows are copied into its table, and with which a table gets its
    /// turn.
    private static let partBytes = 1 << 16
    private static let turnBytes = 1 << 20

    /// True if the server has stored all rows.
    var isEmpty: Bool { open == nil && tables.allSatisfy(\.bytes.isEmpty) }

    /// The tables into which at least so many rows were copied.
    func grown(by count: Int) -> [(table: TableSchema, count: Int)] {
        tables.filter { $0.count >= count }.map { ($0.plan.table, $0.count) }
    }

    /// Adds a batch of rows; false if a statement should insert them.
    mutating func add(_ batch: borrowing RowBatch, _ write: PreparedWrite) -> Bool {
        guard let sql = write.compiled.copying else { return false }
        let plan = batch.plan
        let before = inserted[plan.id, default: 0]
        guard before >= Self.rowsToCopy else {
            inserted[plan.id] = before + batch.count
            return false
        }
        let index =
            tables.firstIndex { $0.plan === plan }
            ?? {
                tables.append(CopiedRows(plan, sql))
                return tables.count - 1
            }()
        tables[index].add(batch)
        return true
    }

    /// Sends the rows of tables that have enough for a part.
    ///
    /// - Parameter prepare: runs before another table gets its turn, because statements cannot be sent during a copy.
    mutating func send(
        _ connection: Connection, after prepare: () throws(StorageError) -> Void
    ) throws(StorageError) {
        for index in tables.indices {
            let size = tables[index].bytes.count
            if index == open, size >= Self.partBytes {
                try send(index, connection)
            } else if size >= Self.turnBytes {
                try take(index, connection, after: prepare)
            }
        }
    }

    /// Sends the remaining rows of all tables.
    mutating func finish(
        _ connection: Connection, after prepare: () throws(StorageError) -> Void
    ) throws(StorageError) {
        if let open { try send(open, connection) }
        for index in tables.indices where !tables[index].bytes.isEmpty {
            try take(index, connection, after: prepare)
        }
        try end(connection)
    }

    /// Ends a running copy, so that the transaction can be undone. A connection that fails here is lost.
    mutating func cancel(_ connection: Connection) {
        guard let open else { return }
        self.open = nil
        if connection.loss == nil { try? connection.endCopy(tables[open].sql, failing: "the rows are not wanted") }
    }

    private mutating func take(
        _ index: Int, _ connection: Connection, after prepare: () throws(StorageError) -> Void
    ) throws(StorageError) {
        try end(connection)
        try prepare()
        try connection.beginCopy(tables[index].sql)
        open = index
        try connection.copy(CopiedRows.header)
        try send(index, connection)
    }

    private mutating func send(_ index: Int, _ connection: Connection) throws(StorageError) {
        if !tables[index].bytes.isEmpty { try connection.copy(tables[index].bytes) }
        tables[index].removeSent()
    }

    private mutating func end(_ connection: Connection) throws(StorageError) {
        guard let open else { return }
        try connection.copy(CopiedRows.trailer)
        self.open = nil
        try connection.endCopy(tables[open].sql)
    }
}

extension PostgreSQLWriter {
    /// Takes a batch of rows that are copied; false if a statement should insert them.
    func copy(_ batch: borrowing RowBatch, _ write: PreparedWrite) throws(StorageError) -> Bool {
        guard batch.plan.operation == .insert, bulk.add(batch, write) else { return false }
        _ = try keep(batch)
        // In the order of the calls: earlier statements are sent first.
        try bulk.send(connection) { () throws(StorageError) in try flushStatements() }
        return true
    }

    /// Analyzes the tables that have grown by much, so that the server knows their content. Only the connection's next call
    /// waits for it.
    func analyzeGrown() {
        for (table, count) in bulk.grown(by: Self.rowsToAnalyze) {
            let name = names.table(table)
            connection.sendOnly(
                """
                DO $storage$ BEGIN IF (SELECT reltuples < \(count * 5) FROM pg_catalog.pg_class
                  WHERE oid = \(name.literal)::pg_catalog.regclass) THEN ANALYZE \(name); END IF; END $storage$
                """)
        }
    }

    private static let rowsToAnalyze = 10_000
}
