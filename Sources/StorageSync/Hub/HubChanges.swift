import StorageAPI
import StorageDriver

/// Reads the outcomes and changes that a replica does not have, in one snapshot of the hub.
struct HubChanges: ~Copyable {
    private let models: SyncModels
    private let rules: HubRules
    private let user: String?
    private let readers: [HubRules.Reader]
    private let recent: RecentCommits
    private let session: HubRules.Judgement.Session
    /// The position of the snapshot.
    private let now: Store.HistoryToken

    /// The number of changes that are read first, before the size of records is known, and the most that are read; a commit with more
    /// is read whole.
    private static let (first, limit) = (64, 4096)

    init(_ hub: Hub, for user: String?, at now: Store.HistoryToken, in snapshot: borrowing Store.Snapshot) {
        self.now = now
        (models, rules, recent) = (hub.models, hub.rules, hub.recent)
        (self.user, readers) = (user, HubRules.readers(user))
        session = HubRules.Judgement.Session(_session: snapshot._session)
    }

    /// - Parameter outcomes: the outcomes that the replica does not have; nil if they must be read.
    func answer(
        _ exchange: Exchange, _ outcomes: [HubRows.Answered]?
    ) throws(StorageError) -> ExchangeAnswer {
        let (request, patches) = (exchange.request, exchange.patches)
        var answer = ExchangeAnswer(question: exchange.question, user: user, token: now)
        let answered =
            if let outcomes { outcomes } else {
                try HubRows.answered(request.replica, after: request.confirmed, in: session)
            }
        let told = Self.fitting(answered)
        let (known, news) = try news(request)
        var commits = news.commits
        (answer.token, answer.commit, answer.isLast) = (news.end.description, news.end.commit, news.isLast)
        while true {
            let part = ExchangeAnswer.Part(commits, known.commits)
            // A commit that changes any record of a model, or is too large for a message, is not told record by record.
            answer.unknown = known.unknown + part.unknown
            let decisions =
                answer.isLast ? told.map { Decision(number: $0.number, chain: $0.chain, result: $0.result) } : []
            let own = answer.isLast ? OwnPatches(patches.all.map(\.patch), decisions, of: models) : OwnPatches()
            let (changes, size, lost) = try self.changes(part, own)
            answer.unknown += lost.filter { !answer.unknown.contains($0) }
            if size > SyncFrame.fill, commits.count > 1 {
                commits.removeLast(commits.count / 2)
                answer.isLast = false
                if let last = commits.last { (answer.token, answer.commit) = (last.token.description, last.number) }
                continue
            }
            if size > SyncFrame.limit / 2 {
                answer.unknown = known.commits.keys.sorted()
                answer.changes = []
            } else {
                answer.changes = changes
            }
            answer.decisions = decisions
            answer.last = decisions.last?.number ?? request.confirmed
            if told.count < answered.count { answer.isLast = false }
            let authors = Set(commits.map(\.author))
            answer.author = authors.count == 1 ? commits.first?.author : nil
            return answer
        }
    }

    /// The first outcomes, as far as a message has room. Outcomes have the values that were overwritten.
    private static func fitting(_ answered: [HubRows.Answered]) -> ArraySlice<HubRows.Answered> {
        var size = 0
        let end = answered.dropFirst().firstIndex { element in
            size += element.size
            return size > SyncFrame.fill
        }
        return answered[..<(end ?? answered.endIndex)]
    }

    /// The positions of a replica.
    private struct Known {
        /// The number of the commit that the replica knows of each model.
        var commits: [String: Int] = [:]
        /// The earliest of its positions.
        var since: Store.HistoryToken?
        /// The models of which the hub does not know the changes.
        var unknown: [String] = []
    }

    private typealias News = (commits: [Store.HistoryCommit], end: Store.HistoryToken, isLast: Bool)

    /// The commits that a replica does not have.
    private func news(_ request: ExchangeRequest) throws(StorageError) -> (known: Known, news: News) {
        var (known, tokens) = (Known(), [(token: Store.HistoryToken, models: [String])]())
        for (text, names) in request.known {
            guard let token = Store.HistoryToken(text) else { throw SyncRefusal.anotherHub.error }
            tokens.append((token, names))
            for name in names { known.commits[name] = token.commit }
        }
        tokens.removeAll(where: \.models.isEmpty)
        known.since = tokens.map(\.token).min { $0.commit < $1.commit }
        guard let since = known.since else { return (known, ([], now, true)) }
        if let news = try recent.commits(since: since, to: now, for: user, of: models, rules, in: session) {
            return (known, news)
        }
        known = Known()
        for (token, names) in tokens {
            for name in names {
                do throws(StorageError) {
                    _ = try session.commits(since: token, of: [name], limit: 1)
                    known.commits[name] = token.commit
                    if token.commit < known.since?.commit ?? .max { known.since = token }
                } catch {
                    guard error.code == .notKept else { throw error }
                    known.unknown.append(name)
                }
            }
        }
        guard let since = known.since, now.commit != since.commit else { return (known, ([], now, true)) }
        return (known, try commits(since: since, of: Set(known.commits.keys)))
    }

    private func commits(since: Store.HistoryToken, of names: Set<String>) throws(StorageError) -> News {
        var page = try session.commits(since: since, of: names, limit: Self.first)
        var commits = page.commits
        let left = page.isLast ? 0 : try Self.fitting(commits)
        if left > 0 {
            page = try session.commits(since: page.next, of: names, limit: left)
            commits += page.commits
        }
        return (commits, page.next, page.isLast)
    }

