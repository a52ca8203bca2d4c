import StorageDriver

/// Changes of parts of an array of references. Each is an update of its record.
extension RecordWriter {
    /// Inserts elements before the one at an index, or appends them.
    package func insert(_ keys: [[Value]], at index: Int?, in list: StoredList) throws(StorageError) {
        let list = try rows(of: list)
        for key in keys { try check(key, list) }
        let change = try list.placing(keys, at: index)
        try write(change, list)
        guard list.reference.schema.onDelete != .unchecked else { return }
        try resolve(KeyList(width: list.reference.columns.count, keys).distinct, list.reference, in: list.table)
    }

    /// Moves the element at an index to another, which counts without the element.
    package func move(from first: Int, to index: Int, in list: StoredList) throws(StorageError) {
        let list = try rows(of: list)
        let element = try element(at: first, of: list)
        guard first != index else { return }
        try write(ListRows.Change(removed: [element.position]), list)
        try write(try list.placing([element.key], at: index), list)
    }

    /// Removes the element at a place; returns the key that it has.
    package func remove(at index: Int, in list: StoredList) throws(StorageError) -> [Value] {
        let list = try rows(of: list)
        let element = try element(at: index, of: list)
        try write(ListRows.Change(removed: [element.position]), list)
        return element.key
    }

    /// Removes the elements that name a record; returns their number.
    package func remove(_ key: [Value], in list: StoredList) throws(StorageError) -> Int {
        let list = try rows(of: list)
        let elements = try list.elements(naming: key)
        guard !elements.isEmpty else { return 0 }
        try write(ListRows.Change(removed: elements.map(\.position)), list)
        return elements.count
    }

    private func rows(of list: StoredList) throws(StorageError) -> ListRows {
        let list = try ListRows(list, handle, in: writer)
        try list.requireOwner()
        return list
    }

    private func element(at index: Int, of list: ListRows) throws(StorageError) -> ListRows.Element {
        guard index >= 0, let element = try list.elements(from: index, most: 1).first else { throw list.outside(index) }
        return element
    }

    /// Refuses everything that a save of the whole record refuses.
    private func check(_ key: [Value], _ list: ListRows) throws(StorageError) {
        let columns = list.reference.columns.map { list.table.schema.columns[$0] }
        guard key.count == columns.count else {
            throw StorageError(
                .configuration, "values(of:) does not give one value for each key property; make them agree.",
                model: handle.name, property: list.property)
        }
        for (value, column) in zip(key, columns) { try checkSize(value, of: column) }
    }

    private func write(_ change: ListRows.Change, _ list: ListRows) throws(StorageError) {
        do throws(StorageError) {
            if !change.removed.isEmpty {
                let keys = ValueCells(width: list.owner.count + 1)
                for position in change.removed { keys.add(list.owner + [.int(position)]) }
                _ = try writer.write(batch(handle.planOfElements(list.table.index), keys.rows))
            }
            guard !change.added.isEmpty else { return }
            let rows = ValueCells(width: list.table.columns.count)
            for element in change.added { rows.add(row(element, list)) }
            _ = try writer.write(batch(handle.plan(.insert, table: list.table.index), rows.rows))
        } catch {
            // The caller has named no rows.
            throw error.withoutElement
        }
    }

    /// The cells of an element's row.
    private func row(_ element: ListRows.Element, _ list: ListRows) -> [Value] {
        var row = [Value](repeating: .null, count: list.table.columns.count)
        for (cell, value) in zip(list.table.keyCells, list.owner) { row[cell] = value }
        row[list.table.prefixCount - 1] = .int(element.position)
        for (cell, value) in zip(list.reference.cells, element.key) { row[cell] = value }
        return row
    }
}
