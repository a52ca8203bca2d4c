internal import StorageDriver

// Tables with partitions by ranges of the key: a write adds the partitions that its rows need.
extension PostgreSQLWriter {
    /// Adds the partitions that the rows of a batch need, in the transaction.
    func addRanges(for batch: borrowing RowBatch) throws(StorageError) {
        let table = batch.plan.table
        guard names.ranged.contains(table.name), batch.plan.operation == .insert || batch.plan.operation == .upsert,
            let first = table.key.first, let column = batch.plan.columns.firstIndex(of: first),
            let key = RangedKey(table.columns[first].type)
        else { return }
        if let known = names.ranged.partitions(of: table.name),
            try values(outside: known, of: batch, column: column, key).isEmpty
        {
            return
        }
        // Another program may have added them.
        guard let result = try ask([RangedTables.question(table, names)]).first else { throw Catalog.damaged }
        let partitions = RangedTables.partitions(result, key)
        names.ranged.set(partitions, of: table.name)
        let missing = try values(outside: partitions, of: batch, column: column, key)
        if !missing.isEmpty { try add(rangesOf: missing, to: partitions, of: table, key) }
    }

    /// Adds the partitions that a failed write has needed: another program has dropped them.
    func addRanges(for batch: borrowing RowBatch, after error: StorageError) throws(StorageError) {
        guard (error.underlying as? PostgreSQLError)?.state == "23514", names.ranged.contains(batch.plan.table.name)
        else { return }
        names.ranged.forget()
        try addRanges(for: batch)
    }

    /// The values of a batch's keys that no partition has.
    private func values(
        outside partitions: [RangedTables.Partition], of batch: borrowing RowBatch, column: Int, _ key: RangedKey
    ) throws(StorageError) -> Set<Int64> {
        var missing: Set<Int64> = []
        // Most rows of a batch have the range of the row before.
        var last: KeyRange?
        for row in 0..<batch.count {
            guard let value = key.value(of: batch.cells[row * batch.width + column]) else {
                throw batch.error(
                    .invalidValue,
                    "The key is not a UUID of version 7, by whose time the table has partitions; make keys of this version, or copy the "
                        + "store into one without the option ranges.", row: row
                ).property(batch.plan.table.columns[batch.plan.columns[column]].property)
            }
            if last?.contains(value) == true { continue }
            last = Self.range(of: value, in: partitions)
            if last == nil { missing.insert(value) }
        }
        return missing
    }

