import StorageDriver

/// A session looks at a value that no other session changes: that is a snapshot, and undoing is keeping the old value.
class TableSession: StorageSession {
    final var state: Tables

    init(_ state: Tables) { self.state = state }

    final func tables() -> [TableSchema] { state.list.map(\.schema) }

    func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        try state.evaluate(plan, arguments, isReading: self is TableReader)
    }

    final func greatestKey(in schema: TableSchema) throws(StorageError) -> Int64 {
        try state.table(schema).greatestKey
    }
}

class TableReader: TableSession, StorageReader {
    func end() {}
}

class TableWriter: TableSession, StorageWriter {
    func write(_ batch: borrowing RowBatch) throws(StorageError) -> Int {
        var table = try state.table(batch.plan.table)
        let touched = try table.write(batch)
        state.put(table)
        return touched
    }

    func savepoint(_ body: () throws(StorageError) -> Void) throws(StorageError) {
        let before = state
        do {
            try body()
        } catch {
            state = before
            throw error
        }
    }

    func change(_ change: TableChange) throws(StorageError) {
        switch change {
        case .create(let schema): state.list.append(Table(schema))
        case .drop(let schema): state.list.removeAll { $0.schema.name == schema.name }
        case .alter(let old, let new, let added): try state.alter(old, to: new, added)
        }
    }
}
