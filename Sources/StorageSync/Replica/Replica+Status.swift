public import StorageAPI
public import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension Replica {
    /// The state of the replica as this program knows it.
    public var status: SyncStatus { latest.current.value }

    /// The state of a replica as its store has recorded it, for a program that only looks; nil if the store is no replica.
    ///
    /// It has no error and no running exchange: only the program that synchronises knows these. Costs a look at some rows.
    ///
    /// - Throws: `corrupt` for a state that cannot be read; errors of the store.
    public static func status(of store: Store) async throws(StorageError) -> SyncStatus? {
        try await store.read { (snapshot: inout Store.Snapshot) throws(StorageError) in
            guard let state = try ReplicaRows.state(in: snapshot) else { return nil }
            var status = SyncStatus(state, aside: try ReplicaRows.keys(of: .aside, in: snapshot).count)
            if let reading = try PageReading.stored(in: snapshot) {
                status.reading = .init(records: reading.records, total: reading.total)
            }
            return status
        }
    }

    /// The states of the replica: first the current one, then later ones, of which a slow reader misses some. Ends when the task is
    /// cancelled.
    public var statuses: some AsyncSequence<SyncStatus, Never> & Sendable { Statuses(latest: latest) }

    /// The patches without an outcome, in their order. Commits since the last exchange are not among them.
    public func waiting() async throws(StorageError) -> [SyncPatch] {
        try await store.read { (snapshot: inout Store.Snapshot) throws(StorageError) in
            try ReplicaRows.waiting(in: snapshot)
        }
    }

    /// The outcomes that are news and that the program has not confirmed: first all kept ones, then each that an
    /// exchange of this object brings. Ends when the task is cancelled.
    ///
    /// ```swift
    /// for try await outcome in replica.outcomes {
    ///     show(outcome)
    ///     try await replica.confirm(outcome)
    /// }
    /// ```
    public var outcomes: some AsyncSequence<SyncOutcome, StorageError> & Sendable {
        Outcomes(store: store, news: news)
    }

    /// Forgets an outcome, and all before it, which the program has seen.
    public func confirm(_ outcome: SyncOutcome) async throws(StorageError) {
        try await store.transaction(as: LocalCommits.hub) {
            (tx: inout Store.Transaction) throws(StorageError) -> Void in
            let keys = try ReplicaRows.keys(of: .outcome, in: tx)
            let seen = keys.filter { ReplicaRows.number(of: $0) <= outcome.id }
            try tx.setAnnex(ReplicaRows.annex, rows: seen.map { ($0, nil) })
        }
    }

    /// Reads the numbers of the status.
    func updateStatus(isDone: Bool = false) async throws(StorageError) {
        let (state, aside) = try await store.read { (snapshot: inout Store.Snapshot) throws(StorageError) in
            (try Self.state(in: snapshot), try ReplicaRows.keys(of: .aside, in: snapshot).count)
        }
        latest.change { status in
            let stored = SyncStatus(state, aside: aside)
            (status.waiting, status.aside, status.lastExchange) = (stored.waiting, stored.aside, stored.lastExchange)
            if isDone { (status.isExchanging, status.lastError, status.reading) = (false, nil, nil) }
        }
    }
}

extension SyncStatus {
    /// The state that a replica's store has recorded.
    fileprivate init(_ state: ReplicaState, aside: Int) {
        (waiting, self.aside) = (state.last - state.confirmed, aside)
        lastExchange = state.lastExchange.map { Date(timeIntervalSinceReferenceDate: $0) }
    }
}

private struct Statuses: AsyncSequence, Sendable {
    let latest: Latest<SyncStatus>

    func makeAsyncIterator() -> Iterator { Iterator(latest: latest) }

    struct Iterator: AsyncIteratorProtocol {
        let latest: Latest<SyncStatus>
        var seen: Int?

        mutating func next() async -> SyncStatus? { await next(isolation: nil) }

        mutating func next(isolation: isolated (any Actor)?) async -> SyncStatus? {
            if let seen { await latest.wait(after: seen) }
            if Task.isCancelled { return nil }
            let (status, number) = latest.current
            seen = number
            return status
        }
    }
}

private struct Outcomes: AsyncSequence, Sendable {
    typealias Element = SyncOutcome
    typealias Failure = StorageError

    let store: Store
    let news: Latest<Int>

    func makeAsyncIterator() -> Iterator { Iterator(store: store, news: news) }

    struct Iterator: AsyncIteratorProtocol {
        let store: Store
        let news: Latest<Int>
        var last = 0
        var read: [SyncOutcome] = []

        mutating func next() async throws(StorageError) -> SyncOutcome? { try await next(isolation: nil) }

        mutating func next(isolation: isolated (any Actor)?) async throws(StorageError) -> SyncOutcome? {
            while read.isEmpty {
                if Task.isCancelled { return nil }
                let (_, number) = news.current
                let last = last
                read = try await store.read { (snapshot: inout Store.Snapshot) throws(StorageError) in
                    try ReplicaRows.outcomes(after: last, limit: 64, in: snapshot)
                }
                if read.isEmpty { await news.wait(after: number) }
            }
            let outcome = read.removeFirst()
            last = outcome.id
            return outcome
        }
    }
}
