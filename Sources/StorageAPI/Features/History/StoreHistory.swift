import StorageDriver
import Synchronization

/// The history that a store keeps: its settings and tables as they are known, from which each write gets a recorder.
final class StoreHistory: SchemaChangeObserver {
    private struct State {
        var active: ActiveHistory?
        /// The settings of a session that found a history before any write did.
        var tables: HistoryTables?
        /// The commits that this store has made since it was opened.
        var own = CommitNumbers()
    }

    private let state = Mutex(State())
    private let registry: ModelRegistry
    private let limits: BackendInfo.Limits
    private let clock: @Sendable () -> Double
    /// Called with the models whose changes are recorded, when they may be others. Must not use the history.
    private let didActivate: @Sendable ([String]) -> Void

    /// - Parameter clock: the time in seconds since the reference date.
    init(
        _ registry: ModelRegistry, _ limits: BackendInfo.Limits, clock: @escaping @Sendable () -> Double,
        didActivate: @escaping @Sendable ([String]) -> Void
    ) {
        self.registry = registry
        self.limits = limits
        self.clock = clock
        self.didActivate = didActivate
    }

    /// The history that writes record from now on; nil for none.
    var active: ActiveHistory? {
        get { state.withLock { $0.active } }
        set { state.withLock { activate(newValue, &$0) } }
    }

    /// Activates a history unless there is one: a write that has begun one knows better than a session.
    func activateIfNone(_ history: ActiveHistory) {
        state.withLock { state in
            if state.active == nil { activate(history, &state) }
        }
    }

    /// Under the lock, so that the captured changes are always those that the active history records.
    private func activate(_ history: ActiveHistory?, _ state: inout State) {
        // The numbers of a history that has replaced another one mean other commits.
        if history?.settings.store != state.active?.settings.store { state.own = CommitNumbers() }
        state.active = history
        didActivate(history?.settings.models.map(\.name) ?? [])
    }

    /// Remembers a commit that this store has made.
    func didCommit(_ number: Int64) { state.withLock { $0.own.insert(number) } }

    /// Returns whether this store has made a commit since it was opened.
    func hasMade(_ number: Int64) -> Bool { state.withLock { $0.own.contains(number) } }

    /// Records the history of a write; nil if the store keeps none.
    func recorder(_ writer: any StorageWriter, _ signature: CommitSignature) -> HistoryRecorder? {
        active.map { HistoryRecorder($0, writer, registry, limits, signature, clock: clock) }
    }

    /// The history as a session sees it.
    ///
    /// - Throws: `configuration` if the store keeps none.
    func reading(in session: any StorageSession) throws(StorageError) -> HistoryReading {
        let stored = try session.tables()
        if let known = active?.tables, known.areAmong(stored) { return HistoryReading(known, session) }
        guard let tables = tables(in: stored) else {
            throw StorageError(.configuration, "The store keeps no history; open it once with history: and the models.")
        }
        return HistoryReading(tables, session)
    }

    /// The tables of the history; nil if there is none. They are the same, with the same plans, as long as the tables do not
    /// change.
    func tables(in stored: [TableSchema]) -> HistoryTables? {
        state.withLock { state in
            if let known = state.tables, known.areAmong(stored) { return known }
            state.tables = HistoryTables(in: stored, registry.directory)
            return state.tables
        }
    }

    /// Records the tables that a model had, by which its older entries are read. Entries may outlive the recording of
    /// changes, so this does not depend on ``active``.
    func didChange(_ change: SchemaChange, in context: TransactionContext) throws(StorageError) {
        guard let former = FormerSchema(change.tables, change.steps) else { return }
        try record(former, of: change.model, in: context)
    }

    /// Records the tables of a model that another of its name has replaced.
    func didReplace(_ tables: [TableSchema], of model: String, in context: TransactionContext) throws(StorageError) {
        try record(FormerSchema(replacing: tables), of: model, in: context)
    }

    private func record(
        _ former: FormerSchema, of model: String, in context: TransactionContext
    ) throws(StorageError) {
        try FormerSchemas.record(
            former, of: model, at: context.capture?.historyPlace, in: context.innerWriter(model), registry.directory)
    }
}

extension HistoryTables {
    fileprivate func areAmong(_ tables: [TableSchema]) -> Bool {
        [settings, commits, changes].allSatisfy(tables.contains)
    }
}
