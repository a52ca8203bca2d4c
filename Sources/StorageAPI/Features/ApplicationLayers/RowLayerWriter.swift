import StorageDriver

/// Passes the rows of records that calls write to the application's row layers before they are written.
final class RowLayerWriter: ForwardingWriter {
    private let layers: ApplicationLayers
    private let transaction: LayeredTransaction
    private var roots = BatchRoots()

    init(_ writer: any StorageWriter, _ layers: ApplicationLayers, in transaction: LayeredTransaction) {
        (self.layers, self.transaction) = (layers, transaction)
        super.init(writer)
    }

    override func write(_ batch: borrowing RowBatch) throws(StorageError) -> Int {
        let table = batch.plan.table
        guard batch.count > 0, transaction.isCall, let model = table.storedPath.first, !model.text.isEmpty,
            !table.isStoresOwn
        else {
            return try super.write(batch)
        }
        let chain = layers.rowLayers(of: model)
        guard !chain.isEmpty else { return try super.write(batch) }
        let keys = BatchRoots.keys(batch)
        guard table.isRoot else {
            if !roots.contains(keys, of: model) { try writeOwners(keys.distinct, of: model, chain) }
            return try super.write(batch)
        }
        roots.remember(keys, of: model)
        switch batch.plan.operation {
        case .delete, .truncate: return try super.write(batch)
        case .insert, .upsert, .update, .patch: break
        }
        let rows = try rows(batch, keys, through: chain)
        guard rows.contains(where: \.isChanged) else { return try super.write(batch) }
        transaction.didChangeRows()
        return try write(rows, batch.plan)
    }

    // Each call of a transaction is a savepoint, and a layer is asked about the writes of each.
    override func beginSavepoint() { roots.forget() }

    override func endSavepoint(isUndone: Bool) { roots.forget() }

    /// The rows of a batch, after all layers.
    private func rows(
        _ batch: borrowing RowBatch, _ keys: KeyList, through chain: [any Store.RowLayer]
    ) throws(StorageError) -> [Store.PendingRow] {
        let (plan, patch) = (batch.plan, batch.patch)
        let former = FormerRows(plan.table, keys, in: writer)
        var rows: [Store.PendingRow] = []
        for index in 0..<batch.count {
            let (key, isPatch) = (keys[index], plan.operation == .patch)
            let columns = isPatch ? plan.keyColumns + plan.columns : plan.columns
            let values = isPatch ? key + patch : batch.row(index)
            var row = row(
                of: plan.table, key: key, values: zip(columns, values), operation: plan.operation, former: former)
            do throws(StorageError) {
                for layer in chain { try layer.willWrite(&row) }
            } catch {
                // A condition has chosen the records of a patch, so the caller knows none of them by its index.
                throw plan.operation == .patch ? error : error.with { $0.element = $0.element ?? index }
            }
            rows.append(row)
        }
        return rows
    }

    private func row(
        of table: TableSchema, key: [Value], values: some Sequence<(Int, Value)>, operation: WriteOperation,
        former: FormerRows
    ) -> Store.PendingRow {
        let kind: Store.PendingRow.Operation =
            switch operation {
            case .insert: .insert
            case .upsert: .save
            case .update, .patch, .delete, .truncate: .update
            }
        return Store.PendingRow(
            table: table, key: key, values: Dictionary(values) { $1 }, operation: kind, time: transaction.time,
            former: former)
    }

    /// Writes the values that layers set in the root rows of records of which only owned rows are written.
    private func writeOwners(
        _ keys: KeyList, of model: StoredName, _ chain: [any Store.RowLayer]
    ) throws(StorageError) {
        guard let root = try writer.tables().first(where: { $0.isRoot(of: model) }) else { return }
        let former = FormerRows(root, keys, in: writer)
        var changed: [Store.PendingRow] = []
        for key in keys {
            // Owned rows of records that are gone go as well.
            guard try former.row(key) != nil else { continue }
            var row = row(of: root, key: key, values: zip(root.key, key), operation: .update, former: former)
            for layer in chain { try layer.willWrite(&row) }
            if row.isChanged { changed.append(row) }
        }
        roots.remember(keys, of: model)
        guard !changed.isEmpty else { return }
        transaction.didChangeRows()
        _ = try write(changed, layers.plan(.update, of: root, columns: root.key))
    }

    /// Writes rows in their order. Consecutive rows that set the same columns are written together.
    private func write(_ rows: [Store.PendingRow], _ plan: WritePlan) throws(StorageError) -> Int {
        var count = 0
        var rest = rows[...]
        while let first = rest.first {
            let columns = first.columns(plan)
            let together = rest.prefix { $0.columns(plan) == columns }
            let cells = ValueCells(width: columns.count)
            for row in together { cells.add(columns.map { row.values[$0] ?? .null }) }
            let own = columns == plan.columns && plan.operation != .patch
            let written =
                own
                ? plan
                : layers.plan(plan.operation == .patch ? .update : plan.operation, of: plan.table, columns: columns)
            do throws(StorageError) {
                count += try super.write(RowBatch(plan: written, count: cells.count, cells: cells.cells))
            } catch {
                throw error.with {
                    $0.element = plan.operation == .patch ? nil : $0.element.map { $0 + together.startIndex }
                }
            }
            rest = rest[together.endIndex...]
        }
        return count
    }
}

extension Store.PendingRow {
    /// The columns of the row's write: the columns of the plan, and other columns that layers have set. The key comes first
    /// if the plan has it apart.
    fileprivate func columns(_ plan: WritePlan) -> [Int] {
        let planned = plan.operation == .patch ? plan.keyColumns + plan.columns : plan.columns
        return planned + values.keys.filter { !planned.contains($0) }.sorted()
    }
}
