public import StorageAPI
public import StorageDriver

/// A store that is the hub's state with its own unanswered commits on top.
///
/// ```swift
/// let replica = try await Replica(store, models: [Note.self, Project.self], to: transport)
/// let exchange = try await replica.sync()
/// print(exchange.sent, exchange.taken, exchange.refused)
/// ```
///
/// Programs read and write the store as any other, also without the hub. A commit becomes a patch when it is sent, and waits until the
/// hub answers that it is applied, with every value that it has overwritten, or refused, with the reason. Nothing else
/// removes it. An exchange is taken in one transaction, which other writers wait for: some tenths of a millisecond for each patch that
/// waits.
///
/// The store must keep the records of the models in its history. It holds the commits that are not sent yet, whatever limit the history has.
/// The rows of the replica are in an annex of the store, which a copy by `copy(from:)` does not have: the copy joins as a store that has
/// records already.
public final class Replica: Sendable {
    /// The store.
    public let store: Store
    let models: SyncModels
    let transport: any SyncTransport
    let gate = Gate()
    let latest = Latest(SyncStatus())
    /// Changes when outcomes are kept.
    let news = Latest(0)

    /// The name of the hold on the store's history.
    static let hold = "StorageSync replica"

    /// Makes a store the replica of a hub, or goes on with it.
    ///
    /// A store that has records already joins with them at its first exchange: records that only it has become patches, and where
    /// both have a record of one key the hub's is stored, and the difference told as ``SyncOutcome/Result/joined(_:)``.
    ///
    /// - Throws: `configuration` with each reason that `Store.canSync(_:)` gives; errors of the store.
    public convenience init(
        _ store: Store, models: [any Storable.Type], to transport: any SyncTransport
    ) async throws(StorageError) {
        try await self.init(store, models: models.map { $0.schema.name }, to: transport)
    }

    /// Makes a store the replica of a hub, of models that are given by their stored names.
    public init(
        _ store: Store, models: [String], to transport: any SyncTransport
    ) async throws(StorageError) {
        self.store = store
        self.transport = transport
        self.models = try await store.syncModels(models, isReplica: true)
        try await store.transaction { (tx: inout Store.Transaction) throws(StorageError) -> Void in
            let token = try tx.historyToken()
            if try ReplicaRows.state(in: tx) != nil { return }
            try tx.setAnnex(
                ReplicaRows.annex, key: ReplicaRows.key(.state), to: ReplicaState(seen: token).bytes)
            try tx.holdHistory(Self.hold, after: token)
        }
        try await updateStatus()
    }

    // MARK: Exchanges

    /// Exchanges patches and changes with the hub, until the patches of all commits before the call are answered.
    ///
    /// One exchange can be several messages: a message brings at most 1,000 patches and, with more than one patch or commit, about
    /// 2 MiB. A cancelled task ends between two messages, and an error ends the call; answered patches stay so.
    ///
    /// - Returns: the numbers of sent patches and taken records, and the outcomes.
    /// - Throws: `conflict` or `unsupported` with a ``SyncRefusal`` as its underlying error if the hub refuses the whole message;
    ///   the transport's errors as `io`, or unchanged if they are `StorageError`s; `corrupt` for an answer that is damaged, of
    ///   another question, or of no hub; `notKept` if local commits are not known one by one; `cancelled`; errors of the store.
    @discardableResult
    public func sync() async throws(StorageError) -> SyncExchange {
        await gate.enter()
        defer { gate.leave() }
        latest.change { $0.isExchanging = true }
        do throws(StorageError) {
            let exchange = try await exchangeAll()
            try await updateStatus(isDone: true)
            return exchange
        } catch {
            latest.change { ($0.isExchanging, $0.lastError) = (false, error) }
            try? await updateStatus()
            throw error
        }
    }

    private func exchangeAll() async throws(StorageError) -> SyncExchange {
        var result = SyncExchange()
        do throws(StorageError) {
            try await exchangeAll(&result)
        } catch {
            guard error.underlying as? SyncRefusal == .hubWentBack, !result.hubWentBack else { throw error }
            result.hubWentBack = true
            try await giveBackLostCommits(&result)
            try await exchangeAll(&result)
        }
        return result
    }

