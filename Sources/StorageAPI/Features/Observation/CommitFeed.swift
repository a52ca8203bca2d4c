internal import Dispatch
import StorageDriver
import Synchronization

/// Tells the observers of a store of its commits.
///
/// Observers ask: a commit leaves its changes in a log and wakes those that wait, on another queue. So it costs the
/// same however many observers there are, and next to nothing if there are none.
final class CommitFeed: Sendable {
    /// The changes that commits capture for an observer.
    struct Interest {
        /// The interest in every model.
        var all: ChangeDetail?
        /// By the model's stored name.
        var models: [String: ChangeDetail] = [:]
    }

    /// The question that an observer asks.
    enum Question {
        /// Asks for any change of these models; nil for any model.
        case changes(of: [String]?)
        /// The commits that changed a model; nil for any model.
        case commits(of: String?)

        fileprivate var models: [String?] {
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
        /// Some commits are not known: read anew.
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
        /// The union of the interests; nil if there are none.
        var asked: ChangeInterest?
        /// The models of which the store keeps a history.
        var recorded: [String] = []
        /// The changes that the application's layers follow; nil if there are none.
        var layered: ChangeInterest?
        /// The models that have a search index.
        var indexed: [String] = []
        /// The union of the interests, the layers' and the history's included.
        var capturing: ChangeInterest?
        /// The last commit whose changes are not known at all.
        var lastUnknown = 0
        /// The last commit that changed a model.
        var lastOfModel: [String: Int] = [:]
        /// The commits of each model whose keys are asked for.
        var logs: [String: CommitLog] = [:]
        /// The commits of all models, if their keys are asked for.
        var logOfAll: CommitLog?
        /// The changes of writes that may be visible and are not announced yet; nil for a write that has not captured
        /// them.
        var announced: [ObjectIdentifier: [NetChanges]?] = [:]
        /// The waiters by model. Those that wait for any model are under nil.
        var waiting: [String?: [ObjectIdentifier: Waiter]] = [:]
    }

    private let isAsking = Atomic<Bool>(false)
    /// True if writes capture their changes, for observers or for the history.
    private let isCapturing = Atomic<Bool>(false)
    private let state = Mutex(State())
    private let wakeups = DispatchQueue(label: "storage.observers")
    private let others = Mutex<ExternalCommitMonitor?>(nil)

    // MARK: Writers

    /// True if anybody observes.
    var isAsked: Bool { isAsking.load(ordering: .acquiring) }

    /// True if changes are observed.
    var captures: Bool { isCapturing.load(ordering: .acquiring) }

    /// A session that captures the changes of a write that begins now; nil if no changes are observed.
    ///
    /// - Parameter subscribers: makes those that follow the changes.
    func capture(
        _ writer: any StorageWriter, _ registry: ModelRegistry,
        _ subscribers: (CommitSignature) -> [any ChangeSubscriber]
    ) -> ChangeCapture? {
        guard captures, let interest = state.withLock({ $0.capturing }) else { return nil }
        let changes = ChangeSet(interest)
        return ChangeCapture(writer, changes, subscribers(changes.signature), registry)
    }

    /// Captures the changes that a history records, from the next write on.
    func record(_ models: [String]) { capture { $0.recorded = models } }

    /// Captures the changes that search indexes follow, from the next write on.
    func index(_ models: [String]) { capture { $0.indexed = models } }

    /// Captures the changes that the application's layers follow.
    func capture(for layers: ChangeInterest?) { capture { $0.layered = layers } }

    private func capture(_ change: (inout State) -> Void) {
        state.withLock { state in
            change(&state)
            state.collectCapturing()
            isCapturing.store(state.capturing != nil, ordering: .releasing)
        }
    }

    /// Registers a write that readers may see before observers are notified.
    func announce(_ job: WriteJob) {
        let models = job.attempt.changes.map { (job.attempt.expired?.net ?? []) + $0.net }
        state.withLock { state in
            guard let asked = state.asked else { return }
            let before = job.attempt.changes?.interest
            let isKnown =
                before === state.capturing || (asked.asksAll(ofAtMost: before) && state.unknownModels(before).isEmpty)
            // Most commits change nothing that is observed.
            if isKnown, models?.isEmpty == true { return }
            state.announced[ObjectIdentifier(job)] = .some(isKnown ? models : nil)
        }
    }

