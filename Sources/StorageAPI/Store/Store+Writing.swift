public import StorageDriver

// Writes reach the engine through the queue, each in a transaction.

extension Store {
    /// Writes a model. Compiled into the program, which knows its type; the rest of a save is not generic.
    ///
    /// - Returns: the model as it is stored.
    @inlinable
    nonisolated(nonsending) func put<M: Storable>(
        _ model: M, _ operation: WriteOperation
    ) async throws(StorageError) -> M {
        let stored = Box<M>()
        try await write(operation.verb, M.self, record: model._recordedModel) { (writing) throws(StorageError) in
            if let keyed = try writing.put(one: model, operation) { stored.value = keyed }
        }
        return stored.value ?? model
    }

    @inlinable
    nonisolated(nonsending) func put<M: Storable>(
        _ models: [M], _ operation: WriteOperation
    ) async throws(StorageError) -> [M] {
        guard !models.isEmpty else { return [] }
        let stored = Box<[M]>()
        try await write(operation.verb, M.self, record: models.first?._recordedModel) {
            (writing) throws(StorageError) in
            stored.value = try writing.put(models, operation)
        }
        return stored.value ?? models
    }

    /// Writes models of a type, or records of a recorded model.
    @usableFromInline
    nonisolated(nonsending) func write(
        _ operation: String, _ type: any Storable.Type, record: String?,
        _ body: @escaping (RecordWriter) throws(StorageError) -> Void
    ) async throws(StorageError) {
        let model = ModelSource(type, record)
        try await withTransaction(operation, model, isRepeatable: true) { context throws(StorageError) in
            try self.addingContext(operation, model, in: context) { () throws(StorageError) in
                try body(context.writing(model))
            }
        }
    }

    /// Runs every write on the engine: runs a body in a transaction of the queue, and returns when it is committed.
    ///
    /// - Parameters:
    ///   - model: the model that is written; nil if the call does not write a single model.
    ///   - isRepeatable: whether the queue may undo the body and run it again.
    ///   - isPreceded: whether features may work before the body, as expiry does to remove expired records.
    // Inlined, because one more suspending function costs a single save more than a percent.
    @inline(__always)
    nonisolated(nonsending) func withTransaction(
        _ operation: String, _ model: ModelSource?, isRepeatable: Bool, isPreceded: Bool = true,
        _ body: @escaping (TransactionContext) throws(StorageError) -> Void
    ) async throws(StorageError) {
        try enter(operation)
        let call = features.meter.map { measuring($0, operation, of: model) }
        while true {
            let transaction = WriteTransaction(
                in: self, isRepeatable: isRepeatable, isPreceded: isPreceded, call: call, body)
            if Task.isCancelled { transaction.cancel() }
            // The call ends on the queue: a closing store may hold the only thread that could resume this task.
            await queue.run(transaction, of: runningCalls)
            if try transaction.finish(operation, in: self) {
                if let own = transaction.own { try? await complete(own.names, isCommitted: true) }
                return
            }
            do throws(StorageError) {
                try enter(operation)
            } catch {
                call?.finish(error)
                throw error
            }
        }
    }

    /// The same on the caller's thread.
    func withTransactionBlocking(
        _ operation: String, _ model: ModelSource?, isRepeatable: Bool, isPreceded: Bool = true,
        _ body: @escaping (TransactionContext) throws(StorageError) -> Void
    ) throws(StorageError) {
        try enter(operation)
        defer { runningCalls.end() }
        try checkNotInBody(operation)
        let call = features.meter.map { measuring($0, operation, of: model) }
        while true {
            let transaction = WriteTransaction(
                in: self, isRepeatable: isRepeatable, isPreceded: isPreceded, call: call, body)
            queue.runBlocking(transaction)
            guard try transaction.finish(operation, in: self) else { continue }
            if let own = transaction.own { try? completeBlocking(own.names, isCommitted: true) }
            return
        }
    }

    /// Runs a body with a result in a transaction.
    nonisolated(nonsending) func writing<T>(
        _ operation: String, _ model: ModelSource? = nil, isRepeatable: Bool = false, isPreceded: Bool = true,
        _ body: @escaping (TransactionContext) throws(StorageError) -> T
    ) async throws(StorageError) -> T {
        let result = Box<T>()
        try await withTransaction(operation, model, isRepeatable: isRepeatable, isPreceded: isPreceded) {
            context throws(StorageError) in result.value = try body(context)
        }
        return try value(of: result, operation)
    }

    /// The same on the caller's thread.
    func writingBlocking<T>(
        _ operation: String, _ model: ModelSource? = nil, isRepeatable: Bool = false, isPreceded: Bool = true,
        _ body: @escaping (TransactionContext) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        let result = Box<T>()
        try withTransactionBlocking(operation, model, isRepeatable: isRepeatable, isPreceded: isPreceded) {
            context throws(StorageError) in result.value = try body(context)
        }
        return try value(of: result, operation)
    }

    /// Writes one model in a transaction. The queue may call the body again.
    nonisolated(nonsending) func writing<T>(
        _ operation: String, _ model: ModelSource, _ body: @escaping (RecordWriter) throws(StorageError) -> T
    ) async throws(StorageError) -> T {
        try await writing(operation, model, isRepeatable: true) { context throws(StorageError) in
            try self.addingContext(operation, model, in: context) { () throws(StorageError) in
                try body(context.writing(model))
            }
        }
    }

    /// Begins to measure a call that writes.
    @inline(never)
    private func measuring(
        _ meter: any CallMeasuring, _ operation: String, of model: ModelSource?
    ) -> any MeasuredCall {
        meter.begin(operation, model: model.map { registry.name(of: $0).text }, isWriting: true, in: self)
    }

    private func value<T>(of result: Box<T>, _ operation: String) throws(StorageError) -> T {
        guard let value = result.value else { throw notRun(operation) }
        return value
    }

    func notRun(_ operation: String) -> StorageError {
        StorageError(.io, "The backend did not run the write.", operation: operation).at(backend: info.name)
    }
}

/// Carries a result out of a closure that runs once, perhaps on another thread, before the waiting side reads it.
@usableFromInline
final class Box<T> {
    @usableFromInline var value: T?

    @usableFromInline
    init() {}
}
