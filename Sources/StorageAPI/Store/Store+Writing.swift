import StorageDriver

// How writes reach the engine: through the queue, each in a transaction.

extension Store {
    /// The way of every write to the engine: runs a body in a transaction of the queue, and returns when it is committed.
    ///
    /// - Parameters:
    ///   - model: the model that is written, if it is one.
    ///   - isRepeatable: whether the queue may undo the body and run it again.
    ///   - removesExpired: whether expired records are deleted before the body runs.
    // Inlined: one more function that suspends costs a single save more than a percent.
    @inline(__always)
    nonisolated(nonsending) func withTransaction(
        _ operation: String, _ model: ModelSource?, isRepeatable: Bool, removesExpired: Bool = true,
        _ body: @escaping (TransactionContext) throws(StorageError) -> Void
    ) async throws(StorageError) {
        try enter(operation)
        let call = instruments.isEmpty ? nil : meteredWrite(operation, model)
        while true {
            let job = WriteJob(self, isRepeatable: isRepeatable, removesExpired: removesExpired, call, body)
            if Task.isCancelled { job.cancel() }
            // The call ends on the queue: a closing store may hold the only thread that could resume this task.
            await queue.run(job, of: runningCalls)
            if try finish(job, operation) {
                if let own = job.attempt.own { await finishIndexes(madeBy: own) }
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
        _ operation: String, _ model: ModelSource?, isRepeatable: Bool, removesExpired: Bool = true,
        _ body: @escaping (TransactionContext) throws(StorageError) -> Void
    ) throws(StorageError) {
        try enter(operation)
        defer { runningCalls.end() }
        try checkNotInBody(operation)
        let call = instruments.isEmpty ? nil : meteredWrite(operation, model)
        while true {
            let job = WriteJob(self, isRepeatable: isRepeatable, removesExpired: removesExpired, call, body)
            queue.runBlocking(job)
            guard try finish(job, operation) else { continue }
            if let own = job.attempt.own { finishIndexesBlocking(madeBy: own) }
            return
        }
    }

    /// Runs a body with a result in a transaction.
    nonisolated(nonsending) func writing<T>(
        _ operation: String, _ model: ModelSource? = nil, isRepeatable: Bool = false, removesExpired: Bool = true,
        _ body: @escaping (TransactionContext) throws(StorageError) -> T
    ) async throws(StorageError) -> T {
        let result = Box<T>()
        try await withTransaction(operation, model, isRepeatable: isRepeatable, removesExpired: removesExpired) {
            context throws(StorageError) in result.value = try body(context)
        }
        return try value(of: result, operation)
    }

    /// The same on the caller's thread.
    func writingBlocking<T>(
        _ operation: String, _ model: ModelSource? = nil, isRepeatable: Bool = false, removesExpired: Bool = true,
        _ body: @escaping (TransactionContext) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        let result = Box<T>()
        try withTransactionBlocking(operation, model, isRepeatable: isRepeatable, removesExpired: removesExpired) {
            context throws(StorageError) in result.value = try body(context)
        }
        return try value(of: result, operation)
    }

    /// Writes one model in a transaction. The queue may call the body again.
    nonisolated(nonsending) func writing<T>(
        _ operation: String, _ model: ModelSource, _ body: @escaping (RecordWriter) throws(StorageError) -> T
    ) async throws(StorageError) -> T {
        try await writing(operation, model, isRepeatable: true) { context throws(StorageError) in
            try placed(operation, model, context, self) { () throws(StorageError) in try body(context.writing(model)) }
        }
    }

    // MARK: On the queue

    /// Runs a job's body in a transaction of the engine.
    ///
    /// - Returns: the changes of the run, which take effect when it is committed.
    func run(
        _ job: WriteJob, _ body: (TransactionContext) throws(StorageError) -> Void, _ writer: any StorageWriter
    ) throws(StorageError) -> WriteAttempt {
        let writer = job.call?.metering(writer) ?? writer
        if let version = sharedTables?.tablesVersion, try registry.compareAgain(at: version, in: writer) {
            try findHistoryAgain(in: writer)
        }
        var attempt = WriteAttempt()
        if job.removesExpired, !expiry.isUnused(at: tablesVersion) { try removeExpired(before: job, writer, &attempt) }
        let (context, capture) = context(of: job, writer)
        defer { context.end() }
        do throws(StorageError) {
            if !attempt.expiryLimitReached {
                job.hasBegun = true
                try body(context)
            }
            attempt.own = try context.finish()
            if context.reactions != nil { try tellReactions(context, capture) }
            try capture?.willCommit()
        } catch {
            context.releaseNames()
            throw error
        }
        attempt.hasRun = true
        if let capture {
            attempt.commit = context.givenSignature?.commit
            attempt.changes = capture.changes
            attempt.afterCommit = capture.afterCommit
        }
        return attempt
    }

    /// Deletes expired records, as a commit of its own in the same transaction of the engine.
    private func removeExpired(
        before job: WriteJob, _ writer: any StorageWriter, _ attempt: inout WriteAttempt
    ) throws(StorageError) {
        var capture: ChangeCapture?
        var removal = ExpiryRemoval(expiry, writer) {
            let (context, captured) = self.context(of: job, writer)
            capture = captured
            return context
        }
        defer { removal.context?.end() }
        try removal.run(at: tablesVersion)
        // A commit removes a bounded number. If there may be more, it does nothing else, and the call comes after it.
        attempt.expiryLimitReached = removal.removed >= ExpiringModels.part
        guard let context = removal.context else { return }
        _ = try context.finish()
        try tellReactions(context, capture)
        try capture?.willCommit()
        attempt.expired = capture?.changes
    }

    // MARK: After the commit

    /// Ends a call when its job is complete. The models that the job has prepared are then known.
    ///
    /// - Returns: whether the body has run; if not, the call needs another job.
    func finish(_ job: WriteJob, _ operation: String) throws(StorageError) -> Bool {
        if job.outcome == nil, job.attempt.expiryLimitReached { return false }
        let failure = job.outcome?.at(operation: operation, backend: info.name)
        job.call?.finish(failure)
        if let failure {
            if let own = job.attempt.own { registry.release(own.claimed) }
            throw failure
        }
        guard job.attempt.hasRun else { throw notRun(operation) }
        if let commit = job.attempt.commit { history.didCommit(commit) }
        if let afterCommit = job.attempt.afterCommit { for closure in afterCommit { closure() } }
        if let own = job.attempt.own {
            registry.forget(own.changed)
            registry.add(own.prepared)
        }
        return true
    }

    private func value<T>(of result: Box<T>, _ operation: String) throws(StorageError) -> T {
        guard let value = result.value else { throw notRun(operation) }
        return value
    }

    private func notRun(_ operation: String) -> StorageError {
        StorageError(.io, "The backend did not run the write.", operation: operation).at(backend: info.name)
    }
}

/// Carries a result out of a closure that runs once, perhaps on another thread, before the waiting side reads it.
final class Box<T> {
    var value: T?
}
