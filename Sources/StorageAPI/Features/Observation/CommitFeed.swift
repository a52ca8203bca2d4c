internal import Dispatch
import StorageDriver
import Synchronization

/// Tells the observers of a store of its commits.
///
/// Observers ask: a commit leaves its changes in a log and wakes the waiting observers, on another queue. So a commit's
/// cost does not depend on the number of observers, and is almost zero without observers.
final class CommitFeed: StoreFeature {
    /// The changes that commits capture for an observer.
    struct Interest {
        /// The interest in every model.
        var all: ChangeDetail?
        /// By the model's stored name.
        var models: [StoredName: ChangeDetail] = [:]
    }

    /// The question that an observer asks.
    enum Question {
        /// Asks for any change of these models; nil for any model.
        case changes(of: [StoredName]?)
        /// The commits that changed a model; nil for any model.
        case commits(of: StoredName?)

        fileprivate var models: [StoredName?] {
            switch self {
            case .commits(let model): [model]
            case .changes(nil): [nil]
            // With no models, an observer wakes only when the store closes.
            case .changes(let models?): models.isEmpty ? [""] : models.map(Optional.some)
            }
        }
    }

    /// The answer that an observer receives.
    enum PollResult {
        case nothing
        case commits([CommitEvent])
        /// Some commits are not known: read again.
        case unknown
        /// The store was closed.
        case end
    }

    fileprivate struct State {
        var isEnded = false
        /// The number of the last commit.
        var last = 0
        var interests: [ObjectIdentifier: Interest] = [:]
        var tally = InterestTally()
        /// The union of the interests; nil without observers.
        var asked: ChangeInterest?
        /// Tells the store which changes the observers follow.
        let followed: FollowedChanges.Part
        /// The last commit whose changes are not known at all.
        var lastUnknown = 0
        /// The last commit that changed a model.
        var lastOfModel: [StoredName: Int] = [:]
        /// The commits of each model whose keys are asked for.
        var logs: [StoredName: CommitLog] = [:]
        /// The commits of all models, if their keys are asked for.
        var logOfAll: CommitLog?
        /// The changes of writes that may be visible and are not announced yet; nil for a write that has not captured
        /// them.
        var announced: [ObjectIdentifier: [NetChanges]?] = [:]
        /// The waiters by model. Waiters for any model are under nil.
        var waiting: [StoredName?: [ObjectIdentifier: Waiter]] = [:]
    }

    private let activity: FeatureActivity
    private let state: Mutex<State>
    private let wakeups = DispatchQueue(label: "storage.observers")
    private let others = Mutex<ExternalCommitMonitor?>(nil)

    init(_ engine: any StorageEngine, _ activity: FeatureActivity) {
        self.activity = activity
        state = Mutex(State(followed: activity.followed.newPart()))
        guard let engine = engine as? any ExternalCommitsEngine else { return }
        // The feed keeps the monitor.
        let monitor = ExternalCommitMonitor(engine) { [weak self] in self?.tellUnknown() }
        others.withLock { $0 = monitor }
    }

    /// The monitor of other processes' commits; nil if other processes cannot commit, or if the engine cannot report it.
    var otherCommits: ExternalCommitMonitor? { others.withLock { $0 } }

    // MARK: Writers

    /// Registers a write that readers may see before observers are notified.
    func willCommit(_ transaction: WriteTransaction) {
        let models = transaction.changes.map { (transaction.precedingChanges?.net ?? []) + $0.net }
        state.withLock { state in
            guard let asked = state.asked else { return }
            let before = transaction.changes?.interest
            let isKnown =
                before === state.followed.together
                || (asked.asksAll(ofAtMost: before) && state.unknownModels(before).isEmpty)
            // Most commits change no observed data.
            if isKnown, models?.isEmpty == true { return }
            state.announced[ObjectIdentifier(transaction)] = .some(isKnown ? models : nil)
        }
    }

    /// Announces a write that is durable, or forgets a write that has failed.
    func didEnd(_ transaction: WriteTransaction) {
        guard state.withLock({ $0.asked != nil }) else { return }
        // The net effects are computed outside the lock.
        if transaction.failure == nil { _ = (transaction.precedingChanges?.net, transaction.changes?.net) }
        wake(
            state.withLock { state in
                if !state.announced.isEmpty { state.announced[ObjectIdentifier(transaction)] = nil }
                guard transaction.failure == nil else { return [] }
                return (transaction.precedingChanges.map { state.tell($0) } ?? []) + state.tell(transaction.changes)
            })
    }

