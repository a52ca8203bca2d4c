import Logging
public import StorageDriver
import Synchronization

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Stores models on an engine.
///
/// ```swift
/// let store = try await Store(SQLiteBackend(path: "people.db"), models: Person.self)
/// try await store.save(person)
/// let adults = try await store.select(Person.self).where { $0.age >= 18 }.order { $0.name }.all()
/// ```
///
/// Any number of tasks may use one store. Reads run on the caller's thread, except that reads of an actor, such as the main
/// actor, and reads from an engine that waits for a server run on separate threads. Writes wait in a queue off the caller's
/// thread, and writes that wait together share a commit. Every call takes effect completely or not at all, and is durable
/// when it returns, as the backend is configured.
///
/// A store that is released without being closed closes itself and ignores errors; ``close()`` throws them.
///
/// Use ``blocking`` for the same calls without `async`, and `transaction` for a transaction.
public final class Store: Sendable {
    /// The backend's name, location, capabilities and limits.
    ///
    /// Two capabilities may change while the store is open: `writing`, if it lacked that when it was opened, and
    /// `knownChanges`.
    public var info: BackendInfo {
        canWrite && reacting?.mayReact != true && opened.has(.knownChanges) ? opened : engine.info
    }
    /// The backend's information when the store was opened.
    let opened: BackendInfo
    let engine: any StorageEngine
    /// The engine, if other processes may change its tables.
    let sharedTables: (any SharedTablesEngine)?
    /// The engine, if its database may change rows by itself.
    let reacting: (any ReactingEngine)?
    let queue: CommitQueue
    let registry: ModelRegistry
    /// The features of the store.
    let features: FeatureList
    /// The parts that its transactions and read blocks use.
    let environment: TransactionEnvironment
    let runningCalls = RunningCalls()
    let logger: Logger
    package let clock: @Sendable () -> Date
    let readers: ReaderThreads
    /// The part of ``info`` that every call needs.
    let readsBesideWriter: Bool
    /// True if a read waits for a server.
    @usableFromInline let readsWait: Bool
    /// True if the store could write when it was opened.
    let canWrite: Bool

    /// Makes a store of an open engine.
    ///
    /// - Parameters:
    ///   - models: makes the part that prepares models.
    ///   - features: makes the list of the store's features.
    init(
        _ engine: any StorageEngine, clock: @escaping @Sendable () -> Date, author: String?, logger: Logger,
        models: (ModelRegistry) -> any ModelPreparing, features: (any StorageEngine, ModelRegistry) -> FeatureList
    ) {
        self.engine = engine
        self.clock = clock
        self.logger = logger
        sharedTables = engine as? any SharedTablesEngine
        reacting = engine as? any ReactingEngine
        let info = engine.info
        opened = info
        readsBesideWriter = info.lacking[.concurrentReads] == nil
        canWrite = info.lacking[.writing] == nil
        readsWait = info.readerThreads != nil
        readers = ReaderThreads(limit: info.readerThreads)
        registry = ModelRegistry(info)
        self.features = features(engine, registry)
        queue = CommitQueue(engine, self.features)
        environment = TransactionEnvironment(
            registry, info.limits, models: models(registry), schemaObservers: self.features.all, author: author)
        registry.directory.serveTransactions { [queue] in queue.isInside }
        logger.debug(
            "store opened", metadata: ["backend": "\(engine.info.name)", "location": "\(engine.info.location)"])
    }

    // MARK: Closing

    /// Closes the store when the running calls have ended. A second call only waits until the store is closed; every other
    /// call then throws `closed`.
    ///
    /// - Throws: errors of the engine when it writes back, to the call that closes it; `busy` inside a transaction, a read
    ///   block, a loop or the decoder of a value of this store, because closing would wait for itself.
    public nonisolated(nonsending) func close() async throws(StorageError) {
        try await reads { () throws(StorageError) in try self.closeNow() }
    }

    func closeNow() throws(StorageError) {
        try checkNotInBody("close")
        try checkNotDecoding("close")
        guard runningCalls.close() else { return runningCalls.waitUntilClosed() }
        defer { runningCalls.endClosing() }
        for feature in features.all { feature.end() }
        do {
            try queue.finish { () throws(StorageError) in try engine.close() }
        } catch {
            throw error.at(operation: "close", backend: info.name)
        }
    }

