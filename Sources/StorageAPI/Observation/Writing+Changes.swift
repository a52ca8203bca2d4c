import StorageDriver

/// What a write notes of itself before it writes, if it is asked for.
extension Writing {
    /// Notes records that are inserted, saved or updated, by their rows.
    func note(_ operation: WriteOperation, _ rows: RowBuffer, keyCells: [Int]) throws(StorageError) {
        guard let changes, let detail = changes.asked.detail(of: handle.name) else { return }
        if detail == .any { return changes.addEverything(of: handle.name) }
        let keys = keyValues(rows, keyCells)
        guard operation == .upsert, detail == .kinds else {
            return changes.add(operation == .insert ? .insert : .update, keys, of: handle.name)
        }
        let stored = try stored(among: keys)
        for row in 0..<keys.count {
            let key = Array(keys[row])
            let kind: NotedChanges.Kind = stored.contains(key) ? .update : .insert
            changes.add(kind, ValueList(width: keys.width, values: key), of: handle.name)
        }
    }

    /// Notes that properties of records are set.
    func noteUpdate(_ keys: @autoclosure () -> ValueList) {
        guard let changes, let detail = changes.asked.detail(of: handle.name) else { return }
        if detail == .any { return changes.addEverything(of: handle.name) }
        changes.add(.update, keys(), of: handle.name)
    }

    /// Notes records that are deleted, if they are there.
    func noteDelete(_ rows: RowBuffer) throws(StorageError) {
        guard let changes, let detail = changes.asked.detail(of: handle.name) else { return }
        if detail == .any { return changes.addEverything(of: handle.name) }
        var keys = keyValues(rows, Array(0..<model.rootKeyCount))
        if detail == .kinds {
            let stored = try stored(among: keys)
            keys.values = (0..<keys.count).map { Array(keys[$0]) }.filter(stored.contains).flatMap { $0 }
        }
        changes.add(.delete, keys, of: handle.name)
    }

    func noteEverything() { changes?.noteEverything(of: handle.name) }

    private func keyValues(_ rows: RowBuffer, _ cells: [Int]) -> ValueList {
        var keys = ValueList(width: cells.count, values: [])
        for index in 0..<rows.count {
            let row = rows.row(index)
            for cell in cells { keys.values.append(row[cell].value) }
        }
        return keys
    }

    /// The keys that have a record.
    private func stored(among keys: ValueList) throws(StorageError) -> Set<[Value]> {
        let columns = model.root.schema.key
        let plan = handle.plan(Query(.columns(columns), scope: .keys(columns: columns.count, list: 0)))
        var cursor = try writer.rows(plan, QueryArguments(lists: [keys]))
        var stored: Set<[Value]> = []
        while try cursor.next() { stored.insert(columns.indices.map { cursor.cells[$0].value }) }
        return stored
    }
}

extension NotedChanges {
    /// Notes, if the model is asked for, that any of its records may have changed.
    func noteEverything(of model: String) {
        if asked.detail(of: model) != nil { addEverything(of: model) }
    }
}