    /// Tells of a commit whose changes are not known, such as another process's.
    func tellUnknown() {
        wake(
            state.withLock { state in
                guard state.asked != nil else { return [] }
                state.last += 1
                state.loseAll()
                return state.takeAllWaiters()
            })
    }

    /// Ends all observers: the store closes.
    func end() {
        wake(
            state.withLock { state in
                state.isEnded = true
                others.withLock { $0?.stop() }
                return state.takeAllWaiters()
            })
    }

    private func wake(_ waiters: [Waiter]) {
        guard !waiters.isEmpty else { return }
        wakeups.async { for waiter in waiters { waiter.wake() } }
    }

    // MARK: Observers

    /// Adds an observer, or changes its interest. Returns the number of the last commit.
    func add(_ id: ObjectIdentifier, _ interest: Interest) -> Int {
        state.withLock { state in
            let wasAsked = state.asked != nil
            state.setInterest(of: id, to: interest)
            if !wasAsked { activity.beginFollowing() }
            if state.interests.count == 1 { others.withLock { $0?.start() } }
            return state.last
        }
    }

    func remove(_ id: ObjectIdentifier) {
        state.withLock { state in
            let wasAsked = state.asked != nil
            state.setInterest(of: id, to: nil)
            for model in state.waiting.keys { state.waiting[model]?[id] = nil }
            if wasAsked, state.asked == nil { activity.endFollowing() }
            if state.asked == nil { others.withLock { $0?.stop() } }
        }
    }

    /// Returns the events after a commit, and the number of the last commit.
    func news(_ question: Question, after number: Int) -> (PollResult, last: Int) {
        state.withLock { ($0.news(question, after: number), $0.last) }
    }

    /// The commits after a number that a current snapshot may include, durable or not yet; nil if some are not known.
    func visible(_ model: StoredName, after number: Int) -> [NetChanges]? {
        state.withLock { state in
            guard let told = state.logs[model]?.commits(after: number), state.lastUnknown <= number else { return nil }
            var visible = told.compactMap { $0.changes(of: model) }
            for announced in state.announced.values {
                guard let models = announced else { return nil }
                visible += models.filter { $0.model == model }
            }
            return visible.contains(where: \.isEverything) ? nil : visible
        }
    }

    /// Waits until news arrives, or the task is cancelled.
    nonisolated(nonsending) func wait(_ id: ObjectIdentifier, _ question: Question, after number: Int) async {
        let waiter = Waiter()
        let mustWait = state.withLock { state in
            guard case .nothing = state.news(question, after: number) else { return false }
            for model in question.models { state.waiting[model, default: [:]][id] = waiter }
            return true
        }
        if mustWait { await waiter.wait() }
    }
}

extension CommitFeed.State {
    /// Notes the interest of an observer; nil if it no longer has any. The cost does not depend on the number of observers.
    mutating func setInterest(of id: ObjectIdentifier, to interest: CommitFeed.Interest?) {
        let former = interests[id]
        interests[id] = interest
        var isOther = interests.isEmpty != (asked == nil)
        if let interest { isOther = tally.count(interest, by: 1) || isOther }
        if let former { isOther = tally.count(former, by: -1) || isOther }
        if isOther { collectInterests() }
    }

    /// Combines the interests, and starts and ends logs.
    private mutating func collectInterests() {
        let (all, models) = tally.together
        asked = interests.isEmpty ? nil : ChangeInterest(all: all, models: models)
        logs = logs.filter { (models[$0.key] ?? .any) > .any }
        for (model, detail) in models where detail > .any && logs[model] == nil { logs[model] = CommitLog(after: last) }
        followed.set(asked)
        logOfAll = (all ?? .any) > .any ? logOfAll ?? CommitLog(after: last) : nil
        if asked == nil { (lastOfModel, announced) = ([:], [:]) }
    }

    /// The models whose changes were not captured, because the write began before the subscription.
    func unknownModels(_ before: ChangeInterest?) -> [StoredName] {
        guard let asked else { return [] }
        return asked.models.compactMap { model, detail in
            guard let known = before?.detail(of: model) else { return model }
            return known < detail ? model : nil
        }
    }

