internal import PostgreSQLBackend
internal import StorageDriver

/// Compares the store's record with the existing tables and indexes.
struct StoreCheck {
    private let configuration: PostgreSQLBackend
    private let connection: Connection
    private let names: Names

    init(_ configuration: PostgreSQLBackend, _ connection: Connection) {
        (self.configuration, self.connection) = (configuration, connection)
        names = Names(schema: configuration.schema)
    }

    /// - Throws: the loss of the connection.
    func findings() throws(StorageError) -> [HealthFinding] {
        do throws(StorageError) {
            return try found()
        } catch {
            if connection.loss != nil { throw error }
            let cause = (error.underlying as? PostgreSQLError)?.message
            return [
                HealthFinding(
                    "store", .error, message: error.message + (cause.map { " The reason: \($0)." } ?? ""),
                    advice: "Open the store with the program, or by storage info, as this user.")
            ]
        }
    }

    private func found() throws(StorageError) -> [HealthFinding] {
        let schema = configuration.schema
        guard let record = try Catalog.find(connection, names, schema: schema) else {
            return [
                HealthFinding(
                    "store", .error, message: "The database has no schema \(schema).",
                    advice: "Name the store's schema in the URL (schema=…); a program that may create schemas "
                        + "makes it at opening.")
            ]
        }
        guard record.versionIndex != nil, record.commits != nil else {
            return [
                HealthFinding(
                    "store", .warning, message: "No store has written to the schema \(schema) yet.",
                    advice: "Name the store's schema in the URL (schema=…), or open the store with its program.")
            ]
        }
        guard let format = try Catalog.open(connection, configuration, isReadOnly: true).format else {
            throw Catalog.damaged
        }
        let tables = try Catalog.tables(connection.run(Catalog.definitions(names))).filter { !$0.isForeign }
        var findings = [
            HealthFinding(
                "store", .note,
                message:
                    "The store has format \(format) and \(tables.count(where: \.isRoot)) models in \(tables.count) tables."
            )
        ]
        findings += try missing("table", tables.map { (names.table($0), $0.name) })
        let unbuilt = try unbuiltIndexes()
        findings += try missing(
            "index",
            tables.flatMap { table in
                table.columns.filter { ($0.isIndexed || $0.isUnique) && !unbuilt.contains(Names.index($0, of: table)) }
                    .map {
                        column in (names.own(Names.index(column, of: table)), "\(table.name).\(column.name)")
                    } + [(names.own(Names.key(of: table)), "the key of \(table.name)")]
            })
        findings += unbuilt.map { name in
            HealthFinding(
                "index", .warning,
                message: "The index \(name) is not made yet: queries by its property read the whole table.",
                advice:
                    "Open the store with its program, which makes it beside writers, unless another program is doing that now."
            )
        }
        findings += try missingColumns(tables)
        if record.commits != nil, !record.canCount {
            findings.append(
                HealthFinding(
                    "grant", .warning,
                    message: "The user may not read the sequence storage_commits, so observers hear of "
                        + "no commits of others.",
                    advice: "GRANT SELECT ON SEQUENCE \(names.own("storage_commits")) TO CURRENT_USER, as the owner."))
        }
        return findings
    }

    /// The names of indexes that are to be made beside writers.
    private func unbuiltIndexes() throws(StorageError) -> [String] {
        let found = try connection.run(UnbuiltIndexes.list(names))
        return (0..<found.count).compactMap { found.text($0) }
    }

    /// Reports names of missing tables and indexes.
    private func missing(
        _ kind: String, _ all: [(sql: String, name: String)]
    ) throws(StorageError) -> [HealthFinding] {
        guard !all.isEmpty else { return [] }
        let list = all.map { $0.sql.literal }.joined(separator: ", ")
        let found = try connection.run(
            "SELECT place FROM pg_catalog.unnest(ARRAY[\(list)]::text[]) WITH ORDINALITY AS n (name, place) "
                + "WHERE pg_catalog.to_regclass(name) IS NULL ORDER BY place")
        return (0..<found.count).compactMap { row in
            guard let number = found.integer(row), (1...Int64(all.count)).contains(number) else { return nil }
            let name = all[Int(number) - 1].name
            return HealthFinding(
                kind, .error,
                message: kind == "table"
                    ? "The schema lacks the table \(name) of the store's record."
                    : "The schema lacks an index of \(name) in the store's record: queries by it read "
                        + "the whole table, and values that should be unique may be stored twice.",
                advice: "Restore it from a backup; pg_restore --schema-only shows its definition.")
        }
    }

    private func missingColumns(_ tables: [TableSchema]) throws(StorageError) -> [HealthFinding] {
        let all = tables.flatMap { table in table.columns.map { (names.table(table), $0.sqlName) } }
        guard !all.isEmpty else { return [] }
        let (tableNames, columns) = (all.map { $0.0.literal }, all.map { $0.1.literal })
        let found = try connection.run(
            """
            SELECT t, c FROM unnest(ARRAY[\(tableNames.joined(separator: ", "))]::text[],
              ARRAY[\(columns.joined(separator: ", "))]::text[]) AS n (t, c)
            WHERE pg_catalog.to_regclass(t) IS NOT NULL AND NOT EXISTS (SELECT FROM pg_catalog.pg_attribute
              WHERE attrelid = pg_catalog.to_regclass(t) AND NOT attisdropped
                AND '"' || replace(attname, '"', '""') || '"' = c)
            """)
        return (0..<found.count).map { row in
            HealthFinding(
                "table", .error,
                message: "The table \(found.text(row) ?? "") lacks the column "
                    + "\(found.text(row, 1) ?? "") of the store's record.",
                advice: "Restore the table from a backup.")
        }
    }
}
