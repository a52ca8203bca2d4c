internal import Foundation
internal import StorageDriver
import Synchronization

/// The tables of the schema that other software made, as they were read last.
///
/// Leaves out tables of other servers, partitions, extensions' tables, tables that the user may not read, and materialized views
/// that have never been filled.
final class ForeignCatalog: Sendable {
    private let known = Mutex<[String: ForeignTable]>([:])
    /// The facts about any table of the schema, including those of the store.
    private let particular = Mutex<[String: ForeignTable.Particulars]>([:])
    /// The tables with declarations that change rows by themselves.
    private let reacting = Mutex<[String]>([])
    private let reacts = Atomic(false)
    private let newestDeclaration = Mutex("")
    /// The names of tables that were found or made partitioned, which none loses: an older snapshot may not know the table.
    private let partitioned = Mutex<Set<String>>([])
    /// The store's tables with partitions by ranges of the key.
    let ranged = RangedTables()

    /// Lists the tables whose declarations are needed: tables of other software, and the store's tables with partitions, rules
    /// or triggers. Most stores have none, and to plan ``declarations(_:)`` takes the server milliseconds, again after every
    /// change of a table of the database.
    static func candidates(_ schema: String) -> Statement {
        var parameters = Parameters()
        parameters.add(plain: schema)
        return Statement(candidatesSQL, name: "candidates", parameters)
    }

    /// Reads the declarations of the tables that were listed: one JSON text for each table. Nil if none was.
    static func declarations(_ candidates: StatementResult) -> Statement? {
        guard candidates.count > 0 else { return nil }
        var parameters = Parameters()
        parameters.add(plain: "{\((0..<candidates.count).map { candidates.text($0) ?? "0" }.joined(separator: ","))}")
        return Statement(declarationsSQL, name: "declarations", parameters)
    }

    /// Keeps the declarations, if any, and returns the tables' schemas.
    func keep(_ result: StatementResult?) throws(StorageError) -> [TableSchema] {
        let decoder = JSONDecoder()
        var tables: [String: ForeignTable] = [:]
        var schemas: [TableSchema] = []
        var particulars: [String: ForeignTable.Particulars] = [:]
        var reacting: [String] = []
        for row in 0..<(result?.count ?? 0) {
            let table: ForeignTable
            do {
                table = try decoder.decode(
                    ForeignTable.self, from: Data(result?.bytes(row, 0) ?? .init(start: nil, count: 0)))
            } catch {
                throw StorageError(.io, "The server describes a table in an unknown form.", underlying: error)
            }
            particulars[table.name] = table.particulars
            if table.particulars.hasTriggers || table.hasActions { reacting.append(table.name) }
            if table.isOwn, table.hasRanges == true { ranged.record(table.name) }
            guard !table.isOwn, let schema = table.schema else { continue }
            tables[table.name] = table
            schemas.append(schema)
        }
        known.withLock { $0 = tables }
        particular.withLock { $0 = particulars }
        self.reacting.withLock { $0 = reacting }
        reacts.store(!reacting.isEmpty, ordering: .relaxed)
        partitioned.withLock { $0.formUnion(particulars.filter(\.value.isPartitioned).keys) }
        return schemas
    }

    /// The newest trigger and rule of the database when the declarations were read.
    var newest: String {
        get { newestDeclaration.withLock { $0 } }
        set { newestDeclaration.withLock { $0 = newValue } }
    }

    /// True if triggers, rules or actions of foreign keys may change rows.
    var mayReact: Bool { reacts.load(ordering: .relaxed) }

    /// The names of these tables, for a message.
    var reactingTables: [String] { reacting.withLock { $0 } }

    func particulars(of table: String) -> ForeignTable.Particulars {
        var particulars = particular.withLock { $0[table] } ?? ForeignTable.Particulars()
        if !particulars.isPartitioned { particulars.isPartitioned = partitioned.withLock { $0.contains(table) } }
        return particulars
    }

