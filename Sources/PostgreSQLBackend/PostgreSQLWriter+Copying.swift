internal import StorageDriver

/// The rows that a transaction copies into tables, each in as few parts as there is memory for.
///
/// Only what the store can repeat is copied: where the server refuses a row, the transaction is undone, and the store runs it again
/// with statements that name the row.
struct BulkRows {
    /// The rows of each table that receives many.
    private(set) var tables: [CopiedRows] = []
    /// The place of the table into which rows flow now.
    private(set) var open: Int?
    /// The number of rows that were inserted by statements, until there are enough to copy the next.
    private var inserted: [Int: Int] = [:]

    /// From so many rows of a table on, the next are copied.
    private static let rowsToCopy = 1000
    /// The number of bytes with which a part is sent while it is the table's turn, and with which its turn begins.
    private static let partBytes = 1 << 16
    private static let turnBytes = 1 << 20

    /// True if there is nothing that the server has not stored.
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
        let place =
            tables.firstIndex { $0.plan === plan }
            ?? {
                tables.append(CopiedRows(plan, sql))
                return tables.count - 1
            }()
        tables[place].add(batch)
        return true
    }

    /// Sends what is enough for a part.
    ///
    /// - Parameter prepare: runs before another table has its turn: statements cannot be sent then.
    mutating func send(
        _ connection: Connection, after prepare: () throws(StorageError) -> Void
    ) throws(StorageError) {
        for place in tables.indices {
            let size = tables[place].bytes.count
            if place == open, size >= Self.partBytes {
                try send(place, connection)
            } else if size >= Self.turnBytes {
                try take(place, connection, after: prepare)
            }
        }
    }

    /// Sends the rest of all.
    mutating func finish(
        _ connection: Connection, after prepare: () throws(StorageError) -> Void
    ) throws(StorageError) {
        if let open { try send(open, connection) }
        for place in tables.indices where !tables[place].bytes.isEmpty {
            try take(place, connection, after: prepare)
        }
        try end(connection)
    }

    /// Ends what flows, after which the transaction can be undone. A connection that fails at it is lost.
    mutating func cancel(_ connection: Connection) {
        guard let open else { return }
        self.open = nil
        if connection.loss == nil { try? connection.endCopy(tables[open].sql, failing: "the rows are not wanted") }
    }

    private mutating func take(
        _ place: Int, _ connection: Connection, after prepare: () throws(StorageError) -> Void
    ) throws(StorageError) {
        try end(connection)
        try prepare()
        try connection.beginCopy(tables[place].sql)
        open = place
        try connection.copy(CopiedRows.header)
        try send(place, connection)
    }

    private mutating func send(_ place: Int, _ connection: Connection) throws(StorageError) {
        if !tables[place].bytes.isEmpty { try connection.copy(tables[place].bytes) }
        tables[place].removeSent()
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
        // In the order of the calls: what came before is sent before.
        try bulk.send(connection) { () throws(StorageError) in try flushStatements() }
        return true
    }

    /// Sends what analyzes the tables that have grown by much, so that the server knows what is in them. Nobody waits for it but
    /// the connection's next call.
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
