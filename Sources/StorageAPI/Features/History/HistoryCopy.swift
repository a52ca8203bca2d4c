import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Copies a store's history to another store, with the numbers and times of its commits. The tokens of the one are not the
/// other's.
struct HistoryCopy {
    let reader: any StorageReader
    let context: TransactionContext
    let store: Store

    /// Refuses to mix two histories, and turns the target's off: the copy is no commit of it.
    ///
    /// - Throws: `constraint` if the target has a history and it must not be replaced.
    func prepare(isReplacing: Bool) throws(StorageError) {
        let writer = try context.innerWriter()
        context.capture?.remove(HistoryRecorder.self)
        guard let own = HistoryTables(in: try writer.tables(), store.registry.directory) else { return }
        let isEmpty = try HistoryReading(own, writer).last == nil
        guard isReplacing || isEmpty else {
            throw StorageError(
                .constraint, "The store has a history of its own; replace it, or copy into a store without one."
            ).at(backend: store.info.name)
        }
    }

    func run() throws(StorageError) {
        let writer = try context.innerWriter()
        let directory = store.registry.directory
        guard let source = HistoryTables(in: try reader.tables(), directory) else { return }
        let own: HistoryTables
        if let known = HistoryTables(in: try writer.tables(), directory) {
            own = known
        } else {
            own = try HistoryTables.create(in: writer, directory)
        }
        var tables = [(source.changes, own.changes)]
        // The commits have the columns of the source's format. Holds are of readers of the source.
        for table in [CommitRow.table, FormerSchemaRow.table, UndoneCommit.table, HeldHistory.table] {
            if let old = table.find(in: try writer.tables()) { try writer.change(.drop(old)) }
            let isOfReaders = table.path == HeldHistory.table.path
            guard !isOfReaders, let from = table.find(in: try reader.tables()) else { continue }
            tables.append((from, try table.create(in: writer, like: from)))
        }
        for (from, to) in tables {
            try writer.truncate(to, directory)
            try copy(from, to: to, in: writer)
        }
        var settings = try source.settings(in: reader)
        // This is another store: its later commits may differ from the source's later commits.
        settings.store = UUID()
        try settings.record(in: writer, directory)
        store.history.active = try ActiveHistory.recorded(in: writer, directory)
    }

    private func copy(
        _ from: TableSchema, to: TableSchema, in writer: any StorageWriter
    ) throws(StorageError) {
        let scan = try TableScan(from, in: reader)
        let batch = RowCopies(to, store)
        while try scan.next() {
            try batch.add(scan.cells)
            if batch.isFull { _ = try batch.write(writer) }
        }
        _ = try batch.write(writer)
    }
}