    /// Registers a partitioned table that the store creates or renames.
    func recordPartitioned(_ table: String) { _ = partitioned.withLock { $0.insert(table) } }

    /// The declaration of a table that was listed.
    ///
    /// - Throws: `schemaMismatch` if it no longer exists.
    func table(_ schema: TableSchema) throws(StorageError) -> ForeignTable {
        guard let table = known.withLock({ $0[schema.name] }) else { throw Self.changed(schema) }
        return table
    }

    /// Returns the conversions of the columns between the server's types and a model's.
    ///
    /// - Throws: `schemaMismatch` if a column no longer exists, or cannot be read as it is declared.
    func conversions(of schema: TableSchema) throws(StorageError) -> [ForeignConversion] {
        let table = try table(schema)
        var conversions: [ForeignConversion] = []
        for column in schema.columns {
            let own = table.columns.first { $0.name == column.name }
            guard let own = own ?? table.rowNumber(column.name) else { throw Self.changed(schema) }
            guard let conversion = ForeignConversion(own, as: column.type) else {
                throw StorageError(
                    .schemaMismatch,
                    "\(column.property) is \(own.base) in the database, which cannot be read as \(column.type); "
                        + "declare it as \(own.type).", model: schema.path.first, property: column.property)
            }
            conversions.append(conversion)
        }
        return conversions
    }

    static func changed(_ schema: TableSchema, by cause: (any Error)? = nil) -> StorageError {
        StorageError(
            .schemaMismatch, "Other software has changed the table \(schema.name); open the store again.",
            model: schema.path.first, underlying: cause)
    }

    /// True for a table that a store created, which has a primary key that the store has named.
    private static let isOwn = """
        EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'p'
          -- By an index of names all stores' constraints would be looked at.
          AND (k.conname || '') ~ '^storage_(key_[0-9a-f]+|version_.*|keys_key|info_key)$')
        """

    private static let candidatesSQL = """
        SELECT c.oid::int8::text FROM pg_depend d JOIN pg_class c ON c.oid = d.objid
        -- No index of pg_class has the schema first.
        WHERE d.refclassid = 'pg_namespace'::regclass AND d.refobjid = to_regnamespace(quote_ident($1::text))
          AND d.classid = 'pg_class'::regclass AND d.deptype = 'n' AND c.relkind IN ('r', 'p', 'v', 'm')
          AND c.relispopulated AND NOT c.relispartition
          AND (c.relkind = 'p' OR c.relhasrules OR c.relhastriggers OR NOT \(isOwn))
        """

