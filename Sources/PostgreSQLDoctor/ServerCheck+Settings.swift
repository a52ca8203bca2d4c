internal import PostgreSQLBackend
internal import StorageDriver

// The checks of settings that must hold.

extension ServerCheck {
    static let settings = [
        ServerCheck("setting") { _ in
            let names = names.map(\.literal).joined(separator: ", ")
            return "SELECT name, setting FROM pg_catalog.pg_settings WHERE name IN (\(names))"
        } _: { result, subject in
            var values: [String: String] = [:]
            for row in 0..<result.count {
                if let name = result.text(row), let value = result.text(row, 1) { values[name] = value }
            }
            return dangers(values) + guarantees(values, subject) + times(values, subject)
        }
    ]

    private static let names = [
        "fsync", "full_page_writes", "zero_damaged_pages", "ignore_checksum_failure", "data_checksums", "autovacuum",
        "track_counts", "synchronous_commit", "default_transaction_read_only", "idle_in_transaction_session_timeout",
        "statement_timeout", "transaction_timeout", "wal_level",
    ]

    /// Settings that risk the database.
    private static func dangers(_ values: [String: String]) -> [HealthFinding] {
        let wanted = [
            ("fsync", "on", "a power cut may destroy the database"),
            ("full_page_writes", "on", "a power cut may destroy pages of the database"),
            ("zero_damaged_pages", "off", "the server empties damaged pages instead of reporting them"),
            ("ignore_checksum_failure", "off", "the server returns values of damaged pages"),
            (
                "autovacuum", "on",
                "tables grow without end, and the server stops in the end, to keep its "
                    + "transaction numbers apart"
            ),
            ("track_counts", "on", "autovacuum does not find the tables that need it"),
        ]
        return wanted.compactMap { name, value, danger in
            guard let found = values[name], found != value else { return nil }
            return HealthFinding(
                "setting", .error, message: "\(name) is \(found): \(danger).",
                advice: "Set \(name) = \(value) in "
                    + "postgresql.conf.")
        }
    }

    /// Settings on which the store's guarantees rest.
    private static func guarantees(_ values: [String: String], _ subject: Subject) -> [HealthFinding] {
        var findings: [HealthFinding] = []
        if values["data_checksums"] == "off" {
            findings.append(
                HealthFinding(
                    "setting", .warning, message: "The cluster has no checksums: changes by a disk are not noticed.",
                    advice: "Stop the server and run pg_checksums --enable."))
        }
        if subject.configuration.durability == .full, values["synchronous_commit"] == "off" {
            findings.append(
                HealthFinding(
                    "setting", .error,
                    message:
                        "synchronous_commit is off for this user and database: a power cut may lose commits that the "
                        + "store has acknowledged as "
                        + "durable.",
                    advice: "Set it to on, or open the store with durability=relaxed, which says so."))
        }
        if !subject.configuration.isReadOnly, values["default_transaction_read_only"] == "on" {
            findings.append(
                HealthFinding(
                    "setting", .error,
                    message: "default_transaction_read_only is on for this user and database: every "
                        + "write fails.",
                    advice: "Set it to off, as by ALTER ROLE or ALTER DATABASE, or open the store with readonly=true."))
        }
        if values["wal_level"] == "minimal" {
            findings.append(
                HealthFinding(
                    "setting", .warning,
                    message: "wal_level is minimal: there can be no replica and no continuous backup.",
                    advice: "Set wal_level = replica, and restart the server."))
        }
        return findings
    }

    /// Times after which the server ends something.
    private static func times(_ values: [String: String], _ subject: Subject) -> [HealthFinding] {
        var findings: [HealthFinding] = []
        if values["idle_in_transaction_session_timeout"] == "0" {
            findings.append(
                HealthFinding(
                    "setting", .note,
                    message:
                        "idle_in_transaction_session_timeout is 0: a program that stops within a transaction keeps "
                        + "its turn to write.",
                    advice: "Set it to some minutes, but longer than the longest transaction of a program."))
        }
        let timeout = subject.configuration.timeoutMilliseconds
        for name in ["statement_timeout", "transaction_timeout"] {
            guard let value = values[name].flatMap({ Int($0) }), value > 0 else { continue }
            let isShort = value <= timeout
            findings.append(
                HealthFinding(
                    "setting", isShort ? .warning : .note,
                    message: isShort
                        ? "\(name) is \(value) ms for this user and database, and the store waits up to "
                            + "\(timeout) ms for other writers: "
                            + "the server ends the wait before."
                        : "\(name) is \(value) ms for this user and database: the server ends longer calls, and "
                            + "migrations.",
                    advice: isShort
                        ? "Raise it above the option timeout, or lower the option."
                        : "Migrate and copy as a user without it."))
        }
        return findings
    }
}
