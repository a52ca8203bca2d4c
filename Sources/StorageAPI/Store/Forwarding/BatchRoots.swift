import StorageDriver

/// The keys of the records that a batch writes to.
struct BatchRoots {
    /// The records of the last batch of a model's root rows in the running call.
    private var last: (model: StoredName, keys: KeyList)?

    /// Remembers the records of a batch of a model's root rows.
    mutating func remember(_ keys: KeyList, of model: StoredName) { last = (model, keys) }

    mutating func forget() { last = nil }

    /// True if the last batch of roots contains all keys. Owned rows come in the order of their roots.
    func contains(_ keys: KeyList, of model: StoredName) -> Bool {
        guard let last, last.model == model, last.keys.width == keys.width else { return false }
        var place = 0
        for row in keys.indices {
            while place < last.keys.count, keys.list[row] != last.keys.list[place] { place += 1 }
            if place == last.keys.count { return false }
        }
        return true
    }

    /// The keys of the roots of a batch's rows, in the order of the rows; once for adjacent rows that one root owns.
    static func keys(_ batch: borrowing RowBatch) -> KeyList {
        let (plan, width) = (batch.plan, batch.width)
        let table = plan.table
        let key = table.isRoot ? table.key[...] : table.key.prefix { table.columns[$0].role == .owner }
        let given = plan.operation == .patch ? plan.keyColumns : plan.columns
        let places = key.compactMap(given.firstIndex(of:))
        var keys = ValueList(width: places.count, values: [])
        for row in 0..<batch.count {
            let cells = batch.cells + row * width
            if row > 0, !table.isRoot, places.allSatisfy({ cells[$0].isEqual(to: cells[$0 - width]) }) { continue }
            for place in places { keys.values.append(cells[place].value) }
        }
        return KeyList(keys)
    }
}