    /// Tells of a commit.
    ///
    /// - Parameter changes: its changes; nil if none were captured.
    mutating func tell(_ changes: ChangeSet?) -> [Waiter] {
        guard let asked else { return [] }
        let models = changes?.net ?? []
        let before = changes?.interest
        let isKnown = before === followed.together
        let unknown = isKnown ? [] : unknownModels(before)
        let isUnknown = !isKnown && !asked.asksAll(ofAtMost: before)
        guard !models.isEmpty || !unknown.isEmpty || isUnknown else { return [] }
        last += 1
        add(CommitEvent(last, models, signature: changes?.signature))
        for model in unknown { loseModel(model) }
        if isUnknown { loseAll() }
        return isUnknown ? takeAllWaiters() : takeWaiters(models.map(\.model) + unknown)
    }

    mutating func add(_ commit: CommitEvent) {
        for changes in commit.models {
            lastOfModel[changes.model] = commit.number
            logs[changes.model]?.append(commit)
        }
        if !commit.models.isEmpty { logOfAll?.append(commit) }
    }

    mutating func loseModel(_ model: StoredName) {
        lastOfModel[model] = last
        logs[model]?.lose(upTo: last)
    }

    mutating func loseAll() {
        lastUnknown = last
        for model in logs.keys { logs[model]?.lose(upTo: last) }
        logOfAll?.lose(upTo: last)
    }

    mutating func takeWaiters(_ models: [StoredName]) -> [Waiter] {
        guard !waiting.isEmpty else { return [] }
        var taken: [Waiter] = []
        for model in models.map(Optional.some) + [nil] {
            if let waiters = waiting.removeValue(forKey: model) { taken += waiters.values }
        }
        return taken
    }

    mutating func takeAllWaiters() -> [Waiter] {
        defer { waiting = [:] }
        return waiting.values.flatMap(\.values)
    }

    func news(_ question: CommitFeed.Question, after number: Int) -> CommitFeed.PollResult {
        if isEnded { return .end }
        if lastUnknown > number { return .unknown }
        switch question {
        case .changes(nil): return last > number ? .unknown : .nothing
        case .changes(let models?): return models.contains { lastOfModel[$0] ?? 0 > number } ? .unknown : .nothing
        case .commits(nil): return Self.news(logOfAll, after: number)
        case .commits(let model?): return Self.news(logs[model], after: number)
        }
    }

    private static func news(_ log: CommitLog?, after number: Int) -> CommitFeed.PollResult {
        guard let commits = log?.commits(after: number) else { return .unknown }
        return commits.isEmpty ? .nothing : .commits(Array(commits))
    }
}

/// Counts the observers of each kind of change.
private struct InterestTally {
    /// The counts by the model's stored name. The interest in every model is under nil.
    private var counts: [StoredName?: [ChangeDetail: Int]] = [:]

    /// Counts an observer in or out. Returns whether the union of all interests has changed.
    mutating func count(_ interest: CommitFeed.Interest, by number: Int) -> Bool {
        var isOther = false
        let details = interest.models.map { (Optional($0), $1) } + (interest.all.map { [(nil, $0)] } ?? [])
        for (model, detail) in details {
            let before = counts[model]?.keys.max()
            let count = (counts[model]?[detail] ?? 0) + number
            counts[model, default: [:]][detail] = count > 0 ? count : nil
            if counts[model]?.isEmpty == true { counts[model] = nil }
            if counts[model]?.keys.max() != before { isOther = true }
        }
        return isOther
    }

    var together: (all: ChangeDetail?, models: [StoredName: ChangeDetail]) {
        var models: [StoredName: ChangeDetail] = [:]
        for case (let model?, let details) in counts { models[model] = details.keys.max() }
        return (counts[nil]?.keys.max(), models)
    }
}

/// A task that waits for news. Woken once, by a commit, the store's end or its cancellation.
final class Waiter: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Void, Never>)
        case woken
    }

    private let state = Mutex(State.idle)

    nonisolated(nonsending) func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isWoken = state.withLock { state in
                    if case .woken = state { return true }
                    state = .waiting(continuation)
                    return false
                }
                if isWoken { continuation.resume() }
            }
        } onCancel: {
            wake()
        }
    }

    func wake() {
        let before = state.withLock { state in
            defer { state = .woken }
            return state
        }
        if case .waiting(let continuation) = before { continuation.resume() }
    }
}
