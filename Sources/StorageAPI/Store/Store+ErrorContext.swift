import StorageDriver

// Adds context to errors of calls in transactions and read blocks.

extension Store {
    /// Runs a call, and adds its context to a thrown error.
    func addingContext<T>(
        _ operation: String, _ model: ModelSource, in context: TransactionContext,
        _ body: () throws(StorageError) -> T
    ) throws(StorageError) -> T {
        do {
            return try body()
        } catch {
            return try retryingAfterPreparation(error, of: operation, model, in: context, body)
        }
    }

    /// Runs a failed call again if a model had to be prepared; otherwise throws its error with the context. Separate from
    /// ``addingContext(_:_:in:_:)``, so that calls that succeed stay small.
    ///
    /// The query of such a call was lowered before anything was read or written.
    @inline(never)
    private func retryingAfterPreparation<T>(
        _ error: StorageError, of operation: String, _ model: ModelSource, in context: TransactionContext,
        _ body: () throws(StorageError) -> T
    ) throws(StorageError) -> T {
        guard let type = error.unpreparedType, !context.isPrepared(type) else {
            throw context.tracking(
                error.at(operation: operation, model: registry.name(of: model), backend: info.name))
        }
        do {
            _ = try context.handle(type)
        } catch {
            throw error.at(operation: operation, backend: info.name)
        }
        return try addingContext(operation, model, in: context, body)
    }
}
