import StorageDriver

// What is checked before a call does anything.

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

    /// A blocking call of the store inside one of its own transactions would wait for itself, or read as if the
    /// transaction had not begun.
    func checkNotInTransaction(_ operation: String) throws(StorageError) {
        if queue.isInside {
            throw busy(operation, "The call is inside a transaction; use the transaction's own methods.")
        }
    }

    /// A call that writes or closes must not be made inside a read block or a loop: it would wait for them to end.
    func checkNotInBody(_ operation: String) throws(StorageError) {
        try checkNotInTransaction(operation)
        if runningCalls.isInClosure {
            throw busy(
                operation,
                "The call is inside a read block or loop of the store; make it afterwards, or in a transaction.")
        }
    }

    /// A read that decodes a value waits for the decoder, so this must not wait for the read.
    ///
    /// The decoder does not say which store it works for: another store is refused only while it has calls of its own.
    func checkNotDecoding(_ operation: String) throws(StorageError) {
        if EmbeddedCoding.isDecoding, runningCalls.isRunning {
            throw busy(operation, "The call is inside the decoder of a stored value; make it after the read.")
        }
    }

    /// Runs a user's closure that receives the engine. The store cannot close meanwhile.
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