    private func exchangeAll(_ result: inout SyncExchange) async throws(StorageError) {
        var vain = 0
        while true {
            let reading = try await read(&result)
            let question = try await question(reading)
            let message = try question.message()
            let bytes = try await send(message)
            result.roundTrips += 1
            guard let answer = try await exchangeAnswer(bytes, to: question, message) else {
                try Self.goOn(&vain)
                continue
            }
            switch try await take(answer, bytes, to: question, over: reading) {
            case .taken(let records, let outcomes):
                result.sent += question.patches.count
                result.taken += records
                result.outcomes += outcomes
                if outcomes.contains(where: \.isNews) { news.change { $0 += 1 } }
                vain = 0
                if answer.isLast, reading == nil, !question.hasMore { return }
            case .kept: break
            case .unknown, .stale: try Self.goOn(&vain)
            }
        }
    }

    /// - Throws: `busy` after many questions whose answers could not be taken.
    private static func goOn(_ vain: inout Int) throws(StorageError) {
        vain += 1
        guard vain < 16 else {
            throw StorageError(
                .busy, "Other programs exchange for the same store, or replace whole models at the hub; try again.",
                operation: "sync")
        }
    }

    /// The answer to a question; nil if the hub takes the replica for a copy because another program has exchanged for the same store
    /// since the question was made.
    private func exchangeAnswer(
        _ bytes: [UInt8], to question: ExchangeRequest, _ message: [UInt8]
    ) async throws(StorageError) -> ExchangeAnswer? {
        do throws(StorageError) {
            var content = try Self.content(of: bytes, .exchangeAnswer, to: message)
            return try ExchangeAnswer(&content)
        } catch {
            guard error.underlying as? SyncRefusal == .identityReused else { throw error }
            let state = try await store.read { (snapshot: inout Store.Snapshot) throws(StorageError) in
                try Self.state(in: snapshot)
            }
            guard state.replica != question.replica || state.confirmed != question.confirmed else { throw error }
            return nil
        }
    }

    /// Sends a message, and returns the answer, which may be damaged.
    func send(_ message: [UInt8]) async throws(StorageError) -> [UInt8] {
        if Task.isCancelled { throw StorageError(.cancelled, "The task was cancelled.", operation: "sync") }
        do {
            return try await transport.exchange(message)
        } catch let error as StorageError {
            throw error
        } catch is CancellationError {
            throw StorageError(.cancelled, "The task was cancelled.", operation: "sync")
        } catch {
            throw StorageError(
                .io, "The hub cannot be reached; the next exchange sends the waiting patches.", operation: "sync",
                underlying: error)
        }
    }

    /// The content of an answer of a kind.
    ///
    /// - Throws: `corrupt` for another kind, and for an answer that is late or of another replica; the hub's refusal.
    static func content(
        of answer: [UInt8], _ kind: SyncFrame.Kind, to question: [UInt8]
    ) throws(StorageError) -> ByteReader {
        let (found, content) = try SyncFrame.open(answer)
        guard found == kind || found == .refusal else {
            throw StorageError(.corrupt, "The answer is to another kind of question.", operation: "sync")
        }
        var rest = content
        guard try rest.raw(SyncFrame.markCount) == SyncFrame.mark(of: question) else {
            throw StorageError(.corrupt, "The answer is to another question; exchange again.", operation: "sync")
        }
        if found == kind { return content }
        guard let refusal = SyncRefusal(rawValue: try rest.byte()) else {
            throw StorageError(.schemaNewer, "The hub refuses for a reason that this version does not know.")
        }
        throw refusal.error
    }

    // MARK: Questions

