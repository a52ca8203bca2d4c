import StorageAPI
import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension Replica {
    /// The ways in which an answer is treated.
    enum Taking: Sendable {
        /// The replica is the state that it tells.
        case taken(records: Int, outcomes: [SyncOutcome])
        /// It is kept until the pages that were read fit it.
        case kept
        /// The hub does not know the changes of some models: their records are read again.
        case unknown
        /// The replica has another state than the question had: another program has exchanged meanwhile.
        case stale
    }

    /// Takes an answer whole, or not at all.
    ///
    /// - Parameters:
    ///   - message: the answer's bytes.
    ///   - reading: the pages that it is laid over; nil for no pages.
    func take(
        _ answer: ExchangeAnswer, _ message: [UInt8], to question: ExchangeRequest, over reading: PageReading?
    ) async throws(StorageError) -> Taking {
        let models = models
        let time = Date().timeIntervalSinceReferenceDate
        return try await store.transaction(as: LocalCommits.hub, retries: 5) {
            (tx: inout Store.Transaction) throws(StorageError) -> Taking in
            let state = try Self.state(in: tx)
            guard state.replica == question.replica, state.confirmed == question.confirmed,
                try PageReading.stored(in: tx) == reading,
                reading != nil || question.known.allSatisfy({ $0.token == state.token })
            else { return .stale }
            if !answer.unknown.isEmpty {
                try Self.readAgain(answer.unknown, of: models, state, after: reading, in: tx)
                return .unknown
            }
            if var reading, answer.commit < reading.commit {
                reading.others = answer.token
                if (Store.HistoryToken(reading.token ?? "")?.commit ?? 0) < answer.commit {
                    reading.token = answer.token
                }
                reading.rows += 1
                try reading.keep(message, in: tx)
                return .kept
            }
            var taking = AnswerTaking(models, state)
            if let reading {
                try taking.takePages(reading, answer, in: tx)
                try taking.applyWaiting(in: tx)
            } else {
                try taking.capture(in: tx)
                let captured = taking.state
                if try !taking.takeDirectly(answer, in: tx) {
                    taking = AnswerTaking(models, captured)
                    try taking.load(in: tx)
                    let news = try taking.news(answer, sent: question.confirmed + question.patches.count, in: tx)
                    try taking.settle(answer.decisions)
                    try taking.put(taking.targets(news), in: tx)
                    try taking.applyWaiting(in: tx)
                }
            }
            try taking.finish(answer, at: time, in: tx)
            tx.author = answer.author
            return .taken(records: taking.taken, outcomes: taking.outcomes)
        }
    }

    /// Begins to read all records of models, with the others that are being read.
    private static func readAgain(
        _ names: [String], of models: SyncModels, _ state: ReplicaState, after reading: PageReading?,
        in tx: borrowing Store.Transaction
    ) throws(StorageError) {
        try PageReading.remove(in: tx)
        try PageReading(state.relations(of: names), after: reading, in: models.names).keep(nil, in: tx)
    }

    // MARK: Pages

    /// Reads the pages of models that the replica does not have, or not with the properties that they have now.
    ///
    /// - Returns: the position after the last page; nil for no reading.
    func read(_ result: inout SyncExchange) async throws(StorageError) -> PageReading? {
        guard var reading = try await wantedPages() else { return nil }
        while let model = reading.open.first {
            tell(reading)
            let question = PageRequest(model: model, after: reading.after, latest: reading.latest)
            let message = try question.message()
            let bytes = try await send(message)
            result.roundTrips += 1
            var content = try Self.content(of: bytes, .pageAnswer, to: message)
            let answer = try PageAnswer(&content)
            let before = reading
            reading.add(answer)
            let next = reading
            let isKept = try await store.transaction(as: LocalCommits.hub, retries: 5) {
                (tx: inout Store.Transaction) throws(StorageError) -> Bool in
                guard try PageReading.stored(in: tx) == before else { return false }
                try next.keep(answer.count == 0 ? nil : bytes, in: tx)
                return true
            }
            // Another program reads too.
            if !isKept { return try await read(&result) }
        }
        tell(reading)
        return reading
    }

    private func tell(_ reading: PageReading) {
        latest.change { $0.reading = .init(records: reading.records, total: reading.total) }
    }

    /// The pages to read, kept; nil for none.
    private func wantedPages() async throws(StorageError) -> PageReading? {
        let models = models
        let (known, isMissing) = try await store.read { (snapshot: inout Store.Snapshot) throws(StorageError) in
            let (state, reading) = (try Self.state(in: snapshot), try PageReading.stored(in: snapshot))
            return (reading, !state.missing(of: models, in: reading).isEmpty)
        }
        if !isMissing { return known }
        return try await store.transaction(as: LocalCommits.hub, retries: 5) {
            (tx: inout Store.Transaction) throws(StorageError) -> PageReading? in
            let reading = try PageReading.stored(in: tx)
            let state = try Self.state(in: tx)
            let missing = state.missing(of: models, in: reading)
            if missing.isEmpty { return reading }
            let next = PageReading(state.relations(of: missing), after: reading, in: models.names)
            try PageReading.remove(in: tx)
            try next.keep(nil, in: tx)
            return next
        }
    }
}

extension ReplicaState {
    /// The models that the replica does not have, or not with the properties that they have now, and that are not being read.
    fileprivate func missing(of all: SyncModels, in reading: PageReading?) -> [String] {
        all.names.filter { models[$0] != all.properties(of: $0) && reading?.models[$0] == nil }
    }

    fileprivate func relations(of names: [String]) -> [String: PageReading.Relation] {
        Dictionary(names.map { ($0, models[$0] == nil ? .joining : .earlier) }) { first, _ in first }
    }
}

extension PageReading {
    /// Goes on after a page.
    mutating func add(_ page: PageAnswer) {
        token = token ?? page.token
        latest = page.token
        if page.count > 0 { rows += 1 }
        records += page.count
        total += page.total
        after = page.next
        if page.next == nil { open.removeFirst() }
    }
}

extension AnswerTaking {
    /// Brings the models of the pages and all others to the hub's state, and makes patches of joining records and of commits since
    /// the question.
    mutating func takePages(
        _ reading: PageReading, _ answer: ExchangeAnswer, in tx: borrowing Store.Transaction
    ) throws(StorageError) {
        try load(in: tx)
        var news: [RecordPlace: DynamicRecord?] = [:]
        try reading.forEachMessage(.exchangeAnswer, in: tx) { (content) throws(StorageError) in
            var content = content
            news = try self.news(ExchangeAnswer(&content), sent: 0, after: news, in: tx)
        }
        news = try self.news(answer, sent: 0, after: news, in: tx)
        try settle(answer.decisions)
        let joining = Set(reading.models.filter { $0.value == .joining }.keys)
        let commits = try LocalCommits(since: state.seen, of: models, joining: joining, in: tx)
        var pages = PageTaking(models, reading, known: state.models, news: news)
        let removed = (waiting.flatMap(\.patch.changes) + commits.all.flatMap(\.changes)).filter(\.isDeletion)
        try pages.run(
            bases.merging(commits.before) { first, _ in first }, removed: Set(removed.map(\.place)), in: tx)
        try put(targets(news, commits, pages: pages.targets), in: tx)
        try addOwn(pages, commits, in: tx)
        try PageReading.remove(in: tx)
    }
}
