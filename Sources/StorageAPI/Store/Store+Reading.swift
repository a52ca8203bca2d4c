import StorageDriver

// Reads reach the engine at once, on the caller's thread or on a reader thread.

extension Store {
    /// The number of times that a read begins again whose snapshot turns out to be older than the tables.
    static var readAttempts: Int { 10 }

    /// Runs every read on the engine: begins a session with its layers, and ends it before returning.
    ///
    /// - Parameters:
    ///   - model: the name of the model that is read; nil if the call does not read a single model.
    ///   - seesExpired: whether expired records are visible too.
    ///   - attempts: the number of times that the body may run again, because its snapshot was older than the tables; 0 for a body
    ///     that hands out results while it runs.
    func withReader<T>(
        _ operation: String, _ scope: ReadScope, model: @autoclosure () -> String? = nil, seesExpired: Bool = false,
        attempts: Int = 0, _ body: (any StorageReader) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        do {
            try runningCalls.begin()
            defer { runningCalls.end() }
            if !readsBesideWriter { try checkNotInTransaction(operation) }
            if let meter = features.meter {
                let call = meter.begin(operation, model: model(), isWriting: false, in: self)
                return try call.run { () throws(StorageError) in
                    let reader = try seesExpired ? engine.reader(scope) : visibleReader(scope)
                    defer { reader.end() }
                    return try body(call.measuring(reader))
                }
            }
            let reader = try seesExpired ? engine.reader(scope) : visibleReader(scope)
            defer { reader.end() }
            return try body(reader)
        } catch {
            if attempts > 0, error.isOutdatedSnapshot {
                return try withReader(
                    operation, scope, model: model(), seesExpired: seesExpired, attempts: attempts - 1, body)
            }
            throw error.at(operation: operation, backend: info.name)
        }
    }

    /// Reads one model. If its query leads to a model that refers to this one and that the program has not used so far,
    /// that model is prepared, and the read runs again.
    ///
    /// - Parameter takesSnapshot: whether the body reads by several queries, which must see one state.
    func reading<T>(
        _ operation: String, _ model: ModelSource, takesSnapshot: Bool = false,
        _ body: (RecordReader) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        while true {
            do throws(StorageError) {
                if let known = registry.known(model) {
                    return try reading(operation, known, takesSnapshot: takesSnapshot, body)
                }
                return try withReader(
                    operation, .snapshot, model: registry.name(of: model).text, attempts: Self.readAttempts
                ) { (reader) throws(StorageError) in
                    try body(RecordReader(handle: registry.handle(model, in: reader), session: reader))
                }
            } catch {
                guard let type = error.unpreparedType, registry.handle(type) == nil else {
                    throw error.at(model: registry.name(of: model))
                }
                try prepareBlocking([type])
            }
        }
    }

    /// Reads a prepared model.
    // Inlined, because the call would cost lookups by key half a percent.
    @inline(__always)
    func reading<T>(
        _ operation: String, _ model: ModelHandle, takesSnapshot: Bool = false,
        _ body: (RecordReader) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        do {
            // The rows of children are read by other queries.
            let scope = takesSnapshot || model.tables.hasChildren ? ReadScope.snapshot : .query
            return try withReader(operation, scope, model: model.name.text, attempts: Self.readAttempts) {
                (reader) throws(StorageError) in try body(RecordReader(handle: model, session: reader))
            }
        } catch {
            throw error.at(model: model.name)
        }
    }

    /// Reads one model for a call that suspends. A type that the store does not know yet is prepared first.
    nonisolated(nonsending) func asking<T: Sendable>(
        _ operation: String, _ model: ModelSource, takesSnapshot: Bool = false,
        _ body: sending (RecordReader) throws(StorageError) -> T
    ) async throws(StorageError) -> T {
        if case .type(let type) = model, registry.handle(type) == nil { try await prepare([type]) }
        return try await reads { () throws(StorageError) in
            try self.checkCancellation(operation)
            return try self.reading(operation, model, takesSnapshot: takesSnapshot, body)
        }
    }
}