    /// The next question, with patches of all commits so far.
    private func question(_ reading: PageReading?) async throws(StorageError) -> ExchangeRequest {
        if reading == nil { try await capture() }
        let names = models.names
        return try await store.read { (snapshot: inout Store.Snapshot) throws(StorageError) in
            let state = try Self.state(in: snapshot)
            var known: [(token: String, models: [String])] = []
            let read = reading?.models ?? [:]
            let others = names.filter { read[$0] == nil }
            if let token = reading?.others ?? state.token, !others.isEmpty { known.append((token, others)) }
            if let token = reading?.token { known.append((token, names.filter { read[$0] != nil })) }
            // A restored hub lacks the commits that the replica has of models that are all read again. A replica with a new name has
            // asked for them.
            if let reading, others.isEmpty, !reading.isRenamed, let token = state.token { known.append((token, [])) }
            // A hub that was restored from a backup lacks the commits of later pages.
            if let token = reading?.latest { known.append((token, [])) }
            var request = ExchangeRequest(
                replica: state.replica, user: state.user, known: known, confirmed: state.confirmed,
                chain: state.confirmedChain, patches: [])
            if reading == nil { try request.fill(from: snapshot) }
            return request
        }
    }

    /// The state of the replica.
    ///
    /// - Throws: `closed` if another program has removed it.
    static func state(
        in session: borrowing some ReadingVerbs & ~Copyable
    ) throws(StorageError) -> ReplicaState {
        guard let state = try ReplicaRows.state(in: session) else {
            throw StorageError(.closed, "The store is no replica any more; make a new one.", operation: "sync")
        }
        return state
    }

    /// Makes patches of the commits since the last ones, some at a time.
    ///
    /// Commits are read beside other writers; a transaction keeps their patches.
    private func capture() async throws(StorageError) {
        let models = models
        var portion = Portion(most: 4096, bytes: 1 << 20)
        while true {
            let most = portion.count
            let (seen, read) = try await store.read {
                (snapshot: inout Store.Snapshot) throws(StorageError) -> (String, LocalCommits?) in
                let state = try Self.state(in: snapshot)
                if try snapshot.historyToken().description == state.seen { return (state.seen, nil) }
                let joining = state.joining(models)
                // The commits of a model that joins can turn out to be unknown later.
                let commits = try LocalCommits(
                    since: state.seen, of: models, joining: joining, atMost: joining.isEmpty ? most : nil, in: snapshot)
                return (state.seen, commits)
            }
            guard let commits = read else { return }
            let size = try await store.transaction(as: LocalCommits.hub, retries: 5) {
                (tx: inout Store.Transaction) throws(StorageError) -> Int? in
                var taking = AnswerTaking(models, try Self.state(in: tx))
                // Another program makes patches too.
                guard taking.state.seen == seen else { return nil }
                let size = try taking.add(commits, in: tx)
                try tx.setAnnex(ReplicaRows.annex, key: ReplicaRows.key(.state), to: taking.state.bytes)
                return size
            }
            guard let size else { continue }
            if commits.isLast { return }
            portion.adapt(to: size)
        }
    }

    /// Returns whether a patch waits, after the commits so far have become patches.
    func hasWaiting() async throws(StorageError) -> Bool {
        try await capture()
        return try await store.read { (snapshot: inout Store.Snapshot) throws(StorageError) in
            try !ReplicaRows.all(.patch, limit: 1, in: snapshot).isEmpty
        }
    }
}

extension ExchangeRequest {
    /// Takes waiting patches, in their order, until the message is full.
    fileprivate mutating func fill(
        from session: borrowing some ReadingVerbs & ~Copyable
    ) throws(StorageError) {
        var (size, last) = (0, 0)
        var portion = Portion(most: 256, bytes: SyncFrame.fill / 4)
        while patches.count < Self.patchLimit {
            let count = portion.count
            let rows = try ReplicaRows.all(.patch, after: last, limit: count, in: session)
            portion.adapt(to: rows.reduce(0) { $0 + $1.value.count })
            for row in rows {
                size += row.value.count
                guard row.value.count <= SyncFrame.patchLimit else {
                    throw StorageError(
                        .limitExceeded,
                        """
                        A commit takes \(row.value.count) bytes, and a message holds \(SyncFrame.patchLimit); call \
                        beginAgain(isJoining: true), which sends the records that the hub does not have in parts.
                        """, operation: "sync")
                }
                if patches.count == Self.patchLimit || size > SyncFrame.fill && !patches.isEmpty {
                    hasMore = true
                    return
                }
                patches.append(row.value)
                last = ReplicaRows.number(of: row.key)
            }
            if rows.count < count { return }
        }
        hasMore = try !ReplicaRows.all(.patch, after: last, limit: 1, in: session).isEmpty
    }
}
