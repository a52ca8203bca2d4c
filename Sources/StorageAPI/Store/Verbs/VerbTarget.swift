import StorageDriver

/// The session on which a call without `async` runs: the store itself, or the session of a user's closure.
package enum VerbTarget {
    case store(Store)
    case session(TransactionContext, of: Store)

    func reading<T>(
        _ operation: String, _ model: ModelSource, _ body: (RecordReader) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        switch self {
        case .store(let store):
            try store.checkNotInTransaction(operation)
            if case .type(let type) = model, store.registry.handle(type) == nil { try store.prepareBlocking([type]) }
            return try store.reading(operation, model, body)
        case .session(let context, let store):
            return try placed(operation, model, context, store) { () throws(StorageError) in
                try body(context.reading(model))
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
                try home.runningCalls.runClosure { () throws(StorageError) in
                    try reading.loop(selection, rows: rows, models: models)
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
                try placed(operation, model, context, store) { () throws(StorageError) in
                    try body(context.writing(model))
                }
            }
        case .session(let context, let store):
            return try placed(operation, model, context, store) { () throws(StorageError) in
                try context.atomically { () throws(StorageError) in try body(context.writing(model)) }
            }
        }
    }

    func prepare(_ schemas: [RecordSchema]) throws(StorageError) {
        switch self {
        case .store(let store):
            try store.writingBlocking("prepare") { context throws(StorageError) in try context.prepare(schemas) }
        case .session(let context, let store):
            do {
                try context.atomically { () throws(StorageError) in try context.prepare(schemas) }
            } catch {
                throw context.tracking(error.at(operation: "prepare", backend: store.info.name))
            }
        }
    }
}

/// Adds the context to a thrown error.
func placed<T>(
    _ operation: String, _ model: ModelSource, _ context: TransactionContext, _ store: Store,
    _ body: () throws(StorageError) -> T
) throws(StorageError) -> T {
    do {
        return try body()
    } catch {
        return try repeated(error, operation, model, context, store, body)
    }
}

/// Runs a failed call again where a model had to be prepared; else throws its error with the context. Apart from
/// ``placed(_:_:_:_:_:)``, so that the calls that succeed stay small.
@inline(never)
private func repeated<T>(
    _ error: StorageError, _ operation: String, _ model: ModelSource, _ context: TransactionContext, _ store: Store,
    _ body: () throws(StorageError) -> T
) throws(StorageError) -> T {
    if let type = error.unpreparedType, !context.isPrepared(type) {
        return try preparing(type, operation, model, context, store, body)
    }
    throw context.tracking(
        error.at(
            operation: operation, model: store.registry.name(of: model), backend: store.info.name))
}

/// Runs a call again, after a model has been prepared that its query leads to. The query was lowered before anything was
/// read or written.
@inline(never)
private func preparing<T>(
    _ type: any Storable.Type, _ operation: String, _ model: ModelSource, _ context: TransactionContext, _ store: Store,
    _ body: () throws(StorageError) -> T
) throws(StorageError) -> T {
    do {
        _ = try context.handle(type)
    } catch {
        throw error.at(operation: operation, backend: store.info.name)
    }
    return try placed(operation, model, context, store, body)
}
