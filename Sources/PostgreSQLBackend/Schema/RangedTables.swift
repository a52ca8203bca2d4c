internal import StorageDriver
import Synchronization

/// The store's tables that have partitions by ranges of the key, and their partitions as they are known.
package final class RangedTables: Sendable {
    /// The partitions of each table, in the order of their keys; nil if they must be asked for.
    private let tables = Mutex<[String: [Partition]?]>([:])
    private let isUsed = Atomic(false)

    /// A partition by its range.
    struct Partition: Sendable {
        /// The name in SQL.
        let name: String
        let range: KeyRange
    }

    /// The greatest number of partitions of a table. A query of all of them locks each, and a server has 6,400 locks by default.
    package static let mostPartitions = 1024
    /// The greatest number of partitions that one transaction adds, each with several locks.
    static let mostAdded = 250

    /// Registers a table. It stays registered: an older snapshot may not know it.
    func record(_ table: String) {
        tables.withLock { $0[table, default: nil] = $0[table] ?? nil }
        isUsed.store(true, ordering: .releasing)
    }

    func contains(_ table: String) -> Bool {
        isUsed.load(ordering: .acquiring) && tables.withLock { $0.keys.contains(table) }
    }

    func partitions(of table: String) -> [Partition]? { tables.withLock { $0[table] ?? nil } }

    func set(_ partitions: [Partition], of table: String) { tables.withLock { $0[table] = .some(partitions) } }

    /// Forgets the partitions, since a transaction that may have added some was undone, or another program has dropped some.
    func forget() {
        guard isUsed.load(ordering: .acquiring) else { return }
        tables.withLock { tables in for name in tables.keys { tables[name] = .some(nil) } }
    }

    /// Asks for the partitions of a table.
    static func question(_ table: TableSchema, _ names: Names) -> Statement {
        Statement(
            """
            SELECT c.oid::pg_catalog.regclass::text, pg_catalog.pg_get_expr(c.relpartbound, c.oid)
            FROM pg_catalog.pg_inherits h JOIN pg_catalog.pg_class c ON c.oid = h.inhrelid
            WHERE h.inhparent = pg_catalog.to_regclass(\(names.table(table).literal))
            """)
    }

    /// The partitions that the server names.
    static func partitions(_ result: StatementResult, _ key: RangedKey) -> [Partition] {
        (0..<result.count).compactMap { row in
            guard let name = result.text(row), let range = result.text(row, 1).flatMap(key.range) else { return nil }
            return Partition(name: name, range: range)
        }.sorted { ($0.range.lower ?? .min) < ($1.range.lower ?? .min) }
    }
}

/// The way in which a new table is divided.
enum Partitioning {
    /// By the hash of a column.
    case hash(column: Int)
    /// By ranges of the key's first part, of a size.
    case ranges(RangedKey, size: Int64)
}
