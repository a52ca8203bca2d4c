internal import StorageDriver

// Rows that triggers, rules and foreign keys change beside the rows that the store writes: the server's count of a transaction,
// less the store's count.
extension PostgreSQLWriter: ReactingWriter {
    func mayHaveReacted(in table: TableSchema) -> Bool { names.foreign.particulars(of: table.name).hasTriggers }

    func watchReactions() {
        written = WrittenRows()
        // The server's counts may include earlier transactions, so it saves the present counts.
        connection.add(
            """
            SELECT set_config('storage.counts', (SELECT json_object_agg(name, count)::text FROM (\(counts)) AS c), true)
            """)
    }

    func reactions() throws(StorageError) -> Set<String> {
        guard let written, !written.isEmpty else { return [] }
        let question = """
            SELECT name, count - coalesce((nullif(current_setting('storage.counts', true), '')::json ->> name)::int8, 0)
              FROM (\(counts)) AS c
            UNION ALL SELECT NULL, current_setting('track_counts')::bool::integer
            """
        guard let result = try ask([Statement(question)]).first else { throw Catalog.damaged }
        var changed: Set<String> = []
        for row in 0..<result.count {
            let count = result.integer(row, 1) ?? 0
            guard let name = result.text(row, 0) else {
                // A server that does not count cannot tell, so every table may have changed.
                if count == 0 { return Set(try tables().map(\.name)) }
                continue
            }
            if written.isOther(count, of: name) { changed.insert(name) }
        }
        // A stored key without other columns is not written, so its upsert cannot be counted.
        for name in written.uncounted where names.foreign.particulars(of: name).hasTriggers { changed.insert(name) }
        return changed
    }

    /// The rows of each table that the server has counted as inserted, updated or deleted. Rows of partitions count for their
    /// table.
    private var counts: String {
        """
        SELECT coalesce(r.relname, c.relname)::text AS name, sum(pg_stat_get_xact_tuples_inserted(c.oid)
          + pg_stat_get_xact_tuples_updated(c.oid) + pg_stat_get_xact_tuples_deleted(c.oid))::int8 AS count
        FROM pg_depend d JOIN pg_class c ON c.oid = d.objid
        LEFT JOIN pg_class r ON c.relispartition AND r.oid = pg_partition_root(c.oid)
        WHERE d.refclassid = 'pg_namespace'::regclass AND d.refobjid = \(engine.record.schema)
          AND d.classid = 'pg_class'::regclass AND d.deptype = 'n' AND c.relkind IN ('r', 'p')
        GROUP BY 1
        """
    }
}

/// The rows that a transaction has written to each table.
struct WrittenRows {
    private var counts: [String: Int64] = [:]
    /// The tables to which rows were written that may not be counted.
    private(set) var uncounted: Set<String> = []

    var isEmpty: Bool { counts.isEmpty && uncounted.isEmpty }

    mutating func add(_ count: Int, of plan: WritePlan) {
        if plan.operation == .upsert, plan.columns.allSatisfy(plan.table.key.contains) {
            uncounted.insert(plan.table.name)
        } else {
            counts[plan.table.name, default: 0] += Int64(count)
        }
    }

    /// Returns whether the server has counted more rows of a table.
    func isOther(_ count: Int64, of table: String) -> Bool {
        !uncounted.contains(table) && count > counts[table] ?? 0
    }
}
