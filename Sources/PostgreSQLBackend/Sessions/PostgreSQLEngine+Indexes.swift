internal import StorageDriver
import Synchronization

/// The indexes that an engine makes beside writers.
final class EngineIndexes: Sendable {
    /// True if a change of tables may have left some.
    let areUnbuilt: Atomic<Bool>
    /// Keeps others from dropping the unique indexes that the next transaction records.
    fileprivate let builder = Mutex<IndexBuilder?>(nil)

    init(areUnbuilt: Bool) { self.areUnbuilt = Atomic(areUnbuilt) }

    fileprivate func takeBuilder() -> IndexBuilder? { builder.withLock { $0.take() } }

    func end() { takeBuilder()?.release() }
}

extension PostgreSQLEngine: IndexBuildingEngine {
    var hasUnbuiltIndexes: Bool { indexes.areUnbuilt.load(ordering: .acquiring) && !isReadOnly && !role.isReplica }

    func buildUniqueIndexes(
        for changes: [TableChange], isPatient: Bool, _ progress: @escaping @Sendable (IndexProgress) -> Void
    ) throws(StorageError) -> [UniqueColumn] {
        var wanted: [ColumnIndex] = []
        for case .alter(let old, let new, _) in changes where !old.isForeign {
            for column in old.columns.indices where new.columns[column].isUnique && !old.columns[column].isUnique {
                var table = old
                table.columns[column].isUnique = true
                wanted.append(
                    ColumnIndex(column, of: table, name: Names.index(new.columns[column], of: new)))
            }
        }
        wanted = try large(wanted)
        guard !wanted.isEmpty, let builder = try makeBuilder(isPatient, progress) else { return [] }
        // A failure leaves rows, by which the next call finds the indexes to drop.
        indexes.areUnbuilt.store(true, ordering: .releasing)
        do throws(StorageError) {
            for index in wanted { try builder.makeUnique(index) }
        } catch {
            builder.release()
            if error.code == .busy, !isPatient { return [] }
            throw error
        }
        indexes.builder.withLock { $0 = builder }
        return wanted.map { UniqueColumn(table: $0.table.name, column: $0.table.columns[$0.column].name) }
    }

    func buildIndexes(
        isPatient: Bool, _ progress: @escaping @Sendable (IndexProgress) -> Void
    ) throws(StorageError) {
        guard hasUnbuiltIndexes else { return }
        indexes.areUnbuilt.store(false, ordering: .releasing)
        do throws(StorageError) {
            guard let builder = try makeBuilder(isPatient, progress) else {
                return logger.notice("another program makes indexes, or a pooler does not let this one")
            }
            defer { builder.release() }
            try builder.finish()
        } catch {
            indexes.areUnbuilt.store(true, ordering: .releasing)
            throw error
        }
    }

    private func makeBuilder(
        _ isPatient: Bool, _ progress: @escaping @Sendable (IndexProgress) -> Void
    ) throws(StorageError) -> IndexBuilder? {
        var builder = indexes.takeBuilder()
        if builder == nil {
            builder = try IndexBuilder(configuration, names, role: role, record: record, logger: logger, progress)
        }
        try builder?.wait(isPatient: isPatient)
        return builder
    }

    /// The indexes whose tables are too large for an index in a transaction, and are not partitioned.
    private func large(_ indexes: [ColumnIndex]) throws(StorageError) -> [ColumnIndex] {
        if indexes.isEmpty { return [] }
        let (connection, pool) = try takeFromPrimary()
        defer { pool.give(connection) }
        let sizes = try connection.run(indexes.map { Self.size(of: $0.table, names) })
        return zip(indexes, sizes).compactMap { index, size in
            size.integer() ?? 0 >= configuration.largeTableBytes && !size.isTrue(0, 1) ? index : nil
        }
    }

    /// The bytes of a table with its partitions, and whether it has partitions.
    static func size(of table: TableSchema, _ names: Names) -> Statement {
        let name = names.table(table).literal
        return Statement(
            """
            SELECT coalesce((SELECT sum(pg_catalog.pg_relation_size(relid))
              FROM pg_catalog.pg_partition_tree(c.oid)), pg_catalog.pg_relation_size(c.oid))::int8, c.relkind = 'p'
            FROM pg_catalog.pg_class c WHERE c.oid = pg_catalog.to_regclass(\(name))
            """)
    }
}

extension PostgreSQLWriter {
    /// Decides on the indexes that a change of a table adds: which exist already, and which are made after the
    /// transaction, beside writers.
    func making(of change: TableChange, by compiler: SchemaCompiler) throws(StorageError) -> IndexMaking {
        var making = IndexMaking()
        guard case .alter(let old, let new, _) = change else { return making }
        let added = compiler.addedIndexes(old, new)
        guard !added.isEmpty else { return making }
        let canBuildLater = !connection.isShared || engine.configuration.listen != nil
        let answers = try connection.run(
            [PostgreSQLEngine.size(of: old, names)]
                + added.map {
                    IndexBuilder.state(ColumnIndex($0, of: old, name: Names.index(new.columns[$0], of: new)), names)
                })
        guard answers.count == added.count + 1 else { throw Catalog.damaged }
        let isLarge = answers[0].integer() ?? 0 >= engine.configuration.largeTableBytes
        for (column, state) in zip(added, answers.dropFirst()) {
            if state.isTrue() {
                making.existing.insert(column)
            } else if isLarge, canBuildLater, !new.columns[column].isUnique {
                making.later.insert(column)
                leavesIndexes = true
            }
        }
        return making
    }
}
