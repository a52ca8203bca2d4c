internal import PostgreSQLBackend
internal import StorageDriver

// The checks of connections, transactions and waits.

extension ServerCheck {
    static let sessions = [connections, visibility, name, transactions, preparedTransactions, waits]

    private static let connections = ServerCheck("connections") { _ in
        """
        SELECT count(*) FILTER (WHERE backend_type = 'client backend'),
          pg_catalog.current_setting('max_connections')::int8 - pg_catalog.current_setting('superuser_reserved_connections')::int8
        FROM pg_catalog.pg_stat_activity
        """
    } _: { result, _ in
        guard let used = result.integer(), let all = result.integer(0, 1), used * 5 >= all * 4 else { return [] }
        return [
            HealthFinding(
                "connections", .warning, message: "\(used) of the server's \(all) connections are in use.",
                advice: "Lower the option connections of the programs, put a pooler before the server, or raise "
                    + "max_connections.")
        ]
    }

    /// Other users' sessions have no transactions for a user without the right to see them.
    private static let visibility = ServerCheck("visibility") { _ in
        "SELECT pg_catalog.pg_has_role('pg_read_all_stats', 'USAGE')"
    } _: { result, _ in
        guard !result.isTrue() else { return [] }
        return [
            HealthFinding(
                "visibility", .note,
                message: "The user may not see the activity of other users' sessions, so long transactions "
                    + "may be missing here.",
                advice: "Run doctor as a user with the role pg_monitor.")
        ]
    }

    private static let name = ServerCheck("application_name") { _ in
        "SELECT pg_catalog.current_setting('application_name')"
    } _: { result, _ in
        guard result.text()?.hasPrefix("swift-storage") != false else { return [] }
        return [
            HealthFinding(
                "application_name", .note,
                message: "Programs that open this URL call themselves swift-storage in "
                    + "pg_stat_activity.",
                advice: "Add application_name=… to the URL, another one for each program.")
        ]
    }

    private static let transactions = ServerCheck("transaction") { subject in
        """
        SELECT a.pid::int8, coalesce(a.application_name, ''), coalesce(a.usename::text, ''), coalesce(a.state, ''),
          extract(epoch FROM pg_catalog.clock_timestamp() - a.xact_start)::int8,
          a.backend_xmin IS NOT NULL OR a.backend_xid IS NOT NULL,
          EXISTS (SELECT FROM pg_catalog.pg_locks l WHERE l.pid = a.pid AND l.granted
            AND l.relation = pg_catalog.to_regclass(\(Names(schema: subject.configuration.schema).own("storage_info").literal))
            AND l.mode IN ('ExclusiveLock', 'AccessExclusiveLock'))
        FROM pg_catalog.pg_stat_activity a
        WHERE a.datname = pg_catalog.current_database() AND a.backend_type = 'client backend'
          AND a.pid <> pg_catalog.pg_backend_pid()
          AND a.xact_start < pg_catalog.clock_timestamp() - pg_catalog.make_interval(secs => \(subject.limits.transactionSeconds))
        ORDER BY a.xact_start
        """
    } _: { result, _ in
        (0..<result.count).map { row in
            let (process, state) = (result.integer(row) ?? 0, result.text(row, 3) ?? "")
            let age = (result.integer(row, 4) ?? 0).seconds
            let (holdsRows, blocksWriters) = (result.isTrue(row, 5), result.isTrue(row, 6))
            let effect =
                blocksWriters
                ? "It has the store's turn to write, so every other write waits."
                : holdsRows ? "It keeps vacuum from removing rows that are deleted since." : "It may hold locks."
            return HealthFinding(
                "transaction", blocksWriters ? .error : .warning,
                message: "A transaction of the process \(process) (\(result.text(row, 1) ?? ""), user "
                    + "\(result.text(row, 2) ?? ""), \(state)) "
                    + "runs for \(age). \(effect)",
                advice: state.hasPrefix("idle")
                    ? "Its program waits within a transaction: end it by SELECT "
                        + "pg_terminate_backend(\(process)), and bound such "
                        + "times by idle_in_transaction_session_timeout."
                    : "If its answer is not needed, end it by SELECT pg_cancel_backend(\(process)).")
        }
    }

    private static let preparedTransactions = ServerCheck("prepared-transaction") { subject in
        """
        SELECT gid, extract(epoch FROM pg_catalog.clock_timestamp() - prepared)::int8 FROM pg_catalog.pg_prepared_xacts
        WHERE database = pg_catalog.current_database()
          AND prepared < pg_catalog.clock_timestamp() - pg_catalog.make_interval(secs => \(subject.limits.transactionSeconds))
        """
    } _: { result, _ in
        (0..<result.count).map { row in
            HealthFinding(
                "prepared-transaction", .error,
                message:
                    "The transaction \(result.text(row) ?? "") was prepared \((result.integer(row, 1) ?? 0).seconds) "
                    + "ago and never ended. "
                    + "It keeps its locks and all deleted rows, also after a restart.",
                advice: "End it by COMMIT PREPARED or ROLLBACK PREPARED, as its coordinator says.")
        }
    }

    private static let waits = ServerCheck("wait") { subject in
        """
        SELECT l.pid::int8, extract(epoch FROM pg_catalog.clock_timestamp() - l.waitstart)::int8,
          pg_catalog.array_to_string(pg_catalog.pg_blocking_pids(l.pid), ', '), coalesce(a.application_name, '')
        FROM pg_catalog.pg_locks l JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
        WHERE NOT l.granted AND a.datname = pg_catalog.current_database()
          AND l.waitstart < pg_catalog.clock_timestamp() - pg_catalog.make_interval(secs => \(subject.limits.waitSeconds))
        """
    } _: { result, _ in
        (0..<result.count).map { row in
            HealthFinding(
                "wait", .warning,
                message: "The process \(result.integer(row) ?? 0) (\(result.text(row, 3) ?? "")) waits for a lock for "
                    + "\((result.integer(row, 1) ?? 0).seconds), which \(result.text(row, 2) ?? "") holds.",
                advice: "Look at the holder in pg_stat_activity: if it is idle in a transaction, end it.")
        }
    }
}
