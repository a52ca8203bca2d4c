internal import Foundation
package import StorageDriver

/// The store's record of its tables: `storage_tables` has a row for each table, with its definition as JSON, `storage_keys`
/// the greatest assigned keys, and `storage_info` the format's version. The sequence `storage_commits` counts the
/// transactions that write.
///
/// The name of the primary key of `storage_tables` is the version of the tables: each change of them renames it. Names are
/// seen as they are at the last commit, also by a transaction that reads an older snapshot.
package enum Catalog {
    /// The version of the format that a new record has. Tables that need a later one raise it.
    private static let firstFormat = 1

    /// The identity of the record in its database.
    package struct Record: Sendable {
        /// The number of the schema, which locks name.
        let schema: Int64
        /// The number of the index whose name is the tables' version; nil for a read-only store without a record.
        package let versionIndex: Int64?
        /// The number of the sequence that counts the transactions that write; nil if it is missing.
        package let commits: Int64?
        /// True if the sequence exists and the user may read it.
        package let canCount: Bool

        /// Nil if the schema does not exist.
        init?(_ result: StatementResult) {
            guard let schema = result.integer() else { return nil }
            (self.schema, versionIndex, commits) = (schema, result.integer(0, 1), result.integer(0, 2))
            canCount = result.isTrue(0, 3)
        }

        /// The number of the advisory lock that a writer holds after it has taken its number.
        var lock: Int64 { 0x53_74_6f_72 << 32 | schema }

        /// The number of the advisory lock that observers share.
        var observers: Int64 { 0x53_74_6f_62 << 32 | schema }

        /// The number of the advisory lock of the program that makes indexes beside writers.
        var indexes: Int64 { 0x53_74_6f_69 << 32 | schema }

        /// The channel on which observers receive notices of commits.
        var channel: String { "storage_\(schema)" }
    }

    // MARK: Opening

    /// The state of a store that opens.
    struct Opening {
        let record: Record
        /// The version of the record's format; nil without a record.
        let format: Int?
        /// The tables' version.
        let version: String
        /// The newest trigger and rule of the database; empty if they were not asked for.
        let newestDeclaration: String
        /// The number of the last transaction that has written.
        let last: Int64
        /// True if indexes of large tables are not made yet.
        var hasUnbuiltIndexes = false
        /// The definitions of tables whose indexes an earlier version may have left incomplete.
        let incomplete: StatementResult?
    }

    /// Finds an existing store in one round trip; nil if one of the questions fails, for example in a schema that is no store.
    ///
    /// - Throws: `schemaNewer` if a later version has written the store, `unsupported` if its text is not UTF-8.
    static func opening(
        _ connection: Connection, _ configuration: PostgreSQLBackend
    ) throws(StorageError) -> Opening? {
        let names = Names(schema: configuration.schema)
        let results = try connection.outcome([
            question(names, configuration.schema), Statement(formatQuery(names)), CompositeIndexes.question(names),
            Statement("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM \(names.own("storage_commits"))"),
        ]).results
        guard let found = results.first, let record = Record(found), found.text(0, 4) == "UTF8", results.count == 4,
            let version = found.text(0, 5), let last = results[3].integer()
        else { return nil }
        return Opening(
            record: record, format: try checkedFormat(results[1]), version: version,
            newestDeclaration: found.text(0, 6) ?? "", last: last, hasUnbuiltIndexes: results[1].isTrue(0, 1),
            incomplete: results[2])
    }

    /// Finds the record, or makes it.
    ///
    /// - Returns: the record, and the version of its format; nil without a record.
    /// - Throws: `schemaNewer` if a later version has written the store, `unsupported` if its text is not UTF-8.
    package static func open(
        _ connection: Connection, _ configuration: PostgreSQLBackend, isReadOnly: Bool
    ) throws(StorageError) -> (record: Record, format: Int?) {
        guard try connection.run("SELECT pg_catalog.current_setting('server_encoding')").text() == "UTF8" else {
            throw StorageError(.unsupported, "The database's encoding is not UTF8; make one with ENCODING 'UTF8'.")
        }
        let names = Names(schema: configuration.schema)
        if let record = try find(connection, names, schema: configuration.schema),
            isReadOnly || record.versionIndex != nil && record.commits != nil
        {
            return (record, try checkedFormat(connection, names, of: record))
        }
        guard !isReadOnly else {
            throw StorageError(
                .configuration,
                "The schema \(configuration.schema) does not exist, and a read-only store does not create it.")
        }
        try create(connection, names, schema: configuration.schema)
        guard let record = try find(connection, names, schema: configuration.schema) else { throw damaged }
        return (record, try checkedFormat(connection, names, of: record))
    }

    package static func find(
        _ connection: Connection, _ names: Names, schema: String
    ) throws(StorageError) -> Record? {
        Record(try connection.run(question(names, schema)))
    }

    private static func question(_ names: Names, _ schema: String) -> Statement {
        let table = names.own("storage_tables").literal
        return Statement(
            """
            SELECT n.oid::int8, i.number::int8, c.number::oid::int8,
              pg_catalog.has_sequence_privilege(c.number::oid, 'SELECT'), pg_catalog.current_setting('server_encoding'),
              i.number::pg_catalog.regclass::text, \(newestDeclaration)
            FROM pg_catalog.pg_namespace n
              CROSS JOIN (SELECT pg_catalog.to_regclass(\(names.own("storage_commits").literal)) AS number) AS c
              CROSS JOIN (SELECT (SELECT indexrelid FROM pg_catalog.pg_index
                WHERE indrelid = pg_catalog.to_regclass(\(table)) AND indisprimary) AS number) AS i
            WHERE n.nspname = \(schema.literal)
            """)
    }

    private static func formatQuery(_ names: Names) -> String {
        "SELECT value, \(UnbuiltIndexes.exist(names)) FROM \(names.own("storage_info")) WHERE key = 'format'"
    }

    private static func checkedFormat(
        _ connection: Connection, _ names: Names, of record: Record
    ) throws(StorageError) -> Int? {
        guard record.versionIndex != nil else { return nil }
        return try checkedFormat(connection.run(formatQuery(names)))
    }

    private static func checkedFormat(_ result: StatementResult) throws(StorageError) -> Int {
        guard let text = result.text(), let found = Int(text) else { throw damaged }
        guard found <= TableSchema.newestFormat else {
            throw StorageError(
                .schemaNewer,
                "The store has format \(found), and this version reads up to \(TableSchema.newestFormat); update the program. "
                    + "Nothing was changed.")
        }
        return found
    }

    /// The number of the advisory lock that the creator of the record holds. The schema has no number yet. Only names with the
    /// same hash wait for each other.
    private static func makingLock(_ schema: String) -> Int64 {
        0x53_74_6f_6d << 32 | Int64(schema.utf8.reduce(2_166_136_261 as UInt32) { ($0 ^ UInt32($1)) &* 16_777_619 })
    }

    /// Creates the record. Several processes may open a new store at once.
    private static func create(
        _ connection: Connection, _ names: Names, schema: String
    ) throws(StorageError) {
        connection.begin("READ COMMITTED", isWriting: true)
        let exists =
            try connection.run(
                [
                    Statement("SELECT pg_catalog.pg_advisory_xact_lock(\(makingLock(schema)))"),
                    Statement("SELECT true FROM pg_catalog.pg_namespace WHERE nspname = \(schema.literal)"),
                ]
            ).last?.isTrue() ?? false
        do {
            // A user without the right to create schemas may use one that an administrator has created.
            if !exists { connection.add("CREATE SCHEMA \(names.schema)") }
            connection.add(
                """
                CREATE TABLE IF NOT EXISTS \(names.own("storage_tables")) (
                  position bigint GENERATED ALWAYS AS IDENTITY,
                  name text COLLATE "C" CONSTRAINT storage_version_0 PRIMARY KEY, definition text NOT NULL)
                """)
            connection.add(
                """
                CREATE TABLE IF NOT EXISTS \(names.own("storage_keys")) (
                  name text COLLATE "C" CONSTRAINT storage_keys_key PRIMARY KEY, greatest bigint NOT NULL)
                """)
            connection.add(
                """
                CREATE TABLE IF NOT EXISTS \(names.own("storage_info")) (
                  key text CONSTRAINT storage_info_key PRIMARY KEY, value text NOT NULL)
                """)
            connection.add("CREATE SEQUENCE IF NOT EXISTS \(names.own("storage_commits"))")
            connection.add(
                "INSERT INTO \(names.own("storage_info")) VALUES ('format', '\(firstFormat)') ON CONFLICT DO NOTHING")
            try connection.run("COMMIT")
        } catch {
            connection.dropWaiting()
            connection.sendOnly("ROLLBACK")
            throw error
        }
    }

    package static var damaged: StorageError {
        StorageError(
            .corrupt, "The tables storage_tables and storage_info are not as a store writes them; restore a backup.")
    }

    /// The error of a store whose record was removed or replaced.
    static var gone: StorageError {
        StorageError(
            .schemaMismatch,
            "The store's tables were removed or replaced since it was opened; restore them, or open the store again."
        )
    }

    /// Returns whether the version belongs to a dropped index, for which the server returns a number in place of its
    /// name.
    static func isGone(_ version: String) -> Bool {
        !version.isEmpty && version.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// Returns whether an error reports that a table, a sequence or a schema no longer exists.
    static func isGone(_ error: StorageError) -> Bool {
        guard let state = (error.underlying as? PostgreSQLError)?.state else { return false }
        return ["XX000", "42P01", "3F000"].contains(state)
    }

    // MARK: Tables

    /// Reads the tables' version.
    static func version(_ record: Record) -> Statement {
        Statement(
            "SELECT \(record.versionIndex ?? 0)::pg_catalog.regclass::text", name: "version_\(record.versionIndex ?? 0)"
        )
    }

    /// Reads the tables' version as the transaction's snapshot has it, and not as it is now. Without the schema's name.
    static func snapshotVersion(_ record: Record) -> Statement {
        Statement(
            "SELECT pg_catalog.quote_ident(relname) FROM pg_catalog.pg_class WHERE oid = \(record.versionIndex ?? 0)",
            name: "snapshot_version_\(record.versionIndex ?? 0)")
    }

    /// Returns whether a version that ``version(_:)`` read is the one of a snapshot.
    static func isVersion(_ version: String, inSnapshot seen: String) -> Bool {
        version == seen || version.hasSuffix("." + seen)
    }

    /// Waits for the turn of a write transaction. An exclusive writer waits for all writers, and they wait for it. Locking a
    /// table takes no snapshot before the turn has come; a statement that takes an advisory lock would.
    static func turn(_ names: Names, isExclusive: Bool) -> Statement {
        Statement("LOCK TABLE \(names.own("storage_info")) IN \(isExclusive ? "EXCLUSIVE" : "ROW SHARE") MODE")
    }

    /// The newest trigger and the newest rule of the database. Each new one has a greater number. So a changed text means that
    /// the declarations must be read again.
    private static let newestDeclaration = """
        pg_catalog.concat((SELECT max(oid) FROM pg_catalog.pg_trigger), '.', (SELECT max(oid) FROM pg_catalog.pg_rewrite))
        """

    /// The facts that an exclusive write transaction reads when it begins: its number on the server; the newest declaration;
    /// its number among the store's write transactions; and whether the store is observed. If no store observes now, a new
    /// observer waits until this transaction ends.
    static func transaction(_ record: Record) -> Statement {
        Statement(
            """
            SELECT pg_catalog.pg_current_xact_id()::text, \(newestDeclaration), \(next(record)),
              NOT pg_catalog.pg_try_advisory_xact_lock(\(record.observers))
            """, name: "transaction_\(record.commits ?? 0)")
    }

    /// The number on the server of a transaction beside which others write, and the newest declaration.
    static let sharedTransaction = Statement(
        "SELECT pg_catalog.pg_current_xact_id()::text, \(newestDeclaration)", name: "shared_transaction")

    /// The statement before a commit: it takes the transaction's number among the store's write transactions, and notifies
    /// observers. No other transaction takes a number until this one has committed, so the numbers have the order of the
    /// commits.
    static func number(_ record: Record) -> Statement {
        var parameters = Parameters()
        parameters.add(plain: record.channel)
        return Statement(
            """
            SELECT number, CASE WHEN pg_catalog.pg_try_advisory_xact_lock(\(record.observers)) THEN NULL
              ELSE pg_catalog.pg_notify($1::text, number::text)::text END
            FROM (SELECT \(next(record)) AS number OFFSET 0) AS n
            """, name: "number_\(record.commits ?? 0)", parameters)
    }

    /// Takes the next number after its holder ends.
    private static func next(_ record: Record) -> String {
        """
        CASE WHEN pg_catalog.pg_advisory_xact_lock(\(record.lock)) IS NOT NULL
          THEN pg_catalog.nextval(\(record.commits ?? 0)::pg_catalog.oid::pg_catalog.regclass) END
        """
    }

    /// Notifies observers of a commit.
    static func notify(_ record: Record, _ number: Int64) -> Statement {
        var parameters = Parameters()
        parameters.add(plain: record.channel)
        parameters.add(plain: String(number))
        return Statement("SELECT pg_catalog.pg_notify($1::text, $2::text)", name: "notify", parameters)
    }

    /// Changes the tables' version, to a name that no other transaction gives.
    static func rename(from version: String, to transaction: String) -> String {
        "ALTER INDEX \(version) RENAME TO \("storage_version_\(transaction)".quotedName)"
    }

    /// Reads the definitions of the tables, in the order of their creation.
    package static func definitions(_ names: Names) -> Statement {
        Statement("SELECT definition FROM \(names.own("storage_tables")) ORDER BY position")
    }

    package static func tables(_ definitions: StatementResult) throws(StorageError) -> [TableSchema] {
        var tables: [TableSchema] = []
        let decoder = JSONDecoder()
        for row in 0..<definitions.count {
            guard let bytes = definitions.bytes(row, 0) else { throw damaged }
            do {
                tables.append(try decoder.decode(TableSchema.self, from: Data(bytes)))
            } catch let error as StorageError {
                throw error
            } catch {
                throw damaged.caused(by: error)
            }
        }
        return tables
    }

    /// Updates the record for a change.
    static func record(_ change: TableChange, _ names: Names) throws(StorageError) -> [Statement] {
        let (tables, keys) = (names.own("storage_tables"), names.own("storage_keys"))
        func statement(_ sql: String, _ texts: [String]) -> Statement {
            var parameters = Parameters()
            for text in texts { parameters.add(plain: text) }
            return Statement(sql, parameters)
        }
        switch change {
        case .create(let table):
            return [
                statement(
                    "INSERT INTO \(tables) (name, definition) VALUES ($1::text, $2::text)",
                    [table.name, try definition(of: table)])
            ] + raisedFormat(for: table, names)
        case .drop(let table):
            return [
                statement("DELETE FROM \(tables) WHERE name = $1::text", [table.name]),
                statement("DELETE FROM \(keys) WHERE name = $1::text", [table.name]),
            ]
        case .alter(let old, let new, _):
            let definition = try definition(of: new)
            return [
                statement(
                    "UPDATE \(tables) SET name = $2::text, definition = $3::text WHERE name = $1::text",
                    [old.name, new.name, definition]),
                statement("UPDATE \(keys) SET name = $2::text WHERE name = $1::text", [old.name, new.name]),
            ] + raisedFormat(for: new, names)
        }
    }

    private static func raisedFormat(for table: TableSchema, _ names: Names) -> [Statement] {
        let required = table.requiredFormat
        guard required > firstFormat else { return [] }
        return [
            Statement(
                "UPDATE \(names.own("storage_info")) SET value = '\(required)' "
                    + "WHERE key = 'format' AND value::int4 < \(required)")
        ]
    }

    private static func definition(of table: TableSchema) throws(StorageError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(table), as: UTF8.self)
        } catch {
            throw StorageError(.io, "A table's definition cannot be encoded.", underlying: error)
        }
    }
}
