import StorageDriver

/// Reads the results of an observed query.
protocol LiveReader<Element>: AnyObject {
    associatedtype Element

    /// The changes that commits must capture for it until the first read.
    var interest: CommitFeed.Interest { get }
    /// The model whose commits it asks for; nil to ask whether anything has changed.
    var model: StoredName? { get }

    /// The first result, or the next if it differs from the last one.
    ///
    /// - Parameter news: the events since the last call; `unknown` at the first.
    nonisolated(nonsending) func read(
        _ news: CommitFeed.PollResult, _ subscription: Subscription
    ) async throws(StorageError) -> Element?
}

/// One observation of a query: its reader, and its place in the order of commits. One task at a time uses it.
final class LiveQuery<Element> {
    private let subscription: Subscription
    private let reader: any LiveReader<Element>
    private var hasBegun = false
    private var hasEnded = false
    /// The time at which the server was found unavailable; nil while it is available.
    private var outage: ContinuousClock.Instant?

    init(_ store: Store, _ reader: any LiveReader<Element>) {
        self.reader = reader
        // Before the first read: no commit between the two is lost.
        subscription = Subscription(
            store, reader.interest, question: reader.model.map { .commits(of: $0) } ?? .changes(of: nil))
    }

    /// The next result. Nil when the store is closed or the task is cancelled, and after an error.
    nonisolated(nonsending) func next() async throws(StorageError) -> Element? {
        while !hasEnded, !Task.isCancelled {
            let news = subscription.news()
            switch news {
            case .end: hasEnded = true
            case .nothing where hasBegun && outage == nil: await subscription.wait()
            default: if let element = try await read(news) { return element }
            }
        }
        hasEnded = true
        return nil
    }

    private nonisolated(nonsending) func read(_ news: CommitFeed.PollResult) async throws(StorageError) -> Element? {
        do throws(StorageError) {
            let element = try await reader.read(hasBegun && outage == nil ? news : .unknown, subscription)
            (hasBegun, outage) = (true, nil)
            return element
        } catch {
            // Commits that arrived meanwhile are read with everything else.
            if await mayWait(after: error) { return nil }
            hasEnded = true
            if error.code == .closed || error.code == .cancelled && Task.isCancelled { return nil }
            throw error
        }
    }
}

extension LiveQuery {
    /// Waits a moment for a server that is away; false if it has been away for too long.
    private nonisolated(nonsending) func mayWait(after error: StorageError) async -> Bool {
        guard let engine = subscription.store.engine as? any ListeningEngine, engine.isOutage(error) else {
            return false
        }
        let now = ContinuousClock.now
        let begin = outage ?? now
        outage = begin
        guard now - begin < .milliseconds(engine.millisecondsOfOutage) else { return false }
        // Cancelled, the sequence ends.
        try? await Task.sleep(for: .milliseconds(50))
        return true
    }
}

/// Reads a query again whenever a model that it has read changes, and compares the rows that it reads.
final class LiveResult<Element>: LiveReader {
    private let body: (Store, ReadTracker) throws(StorageError) -> Element
    private let source: ModelSource?
    private let value: (Element) -> Any?
    private var last: RowDigest.Result?
    /// The last value, if it can be compared.
    private var lastValue: (any Equatable)?

    /// - Parameters:
    ///   - source: a model that is prepared before the first read.
    ///   - value: the part of a result that decides, if it is `Equatable`, whether the result differs; nil if the rows decide.
    ///   - body: reads the result.
    init(
        _ source: ModelSource?, comparing value: @escaping (Element) -> Any? = { _ in nil },
        _ body: @escaping (Store, ReadTracker) throws(StorageError) -> Element
    ) {
        self.source = source
        self.value = value
        self.body = body
    }

    /// Everything, because the models that the body reads are known only afterwards and may differ each time.
    var interest: CommitFeed.Interest { CommitFeed.Interest(all: .any) }
    var model: StoredName? { nil }

    nonisolated(nonsending) func read(
        _: CommitFeed.PollResult, _ subscription: Subscription
    ) async throws(StorageError) -> Element? {
        // One task at a time uses an observer, and it waits here until the body has returned.
        nonisolated(unsafe) var element: Element?
        nonisolated(unsafe) let body = body
        let (store, last) = (subscription.store, last)
        let (digest, models) = try await store.observing(source) { (session) throws(StorageError) in
            element = try body(store, session)
            if session.result == last { element = nil }
            return (session.result, session.models)
        }
        self.last = digest
        subscription.ask(.changes(of: Array(models)))
        return element.flatMap { isSame($0) ? nil : $0 }
    }

    /// Returns whether a result is equal to the last one, and remembers it.
    private func isSame(_ element: Element) -> Bool {
        guard let value = value(element) as? any Equatable else { return false }
        defer { lastValue = value }
        // A cast would turn a missing value into a value that is nil.
        guard let lastValue else { return false }
        func isLast<E: Equatable>(_ value: E) -> Bool { lastValue as? E == value }
        return isLast(value)
    }
}

extension Store {
    /// Runs a read of an observer in one snapshot.
    nonisolated(nonsending) func observing<T: Sendable>(
        _ model: ModelSource?, _ body: sending (ReadTracker) throws(StorageError) -> T
    ) async throws(StorageError) -> T {
        if case .type(let type) = model, registry.handle(type) == nil { try await prepare([type]) }
        return try await reads { () throws(StorageError) in
            try self.checkCancellation("observe")
            return try self.withReader("observe", .snapshot, attempts: Self.readAttempts) {
                (reader) throws(StorageError) in
                try body(ReadTracker(reader))
            }
        }
    }

    /// The records of a model in a session of an observer.
    func reading(_ model: ModelSource, in session: ReadTracker) throws(StorageError) -> RecordReader {
        RecordReader(handle: try registry.handle(model, in: session), session: session)
    }
}
