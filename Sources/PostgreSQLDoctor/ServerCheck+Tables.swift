internal import PostgreSQLBackend
internal import StorageDriver

// The checks of the store's tables and indexes, and of the user's rights to them.

extension ServerCheck {
    static let tables = [usage, rights, rows, ranges, invalidIndexes, unusedIndexes]

    private static let usage = ServerCheck("grant") { subject in
        """
        SELECT pg_catalog.has_schema_privilege(oid, 'USAGE'), pg_catalog.pg_has_role(nspowner, 'USAGE'),
          pg_catalog.pg_get_userbyid(nspowner)::text, CURRENT_USER::text
        FROM pg_catalog.pg_namespace WHERE oid = \(subject.namespace)
        """
    } _: { result, subject in
        guard result.count > 0 else { return [] }
        let (schema, owner, user) = (subject.configuration.schema, result.text(0, 2) ?? "", result.text(0, 3) ?? "")
        guard result.isTrue() else {
            return [
                HealthFinding(
                    "grant", .error, message: "The user \(user) may not use the schema \(schema).",
                    advice: "As \(owner): GRANT USAGE ON SCHEMA \(schema.quotedName) TO \(user.quotedName).")
            ]
        }
        guard !result.isTrue(0, 1), !subject.configuration.isReadOnly else { return [] }
        return [
            HealthFinding(
                "grant", .note, message: "The schema \(schema) belongs to \(owner): \(user) cannot change models.",
                advice: "Open the store with a new version of the program as \(owner) first.")
        ]
    }

    private static let rights = ServerCheck("grant") { subject in
        """
        SELECT c.relname::text, c.relkind = 'S', pg_catalog.pg_get_userbyid(c.relowner)::text, CURRENT_USER::text,
          pg_catalog.array_to_string(ARRAY(
            SELECT right_ FROM pg_catalog.unnest(CASE WHEN c.relkind = 'S' THEN ARRAY['SELECT', 'USAGE']
              ELSE ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE'] END) AS r (right_)
            WHERE NOT CASE WHEN c.relkind = 'S' THEN pg_catalog.has_sequence_privilege(c.oid, right_)
              ELSE pg_catalog.has_table_privilege(c.oid, right_) END
              AND (right_ = 'SELECT' OR \(!subject.configuration.isReadOnly))), ', ')
        FROM pg_catalog.pg_class c WHERE c.relnamespace = \(subject.namespace) AND c.relkind IN ('r', 'p', 'S')
          AND NOT c.relispartition
          -- The sequence of an identity column is used by its table.
          AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.objid = c.oid AND d.deptype = 'i'
            AND d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND c.relkind = 'S')
        ORDER BY c.relname
        """
    } _: { result, subject in
        var lacking: [String: [String]] = [:]
        for row in 0..<result.count {
            guard let rights = result.text(row, 4), !rights.isEmpty, let name = result.text(row) else { continue }
            lacking["\(rights) ON \(result.isTrue(row, 1) ? "SEQUENCE" : "TABLE")", default: []].append(name)
        }
        let (owner, user) = (result.text(0, 2) ?? "", result.text(0, 3) ?? "")
        return lacking.sorted { $0.key < $1.key }.map { rights, names in
            let shown =
                names.prefix(5).joined(separator: ", ")
                + (names.count > 5
                    ? " and \(names.count - 5) "
                        + "more" : "")
            let schema = subject.configuration.schema.quotedName
            let all = names.prefix(5).map { "\(schema).\($0.quotedName)" }.joined(separator: ", ")
            return HealthFinding(
                "grant", .error, message: "The user \(user) lacks \(rights.split(separator: " ON ")[0]) on \(shown).",
                advice: names.count > 5
                    ? "As \(owner): GRANT "
                        + "\(rights.replacing("TABLE", with: "ALL TABLES IN SCHEMA").replacing("SEQUENCE", with: "ALL SEQUENCES IN SCHEMA")) "
                        + "\(schema) TO \(user.quotedName)."
                    : "As \(owner): GRANT \(rights) \(all) TO \(user.quotedName).")
        }
    }

    private static let rows = ServerCheck("table") { subject in
        """
        SELECT c.relname::text, c.reltuples::int8, coalesce(s.n_live_tup, 0), coalesce(s.n_dead_tup, 0),
          coalesce(s.n_mod_since_analyze, 0), CASE WHEN c.relkind = 'r' THEN pg_catalog.pg_relation_size(c.oid) ELSE 0 END,
          c.relpersistence = 'u', EXISTS (SELECT FROM pg_catalog.unnest(c.reloptions) AS o (option)
            WHERE lower(option) IN ('autovacuum_enabled=false', 'autovacuum_enabled=off', 'autovacuum_enabled=0',
              'autovacuum_enabled=no')),
          coalesce(pg_catalog.to_char(greatest(s.last_vacuum, s.last_autovacuum), 'YYYY-MM-DD HH24:MI'), 'never'),
          (SELECT r.relname FROM pg_catalog.pg_inherits h JOIN pg_catalog.pg_class r ON r.oid = h.inhparent
            WHERE h.inhrelid = c.oid AND c.relispartition)::text
        FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_stat_all_tables s ON s.relid = c.oid
        WHERE c.relnamespace = \(subject.namespace) AND c.relkind = 'r' ORDER BY c.relname
        """
    } _: { result, subject in
        (0..<result.count).flatMap { row in
            TableState(result, row: row, schema: subject.configuration.schema).findings
        }
    }

