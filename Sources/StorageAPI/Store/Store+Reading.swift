import StorageDriver

// How reads reach the engine: at once, on the caller's thread or one for reads.

extension Store {
    /// The way of every read to the engine: begins a session with its layers, and ends it before it returns.
    ///
    /// - Parameters:
    ///   - model: the name of the model that is read, if it is one.
    ///   - seesExpired: whether all that is stored is there, what has expired too.
    func withReader<T>(
        _ operation: String, _ scope: ReadScope, model: @autoclosure () -> String? = nil, seesExpired: Bool = false,
        _ body: (any StorageReader) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        do {
            try runningCalls.begin()
            defer { runningCalls.end() }
            if !readsBesideWriter { try checkNotInTransaction(operation) }
            guard instruments.isEmpty else {
                return try MeteredCall(self, operation, model(), isWriting: false).run { (meter) throws(StorageError) in
                    let reader = try seesExpired ? engine.reader(scope) : unexpiredReader(scope)
                    defer { reader.end() }
                    return try body(MeteredReader(reader, meter))
                }
            }
            let reader = try seesExpired ? engine.reader(scope) : unexpiredReader(scope)
            defer { reader.end() }
            return try body(reader)
        } catch {
            throw error.at(operation: operation, backend: info.name)
        }
    }

    /// Reads one model. Where its query leads to a model that refers to this one and that the program has not used so far, that
    /// model is prepared.
    ///
    /// - Parameter given: the model's handle, if the caller has it.
    func reading<T>(
        _ operation: String, _ model: ModelSource, handle given: ModelHandle? = nil,
        _ body: (Reading) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        while true {
            let known = given ?? registry.known(model)
            do throws(StorageError) {
                guard let known else {
                    return try withReader(operation, .snapshot, model: registry.name(of: model)) {
                        (reader) throws(StorageError) in
                        try body(Reading(handle: registry.handle(model, in: reader), session: reader))
                    }
                }
                let scope: ReadScope = known.tables.hasChildren ? .snapshot : .query
                return try withReader(operation, scope, model: known.name) { (reader) throws(StorageError) in
                    try body(Reading(handle: known, session: reader))
                }
            } catch {
                guard let type = error.unpreparedType, registry.handle(type) == nil else {
                    throw error.at(model: known?.name ?? registry.name(of: model))
                }
                try prepareBlocking([type])
            }
        }
    }

    /// Reads one model for a call that suspends. A type that the store does not know yet is prepared first.
    nonisolated(nonsending) func asking<T: Sendable>(
        _ operation: String, _ model: ModelSource, _ body: sending (Reading) throws(StorageError) -> T
    ) async throws(StorageError) -> T {
        if case .type(let type) = model, registry.handle(type) == nil { try await prepare([type]) }
        return try await reads { () throws(StorageError) in
            try self.checkCancellation(operation)
            return try self.reading(operation, model, body)
        }
    }
}
