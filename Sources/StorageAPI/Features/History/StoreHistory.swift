import Logging
import StorageDriver
import Synchronization

/// The history that a store keeps: its settings and tables as they are known, from which each write gets a recorder.
final class StoreHistory: StoreFeature {
    private struct State {
        var active: ActiveHistory?
        /// The settings of a session that found a history before any write did.
        var tables: HistoryTables?
        /// The commits that this store has made since it was opened.
        var own = CommitNumbers()
        /// The entries after the pages that a program reads, and the last commit of its last page.
        var later: LaterEntries?
        var endOfPage: Int64?
    }

    private let state = Mutex(State())
    private let registry: ModelRegistry
    private let limits: BackendInfo.Limits
    private let clock: @Sendable () -> Double
    private let marks = CommitMarks()
    private let logger: Logger
    /// The options with which the store is opened; nil if it keeps the recorded options.
    private let options: Store.HistoryOptions?
    /// The changes that are recorded.
    private let followed: FollowedChanges.Part

    /// - Parameter clock: the time in seconds since the reference date.
    init(
        _ registry: ModelRegistry, _ limits: BackendInfo.Limits, options: Store.HistoryOptions?,
        logger: Logger, clock: @escaping @Sendable () -> Double, followed: FollowedChanges.Part
    ) {
        self.registry = registry
        self.limits = limits
        self.options = options
        self.logger = logger
        self.clock = clock
        self.followed = followed
    }

    // MARK: Opening

    var preparedModels: [any Storable.Type] { options?.models ?? [] }

    nonisolated(nonsending) func didOpen(_ store: Store) async throws(StorageError) {
        if let options { try await store.keep(options) }
    }

    func didOpenBlocking(_ store: Store) throws(StorageError) {
        if let options { try store.keepBlocking(options) }
    }

    /// Finds the history that the store keeps, once, unless another process may have changed it.
    func find(in session: any StorageSession, isAgain: Bool) throws(StorageError) {
        guard isAgain || active == nil else { return }
        let kept = try ActiveHistory.recorded(in: session, registry.directory)
        // A write that has begun one meanwhile knows better than this session.
        if isAgain { active = kept } else if let kept { activateIfNone(kept) }
    }

    // MARK: Writes

    /// The time in seconds since the reference date.
    var now: Double { clock() }

    /// The history that writes record from now on; nil for none.
    var active: ActiveHistory? {
        get { state.withLock { $0.active } }
        set { state.withLock { activate(newValue, &$0) } }
    }

    /// Activates a history unless one is active: a write that has begun a history knows better than a session.
    func activateIfNone(_ history: ActiveHistory) {
        state.withLock { state in
            if state.active == nil { activate(history, &state) }
        }
    }

    /// Must be called under the lock, so that the store always captures the changes that the active history records.
    private func activate(_ history: ActiveHistory?, _ state: inout State) {
        // The numbers of a history that has replaced another one mean other commits.
        if history?.settings.store != state.active?.settings.store {
            state.own = CommitNumbers()
            state.later = nil
        }
        state.active = history
        followed.set(history?.settings.models.map(\.name) ?? [], .kinds)
    }

    func needsDeletions(of model: StoredName) -> Bool { active?.settings.model(model) != nil }

    /// Remembers a commit that this store has made, and its effect on the history.
    private func didCommit(_ outcome: HistoryRecorder.Outcome) {
        state.withLock { state in
            // A later write may have read settings by now that another program has changed since.
            if let (before, raised) = outcome.raised, state.active === before { activate(raised, &state) }
            if let number = outcome.commit { state.own.insert(number) }
        }
        tell(outcome.released)
    }

    /// Logs the holds that were let go.
    private func tell(_ released: [HeldHistory]) {
        for hold in released {
            logger.warning(
                "a hold of the history was let go: it held more than the store allows",
                metadata: ["name": "\(hold.name)", "commit": "\(hold.commit)"])
        }
    }

    /// Returns whether this store has made a commit since it was opened.
    func hasMade(_ number: Int64) -> Bool { state.withLock { $0.own.contains(number) } }

