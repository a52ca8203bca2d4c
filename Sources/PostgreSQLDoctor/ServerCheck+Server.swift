internal import PostgreSQLBackend
internal import StorageDriver

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

// The checks of the server as a whole.

extension ServerCheck {
    static let server = [version, clock, wraparound, damage, collation, disk, writeAheadLog, slots, archiver, standbys]

    private static let version = ServerCheck("version") { _ in
        "SELECT pg_catalog.current_setting('server_version'), (pg_catalog.now() - "
            + "pg_catalog.pg_postmaster_start_time())::text"
    } _: { result, subject in
        let version = "PostgreSQL \(result.text() ?? ""), which runs for \(result.text(0, 1) ?? "")"
        guard subject.isReplica else { return [HealthFinding("version", .note, message: "The server is \(version).")] }
        let isAsked = subject.configuration.isReadOnly
        return [
            HealthFinding(
                "version", isAsked ? .note : .warning,
                message: "The server is a replica: \(version). It takes no writes.",
                advice: isAsked ? nil : "Name the primary in the URL, or add readonly=true.")
        ]
    }

    private static let clock = ServerCheck("clock") { _ in
        "SELECT (extract(epoch FROM pg_catalog.clock_timestamp()) * 1000)::int8"
    } _: { result, _ in
        guard let server = result.integer() else { return [] }
        let difference = server - Clock.milliseconds
        guard abs(difference) > 2000 else { return [] }
        return [
            HealthFinding(
                "clock", .warning,
                message: "The server's clock is \(abs(difference) / 1000) s \(difference > 0 ? "ahead of" : "behind") "
                    + "this machine's. "
                    + "Records expire, and histories are dated, by the clock of the program that writes.",
                advice: "Run an NTP client on every machine whose programs use the store.")
        ]
    }

    /// The transaction numbers until the server refuses writes.
    private static let lastNumber: Int64 = 2_100_000_000

    private static let wraparound = ServerCheck("wraparound") { _ in
        """
        SELECT pg_catalog.age(datfrozenxid)::int8, pg_catalog.mxid_age(datminmxid)::int8,
          pg_catalog.current_setting('autovacuum_freeze_max_age')::int8,
          pg_catalog.current_setting('autovacuum_multixact_freeze_max_age')::int8
        FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()
        """
    } _: { result, _ in
        (0...1).compactMap { column in
            guard let age = result.integer(0, column), let limit = result.integer(0, column + 2) else { return nil }
            guard age > limit + limit / 2 else { return nil }
            let kind = column == 0 ? "transaction numbers" : "numbers of shared row locks"
            return HealthFinding(
                "wraparound", age > lastNumber / 4 * 3 ? .error : .warning,
                message: "The database has used \(age) \(kind) since its oldest row was frozen; vacuum should begin at "
                    + "\(limit), and the "
                    + "server refuses writes at about \(lastNumber).",
                advice: "End old transactions, slots and prepared transactions that hold vacuum back, then run "
                    + "vacuumdb "
                    + "--freeze on this database.")
        }
    }

    private static let damage = ServerCheck("damage") { _ in
        "SELECT checksum_failures, checksum_last_failure::text FROM pg_catalog.pg_stat_database "
            + "WHERE datname = pg_catalog.current_database()"
    } _: { result, _ in
        guard let failures = result.integer(), failures > 0 else { return [] }
        return [
            HealthFinding(
                "damage", .error,
                message:
                    "\(failures) pages of the database had a wrong checksum, the last one at \(result.text(0, 1) ?? "").",
                advice: "Replace the disk, restore a backup, and compare it by storage verify.")
        ]
    }

    private static let collation = ServerCheck("collation") { _ in
        """
        SELECT datcollversion, pg_catalog.pg_database_collation_actual_version(oid) FROM pg_catalog.pg_database
        WHERE datname = pg_catalog.current_database()
        """
    } _: { result, _ in
        guard let made = result.text(), let now = result.text(0, 1), made != now else { return [] }
        return [
            HealthFinding(
                "collation", .warning,
                message: "The database was made with version \(made) of its collation, and the system has \(now). A "
                    + "store's own tables don't "
                    + "use it; indexes of tables of other software may be wrong.",
                advice: "Run REINDEX DATABASE and ALTER DATABASE … REFRESH COLLATION VERSION.")
        ]
    }

    private static let disk = ServerCheck("disk") { subject in
        """
        SELECT pg_catalog.pg_database_size(pg_catalog.current_database()),
          (SELECT coalesce(sum(pg_catalog.pg_total_relation_size(oid)), 0)::int8 FROM pg_catalog.pg_class
            WHERE relnamespace = \(subject.namespace) AND relkind IN ('r', 'm'))
        """
    } _: { result, _ in
        guard let database = result.integer(), let store = result.integer(0, 1) else { return [] }
        return [
            HealthFinding(
                "disk", .note,
                message:
                    "The database takes \(database.bytes), of which the store takes \(store.bytes). The server does "
                    + "not say how much "
                    + "space is left: watch that on its machine.")
        ]
    }

