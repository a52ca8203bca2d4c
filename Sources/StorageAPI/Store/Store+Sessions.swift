import StorageDriver

// How calls reach the engine: reads go there at once, writes go through the queue.

extension Store {
    /// Runs a read. The session ends before it returns.
    ///
    /// - Parameters:
    ///   - model: the name of the model that is read, if it is one.
    ///   - seesExpired: whether all that is stored is there, what has expired too.
    func reading<T>(
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

    /// Runs a read of one model.
    func reading<T>(
        _ operation: String, _ model: ModelSource, _ body: (Reading) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        if let known = registry.known(model) { return try reading(operation, known, body) }
        do {
            return try reading(operation, .snapshot, model: registry.name(of: model)) { (reader) throws(StorageError) in
                try body(Reading(handle: registry.handle(model, in: reader), session: reader))
            }
        } catch {
            throw error.at(model: registry.name(of: model))
        }
    }

    /// Runs a read of a model that is prepared.
    func reading<T>(
        _ operation: String, _ model: ModelHandle, _ body: (Reading) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        do {
            return try reading(operation, model.tables.hasChildren ? .snapshot : .query, model: model.name) {
                (reader) throws(StorageError) in try body(Reading(handle: model, session: reader))
            }
        } catch {
            throw error.at(model: model.name)
        }
    }

    /// Runs a read of one model for a call that suspends. A type that the store does not know yet is prepared first.
    nonisolated(nonsending) func asking<T: Sendable>(
        _ operation: String, _ model: ModelSource, _ body: sending (Reading) throws(StorageError) -> T
    ) async throws(StorageError) -> T {
        if case .type(let type) = model, registry.handle(type) == nil { try await prepare([type]) }
        return try await reads { () throws(StorageError) in
            try self.checkCancellation(operation)
            return try self.readingPrepared(operation, model, body)
        }
    }

    /// Runs a read of one model. If its query leads to a model that refers to this one, and that nobody has named so far,
    /// that is prepared.
    func readingPrepared<T>(
        _ operation: String, _ model: ModelSource, _ body: (Reading) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        while true {
            do throws(StorageError) {
                return try reading(operation, model, body)
            } catch {
                guard let type = error.unpreparedType, registry.handle(type) == nil else { throw error }
                try prepareBlocking([type])
            }
        }
    }

    func checkCancellation(_ operation: String) throws(StorageError) {
        if Task.isCancelled {
            throw StorageError(.cancelled, "The task was cancelled.", operation: operation).at(backend: info.name)
        }
    }

    /// Runs a write of one model and returns when it is committed. The queue may call the body again.
    nonisolated(nonsending) func writing<T>(
        _ operation: String, _ model: ModelSource, _ body: @escaping (Writing) throws(StorageError) -> T
    ) async throws(StorageError) -> T {
        try await writing(operation, model, isRepeatable: true) { context throws(StorageError) in
            try placed(operation, model, context, self) { () throws(StorageError) in try body(context.writing(model)) }
        }
    }

    /// Runs a job's body in a transaction. Models that it prepares become known when it is committed.
    ///
    /// - Returns: whether the body has run.
    func run(
        _ job: WriteJob, _ body: (SessionContext) throws(StorageError) -> Void, _ writer: any StorageWriter
    ) throws(StorageError) -> Bool {
        job.call?.meter.restart()
        let writer = job.call.map { MeteredWriter.metering(writer, $0.meter) } ?? writer
        if let version = sharedTables?.tablesVersion, try registry.compareAgain(at: version, in: writer) {
            try findHistoryAgain(in: writer)
        }
        job.expired = nil
        job.leavesExpired = false
        if job.removesExpired, !expiry.isUnused(at: tablesVersion) { try removeExpired(before: job, writer) }
        let context = context(of: job, writer)
        defer { context.end() }
        do throws(StorageError) {
            if !job.leavesExpired { try body(context) }
            try finish(context)
        } catch {
            context.releaseNames()
            throw error
        }
        job.own = context.own
        job.changes = context.capture?.changes
        return !job.leavesExpired
    }

    /// Deletes what has expired, as a commit of its own in the same transaction of the engine.
    private func removeExpired(before job: WriteJob, _ writer: any StorageWriter) throws(StorageError) {
        var removal = ExpiryRemoval(expiry, writer) { self.context(of: job, writer) }
        defer { removal.context?.end() }
        try removal.run(at: tablesVersion)
        // A commit removes a bounded number. If there may be more, it does nothing else, and the call comes after it.
        job.leavesExpired = removal.removed >= ExpiringModels.part
        guard let context = removal.context else { return }
        try finish(context)
        job.expired = context.capture?.changes
    }

    /// Checks what must hold at the end of a transaction, and ends its history.
    private func finish(_ context: SessionContext) throws(StorageError) {
        try context.hooks?.callWillEnd()
        try context.checkReferences()
        try context.givenSignature?.check()
        try context.capture?.willCommit()
    }

    /// Runs a write and returns when it is committed.
    ///
    /// - Parameters:
    ///   - model: the model that is written, if it is one.
    ///   - isRepeatable: whether the queue may undo the body and run it again.
    ///   - removesExpired: whether what has expired is deleted before the body runs.
    nonisolated(nonsending) func writing<T>(
        _ operation: String, _ model: ModelSource? = nil, isRepeatable: Bool = false, removesExpired: Bool = true,
        _ body: @escaping (SessionContext) throws(StorageError) -> T
    ) async throws(StorageError) -> T {
        let result = Box<T>()
        try await running(operation, model, isRepeatable: isRepeatable, removesExpired: removesExpired) {
            context throws(StorageError) in result.value = try body(context)
        }
        return try value(of: result, operation)
    }

    /// The same for a body without a result, which is kept in a place that a generic one needs.
    nonisolated(nonsending) func running(
        _ operation: String, _ model: ModelSource?, isRepeatable: Bool, removesExpired: Bool = true,
        _ body: @escaping (SessionContext) throws(StorageError) -> Void
    ) async throws(StorageError) {
        try enter(operation)
        let call = instruments.isEmpty ? nil : meteredWrite(operation, model)
        while true {
            let job = WriteJob(self, isRepeatable: isRepeatable, removesExpired: removesExpired, call, body)
            if Task.isCancelled { job.cancel() }
            // The call ends on the queue: a closing store may hold the only thread that could resume this task.
            await queue.run(job, of: runningCalls)
            if try finish(job, operation, call) { return }
            do throws(StorageError) {
                try enter(operation)
            } catch {
                call?.finish(error)
                throw error
            }
        }
    }

    /// The same on the caller's thread.
    func writingBlocking<T>(
        _ operation: String, _ model: ModelSource? = nil, isRepeatable: Bool = false, removesExpired: Bool = true,
        _ body: @escaping (SessionContext) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        try enter(operation)
        defer { runningCalls.end() }
        try checkNotInBody(operation)
        let result = Box<T>()
        let call = instruments.isEmpty ? nil : meteredWrite(operation, model)
        while true {
            let job = WriteJob(self, isRepeatable: isRepeatable, removesExpired: removesExpired, call) {
                context throws(StorageError) in result.value = try body(context)
            }
            queue.runBlocking(job)
            if try finish(job, operation, call) { return try value(of: result, operation) }
        }
    }

    private func meteredWrite(_ operation: String, _ model: ModelSource?) -> MeteredCall {
        MeteredCall(self, operation, model.flatMap { registry.name(of: $0) }, isWriting: true)
    }

    /// Whether the store can write by now.
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

    /// Whether the job has come to its body. What it has prepared is then known.
    private func finish(
        _ job: WriteJob, _ operation: String, _ call: MeteredCall?
    ) throws(StorageError) -> Bool {
        if job.outcome == nil, job.leavesExpired { return false }
        let failure = job.outcome?.at(operation: operation, backend: info.name)
        call?.finish(failure)
        if let failure {
            if let own = job.own { registry.release(own.claimed) }
            throw failure
        }
        if let own = job.own {
            registry.forget(own.changed)
            registry.add(own.prepared)
        }
        if !job.hasRun { throw notRun(operation) }
        return true
    }

    private func value<T>(of result: Box<T>, _ operation: String) throws(StorageError) -> T {
        guard let value = result.value else { throw notRun(operation) }
        return value
    }

    private func notRun(_ operation: String) -> StorageError {
        StorageError(.io, "The backend did not run the write.", operation: operation).at(backend: info.name)
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

/// Carries a result out of a closure that runs once, perhaps on another thread, before the waiting side reads it.
final class Box<T> {
    var value: T?
}
