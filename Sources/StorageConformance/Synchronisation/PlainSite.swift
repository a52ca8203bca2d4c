internal import StorageAPI
import StorageDriver
internal import StorageSync

/// All that the plain model says of one store. It goes back in time with the store, and is copied with it.
struct PlainSite {
    var state: PlainState

    // A hub's.

    /// The patches of each replica's name that have an outcome.
    var peers: [[UInt8]: PlainPeer] = [:]
    /// The records that each commit has changed.
    var commits: [Set<PlainPlace>] = []
    /// The tokens of all positions, with the state and the number of commits there.
    var positions: [String: (state: PlainState, commits: Int)] = [:]

    // A replica's.

    /// The name by which the hub knows it; nil until it has sent a message.
    var name: [UInt8]?
    /// The patches of all commits under this name.
    var patches: [PlainCommit] = []
    /// The number of patches whose outcomes it has taken.
    var confirmed = 0
    /// The number of commits that are patches under this name, at least.
    var numbered = 0
    /// The hub's state that it has taken last, in the version of the program that did.
    var base: PlainState
    /// The token of that position, and the earlier ones, the latest first.
    var tokens: [String] = []
    /// The answer of a hub that was restored from a backup: how the replica gives back the hub's losses, under a new name.
    var offer: PlainReturn?
    /// The same from that name on.
    var giving: PlainReturn?
    /// True from the first exchange on.
    var hasJoined = false
    /// The outcomes that the store keeps for its program.
    var kept: [PlainOutcome] = []

    init(_ version: PlainVersion) {
        state = PlainState(version: version)
        base = state
    }

    var version: PlainVersion { state.version }

    // MARK: A replica

    /// Takes over the name under which the replica sends a message: all patches without an outcome have new numbers.
    mutating func send(as sender: [UInt8]) {
        defer { (name, offer) = (sender, nil) }
        guard let name, name != sender else { return }
        patches.removeFirst(confirmed)
        (confirmed, numbered) = (0, 0)
        if let offer { giving = offer }
    }

    /// Takes the state that an answer tells: the replica is the hub's state, with the patches without an outcome that fit it.
    ///
    /// - Parameter number: gives a patch that returns a hub's losses its identity.
    /// - Returns: the outcomes.
    mutating func take(_ answer: PlainAnswer, at time: Double, number: (PlainPatch) -> Int) -> [PlainOutcome] {
        var told: [PlainOutcome] = []
        var hub = answer.state.seen(by: version)
        hub.expire(at: time)
        if giving != nil {
            let known = base
            base.expire(at: time)
            // A store does not know when a record would have expired that a patch has removed from it.
            for (place, change) in patches.flatMap(\.patch) {
                if case .deleted = change.kind { base[place] = known[place] }
            }
            let (own, replaced) = PlainReturn.compared(base, with: hub, changed: answer.changed)
            if !replaced.isEmpty { told.append(PlainOutcome(number: nil, refusal: nil, lost: replaced)) }
            if !own.isEmpty { patches.insert(PlainCommit(number: number(own), patch: own), at: 0) }
            numbered = 0
            self.giving = nil
        }
        told += answer.outcomes
        confirmed += answer.outcomes.count
        (base, state) = (hub, hub)
        for commit in patches.dropFirst(confirmed) {
            var next = state
            guard (try? next.apply(commit.patch)) != nil else { continue }
            state = next
            state.expire(at: time)
        }
        if tokens.first != answer.token { tokens.insert(answer.token, at: 0) }
        hasJoined = true
        kept += told.filter(\.isNews)
        return told
    }

    /// The store is opened by a later version of the program.
    mutating func upgrade() { state = state.seen(by: .later) }

    // MARK: A hub

    /// Keeps the position after a commit.
    mutating func note(_ token: String) { positions[token] = (state, commits.count) }