    private static let writeAheadLog = ServerCheck("wal") { _ in
        "SELECT sum(size)::int8, pg_catalog.pg_size_bytes(pg_catalog.current_setting('max_wal_size')) "
            + "FROM pg_catalog.pg_ls_waldir()"
    } _: { result, _ in
        guard let size = result.integer(), let usual = result.integer(0, 1), size > 2 * usual else { return [] }
        return [
            HealthFinding(
                "wal", .warning,
                message: "The write-ahead log takes \(size.bytes), and max_wal_size is \(usual.bytes).",
                advice: "Find the reason: a replication slot without a reader, or an archive command that fails.")
        ]
    }

    private static let slots = ServerCheck("slot") { _ in
        """
        SELECT slot_name::text, active, coalesce(wal_status, ''), pg_catalog.pg_wal_lsn_diff(
          CASE WHEN pg_catalog.pg_is_in_recovery() THEN pg_catalog.pg_last_wal_replay_lsn()
            ELSE pg_catalog.pg_current_wal_lsn() END, restart_lsn)::int8
        FROM pg_catalog.pg_replication_slots
        """
    } _: { result, _ in
        (0..<result.count).compactMap { row in
            let name = result.text(row) ?? ""
            if result.text(row, 2) == "lost" {
                return HealthFinding(
                    "slot", .error,
                    message: "The replication slot \(name) has lost its position in the log, so its reader "
                        + "cannot go on.",
                    advice: "Drop the slot, and recreate the replica from a backup.")
            }
            guard !result.isTrue(row, 1), let behind = result.integer(row, 3), behind > 256 << 20 else { return nil }
            return HealthFinding(
                "slot", .warning,
                message:
                    "The replication slot \(name) has no reader, and the server keeps \(behind.bytes) of its log for "
                    + "it, until the disk "
                    + "is full.",
                advice: "Start the reader, or SELECT pg_drop_replication_slot('\(name)'); bound it by "
                    + "max_slot_wal_keep_size.")
        }
    }

    private static let archiver = ServerCheck("archive") { _ in
        """
        SELECT failed_count, coalesce(last_failed_wal, ''), coalesce(last_archived_time::text, 'never') FROM pg_catalog.pg_stat_archiver
        WHERE failed_count > 0 AND (last_archived_time IS NULL OR last_failed_time > last_archived_time)
        """
    } _: { result, _ in
        guard result.count > 0 else { return [] }
        return [
            HealthFinding(
                "archive", .error,
                message:
                    "The last attempt to archive the log failed (\(result.text(0, 1) ?? "")); the last success was "
                    + "\(result.text(0, 2) ?? ""). Backups end there, and the log grows until the disk is full.",
                advice: "See the server's log for the message of archive_command or archive_library.")
        ]
    }

    private static let standbys = ServerCheck("standby") { _ in
        """
        SELECT coalesce(application_name, ''), coalesce(sync_state, ''), coalesce(extract(epoch FROM replay_lag), 0)::int8,
          coalesce(pg_catalog.pg_wal_lsn_diff(CASE WHEN pg_catalog.pg_is_in_recovery() THEN NULL
            ELSE pg_catalog.pg_current_wal_lsn() END, replay_lsn), 0)::int8,
          pg_catalog.current_setting('synchronous_standby_names')
        FROM (SELECT) AS one LEFT JOIN pg_catalog.pg_stat_replication ON true
        """
    } _: { result, subject in
        var findings: [HealthFinding] = []
        let states = (0..<result.count).compactMap { result.text($0, 1) }
        let needsOne = result.text(0, 4)?.isEmpty == false
        if needsOne, !subject.isReplica, !states.contains(where: { ["sync", "quorum"].contains($0) }) {
            findings.append(
                HealthFinding(
                    "standby", .error,
                    message:
                        "The server waits for a synchronous standby before each commit (synchronous_standby_names), "
                        + "and none is connected: "
                        + "writes with durability=full don't end.",
                    advice: "Start the standby, or take it out of synchronous_standby_names."))
        }
        for row in 0..<result.count {
            guard let seconds = result.integer(row, 2), let bytes = result.integer(row, 3) else { continue }
            guard seconds > 10 || bytes > 256 << 20 else { continue }
            findings.append(
                HealthFinding(
                    "standby", .warning,
                    message: "The standby \(result.text(row) ?? "") is \(bytes.bytes) and \(seconds.seconds) behind.",
                    advice: "Look at its disk and network, and for long queries on it (max_standby_streaming_delay)."))
        }
        return findings
    }
}

/// The clock of this machine.
private enum Clock {
    /// Milliseconds since 1970.
    static var milliseconds: Int64 {
        var time = timespec()
        guard clock_gettime(CLOCK_REALTIME, &time) == 0 else { return 0 }
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
