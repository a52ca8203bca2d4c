import StorageDriver

/// What a write notes of itself before it writes, if it is asked for.
extension Writing {
    /// Notes records that are inserted, saved or updated, by their rows.
    func note(_ operation: WriteOperation, _ rows: RowBuffer, keyCells: [Int]) throws(StorageError) {
        guard let changes, let detail = changes.asked.detail(of: handle.name) else { return }
        if detail == .any { return changes.addEverything(of: handle.name) }
        let keys = keyValues(rows, keyCells)
        if operation == .insert { return try note(.insert, keys, changes) }
        try note(.update, keys, changes, mayInsert: operation == .upsert && detail == .kinds)
    }

    /// Notes that properties of records are set.
    func noteUpdate(_ keys: @autoclosure () -> ValueList) throws(StorageError) {
        guard let changes, let detail = changes.asked.detail(of: handle.name) else { return }
        if detail == .any { return changes.addEverything(of: handle.name) }
        try note(.update, keys(), changes)
    }

    /// Notes records that are deleted, if they are there.
    func noteDelete(_ rows: RowBuffer) throws(StorageError) {
        guard let changes, let detail = changes.asked.detail(of: handle.name) else { return }
        if detail == .any { return changes.addEverything(of: handle.name) }
        let keys = keyValues(rows, Array(0..<model.rootKeyCount))
        guard detail == .kinds else { return changes.add(.delete, keys, of: handle.name) }
        try note(.delete, keys, changes)
    }

    /// Notes, unless there are none, that any record may change, and in the history that all go.
    func noteEverything() throws(StorageError) {
        guard let changes, changes.asked.detail(of: handle.name) != nil else { return }
        guard try Reading(handle: handle, session: writer).exists(Selection()) else { return }
        try changes.noteEverything(of: handle.name)
    }

    /// Notes records that are changed in one way.
    ///
    /// - Parameter mayInsert: whether those that are not there are inserted.
    private func note(
        _ kind: NotedChanges.Kind, _ keys: ValueList, _ changes: NotedChanges, mayInsert: Bool = false
    ) throws(StorageError) {
        let history = changes.history.flatMap { $0.keeps(handle.name) ? $0 : nil }
        let images = kind == .insert ? nil : try history?.images(of: keys, in: handle.name)
        var stored: Set<[Value]>?
        if kind == .update, changes.asked.detail(of: handle.name) == .kinds {
            stored = try compare(keys, with: images, changes)
        } else if let images, kind == .delete {
            stored = Set(images.keys)
        } else if kind == .delete {
            stored = try handle.stored(among: keys, in: writer)
        }
        if kind == .delete { changes.deletes(keys, of: handle.name) }
        if stored == nil, history == nil { return changes.add(kind, keys, of: handle.name) }
        for row in 0..<keys.count {
            let key = Array(keys[row])
            let isThere = stored?.contains(key) ?? true
            if !isThere, !mayInsert { continue }
            let kind = isThere ? kind : .insert
            changes.add(kind, ValueList(width: keys.width, values: key), of: handle.name)
            history?.add(kind, key, of: handle.name, before: images?[key])
        }
        try history?.flush(changes.signature)
    }

    /// Takes notice of records as they are before an update, so that those that stay so are no change. Returns their keys.
    ///
    /// - Parameter images: the records, if they are read already.
    private func compare(
        _ keys: ValueList, with images: [[Value]: RecordImage]?, _ changes: NotedChanges
    ) throws(StorageError) -> Set<[Value]> {
        var stored: Set<[Value]> = []
        func take(_ images: [[Value]: RecordImage]) {
            for (key, image) in images {
                changes.compare(key, of: handle.name, with: image)
                stored.insert(key)
            }
        }
        if let images {
            take(images)
            return stored
        }
        let whole = try context.whole(handle.name)
        for start in stride(from: 0, to: keys.count, by: Reading.partOfRecords) {
            let end = min(start + Reading.partOfRecords, keys.count)
            let part = Array(keys.values[start * keys.width..<end * keys.width])
            take(try RecordImage.read(ValueList(width: keys.width, values: part), whole, in: writer))
        }
        return stored
    }

    private func keyValues(_ rows: RowBuffer, _ cells: [Int]) -> ValueList {
        var keys = ValueList(width: cells.count, values: [])
        for index in 0..<rows.count {
            let row = rows.row(index)
            for cell in cells { keys.values.append(row[cell].value) }
        }
        return keys
    }
}

extension ModelHandle {
    /// The keys that have a record.
    func stored(among keys: ValueList, in session: any StorageSession) throws(StorageError) -> Set<[Value]> {
        let columns = tables.root.schema.key
        var cursor = try session.rows(plan(Query(.columns(columns), scope: keys.scope)), keys.scopeArguments)
        var stored: Set<[Value]> = []
        while try cursor.next() { stored.insert(columns.indices.map { cursor.cells[$0].value }) }
        return stored
    }
}

extension NotedChanges {
    /// Notes, if the model is asked for, that any of its records may have changed, and in the history that all go.
    func noteEverything(of model: String) throws(StorageError) {
        noteTables(of: model)
        try history?.addEverything(of: model, signature)
    }

    /// Notes, if the model is asked for, that any of its records may be another, since its tables were changed.
    func noteTables(of model: String) {
        if asked.detail(of: model) != nil { addEverything(of: model) }
    }
}

extension SessionContext {
    /// A model with all that is recorded, as the write first finds it.
    func whole(_ model: String) throws(StorageError) -> ModelHandle {
        if let known = wholeModels[model] { return known }
        let handle = try store.registry.whole(model, in: openWriter(model))
        wholeModels[model] = handle
        return handle
    }

    /// Finds the net effect of the write, which is over but for its commit.
    func settle() throws(StorageError) {
        try signed?.check()
        guard let noted else { return }
        try noted.settle { (keys, model) throws(StorageError) in
            try RecordImage.read(keys, whole(model), in: openWriter(model))
        }
    }

    /// Ends the history of the write.
    func endHistory() throws(StorageError) {
        guard let noted, let history = noted.history else { return }
        // What is noted outlives the write, and the log does not.
        noted.history = nil
        try history.finish(noted)
    }
}