    /// The records that have changed since a position; nil if the hub never was there.
    func changed(since token: String) -> Set<PlainPlace>? {
        positions[token].map { position in commits[position.commits...].reduce(into: []) { $0.formUnion($1) } }
    }

    /// The refusal of a question; nil for an answer.
    func refusal(of question: PlainQuestion) -> SyncRefusal? {
        if question.tokens.contains(where: { positions[$0] == nil }) { return .hubWentBack }
        let peer = peers[question.name] ?? PlainPeer()
        if question.confirmed > peer.commits.count { return .hubWentBack }
        if question.confirmed < peer.confirmed { return .identityReused }
        let isKnown = zip(peer.commits, question.commits).allSatisfy { $0 == $1.number }
        return isKnown ? nil : .identityReused
    }

    /// Applies the patches of a question that have no outcome yet.
    ///
    /// - Parameter count: the number of outcomes of the replica before the question and those that are answered together with it.
    /// - Returns: what the messages of copies among these make of it.
    mutating func answer(_ question: PlainQuestion, after count: Int, at time: Double) -> PlainReception {
        let peer = peers[question.name] ?? PlainPeer()
        let new = question.commits.dropFirst(peer.commits.count)
        if question.last > count {
            if question.confirmed < peer.confirmed { return .refused(.identityReused) }
            if !new.isEmpty, zip(peer.commits, question.commits).contains(where: { $0 != $1.number }) { return .busy }
        }
        for commit in new {
            state.expire(at: time)
            var (next, refusal, lost): (PlainState, String?, Set<PlainLoss>) = (state, nil, [])
            do {
                lost = try next.apply(commit.patch)
                next.expire(at: time)
                move(to: next)
            } catch { refusal = "\(error)" }
            var peer = peers[question.name] ?? PlainPeer()
            peer.commits.append(commit.number)
            peer.outcomes.append(PlainOutcome(number: peer.commits.count, refusal: refusal, lost: lost))
            peer.confirmed = max(peer.confirmed, question.confirmed)
            peers[question.name] = peer
        }
        return .answered
    }

    /// Goes on by a commit.
    mutating func move(to next: PlainState) {
        let places = Set(state.records.keys).union(next.records.keys)
        commits.append(places.filter { state[$0] != next[$0] })
        state = next
    }
}

/// What becomes of a question whose message is valid.
enum PlainReception {
    case answered
    case refused(SyncRefusal)
    /// Its next patch does not follow the ones that have outcomes.
    case busy
}

/// A replica's commit; another store's copy of it has the same number.
struct PlainCommit {
    let number: Int
    let patch: PlainPatch
}

/// The difference of a replica's commit from the others of the same name.
enum PlainIdentity: Hashable {
    /// The commit after the one of a number; after none if it is the first under the name.
    case commit(PlainPatch, after: Int?)
    /// A patch that gives a hub's losses back.
    case giving(PlainPatch, as: [UInt8]?)
}

/// The knowledge of a hub of a replica.
struct PlainPeer {
    /// The numbers of the commits that have outcomes.
    var commits: [Int] = []
    var outcomes: [PlainOutcome] = []
    /// The number of outcomes that the replica had when it last sent a patch. The hub keeps the last of these and all later ones.
    var confirmed = 0
}

/// A replica's question for changes, as the plain model reads it.
struct PlainQuestion {
    let name: [UInt8]
    let tokens: [String]
    let confirmed: Int
    /// The number of the last patch that the message brings.
    let last: Int
    /// All patches of the replica.
    let patches: [PlainCommit]
    /// The position since which a restored hub's changes count; nil for none.
    let since: String?
    /// The number of the replica's commits that are patches, at least.
    let numbered: Int

    var commits: ArraySlice<PlainCommit> { patches.prefix(last) }

    /// Returns whether outcomes are of other patches than the replica has: its store was restored or copied.
    ///
    /// - Parameter told: the commits whose outcomes the answer tells.
    func isOfAnother(_ told: ArraySlice<Int>) -> Bool {
        told.startIndex > confirmed || told.endIndex > patches.count
            || told.indices.contains { told[$0] != patches[$0].number }
    }