    private static let ranges = ServerCheck("partitions") { subject in
        """
        SELECT c.relname::text, (SELECT count(*) FROM pg_catalog.pg_inherits h WHERE h.inhparent = c.oid)
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_partitioned_table p ON p.partrelid = c.oid
        WHERE c.relnamespace = \(subject.namespace) AND p.partstrat = 'r' ORDER BY c.relname
        """
    } _: { result, _ in
        (0..<result.count).map { row in
            let (name, count) = (result.text(row) ?? "", Int(clamping: result.integer(row, 1) ?? 0))
            let most = RangedTables.mostPartitions
            return HealthFinding(
                "partitions", count > most * 9 / 10 ? .warning : .note,
                message: "The table \(name) has \(count) partitions by ranges of its key, of at most \(most).",
                advice: "Remove older records by a retention, or copy the store into one with larger ranges.")
        }
    }

    private static let invalidIndexes = ServerCheck("index") { subject in
        """
        SELECT c.relname::text, i.indrelid::pg_catalog.regclass::text, i.indisready, i.indisunique
        FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
        WHERE c.relnamespace = \(subject.namespace) AND NOT (i.indisvalid AND i.indisready AND i.indislive)
          AND NOT EXISTS (SELECT FROM pg_catalog.pg_stat_progress_create_index p WHERE p.index_relid = i.indexrelid)
        """
    } _: { result, subject in
        (0..<result.count).map { row in
            let name = result.text(row) ?? ""
            let own = "\(subject.configuration.schema.quotedName).\(name.quotedName)"
            // The rest of a failed REINDEX CONCURRENTLY.
            let isRest = name.contains("_ccnew") || name.contains("_ccold")
            return HealthFinding(
                "index", isRest ? .warning : .error,
                message: "The index \(name) of \(result.text(row, 1) ?? "") is invalid: no query uses it"
                    + (result.isTrue(row, 3) && !isRest
                        ? ", and equal values may be stored that should be "
                            + "unique." : "."),
                advice: isRest ? "DROP INDEX \(own)." : "REINDEX INDEX CONCURRENTLY \(own).")
        }
    }

    private static let unusedIndexes = ServerCheck("unused-index") { subject in
        """
        SELECT s.indexrelname::text, s.relname::text, pg_catalog.pg_relation_size(s.indexrelid)
        FROM pg_catalog.pg_stat_all_indexes s JOIN pg_catalog.pg_index i USING (indexrelid)
        WHERE s.schemaname = \(subject.schema) AND s.idx_scan = 0 AND NOT i.indisunique
          AND pg_catalog.pg_relation_size(s.indexrelid) > 10 * 1024 * 1024
          AND (SELECT stats_reset IS NULL OR stats_reset < pg_catalog.now() - interval '7 days' FROM pg_catalog.pg_stat_database
            WHERE datname = pg_catalog.current_database())
        """
    } _: { result, _ in
        (0..<result.count).map { row in
            HealthFinding(
                "unused-index", .note,
                message: "No query on this server has used the index \(result.text(row) ?? "") of "
                    + "\(result.text(row, 1) ?? ""), which takes "
                    + "\((result.integer(row, 2) ?? 0).bytes).",
                advice: "If replicas don't use it either, take @Indexed from the property.")
        }
    }
}

/// One table as the statistics have it.
private struct TableState {
    /// The name, with that of the divided table if it is a partition.
    private let name: String
    private let sqlName: String
    private let isAnalyzed: Bool
    private let live: Int64
    private let dead: Int64
    private let modified: Int64
    private let bytes: Int64
    private let isUnlogged: Bool
    private let isNeverVacuumed: Bool
    private let lastVacuum: String

    init(_ result: StatementResult, row: Int, schema: String) {
        let table = result.text(row) ?? ""
        name = result.text(row, 9).map { "\($0) (\(table))" } ?? table
        sqlName = "\(schema.quotedName).\(table.quotedName)"
        isAnalyzed = result.integer(row, 1) != -1
        live = result.integer(row, 2) ?? 0
        dead = result.integer(row, 3) ?? 0
        modified = result.integer(row, 4) ?? 0
        bytes = result.integer(row, 5) ?? 0
        (isUnlogged, isNeverVacuumed) = (result.isTrue(row, 6), result.isTrue(row, 7))
        lastVacuum = result.text(row, 8) ?? "never"
    }

    var findings: [HealthFinding] {
        var findings: [HealthFinding] = []
        if isUnlogged {
            findings.append(
                HealthFinding(
                    "table", .error,
                    message: "The table \(name) is unlogged: a crash of the server empties it, and "
                        + "replicas don't have it.",
                    advice: "ALTER TABLE \(sqlName) SET LOGGED."))
        }
        if isNeverVacuumed {
            findings.append(
                HealthFinding(
                    "autovacuum", .warning,
                    message: "Autovacuum is off for the table \(name), so deleted rows stay in it.",
                    advice: "ALTER TABLE \(sqlName) RESET (autovacuum_enabled)."))
        }
        if dead > 10_000, dead > live / 3 {
            findings.append(
                HealthFinding(
                    "bloat", .warning,
                    message: "The table \(name) has \(dead) dead rows beside \(live) live ones, and was vacuumed last: "
                        + "\(lastVacuum).",
                    advice: "VACUUM \(sqlName); look for long transactions first, which keep dead rows. Space "
                        + "comes back to the system by "
                        + "pg_repack or VACUUM FULL alone."))
        }
        if !isAnalyzed, bytes >= 1 << 20 {
            findings.append(
                HealthFinding(
                    "statistics", .warning,
                    message:
                        "The table \(name) (\(bytes.bytes)) was never analyzed, so the server guesses how to run queries.",
                    advice: "ANALYZE \(sqlName)."))
        } else if modified > 50_000, modified > live / 2 {
            findings.append(
                HealthFinding(
                    "statistics", .warning,
                    message:
                        "\(modified) rows of the table \(name), of \(live), were changed since it was analyzed last.",
                    advice: "ANALYZE \(sqlName)."))
        }
        return findings
    }
}