    /// Closes a released store at once. Its file is free when the last reference is gone, even if the queue still has the
    /// engine.
    deinit {
        if runningCalls.close() { queue.closeDropped() }
        registry.directory.leave()
    }

    // MARK: Schema

    /// Creates or updates the models' tables as declared, and moves data, all in one transaction.
    package nonisolated(nonsending) func prepare(_ models: [any Storable.Type]) async throws(StorageError) {
        try await prepare(models, isOpening: false)
    }

    nonisolated(nonsending) func prepare(
        _ models: [any Storable.Type], isOpening: Bool
    ) async throws(StorageError) {
        if let transaction = try await reads({ () throws(StorageError) in
            try self.transactionPreparing(models, isOpening: isOpening)
        }
        ) {
            await queue.run(transaction)
            _ = try transaction.finish("open", in: self)
            if let own = transaction.own { try? await complete(own.names, isCommitted: true) }
        }
        try await complete(models.map { registry.name(of: .type($0)) })
    }

    func prepareBlocking(
        _ models: [any Storable.Type], isOpening: Bool = false
    ) throws(StorageError) {
        if let transaction = try transactionPreparing(models, isOpening: isOpening) {
            try checkNotInBody("open")
            queue.runBlocking(transaction)
            _ = try transaction.finish("open", in: self)
            if let own = transaction.own { try? completeBlocking(own.names, isCommitted: true) }
        }
        try completeBlocking(models.map { registry.name(of: .type($0)) })
    }

    /// The write that prepares models and moves data; nil if neither is needed, which is checked without writing.
    private func transactionPreparing(
        _ models: [any Storable.Type], isOpening: Bool
    ) throws(StorageError) -> WriteTransaction? {
        if isOpening { for feature in features.all { try feature.checkOptions() } }
        let (behind, pending, isNew) = try withReader("open", .snapshot, seesExpired: true) {
            (reader) throws(StorageError) in
            try features.find(in: reader)
            let new = try DeclaredModels.withTargets(models).filter { registry.handle($0) == nil }
            // A store that is closed to writers is read with the marks that it has.
            let takesMarks = try features.closesStore(reader) ? false : canWrite
            let (known, behind) = try environment.models.upToDate(new, in: reader, canWrite: takesMarks)
            registry.add(known)
            if isOpening, !models.isEmpty {
                try registry.requireNamedModels(in: reader, and: DeclaredModels.withTargets(models))
            }
            let pending = isOpening ? try features.pendingStep(in: reader) : nil
            return (behind, pending, pending == nil ? false : try !reader.hasModels())
        }
        guard !behind.isEmpty || pending != nil else { return nil }
        if try !canWriteNow(), let reason = info.lacking[.writing] {
            if behind.isEmpty, isNew { return nil }
            throw StorageError(
                .schemaMismatch,
                behind.isEmpty
                    ? "The store has not run the step “\(pending ?? "")” that moves data, and cannot: \(reason) Open it once where it can be written."
                    : "A model's tables are not as it declares them and cannot be changed: \(reason)",
                operation: "open", model: behind.first?.schema.name)
        }
        if !behind.isEmpty {
            var declared: [DeclaredTables] = []
            for model in behind { declared.append(try DeclaredTables(model)) }
            for feature in features.all { try feature.willChange(declared, isExact: false, in: self) }
        }
        // Opening changes records only in a step, so a program that no longer wants a model's records to expire still finds
        // the remaining ones.
        return WriteTransaction(in: self, isRepeatable: false, isPreceded: false) {
            [features] context throws(StorageError) in
            try features.requireWritable(context.innerWriter())
            var steps: [() throws(StorageError) -> Void] = []
            if isOpening {
                for feature in features.all {
                    if let step = try feature.openingSteps(in: context, of: self) { steps.append(step) }
                }
            }
            try context.prepare(behind)
            for step in steps { try step() }
        }
    }
}

extension StorageSession {
    /// Returns whether the store has a model, as a program or other software has left it.
    func hasModels() throws(StorageError) -> Bool { try tables().contains { $0.isRoot && !$0.isStoresOwn } }
}
