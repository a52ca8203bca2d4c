public import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Writes models through a session: the one home of cascades and of assigned keys.
@usableFromInline
package struct RecordWriter {
    package let handle: ModelHandle
    package let writer: any StorageWriter
    let context: TransactionContext

    package init(handle: ModelHandle, writer: any StorageWriter, context: TransactionContext) {
        self.handle = handle
        self.writer = writer
        self.context = context
    }

    package var limits: BackendInfo.Limits { context.limits }
    package var model: ModelTables { handle.tables }

    // MARK: Insert, save, update

    /// Writes models with all owned records, and returns them as they are stored.
    @inlinable
    package func put<M: Storable>(_ models: [M], _ operation: WriteOperation) throws(StorageError) -> [M] {
        var keyed = models
        if assignsKeys(operation) { try assignKeys(&keyed) }
        let given = keyed
        try put(given.count, operation) { (index, rows) throws(StorageError) in
            try M.write(given, from: index, into: &rows)
        }
        return changesRows ? try stored(given) : given
    }

    /// Writes one model; its error names no element.
    ///
    /// - Returns: the model as it is stored; nil if it is the given one.
    @inlinable
    package func put<M: Storable>(one model: M, _ operation: WriteOperation) throws(StorageError) -> M? {
        do {
            if assignsKeys(operation) { return try put([model], operation).first }
            try put(1, operation) { (index, rows) throws(StorageError) in
                try model.write(into: &rows) ? index &+ 1 : index
            }
            return changesRows ? try stored([model]).first : nil
        } catch {
            throw error.withoutElement
        }
    }

    /// Writes models as ``put(_:_:)`` does, by a graph writer that the caller keeps for its next ones.
    package func put<M: Storable>(
        _ models: [M], _ operation: WriteOperation, by graph: GraphWriter
    ) throws(StorageError) {
        var stored = models
        if assignsKeys(operation) { try assignKeys(&stored) }
        let given = stored
        try put(given.count, operation, by: graph) { (index, rows) throws(StorageError) in
            try M.write(given, from: index, into: &rows)
        }
        if hasReaction { _ = try self.stored(given) }
    }

    /// True if layers of the application or the database have changed the rows that the running call writes.
    @usableFromInline
    package var changesRows: Bool { context.hooks?.hasChangedRows ?? false || hasReaction }

    /// True if triggers of the database may have changed the records or their owned rows.
    private var hasReaction: Bool {
        guard let writer = context.reactions?.writer else { return false }
        return model.tables.contains { writer.mayHaveReacted(in: $0.schema) }
    }

    /// Models that were written, as they are stored.
    ///
    /// - Throws: `constraint` if a trigger has removed one of them.
    @usableFromInline
    package func stored<M: Storable>(_ models: [M]) throws(StorageError) -> [M] {
        try stored(models, keys: Array(keys(of: models)))
    }

    /// Models that were written under some keys, as they are stored.
    ///
    /// - Throws: `constraint` if a trigger has removed one of them.
    func stored<M: Storable>(_ models: [M], keys: [[Value]]) throws(StorageError) -> [M] {
        let found = try RecordReader(handle: handle, session: writer).find(M.self, keys: keys)
        if context.reactions != nil, let gone = found.firstIndex(where: { $0 == nil }) {
            throw StorageError(
                .constraint,
                "A trigger of the database has removed the record again; look at the triggers of the table.",
                model: model.name
            ).row(gone, key: keys[gone])
        }
        return zip(found, models).map { $0 ?? $1 }
    }

    @usableFromInline
    package func assignsKeys(_ operation: WriteOperation) -> Bool { model.assigns != nil && operation != .update }

    /// - Parameter write: writes models from an index on and returns the index of the next.
    @usableFromInline
    package func put(
        _ count: Int, _ operation: WriteOperation,
        _ write: (Int, inout RowCollector) throws(StorageError) -> Int
    ) throws(StorageError) {
        let graph = handle.takeGraphWriter(limits)
        try put(count, operation, by: graph, write)
        handle.giveBack(graph)
    }

    package func put(
        _ count: Int, _ operation: WriteOperation, by graph: GraphWriter,
        _ write: (Int, inout RowCollector) throws(StorageError) -> Int
    ) throws(StorageError) {
        var rows = RowCollector(graph, replaces: operation != .insert && count > 1)
        var index = 0
        while index < count {
            let first = index
            do throws(StorageError) {
                index = try write(index, &rows)
            } catch {
                // An element before it may fail in the engine, and the call's error is that of the first that fails.
                if rows.takeBackUnfinished() { try flush(rows.graph, operation, first: first) }
                throw error.with { $0.element = first + rows.count }
            }
            try flush(rows.graph, operation, first: first)
            if model.hasReferences { try resolveReferences(in: rows.graph) }
            rows.removeAll()
        }
    }

    private func flush(
        _ graph: GraphWriter, _ operation: WriteOperation, first: Int
    ) throws(StorageError) {
        do {
            _ = try writer.write(batch(handle.plan(operation), graph.buffers[0]))
        } catch {
            throw error.with { $0.element = $0.element.map { first + $0 } }
        }
        if operation == .insert {
            // A new record does not own the rows that an earlier record with its key has left.
            try deleteUndeclared(keys(of: graph.buffers[0], model.root.keyCells))
        } else if let kept = handle.kept {
            do {
                return try UndeclaredDataMerge(tables: kept, writer: writer).write(graph)
            } catch {
                throw error.with { $0.element = $0.element.map { first + $0 } }
            }
        } else if model.hasChildren {
            try deleteChildren(keys(of: graph.buffers[0], model.root.keyCells))
        }
        for table in model.tables.dropFirst() where graph.buffers[table.index].count > 0 {
            _ = try writer.write(batch(handle.plan(.insert, table: table.index), graph.buffers[table.index]))
        }
    }

    func batch(_ plan: WritePlan, _ rows: RowBuffer) -> RowBatch {
        RowBatch(plan: plan, count: rows.count, cells: UnsafePointer(rows.cells))
    }

    func element<T>(
        _ index: Int, _ body: () throws(StorageError) -> T
    ) throws(StorageError) -> T {
        do {
            return try body()
        } catch {
            throw error.with { $0.element = index }
        }
    }

    // MARK: Delete

    /// Deletes the records with the keys of these models, with all owned records.
    package func delete<M: Storable>(_ models: [M]) throws(StorageError) -> Int {
        let graph = GraphWriter(model, limits: limits)
        let keys = RowBuffer(width: model.rootKeyCount)
        try add(models, to: keys, by: graph)
        return try delete(keys)
    }

    /// The keys of models, in their order.
    func keys<M: Storable>(of models: [M]) throws(StorageError) -> KeyList {
        let graph = GraphWriter(model, limits: limits)
        let keys = RowBuffer(width: model.rootKeyCount)
        try add(models, to: keys, by: graph)
        return KeyList(keys)
    }

    /// Adds the keys of models, whose bytes the graph writer keeps.
    private func add<M: Storable>(
        _ models: [M], to keys: RowBuffer, by graph: GraphWriter
    ) throws(StorageError) {
        for (index, value) in models.enumerated() {
            try element(index) { () throws(StorageError) in
                try graph.addKey(to: keys) { value.writeKey(into: &$0) }
            }
        }
    }

    /// Deletes one record; its error names no element.
    package func delete<M: Storable>(one model: M) throws(StorageError) -> Int {
        do {
            return try delete([model])
        } catch {
            throw error.withoutElement
        }
    }

    package func delete<M: Storable>(_: M.Type, keys: [M.Key]) throws(StorageError) -> Int {
        let cells = ValueCells(width: handle.tables.rootKeyCount)
        for key in keys { cells.add(M.values(of: key)) }
        return try delete(cells.rows)
    }

    package func delete(_ keys: KeyList) throws(StorageError) -> Int {
        // Owns the bytes of the rows.
        let cells = keys.cells
        return try delete(cells.rows)
    }

    package func delete(_ keys: RowBuffer) throws(StorageError) -> Int {
        guard keys.count > 0 else { return 0 }
        let referrers = try context.referrers(to: handle)
        guard referrers.isEmpty, !decidesDeletions else {
            return try DeleteRules(context: context).delete(keys, of: handle, referrers: referrers)
        }
        return try deleteRows(keys)
    }

    /// True if a layer of the application decides which records are deleted.
    var decidesDeletions: Bool { context.hooks?.decidesDeletions(of: handle.name) ?? false }

    /// Deletes records with all owned records, whatever refers to them. Their root rows go first, which tells a layer
    /// that the rows after them go with their records.
    package func deleteRows(_ keys: RowBuffer) throws(StorageError) -> Int {
        let count = try writer.write(batch(handle.plan(.delete), keys))
        try deleteChildren(keys)
        try deleteUndeclared(keys)
        return count
    }

    private func keys(of rows: RowBuffer, _ keyCells: [Int]) -> RowBuffer {
        let keys = RowBuffer(width: model.rootKeyCount)
        for index in 0..<rows.count {
            let key = keys.row(keys.append())
            for (place, cell) in keyCells.enumerated() { key[place] = rows.row(index)[cell] }
        }
        return keys
    }

    private func deleteChildren(_ keys: RowBuffer) throws(StorageError) {
        for table in model.tables.dropFirst() {
            _ = try writer.write(batch(handle.plan(.delete, table: table.index), keys))
        }
    }

    /// Deletes owned records along with their owner, declared or not (clause S7).
    private func deleteUndeclared(_ keys: @autoclosure () -> RowBuffer) throws(StorageError) {
        if handle.undeclaredWrites.isEmpty { return }
        let keys = keys()
        for plans in handle.undeclaredWrites { _ = try writer.write(batch(plans.delete, keys)) }
    }

    package func truncate() throws(StorageError) {
        if decidesDeletions {
            _ = try delete(Selection())
            guard try RecordReader(handle: handle, session: writer).count(Selection()) == 0 else { return }
        }
        for referrer in try context.referrers(to: handle) { try referrer.requireNone(of: handle, in: writer) }
        let nothing = RowBuffer(width: 1)
        for table in model.tables {
            _ = try writer.write(batch(handle.plan(.truncate, table: table.index), nothing))
        }
        for plans in handle.undeclaredWrites { _ = try writer.write(batch(plans.truncate, nothing)) }
    }

    // MARK: Assigned keys

    /// Gives every nil key a new UUID, or the number after the greatest ever stored (clause K2), in the array's order.
    @usableFromInline
    func assignKeys<M: Storable>(_ models: inout [M]) throws(StorageError) {
        if model.assigns == .uuid { return try assignUUIDs(&models) }
        let graph = GraphWriter(model, limits: limits)
        let keys = RowBuffer(width: 1)
        // The store is asked when the first key is assigned.
        var isKnown = false
        var greatest = Int64.min
        for index in models.indices {
            try element(index) { () throws(StorageError) in
                let key = try graph.keyCell(of: models[index], in: keys)
                if key.isNull {
                    if !isKnown { greatest = max(greatest, try writer.greatestKey(in: model.root.schema)) }
                    isKnown = true
                    guard greatest < Int64.max else { throw outOfKeys() }
                    greatest += 1
                    try assign(.int(greatest), to: &models[index])
                } else if key.tag == .unsigned {
                    throw StorageError(
                        .limitExceeded,
                        "A model with assigned keys cannot have a key beyond Int64.max; use a smaller one.",
                        model: model.name, key: [key.value])
                } else {
                    greatest = max(greatest, key.int)
                }
            }
        }
    }

    private func assignUUIDs<M: Storable>(_ models: inout [M]) throws(StorageError) {
        let graph = GraphWriter(model, limits: limits)
        let keys = RowBuffer(width: 1)
        for index in models.indices {
            let key = try element(index) { () throws(StorageError) in try graph.keyCell(of: models[index], in: keys) }
            guard key.isNull else { continue }
            // The buffer holds the cell's bytes until the next key is added.
            let cells = ValueCells(ValueList(width: 1, values: [UUID().value]))
            try assign(cells.cells[0], to: &models[index])
            withExtendedLifetime(cells) {}
        }
    }

    private func assign<M: Storable>(_ key: Cell, to value: inout M) throws(StorageError) {
        var cell = key
        let context = RowContext(model: model, table: model.keyRows)
        do throws(StorageError) {
            try withUnsafePointer(to: &cell) { cell throws(StorageError) in
                var row = RowReader(cell, from: 0, to: 1, context: .passUnretained(context))
                try value._assign(from: &row)
            }
        } catch {
            throw outOfKeys()
        }
    }

    private func outOfKeys() -> StorageError {
        StorageError(
            .overflow, "The next assigned key is beyond the range of the key's type; use a wider integer.",
            model: model.name)
    }
}

extension StorageError {
    /// The error without the number of an element, for a caller that has named no elements.
    @usableFromInline
    package var withoutElement: StorageError { with { $0.element = nil } }
}