    /// The number of changes after some commits that a message has room for too, if their records are as large.
    private static func fitting(_ commits: [Store.HistoryCommit]) throws(StorageError) -> Int {
        var (size, count) = (0, 0)
        for delta in commits.lazy.flatMap(\.changes) {
            count += 1
            do throws(StorageError) { size += try delta.after()?.roughSize ?? 0 } catch {
                guard error.code == .notKept else { throw error }
            }
        }
        return min(limit, count * SyncFrame.fill / max(size, 1)) - count
    }

    /// The state of each changed record after the last of some commits, about how many bytes that takes, and the models of which
    /// a later commit has changed any record, so that these states are not known.
    private func changes(
        _ part: ExchangeAnswer.Part, _ own: borrowing OwnPatches
    ) throws(StorageError) -> (changes: [(place: RecordPlace, state: ExchangeAnswer.State)], size: Int, lost: [String])
    {
        var (changes, size): ([(place: RecordPlace, state: ExchangeAnswer.State)], Int) = ([], 0)
        var lost: [String] = []
        for place in part.places where !lost.contains(place.model) {
            guard let (first, last) = part.deltas[place] else { continue }
            let after: DynamicRecord?
            do throws(StorageError) { after = try last.after() } catch {
                guard error.code == .notKept else { throw error }
                lost.append(place.model)
                continue
            }
            if let after, rules.isReadable(after, by: readers) {
                if try own.explain(after, at: place, from: first) {
                    changes.append((place, .asPatched))
                } else {
                    changes.append((place, .stored(after)))
                    size += after.roughSize
                }
            } else {
                // A record that never was in the user's part stays untold.
                if rules.parts[place.model] != nil {
                    guard let before = try first.before(), rules.isReadable(before, by: readers) else { continue }
                }
                changes.append((place, .gone))
            }
            size += 32
            // Fewer commits are told then.
            if size > SyncFrame.limit / 2 { break }
        }
        if !lost.isEmpty { changes.removeAll { lost.contains($0.place.model) } }
        return (changes, size, lost)
    }
}

extension ExchangeAnswer {
    /// The net changes of some commits.
    struct Part {
        /// The places in the order of their first changes.
        private(set) var places: [RecordPlace] = []
        private(set) var deltas: [RecordPlace: (first: Store.RecordDelta, last: Store.RecordDelta)] = [:]
        /// The models of which any record may have changed.
        private(set) var unknown: [String] = []

        /// - Parameter known: the number of the commit up to which each model is known.
        init(_ commits: [Store.HistoryCommit], _ known: [String: Int]) {
            for commit in commits {
                for delta in commit.changes where commit.number > known[delta.model] ?? .max { add(delta) }
            }
            let unknown = unknown
            if !unknown.isEmpty { places.removeAll { unknown.contains($0.model) } }
        }

        private mutating func add(_ delta: Store.RecordDelta) {
            if delta.kind == .everything {
                if !unknown.contains(delta.model) { unknown.append(delta.model) }
                return
            }
            let place = RecordPlace(delta.model, delta.key)
            if let known = deltas[place] {
                deltas[place] = (known.first, delta)
            } else {
                deltas[place] = (delta, delta)
                places.append(place)
            }
        }
    }
}

/// The patches of a replica that are applied, to find the records of which it can make the hub's state by itself.
struct OwnPatches {
    private var changes: [RecordPlace: [SyncPatch.Change]] = [:]
    private var schemas: [String: RecordSchema] = [:]

    init() {}

    /// The patches that were applied, by their outcomes.
    init(_ patches: [SyncPatch], _ decisions: [Decision], of models: SyncModels) {
        let applied = Set(decisions.filter(\.isApplied).map(\.number))
        for patch in patches where applied.contains(patch.number) {
            for change in patch.changes {
                changes[change.place, default: []].append(change)
                schemas[change.model] = models[change.model]
            }
        }
    }

    /// Returns whether the patches make a record of the one before its first change.
    func explain(
        _ record: DynamicRecord, at place: RecordPlace, from first: Store.RecordDelta
    ) throws(StorageError) -> Bool {
        guard changes[place] != nil else { return false }
        return result(at: place, from: try first.before()) == record
    }

    /// The record that the patches make of one; nil if they make none.
    func result(at place: RecordPlace, from before: DynamicRecord?) -> DynamicRecord? {
        guard let schema = schemas[place.model] else { return nil }
        var record = before
        for change in changes[place] ?? [] {
            switch change.kind {
            case .inserted(let new): record = record ?? new
            case .deleted: record = nil
            case .updated(let properties):
                guard let now = record else { continue }
                var merge = RecordMerge(schema)
                record = merge.merged(now, properties, byRule: change.byRule)
            }
        }
        return record
    }
}

extension DynamicRecord {
    /// About how many bytes the record takes in a message.
    var roughSize: Int { fields.reduce(16) { $0 + $1.content.roughSize } }
}

extension DynamicRecord.Content {
    var roughSize: Int {
        switch self {
        case .value(.text(let text), _): text.utf8.count + 2
        case .value(.blob(let bytes), _): bytes.count + 2
        case .value: 9
        case .child(let record): record?.roughSize ?? 1
        case .children(let records): records?.reduce(8) { $0 + $1.roughSize } ?? 1
        }
    }
}
