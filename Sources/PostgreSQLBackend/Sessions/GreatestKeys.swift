internal import StorageDriver

/// The greatest keys of tables that assign keys (clause K2), as a transaction reads and changes them.
///
/// `storage_keys` has one row for each table, which every insert updates. While a snapshot is open, for example for a dump, the
/// server keeps all versions of the row, and scans them to find the last. So a store remembers the row's `ctid`, which leads to
/// the last version at once, as long as no other store has written.
struct GreatestKeys {
    private struct Known {
        var greatest: Int64
        /// The server's identifier of the row; nil if it is not known.
        var ctid: String?
    }

    private var known: [String: Known] = [:]
    /// The keys that were not reported to the server yet, by the table's name.
    private(set) var unreported: [String: Int64] = [:]

    /// The greatest key of a table; nil if it is not known.
    subscript(table: String) -> Int64? { known[table]?.greatest }

    /// Keeps the server's answer to ``question(_:_:)``.
    mutating func keep(_ answer: StatementResult?, of table: String) -> Int64 {
        let greatest = answer?.integer() ?? 0
        known[table] = Known(greatest: greatest, ctid: answer?.text(0, 1))
        return greatest
    }

    /// Registers a stored key.
    mutating func add(_ key: Int64, to table: String) {
        if let greatest = known[table]?.greatest {
            guard key > greatest else { return }
            known[table]?.greatest = key
        }
        unreported[table] = max(unreported[table] ?? key, key)
    }

    mutating func remove(_ table: String) {
        known[table] = nil
        unreported[table] = nil
    }

    /// Forgets all keys, because some may be undone.
    mutating func removeAll() { self = GreatestKeys() }

    // MARK: Statements

    /// The tables whose keys must be reported to the server, in an order that all transactions keep.
    var tables: [String] { unreported.keys.sorted() }

    /// Reports the greatest key of a table to the server. The answer is the row's `ctid` if the row has changed.
    func statement(of table: String, _ names: Names) -> Statement {
        var parameters = Parameters()
        parameters.add(plain: table)
        parameters.add(unreported[table] ?? 0)
        parameters.add(plain: known[table]?.ctid)
        let keys = names.own("storage_keys")
        return Statement(
            """
            WITH known AS (
              UPDATE \(keys) SET greatest = $2::bigint
              WHERE ctid = $3::text::tid AND name = $1::text AND greatest < $2::bigint RETURNING ctid),
            found AS (
              INSERT INTO \(keys) AS k (name, greatest) SELECT $1::text, $2::bigint WHERE NOT EXISTS (SELECT FROM known)
              ON CONFLICT (name) DO UPDATE SET greatest = excluded.greatest WHERE k.greatest < excluded.greatest
              RETURNING ctid)
            SELECT ctid::text FROM known UNION ALL SELECT ctid::text FROM found
            """, name: "remember", parameters)
    }

    /// Registers the server's answer to ``statement(of:_:)``.
    mutating func reported(_ table: String, _ answer: StatementResult) {
        guard let key = unreported.removeValue(forKey: table) else { return }
        // Without an answer, another program has stored a greater key.
        known[table] = answer.text().map { Known(greatest: key, ctid: $0) }
    }

    /// Asks for the greatest key of a table and the row's `ctid`. The last version is mostly at the end of the table.
    static func question(_ table: String, _ names: Names) -> Statement {
        var parameters = Parameters()
        parameters.add(plain: table)
        let keys = names.own("storage_keys")
        // The first part scans the last pages without an index.
        return Statement(
            """
            SELECT greatest, ctid::text FROM (
              SELECT greatest, ctid FROM \(keys) WHERE name || '' = $1::text AND ctid >= (
                SELECT format('(%s,0)', greatest(pg_catalog.pg_relation_size(\(keys.quotedText)::regclass)
                  / pg_catalog.current_setting('block_size')::bigint - 2, 0))::tid)
              UNION ALL SELECT greatest, ctid FROM \(keys) WHERE name = $1::text) AS k LIMIT 1
            """, name: "greatest_ctid", parameters)
    }
}
