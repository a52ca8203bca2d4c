public import Observation
public import StorageAPI
public import StorageDriver

/// The records of a query for a view, kept up to date. Readers of a property are notified when it changes, and only
/// then.
///
/// ```
/// @State var people = LiveQuery(store.select(Person.self).order { $0.name })
/// var body: some View { List(people.records, id: \.id) { Text($0.name) } }
/// ```
///
/// The query runs off the main actor, from the first time that a property is read until the live query is released, so
/// one that SwiftUI makes and drops costs nothing. It keeps the store open. For a single value, such as a number of records,
/// follow `values(.count)` in the view's `task`.
@MainActor @Observable
public final class LiveQuery<Model: Storable> {
    /// The progress of a live query.
    public enum State: Sendable {
        /// The first records are being read.
        case loading
        /// The records are those of the store.
        case loaded
        /// The error that has ended the observation. The records are the last that were read.
        case failed(StorageError)
    }

    // Each is observed separately, and none has a type that Observation would compare with its old value.
    private var shown = Shown()
    private var progress = Progress(state: .loading)
    private var end = End(hasMore: false)

    @ObservationIgnored private var query: Select<Model, Store>?
    @ObservationIgnored private let pageSize: Int?
    /// The number of records that are shown at most.
    @ObservationIgnored private var window: Int?
    @ObservationIgnored private var isLoadingMore = false
    @ObservationIgnored private var task: Task<Void, Never>?
    /// Tells the steps of the present observation from those of an earlier one.
    @ObservationIgnored private var number = 0

    /// Is called on the main actor with each difference, after the records have changed. An observer of ``difference`` can
    /// miss one where two come at once. Setting it begins to observe.
    @ObservationIgnored public var onDifference: (@MainActor (RecordDifference<Model>) -> Void)? {
        didSet { begin() }
    }

    /// - Parameters:
    ///   - query: the query; its limit, if it has one, bounds all pages together.
    ///   - pageSize: the number of records that are loaded at first, and by each ``loadMore()``; nil to load all.
    public init(_ query: Select<Model, Store>, pageSize: Int? = nil) {
        self.query = query
        self.pageSize = pageSize.map { min(max($0, 1), Self.largestPage) }
        window = self.pageSize
    }

    /// Without a query, it has failed.
    init(pageSize: Int?, _ error: StorageError) {
        self.pageSize = pageSize.map { min(max($0, 1), Self.largestPage) }
        window = self.pageSize
        progress = Progress(state: .failed(error))
    }

    deinit { task?.cancel() }

    private static var largestPage: Int { 1_000_000 }

    // MARK: Reading

    /// The records, in the query's order.
    public var records: [Model] {
        begin()
        return shown.records
    }

    /// The difference between the records and those before; at first, from none.
    public var difference: RecordDifference<Model> {
        begin()
        return shown.difference
    }

    /// The progress of the query.
    public var state: State {
        begin()
        return progress.state
    }

    /// A Boolean value that indicates whether the first records are still being read.
    public var isLoading: Bool { if case .loading = state { true } else { false } }

    /// The error that has ended the observation.
    public var error: StorageError? { if case .failed(let error) = state { error } else { nil } }

    /// A Boolean value that indicates whether ``loadMore()`` would load records.
    public var hasMore: Bool {
        begin()
        return end.hasMore
    }

    // MARK: Changing

    /// Loads the next page, if one exists and it is not being loaded already: call it when the end of the list comes into
    /// sight.
    public func loadMore() {
        guard end.hasMore, !isLoadingMore, let window, let pageSize, task != nil else { return }
        self.window = window + pageSize
        isLoadingMore = true
        observe()
    }

    /// Changes the query, for example to the text of a search box. Does nothing if it selects the same.
    ///
    /// The records and the state stay as they are until the first result of the new query, so that a list does not flicker
    /// while somebody types; ``difference`` then leads from the former records to the new ones. Paging begins again.
    public func show(_ query: Select<Model, Store>) {
        if let current = self.query, current.isSame(as: query) { return }
        self.query = query
        window = pageSize
        if task != nil || number > 0 { observe() } else if case .failed = progress.state { setState(.loading) }
    }

    /// Runs the query again after an error.
    public func reload() {
        guard query != nil else { return }
        if case .failed = progress.state { setState(.loading) }
        observe()
    }

    // MARK: Observing

    private func begin() {
        if number == 0, query != nil { observe() }
    }

    private func observe() {
        guard let query else { return }
        task?.cancel()
        number += 1
        let feed = LiveFeed(query: query, window: window, before: shown.records)
        let number = number
        task = Task.detached { [weak self] in
            do throws(StorageError) {
                // What was shown before is released here: that takes the time of a page, or of ten thousand records.
                try await feed.run { [weak self] step in _ = await self?.show(step, number) }
                guard !Task.isCancelled else { return }
                await self?.fail(
                    StorageError(.closed, "The store was closed. Open it again and make a new live query."), number)
            } catch {
                await self?.fail(error, number)
            }
        }
    }

    /// Shows a step, and returns the previous one.
    private func show(_ step: LiveFeed<Model>.Step, _ number: Int) -> Shown? {
        guard number == self.number else { return nil }
        isLoadingMore = false
        let before = shown
        let changes = !step.difference.isEmpty
        if changes { shown = Shown(records: step.records, difference: step.difference) }
        if end.hasMore != step.hasMore { end = End(hasMore: step.hasMore) }
        setState(.loaded)
        if changes { onDifference?(step.difference) }
        return before
    }

    private func fail(_ error: StorageError, _ number: Int) {
        guard number == self.number else { return }
        isLoadingMore = false
        setState(.failed(error))
    }

    private func setState(_ state: State) {
        switch (progress.state, state) {
        case (.loading, .loading), (.loaded, .loaded): return
        case (.failed(let old), .failed(let new)) where old.description == new.description: return
        default: progress = Progress(state: state)
        }
    }

    private struct Shown: Sendable {
        var records: [Model] = []
        var difference = RecordDifference<Model>.none
    }

    private struct Progress { let state: State }
    private struct End { let hasMore: Bool }
}
