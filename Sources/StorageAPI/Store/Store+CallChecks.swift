import StorageDriver

// Checks that run before a call has any effect.

extension Store {
    @inline(__always)
    func checkCancellation(_ operation: String) throws(StorageError) {
        if Task.isCancelled { throw cancelled(operation) }
    }

    @inline(never)
    private func cancelled(_ operation: String) -> StorageError {
        StorageError(.cancelled, "The task was cancelled.", operation: operation).at(backend: info.name)
    }

    /// Returns whether the store can currently write.
    func canWriteNow() throws(StorageError) -> Bool {
        guard !canWrite, let engine = engine as? any PromotableEngine else { return canWrite }
        return try engine.canWriteNow()
    }

    /// Counts a call that writes, until `runningCalls.end()`.
    func enter(_ operation: String) throws(StorageError) {
        do {
            if !canWrite, try !canWriteNow() { try info.require(.writing, for: operation) }
            try runningCalls.begin()
        } catch {
            throw error.at(operation: operation, backend: info.name)
        }
    }

    /// Checks that a blocking call is not made inside a transaction of the same store, where it would wait for itself, or
    /// read as if the transaction had not begun.
    func checkNotInTransaction(_ operation: String) throws(StorageError) {
        if queue.isInside {
            throw busy(operation, "The call is inside a transaction; use the transaction's own methods.")
        }
    }

    /// Checks that a call that writes or closes is not made inside a read block or a loop, because it would wait for the
    /// block or loop to end.
    func checkNotInBody(_ operation: String) throws(StorageError) {
        try checkNotInTransaction(operation)
        if runningCalls.isInClosure {
            throw busy(
                operation,
                "The call is inside a read block or loop of the store; make it afterwards, or in a transaction.")
        }
    }

    /// Checks that a call is not made by the decoder of a value, because a read waits for the decoder, and the call would
    /// wait for the read.
    ///
    /// The decoder does not say which store it works for, so another store is refused too, but only while it has running
    /// calls.
    func checkNotDecoding(_ operation: String) throws(StorageError) {
        if EmbeddedCoding.isDecoding, runningCalls.isRunning {
            throw busy(operation, "The call is inside the decoder of a stored value; make it after the read.")
        }
    }

    /// Runs a user's closure that receives the engine. The store cannot close in the meantime.
    func lending<T>(_ operation: String, _ body: () throws -> T) throws -> T {
        try checkNotInBody(operation)
        try runningCalls.begin()
        defer { runningCalls.end() }
        return try runningCalls.runClosure(body)
    }

    private func busy(_ operation: String, _ message: String) -> StorageError {
        StorageError(.busy, message, operation: operation).at(backend: info.name)
    }
}