    /// Tells of a write that is durable, or forgets one that has failed.
    func tell(_ job: WriteJob) {
        // The net effects are computed outside the lock.
        if job.outcome == nil { _ = (job.attempt.expired?.net, job.attempt.changes?.net) }
        wake(
            state.withLock { state in
                if !state.announced.isEmpty { state.announced[ObjectIdentifier(job)] = nil }
                guard job.outcome == nil else { return [] }
                return (job.attempt.expired.map { state.tell($0) } ?? []) + state.tell(job.attempt.changes)
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

    /// Asks for commits of other processes while there are observers.
    func follow(_ others: ExternalCommitMonitor?) { self.others.withLock { $0 = others } }

    /// Adds an observer, or changes its interest. Returns the number of the last commit.
    func add(_ id: ObjectIdentifier, _ interest: Interest) -> Int {
        state.withLock { state in
            state.setInterest(of: id, to: interest)
            isAsking.store(true, ordering: .releasing)
            isCapturing.store(true, ordering: .releasing)
            if state.interests.count == 1 { others.withLock { $0?.start() } }
            return state.last
        }
    }

    func remove(_ id: ObjectIdentifier) {
        state.withLock { state in
            state.setInterest(of: id, to: nil)
            for model in state.waiting.keys { state.waiting[model]?[id] = nil }
            isAsking.store(state.asked != nil, ordering: .releasing)
            isCapturing.store(state.capturing != nil, ordering: .releasing)
            if state.asked == nil { others.withLock { $0?.stop() } }
        }
    }

    /// Returns the events after a commit, and the number of the last commit.
    func news(_ question: Question, after number: Int) -> (PollResult, last: Int) {
        state.withLock { ($0.news(question, after: number), $0.last) }
    }

    /// The commits after a number that a current snapshot may include, durable or not yet; nil if some are not known.
    func visible(_ model: String, after number: Int) -> [NetChanges]? {
        state.withLock { state in
            guard let told = state.logs[model]?.commits(after: number), state.lastUnknown <= number else { return nil }
            var visible = told.compactMap { $0.changes(of: model) }
            for announced in state.announced.values {
                guard let models = announced else { return nil }
                visible += models.filter { $0.model.isSame(as: model) }
            }
            return visible.contains(where: \.isEverything) ? nil : visible
        }
    }

    /// Waits until there is news, or the task is cancelled.
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
    private var indexes: [String: ChangeDetail] { Dictionary(indexed.map { ($0, .keys) }) { first, _ in first } }

    /// Combines the interests of observers and of the history.
    mutating func collectCapturing() {
        let followed = layered.map { $0.adding(asked) } ?? asked
        let kept = recorded.isEmpty ? followed : ChangeInterest(followed, and: recorded)
        capturing = indexed.isEmpty ? kept : ChangeInterest(all: nil, models: indexes).adding(kept)
    }

    /// Notes what an observer asks for; nil if nothing any more. Costs the same however many observers there are.
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
        collectCapturing()
        logOfAll = (all ?? .any) > .any ? logOfAll ?? CommitLog(after: last) : nil
        if asked == nil { (lastOfModel, announced) = ([:], [:]) }
    }

    /// The models whose changes were not captured, because the write began before the subscription.
    func unknownModels(_ before: ChangeInterest?) -> [String] {
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
        let isKnown = before === capturing
        let unknown = isKnown ? [] : unknownModels(before)
        let isUnknown = !isKnown && !asked.asksAll(ofAtMost: before)
        guard !models.isEmpty || !unknown.isEmpty || isUnknown else { return [] }
        last += 1
        add(CommitEvent(last, models, changes?.signature))
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

    mutating func loseModel(_ model: String) {
        lastOfModel[model] = last
        logs[model]?.lose(upTo: last)
    }

    mutating func loseAll() {
        lastUnknown = last
        for model in logs.keys { logs[model]?.lose(upTo: last) }
        logOfAll?.lose(upTo: last)
    }

    mutating func takeWaiters(_ models: [String]) -> [Waiter] {
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
    private var counts: [String?: [ChangeDetail: Int]] = [:]

    /// Counts an observer in or out. Returns whether what all ask for together is another.
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

    var together: (all: ChangeDetail?, models: [String: ChangeDetail]) {
        var models: [String: ChangeDetail] = [:]
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
