import StorageDriver
import Synchronization

/// The tables of a store's models, which queries of other models lead to, and the numbers of the store's plans.
package final class ModelDirectory: Sendable {
    private let lastPlan = Atomic<Int>(-1)
    /// True if reads wait for a server, which answers several queries at once more cheaply.
    let isAskingServer = Atomic(false)
    private let known = Mutex(Known())
    /// By the paths of internal tables.
    let ownPlans = Mutex<[StoredPath: OwnPlans]>([:])

    private struct Known {
        var types: [ObjectIdentifier: ModelTables] = [:]
        /// The models that the running transaction has prepared. Only its thread sees them.
        var uncommitted: [ObjectIdentifier: ModelTables] = [:]
        /// Returns whether the caller is the writing thread.
        var isWriting: @Sendable () -> Bool = { false }
        var recorded: [StoredName: ModelTables] = [:]
        // The registry owns the directory, until the store ends both. A weak reference would make each use of the registry
        // in each call cost eight times as much.
        var registry: (any ModelResolver)?
        /// Answers searches; see ``TextSearch``, which is made of queries.
        var search: (any AnyObject & Sendable)?

        func tables(of type: ObjectIdentifier) -> ModelTables? {
            if !uncommitted.isEmpty, let own = uncommitted[type], isWriting() { return own }
            return types[type]
        }
    }

    package var waitsForServer: Bool { isAskingServer.load(ordering: .relaxed) }

    /// The number of the next plan.
    package func nextPlan() -> Int { lastPlan.wrappingAdd(1, ordering: .relaxed).newValue }

    /// - Throws: `configuration` for a model that is not prepared, with an ``UnpreparedModel`` as the cause.
    func tables(of model: ModelSource) throws(StorageError) -> ModelTables {
        let tables = known.withLock { known in
            switch model {
            case .type(let type): known.tables(of: ObjectIdentifier(type))
            case .recorded(let name), .whole(let name): known.recorded[name]
            }
        }
        guard let tables else { throw UnpreparedModel(model: model).error }
        return tables
    }

    /// A recorded model, if it is known.
    func tables(named name: StoredName) -> ModelTables? { known.withLock { $0.recorded[name] } }

    /// The handle of a model that a query leads to.
    func handle(of model: ModelSource, in session: any StorageSession) throws(StorageError) -> ModelHandle {
        _ = try tables(of: model)
        guard let registry = known.withLock({ $0.registry }) else { throw StorageError.storeClosed }
        return try registry.handle(model, in: session)
    }

    func serve(_ registry: any ModelResolver, _ info: BackendInfo) {
        known.withLock { $0.registry = registry }
        isAskingServer.store(info.readerThreads != nil, ordering: .relaxed)
    }

    package func serve(search: any AnyObject & Sendable) { known.withLock { $0.search = search } }

    /// The object that answers searches; nil if the store is closed.
    var search: (any AnyObject & Sendable)? { known.withLock { $0.search } }

    /// Leaves the registry of a store that is gone.
    package func leave() {
        known.withLock { known in
            known.registry = nil
            known.search = nil
            known.isWriting = { false }
        }
    }

    func set(_ tables: ModelTables, of type: ObjectIdentifier) { known.withLock { $0.types[type] = tables } }

    /// Records the models that the running transaction has prepared, until it ends.
    func setUncommitted(_ tables: [ObjectIdentifier: ModelTables]) { known.withLock { $0.uncommitted = tables } }

    /// - Parameter isWriting: whether the caller is the thread on which transactions run.
    package func serveTransactions(of isWriting: @escaping @Sendable () -> Bool) {
        known.withLock { $0.isWriting = isWriting }
    }

    func set(_ tables: ModelTables, named name: StoredName) { known.withLock { $0.recorded[name] = tables } }
}

/// Finds the handle of a model in a session's store.
protocol ModelResolver: AnyObject, Sendable {
    func handle(_ model: ModelSource, in session: any StorageSession) throws(StorageError) -> ModelHandle
}

/// A query leads to a model that the store has not prepared. Calls that can prepare it do so, and begin again.
struct UnpreparedModel: Error {
    let model: ModelSource

    var error: StorageError {
        let name =
            switch model {
            case .type(let type): type.schema.name
            case .recorded(let name), .whole(let name): name.text
            }
        return StorageError(
            .configuration,
            "The query leads to \(name), which is not opened; name it among the models when opening the store.",
            model: name
        ).with { $0.underlying = self }
    }
}

extension StorageError {
    /// The type that must be prepared before the call can succeed.
    package var unpreparedType: (any Storable.Type)? {
        if case .type(let type)? = (underlying as? UnpreparedModel)?.model { type } else { nil }
    }

    /// The error of every call on a closed store.
    package static var storeClosed: StorageError {
        StorageError(.closed, "The store is closed; open it again to use it.")
    }
}
