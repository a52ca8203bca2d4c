import StorageDriver

/// The session on which a call without `async` runs: the store itself, or the session of a user's closure.
package enum VerbTarget {
    case store(Store)
    case session(TransactionContext, of: Store)

    func reading<T>(
        _ operation: String, _ model: ModelSource, takesSnapshot: Bool = false,
        _ body: (RecordReader) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        switch self {
        case .store(let store):
            try store.checkNotInTransaction(operation)
            if case .type(let type) = model, store.registry.handle(type) == nil { try store.prepareBlocking([type]) }
            return try store.reading(operation, model, takesSnapshot: takesSnapshot, body)
        case .session(let context, let store):
            return try store.addingContext(operation, model, in: context) { () throws(StorageError) in
                try body(context.reading(model))
            }
        }
    }

    /// Reads more than the records of one model, expired ones among them.
    ///
    /// - Parameter body: gets the context of the session too; nil for the store.
    func readingStore<T>(
        _ operation: String, _ scope: ReadScope = .query,
        _ body: (any StorageSession, TransactionContext?) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        switch self {
        case .store(let store):
            try store.checkNotInTransaction(operation)
            return try store.withReader(operation, scope, seesExpired: true) { (reader) throws(StorageError) in
                try body(reader, nil)
            }
        case .session(let context, let store):
            do {
                return try body(context.openSession(), context)
            } catch {
                throw context.tracking(error.at(operation: operation, backend: store.info.name))
            }
        }
    }

    /// The store on which all calls run.
    var home: Store {
        switch self {
        case .store(let store): store
        case .session(_, let store): store
        }
    }

    /// Passes the records of a selection to the closures, as rows to decode or as decoded parts, until one returns
    /// false. In a writing session all records are one part, since the closure may write to the tables.
    func loop<M: Storable>(
        _ model: ModelSource, _ selection: Selection, rows: (inout RowCursor) throws(StorageError) -> Void,
        models: ([M]) -> Bool
    ) throws(StorageError) {
        if case .session(let context, _) = self, context.canWrite {
            _ = models(
                try reading("select", model) { (reading) throws(StorageError) in
                    try reading.all(M.self, selection)
                })
        } else {
            try reading("select", model) { (reading) throws(StorageError) in
                // The closures may have had records, so the read does not begin again.
                do throws(StorageError) {
                    try home.runningCalls.runClosure { () throws(StorageError) in
                        try reading.loop(selection, rows: rows, models: models)
                    }
                } catch {
                    throw error.isOutdatedSnapshot ? error.with { $0.underlying = nil } : error
                }
            }
        }
    }

    func writing<T>(
        _ operation: String, _ model: ModelSource, _ body: @escaping (RecordWriter) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        switch self {
        case .store(let store):
            return try store.writingBlocking(operation, model, isRepeatable: true) { context throws(StorageError) in
                try store.addingContext(operation, model, in: context) { () throws(StorageError) in
                    try body(context.writing(model))
                }
            }
        case .session(let context, let store):
            return try store.addingContext(operation, model, in: context) { () throws(StorageError) in
                try context.atomically { () throws(StorageError) in try body(context.writing(model)) }
            }
        }
    }

    /// Prepares models of any program.
    func prepare(_ schemas: [RecordSchema]) throws(StorageError) {
        try performing("prepare") { context throws(StorageError) in try context.prepare(schemas) }
    }

    /// Runs a write of several models: in a new transaction, or as one call of the session's transaction.
    ///
    /// - Parameter isRepeatable: whether the queue may undo the body and run it again.
    func performing(
        _ operation: String, isRepeatable: Bool = false,
        _ body: @escaping (TransactionContext) throws(StorageError) -> Void
    ) throws(StorageError) {
        switch self {
        case .store(let store): try store.writingBlocking(operation, isRepeatable: isRepeatable, body)
        case .session(let context, let store):
            do {
                try context.atomically { () throws(StorageError) in try body(context) }
            } catch {
                throw context.tracking(error.at(operation: operation, backend: store.info.name))
            }
        }
    }
}
