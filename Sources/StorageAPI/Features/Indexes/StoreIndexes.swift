public import StorageDriver
import Synchronization

/// Lets the engine make indexes of large tables beside writers, before and after the transaction that declares them.
final class StoreIndexes: StoreFeature {
    /// Nil if the engine makes every index in a transaction.
    private let engine: (any IndexBuildingEngine)?
    private let progress: (@Sendable (IndexProgress) -> Void)?
    /// True if the store has opened. From then on a caller may have a read block or a stream open, for whose end the engine
    /// would wait.
    private let isOpen = Atomic(false)

    init(_ engine: any StorageEngine, progress: (@Sendable (IndexProgress) -> Void)?) {
        (self.engine, self.progress) = (engine as? any IndexBuildingEngine, progress)
    }

    func willChange(_ models: [DeclaredTables], isExact: Bool, in store: Store) throws(StorageError) {
        guard let engine, store.canWrite else { return }
        let (changes, steps) = try store.tableChanges(to: models, isExact: isExact)
        guard changes.contains(where: \.makesUnique) else { return }
        do throws(StorageError) {
            store.environment.models.keepsUnique(
                try engine.buildUniqueIndexes(for: changes, isPatient: isExact || !isOpen.load(ordering: .acquiring)) {
                    [progress] in progress?($0)
                })
        } catch  where error.code == .constraint {
            // The checks say which value several records have.
            try store.check(steps)
            throw error.at(operation: "open", backend: store.info.name)
        }
    }

    nonisolated(nonsending) func didOpen(_ store: Store) async throws(StorageError) {
        isOpen.store(true, ordering: .releasing)
        try await store.reads { () throws(StorageError) in try self.build(in: store, isOpening: true) }
    }

    func didOpenBlocking(_ store: Store) throws(StorageError) {
        isOpen.store(true, ordering: .releasing)
        try build(in: store, isOpening: true)
    }

    nonisolated(nonsending) func complete(
        _ models: [StoredName], in store: Store, isCommitted: Bool
    ) async throws(StorageError) {
        guard isOpen.load(ordering: .acquiring), engine?.hasUnbuiltIndexes == true else { return }
        try await store.reads { () throws(StorageError) in try self.build(in: store, isOpening: false) }
    }

    func completeBlocking(_ models: [StoredName], in store: Store, isCommitted: Bool) throws(StorageError) {
        guard isOpen.load(ordering: .acquiring) else { return }
        try build(in: store, isOpening: false)
    }

    /// A missing index makes queries slower and no result wrong. So only a cancelled task ends the opening.
    private func build(in store: Store, isOpening: Bool) throws(StorageError) {
        guard let engine, engine.hasUnbuiltIndexes, store.canWrite else { return }
        do throws(StorageError) {
            try engine.buildIndexes(isPatient: isOpening) { [progress] in progress?($0) }
        } catch {
            if error.code == .cancelled, isOpening { throw error.at(operation: "open", backend: store.info.name) }
            store.logger.error("indexes are not made", metadata: ["error": "\(error)"])
        }
    }
}

extension Store {
    /// Makes the indexes of large tables that are declared and not made yet, while others write.
    ///
    /// Opening a store does this. If it was cancelled or has failed, the next opening makes the indexes, or this call. A call that
    /// uses a model for the first time does it too, but waits for transactions of others only for the backend's timeout. Queries
    /// give the same results without an index, and take longer. Don't call this in a read block or a loop over a stream of any
    /// store of the database, for whose end it would wait. Returns at once if every index is made, if another program
    /// makes them, or on an engine that makes indexes only in transactions.
    ///
    /// - Parameter progress: called about once a second, on any thread.
    /// - Throws: `cancelled`; `full`, `io` and other errors of the engine. Missing indexes stay missing until a later call.
    public nonisolated(nonsending) func buildIndexes(
        progress: @escaping @Sendable (IndexProgress) -> Void = { _ in }
    ) async throws(StorageError) {
        guard let engine = engine(as: (any IndexBuildingEngine).self), engine.hasUnbuiltIndexes, canWrite else {
            return
        }
        do throws(StorageError) {
            try await reads { () throws(StorageError) in
                try self.runningCalls.begin()
                defer { self.runningCalls.end() }
                try engine.buildIndexes(isPatient: true, progress)
            }
        } catch {
            throw error.at(operation: "buildIndexes", backend: info.name)
        }
    }

    /// The changes of tables that preparing models would make, and their steps.
    fileprivate func tableChanges(
        to models: [DeclaredTables], isExact: Bool
    ) throws(StorageError) -> ([TableChange], [SchemaStep]) {
        try withReader("open", .snapshot, seesExpired: true) { (reader) throws(StorageError) in
            let steps = try environment.models.steps(to: models, isExact: isExact, in: reader).flatMap(\.self)
            return (steps.compactMap(\.tableChange), steps)
        }
    }

    fileprivate func check(_ steps: [SchemaStep]) throws(StorageError) {
        try withReader("open", .snapshot, seesExpired: true) { (reader) throws(StorageError) in
            try environment.models.check(steps, in: reader)
        }
    }
}

extension TableChange {
    /// True if a column of an existing table becomes unique.
    fileprivate var makesUnique: Bool {
        guard case .alter(let old, let new, _) = self else { return false }
        return zip(old.columns, new.columns).contains { !$0.isUnique && $1.isUnique }
    }
}