    private static func range(of value: Int64, in partitions: [RangedTables.Partition]) -> KeyRange? {
        // The last partition that begins at or before the value.
        var (low, high) = (0, partitions.count)
        while low < high {
            let middle = low + (high - low) / 2
            if (partitions[middle].range.lower ?? .min) <= value { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let range = partitions[low - 1].range
        return range.contains(value) ? range : nil
    }

    private func add(
        rangesOf values: Set<Int64>, to partitions: [RangedTables.Partition], of table: TableSchema, _ key: RangedKey
    ) throws(StorageError) {
        // Other writers may have made a plan without the partition.
        try requireExclusive()
        var size = size(of: partitions)
        if size == nil { size = try sizeOfRoot(table, key) }
        guard let size else {
            throw StorageError(
                .schemaMismatch,
                "The partitions of the table \(table.name) do not tell how large the next one is; restore a partition with two bounds.",
                model: table.path.first)
        }
        let ranges = Set(values.map { key.range(of: $0, size: size) })
        addedRanges += ranges.count
        guard partitions.count + ranges.count <= RangedTables.mostPartitions, addedRanges <= RangedTables.mostAdded
        else {
            throw StorageError(
                .limitExceeded,
                "The keys are far apart: the table \(table.name) has \(partitions.count) partitions, of at most "
                    + "\(RangedTables.mostPartitions), and this transaction would add \(addedRanges), of at most \(RangedTables.mostAdded). "
                    + "Store the records in several calls, or copy the store into one with larger ranges.",
                model: table.path.first)
        }
        let compiler = SchemaCompiler(names)
        var added: [RangedTables.Partition] = []
        var statements: [Statement] = []
        for range in ranges {
            let (sql, name) = compiler.adding(range, key, to: table)
            statements += sql.map { Statement($0) }
            added.append(RangedTables.Partition(name: name, range: range))
        }
        do throws(StorageError) {
            try add(statements, to: table)
        } catch {
            throw refusal(error, table)
        }
        names.ranged.set(
            (partitions + added).sorted { ($0.range.lower ?? .min) < ($1.range.lower ?? .min) }, of: table.name)
    }

    /// Adds partitions in a separate transaction, before this one writes their rows.
    ///
    /// When a transaction commits, its rows are visible a moment before other sessions hear of its partitions. A read in that moment
    /// would see the transaction's other rows, and not the ones in the new partition. A lock of the whole table, if this transaction
    /// has one, keeps reads away until the others have heard of it.
    private func add(_ statements: [Statement], to table: TableSchema) throws(StorageError) {
        let whole = names.table(table)
        let isLocked = try ask([
            Statement(
                "SELECT EXISTS (SELECT FROM pg_catalog.pg_locks WHERE pid = pg_catalog.pg_backend_pid() AND granted "
                    + "AND relation = pg_catalog.to_regclass(\(whole.literal)) AND mode = 'AccessExclusiveLock')")
        ]).first?.isTrue()
        if isLocked == true {
            _ = try ask(statements)
            return
        }
        let second: Connection
        do throws(StorageError) {
            second = try engine.newConnection()
            second.begin("READ COMMITTED", isWriting: true)
            try second.run("SELECT 1")
        } catch {
            // A pooler may have no second connection.
            engine.logger.info("partitions are added between reads", metadata: ["reason": "\(error.message)"])
            _ = try ask([Statement("LOCK TABLE ONLY \(whole) IN ACCESS EXCLUSIVE MODE")] + statements)
            return
        }
        try second.run(statements + [Statement("COMMIT")])
    }

    /// The size of the last partition with two bounds.
    private func size(of partitions: [RangedTables.Partition]) -> Int64? {
        partitions.last { $0.range.size != nil }?.range.size
    }

    /// The size of the partitions of the model's root, which a table of children has too. That table can have lost all partitions, if
    /// the records of the later ranges have no children.
    private func sizeOfRoot(_ table: TableSchema, _ key: RangedKey) throws(StorageError) -> Int64? {
        let root = try tables().first { $0.isRoot && $0.storedPath.first == table.storedPath.first }
        guard let root, root.name != table.name, names.ranged.contains(root.name),
            let result = try ask([RangedTables.question(root, names)]).first
        else { return nil }
        return size(of: RangedTables.partitions(result, key))
    }

    /// The error of a partition that cannot be added.
    private func refusal(_ error: StorageError, _ table: TableSchema) -> StorageError {
        guard (error.underlying as? PostgreSQLError)?.state == "42501" else { return PostgreSQLFailure.waiting(error) }
        return StorageError(
            .io,
            "The record needs a new partition of the table \(table.name), which only the table's owner can add; write as the owner, "
                + "or let the owner write the first record of each partition.",
            model: table.path.first, underlying: error.underlying)
    }
}

extension PostgreSQLWriter: RangeDroppingWriter {
    /// The time that a table's lock may take. Reads that begin meanwhile wait as long.
    private static let millisecondsToLock = 100
    /// The number of partitions that one statement looks at.
    private static let partitionsTogether = 256

    func dropRange(
        of tables: [TableSchema], whereTime column: Int, isAtMost limit: Value
    ) throws(StorageError) -> DroppedRange {
        guard let root = tables.first, let first = root.key.first, root.columns.indices.contains(column),
            tables.allSatisfy({ names.ranged.contains($0.name) }), let key = RangedKey(root.columns[first].type)
        else { return .undivided }
        try requireExclusive()
        let answers = try ask(tables.map { RangedTables.question($0, names) })
        guard answers.count == tables.count else { throw Catalog.damaged }
        let partitions = answers.map { RangedTables.partitions($0, key) }
        // The last partition with two bounds says how large the next one is.
        guard let last = partitions[0].lastIndex(where: { $0.range.size != nil }) else { return .none }
        let (time, type) = (root.columns[column].sqlName, root.columns[column].type)
        guard
            let passed = try passed(
                partitions[0][..<last],
                "\(time) IS NULL OR \(time) > \(limit.literal(type))")
        else { return .none }
        let parts = partitions.compactMap { $0.first { $0.range == passed.range }?.name }
        let rows = try drop(parts, of: tables)
        names.ranged.forget()
        (changesTables, knownTables) = (true, nil)
        return .rows(rows)
    }

    /// The first partition without a row that stays.
    private func passed(
        _ partitions: ArraySlice<RangedTables.Partition>, _ stays: String
    ) throws(StorageError) -> RangedTables.Partition? {
        var rest = partitions
        while !rest.isEmpty {
            let part = rest.prefix(Self.partitionsTogether)
            rest = rest.dropFirst(part.count)
            // The server evaluates the cases one after the other, up to the first that holds.
            let cases = part.map { "WHEN NOT EXISTS (SELECT FROM \($0.name) WHERE \(stays)) THEN \($0.name.literal)" }
            let answer = try ask([Statement("SELECT CASE \(cases.joined(separator: " ")) END")]).first
            if let name = answer?.text(), let found = part.first(where: { $0.name == name }) { return found }
        }
        return nil
    }

    /// Drops partitions of tables, and returns the rows of the first.
    private func drop(_ parts: [String], of tables: [TableSchema]) throws(StorageError) -> Int {
        guard let first = parts.first else { return 0 }
        let all = tables.map { "ONLY " + names.table($0) }.joined(separator: ", ")
        do throws(StorageError) {
            let answers = try ask([
                Statement("SELECT count(*) FROM \(first)"),
                Statement("SET LOCAL lock_timeout = \(Self.millisecondsToLock)"),
                Statement("LOCK TABLE \(all) IN ACCESS EXCLUSIVE MODE"),
                Statement("DROP TABLE \(parts.joined(separator: ", "))"),
                Statement("SET LOCAL lock_timeout = \(engine.configuration.timeoutMilliseconds)"),
            ])
            return Int(clamping: answers.first?.integer() ?? 0)
        } catch {
            guard (error.underlying as? PostgreSQLError)?.state == "55P03" else {
                throw PostgreSQLFailure.waiting(error)
            }
            throw StorageError(
                .busy,
                "Reads of \(tables[0].path[0]) have not ended, and older records are removed only between reads; try again.",
                model: tables[0].path.first, underlying: error.underlying)
        }
    }
}