    /// For the store's tables it reads only the particulars.
    private static let declarationsSQL = """
        SELECT json_build_object('name', c.relname, 'isOwn', f.own, 'isPartitioned', c.relkind = 'p',
          'hasRanges', (SELECT partstrat = 'r' FROM pg_partitioned_table WHERE partrelid = c.oid),
          'isView', c.relkind IN ('v', 'm'),
          'mayKeepOut', f.refuses, 'hasTriggers', f.triggers, 'hasActions', f.actions, 'columns', CASE WHEN f.own THEN '[]' ELSE (
            SELECT coalesce(json_agg(json_build_object(
              'name', a.attname, 'base', CASE WHEN bn.nspname = 'pg_catalog' THEN b.typname ELSE '' END,
              'cast', quote_ident(tn.nspname) || '.' || quote_ident(t.typname),
              'full', format_type(a.atttypid, a.atttypmod), 'modifier', r.modifier, 'isOptional', NOT a.attnotnull,
              'sequence', coalesce(
                pg_get_serial_sequence(format('%I.%I', n.nspname, c.relname), a.attname)::regclass::oid::int8,
                (SELECT s.oid::int8 FROM pg_attrdef f
                  JOIN pg_depend p ON p.classid = 'pg_attrdef'::regclass AND p.objid = f.oid
                  JOIN pg_class s ON p.refclassid = 'pg_class'::regclass AND s.oid = p.refobjid AND s.relkind = 'S'
                  WHERE f.adrelid = c.oid AND f.adnum = a.attnum LIMIT 1)),
              'reference', (SELECT json_build_object('table', o.relname, 'action', k.confdeltype)
                FROM pg_constraint k JOIN pg_class o ON o.oid = k.confrelid AND o.relnamespace = c.relnamespace
                JOIN pg_constraint q ON q.conrelid = o.oid AND q.contype = 'p' AND q.conkey = k.confkey
                WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.conkey = ARRAY[a.attnum] LIMIT 1)
              ) ORDER BY a.attnum), '[]')
            FROM pg_attribute a
            JOIN pg_type t ON t.oid = a.atttypid JOIN pg_namespace tn ON tn.oid = t.typnamespace
            CROSS JOIN LATERAL (
              WITH RECURSIVE bases(type, modifier) AS (
                SELECT a.atttypid, a.atttypmod
                UNION ALL SELECT d.typbasetype, d.typtypmod FROM bases JOIN pg_type d ON d.oid = type AND d.typtype = 'd')
              SELECT * FROM bases) AS r
            JOIN pg_type b ON b.oid = r.type AND b.typtype <> 'd' JOIN pg_namespace bn ON bn.oid = b.typnamespace
            WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') END,
          'indexes', CASE WHEN f.own THEN '[]' ELSE (
            SELECT coalesce(json_agg(json_build_object(
              'name', i.relname, 'isUnique', x.indisunique, 'isPrimary', x.indisprimary,
              'isImmediate', x.indimmediate,
              'isByBytes', NOT EXISTS (SELECT FROM unnest(x.indcollation::oid[]) AS o (id)
                JOIN pg_collation l ON l.oid = o.id WHERE NOT l.collisdeterministic),
              'parts', ARRAY(SELECT p.relname FROM pg_partition_tree(i.oid) AS t JOIN pg_class p ON p.oid = t.relid),
              'columns', ARRAY(
                SELECT coalesce(a.attname, '') FROM unnest(x.indkey::int2[]) WITH ORDINALITY AS u(number, place)
                LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = u.number
                WHERE u.place <= x.indnkeyatts ORDER BY u.place)) ORDER BY x.indisprimary DESC, i.relname), '[]')
            FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_am m ON m.oid = i.relam
            WHERE x.indrelid = c.oid AND x.indisvalid AND x.indpred IS NULL AND m.amname = 'btree') END)::text
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        CROSS JOIN LATERAL (SELECT
          \(isOwn) AS own,
          c.relhasrules OR (c.relhastriggers OR c.relkind = 'p') AND EXISTS (SELECT FROM pg_trigger g
            WHERE (g.tgrelid = c.oid OR g.tgrelid IN (SELECT relid FROM pg_partition_tree(c.oid)))
              AND NOT g.tgisinternal AND g.tgtype & 3 = 3) AS refuses,
          c.relhasrules OR (c.relhastriggers OR c.relkind = 'p') AND EXISTS (SELECT FROM pg_trigger g
            WHERE (g.tgrelid = c.oid OR g.tgrelid IN (SELECT relid FROM pg_partition_tree(c.oid)))
              AND NOT g.tgisinternal) AS triggers,
          c.relhastriggers AND EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'f'
            AND (k.confdeltype IN ('c', 'n', 'd') OR k.confupdtype IN ('c', 'n', 'd'))) AS actions) AS f
        WHERE c.oid = ANY ($1::text::oid[]) AND has_table_privilege(c.oid, 'SELECT')
          AND NOT EXISTS (SELECT FROM pg_depend e
            WHERE e.classid = 'pg_class'::regclass AND e.objid = c.oid AND e.deptype = 'e')
          AND (NOT f.own OR f.refuses OR f.triggers OR f.actions OR c.relkind = 'p')
        ORDER BY c.oid
        """
}