    /// Returns whether outcomes may be of commits that are no patches of the replica yet: the replica reads pages, and its store
    /// was copied with the commits. The replica then finds that it is a copy.
    func mayBeOfAnother(_ told: ArraySlice<Int>) -> Bool { last == confirmed && told.endIndex > numbered }
}

/// The contents of an answer.
struct PlainAnswer {
    let state: PlainState
    let token: String
    /// Of the patches whose outcomes the replica did not have.
    let outcomes: [PlainOutcome]
    /// The records that have changed at the hub since the position that the question names; nil for none.
    let changed: Set<PlainPlace>?
    /// True if the replica may find by it that it is a copy.
    let mayBeOfAnother: Bool
}

/// The comparison of a replica with a hub that was restored from a backup.
struct PlainReturn {
    /// The last position that both know; nil for none, and if the hub does not know the changes since.
    var since: String?

    /// Compares the hub's state that a replica had with its present state.
    ///
    /// - Parameter changed: the records that have changed at the hub since their last common position; nil if that is not known.
    /// - Returns: the patch that gives the hub's losses back, and the properties whose contents the hub's replace. Properties that a
    ///   later version of the program has added are neither.
    static func compared(
        _ base: PlainState, with hub: PlainState, changed: Set<PlainPlace>?
    ) -> (own: PlainPatch, replaced: Set<PlainLoss>) {
        var (own, replaced): (PlainPatch, Set<PlainLoss>) = ([:], [])
        for place in Set(base.records.keys).union(hub.records.keys)
        where base.version.models.contains(place.model) {
            let (before, now) = (base[place], hub[place])
            if changed?.contains(place) ?? (now != nil) {
                guard let before, let now else { continue }
                for (name, content) in before where now[name]?.isLike(content) == false {
                    replaced.insert(PlainLoss(place: place, property: name))
                }
            } else {
                let whole = now == nil ? before.map { hub.version.completed($0, of: place.model) } : before
                own[place] = PlainChange(from: now, to: whole)
            }
        }
        return (own, replaced)
    }
}

/// The outcome of a patch at the hub, or of the records with which a store joins.
struct PlainOutcome: CustomStringConvertible {
    /// The patch's number; nil for records that the hub's have replaced.
    let number: Int?
    let refusal: String?
    let lost: Set<PlainLoss>

    var isNews: Bool { refusal != nil || !lost.isEmpty }

    var description: String {
        let patch = number.map { "patch \($0): " } ?? "joined: "
        return patch + (refusal.map { "refused, \($0)" } ?? "applied\(lost.isEmpty ? "" : " over \(lost)")")
    }

    func check(_ outcome: SyncOutcome) throws {
        guard outcome.patch?.number == number, isLike(outcome.result) else {
            throw SyncDifference("the outcome \(outcome)", expected: "\(self)")
        }
    }

    func check(_ decision: SyncMessage.Decision) throws {
        guard decision.patch == number, isLike(decision.result) else {
            throw SyncDifference("the decision \(decision)", expected: "\(self)")
        }
    }

    private func isLike(_ result: SyncOutcome.Result) -> Bool {
        switch result {
        case .refused: refusal != nil
        case .applied(let values): number != nil && refusal == nil && Self.lost(values) == lost
        case .joined(let values): number == nil && Self.lost(values) == lost
        }
    }

    private static func lost(_ values: [SyncOverwrite]) -> Set<PlainLoss> {
        Set(
            values.map { value in
                PlainLoss(
                    place: PlainPlace(model: value.model, key: value.key.map(\.plainText)),
                    property: PlainTypes.property(value.property))
            })
    }
}

extension Value {
    var plainText: String { if case .text(let text) = self { text } else { "" } }
}