    /// Records the history of a write, if the store keeps one.
    func join(_ parts: inout TransactionParts) {
        guard let signature = parts.signature, var active else { return }
        let writer = parts.writer
        // An earlier part of the commit may have given it the second format.
        if active.tables.isFirstFormat, let stored = try? writer.tables(), let tables = tables(in: stored),
            !tables.isFirstFormat
        {
            active = ActiveHistory(active.settings, tables)
        }
        let group = parts.group?.part { HistoryGroup(active, in: writer, registry.directory, didRelease: tell) }
        parts.subscribers.append(
            HistoryRecorder(
                active, in: writer, group: group?.kept.tables === active.tables ? group : nil, registry: registry,
                limits: limits, signature: signature, marks: marks, clock: clock, didCommit: didCommit))
    }

    /// The history as a session sees it.
    ///
    /// - Throws: `configuration` if the store keeps none.
    func reading(in session: any StorageSession) throws(StorageError) -> HistoryReading {
        let stored = try session.tables()
        if let known = active?.tables, known.areAmong(stored) { return HistoryReading(known, session) }
        guard let tables = tables(in: stored) else {
            throw StorageError(
                .configuration,
                "The store keeps no history. A program turns it on when it opens the store with Store.Options(history:)."
            )
        }
        return HistoryReading(tables, session)
    }

    /// The tables of the history; nil if the store keeps none. They have the same plans as long as the tables do not
    /// change.
    func tables(in stored: [TableSchema]) -> HistoryTables? {
        state.withLock { state in
            if let known = state.tables, known.areAmong(stored) { return known }
            state.tables = HistoryTables(in: stored, registry.directory)
            return state.tables
        }
    }

    /// The entries after a page of whole commits that is not the last; nil unless the page follows another one, because a
    /// single page does not repay them.
    ///
    /// - Parameter start: the commit after which the page begins.
    func entries(
        afterPageFrom start: Int64, to end: Int64, in history: HistoryReading
    ) throws(StorageError) -> LaterEntries? {
        let (known, followsOther) = state.withLock { state in
            defer { state.endOfPage = end }
            return (state.later, state.endOfPage == start)
        }
        if let known, try known.covers(end, in: history) { return known }
        guard followsOther else { return nil }
        let made = try LaterEntries(after: end, in: history)
        state.withLock { $0.later = made }
        return made
    }

    /// Forgets the entries after pages if the last page follows the one before it.
    func forgetEntries(afterPageFrom start: Int64) {
        state.withLock { if $0.endOfPage == start { ($0.later, $0.endOfPage) = (nil, nil) } }
    }

    /// Records the tables that a model had, by which its older entries are read. Entries may outlive the recording of
    /// changes, so this does not depend on ``active``.
    func didChange(_ change: SchemaChange, in context: TransactionContext) throws(StorageError) {
        guard let former = FormerSchema(change.tables, change.steps) else { return }
        try record(former, of: change.model, in: context)
    }

    /// Records the tables of a model that another of its name has replaced.
    func didDrop(_ tables: [TableSchema], of model: StoredName, in context: TransactionContext) throws(StorageError) {
        try record(FormerSchema(replacing: tables), of: model, in: context)
    }

    private func record(
        _ former: FormerSchema, of model: StoredName, in context: TransactionContext
    ) throws(StorageError) {
        try FormerSchemas.record(
            former, of: model, at: context.historyRecorder?.place, in: context.innerWriter(model), registry.directory)
    }
}

// MARK: Verification

extension StoreHistory {
    func verify(
        _ tables: [TableSchema], in reader: any StorageReader, _ report: @escaping (StoreProblem) -> Void
    ) throws(StorageError) {
        if let own = self.tables(in: tables) { try HistoryVerification(own, reader, report).run() }
    }
}

extension Store {
    var history: StoreHistory { features.feature() }
}

extension HistoryTables {
    fileprivate func areAmong(_ tables: [TableSchema]) -> Bool {
        [settings, commits, changes].allSatisfy(tables.contains)
    }
}
