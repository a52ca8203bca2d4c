/// What a call without `async` runs on: the store itself, or a session that a body of the user's runs in.
enum Executor {
    case store(Store)
    case session(SessionContext)

    func reading<M: Storable, T>(
        _ operation: String, _ type: M.Type, _ body: (Reading) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        switch self {
        case .store(let store):
            if store.registry.handle(type) == nil { try store.prepareBlocking([type]) }
            return try store.reading(operation, type, nil, body)
        case .session(let context):
            return try placed(operation, type, context) { () throws(StorageError) in try body(context.reading(type)) }
        }
    }

    func writing<M: Storable, T>(
        _ operation: String, _ type: M.Type, _ body: @escaping (Writing) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        switch self {
        case .store(let store):
            return try store.writingBlocking(operation) { context throws(StorageError) in
                try placed(operation, type, context) { () throws(StorageError) in try body(context.writing(type)) }
            }
        case .session(let context):
            return try placed(operation, type, context) { () throws(StorageError) in
                try context.atomically { () throws(StorageError) in try body(context.writing(type)) }
            }
        }
    }
}

/// Adds the place to an error that passes.
func placed<M: Storable, T>(
    _ operation: String, _: M.Type, _ context: SessionContext, _ body: () throws(StorageError) -> T
) throws(StorageError) -> T {
    do {
        return try body()
    } catch {
        let model = context.store.registry.handle(M.self)?.name ?? M.schema.name
        throw error.at(operation: operation, model: model, backend: context.store.info.name)
    }
}
