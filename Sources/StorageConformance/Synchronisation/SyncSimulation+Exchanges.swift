internal import StorageAPI
import StorageDriver
internal import StorageSync

// Exchanges of a simulation, and their meaning in the plain model.

/// An answer in the plain model.
enum SyncReply {
    /// The changes that a question asked for.
    case told(PlainAnswer)
    /// The hub has forgotten the changes, so that the replica reads all records.
    case forgotten
    case refused(SyncRefusal)
    /// The hub has outcomes of patches that the replica does not have: its store was restored or copied.
    case isOfAnother
    /// The position that a restored hub still has; nil for none.
    case lost(String?)
    case page
}

/// An answer that has not arrived.
struct SyncLetter {
    let message: [UInt8]
    let answer: [UInt8]
    let reply: SyncReply
}

extension SyncSimulation {
    func exchange(_ index: Int) async throws {
        let site = replicas[index]
        guard let replica = site.replica, !site.isExchanging else { return }
        note("\(site.name) exchanges")
        (site.isExchanging, site.pending, site.told) = (true, nil, [])
        defer { site.isExchanging = false }
        do {
            let exchange = try await replica.sync()
            try follow(site)
            try check(exchange.outcomes, of: site)
        } catch let error as StorageError {
            try await end(of: site, replica, error)
        }
        if site.plain.hasJoined { try await site.compare("an exchange") }
    }

    /// Judges the error of an exchange.
    private func end(of site: SyncSite, _ replica: Replica, _ error: StorageError) async throws {
        if let difference = error.underlying as? SyncDifference { throw difference }
        note("\(site.name)'s exchange ends: \(error.code)")
        // An answer is taken by the first write after it.
        if error.underlying is SyncEnd, let pending = site.pending, site.killer.writes > pending.writes {
            try follow(site)
        }
        let pending = site.pending
        site.pending = nil
        if let refusal = error.underlying as? SyncRefusal {
            switch pending?.answer {
            case .refused(refusal): break
            case .isOfAnother where refusal == .identityReused: break
            case .told(let answer) where refusal == .identityReused && answer.mayBeOfAnother: break
            default: throw SyncDifference("\(site.name) is refused: \(refusal)", expected: "no refusal")
            }
            guard refusal == .identityReused else { return }
            return try await beginAgain(site, replica)
        }
        guard error.underlying is SyncEnd || error.code == .corrupt || replica !== site.replica else { throw error }
        if error.code == .io, site.killer.hasEnded { try await reopen(site) }
    }

    private func beginAgain(_ site: SyncSite, _ replica: Replica) async throws {
        note("\(site.name) begins again")
        do throws(StorageError) { try await replica.beginAgain() } catch {
            guard error.underlying is SyncEnd else { throw error }
            try await reopen(site)
        }
    }

    /// Takes the told state over: the replica has taken it when its next question comes, or when the exchange has succeeded.
    private func follow(_ site: SyncSite) throws {
        defer { site.pending = nil }
        switch site.pending?.answer {
        case .told(let answer):
            let name = site.plain.name
            site.told += site.plain.take(answer, at: site.time) { number(.giving($0, as: name)) }
        case .forgotten: site.plain.giving?.since = nil
        case .lost(let token): site.plain.offer = PlainReturn(since: token)
        case .refused(.hubWentBack), .page, nil: break
        case .refused, .isOfAnother:
            throw SyncDifference("\(site.name) goes on after a refusal", expected: "an error of the exchange")
        }
    }

    // MARK: Messages

    /// Carries a message, if it arrives, with all that may happen on the way.
    func carry(_ message: [UInt8], of index: Int) async throws -> [UInt8] {
        let site = replicas[index]
        try follow(site)
        let question = try question(message, of: site)
        if isCalm { return try await answer(message, question, of: site) }
        if gathering?.replica == index, let question {
            gathering?.sent = (index, message, question)
            throw SyncEnd()
        }
        var (answer, reply): ([UInt8], SyncReply)
        if receiving == index, let letter = old[index].last(where: { $0.message == message }) {
            note("the answer of the round arrives")
            receiving = nil
            (answer, reply) = (letter.answer, letter.reply)
        } else {
            if program.chance(12) {
                note("the message is late or lost")
                late.append((index, message, question))
                throw SyncEnd()
            }
            if program.chance(10) { try await deliverLate() }
            if program.chance(question == nil ? 30 : 12) { try await besides(index) }
            (answer, reply) = try await deliver(message, question)
        }
        if program.chance(8) {
            note("the message arrives twice")
            (answer, reply) = try await deliver(message, question)
        }
        if program.chance(10) {
            note("the answer is lost")
            old[index].append(SyncLetter(message: message, answer: answer, reply: reply))
            throw SyncEnd()
        }
        if program.chance(6), let other = program.pick(old[index]) {
            note("the answer to an older question arrives")
            // It is as good as another one to the same question.
            if other.message == message { site.pending = (other.reply, site.killer.writes) }
            return other.answer
        }
        if program.chance(12) { try await besides(index) }
        site.pending = (reply, site.killer.writes)
        return answer
    }

    private func answer(_ message: [UInt8], _ question: PlainQuestion?, of site: SyncSite) async throws -> [UInt8] {
        let (answer, reply) = try await deliver(message, question)
        site.pending = (reply, site.killer.writes)
        return answer
    }

    /// Reads a question of a replica for changes; nil for another one.
    private func question(_ message: [UInt8], of site: SyncSite) throws -> PlainQuestion? {
        let read = try SyncMessage(bytes: message)
        guard read.kind == .exchange, let name = read.replica, let confirmed = read.lastOutcome else { return nil }
        site.plain.send(as: name)
        guard confirmed == site.plain.confirmed else {
            throw SyncDifference("\(site.name) confirms \(confirmed)", expected: "\(site.plain.confirmed)")
        }
        let (sent, waiting) = (read.patches.count, site.plain.patches.count - confirmed)
        guard sent == waiting || sent == 0 else {
            throw SyncDifference("\(site.name) sends \(sent) patches", expected: "\(waiting)")
        }
        site.plain.numbered = max(site.plain.numbered, confirmed + sent)
        return PlainQuestion(
            name: name, tokens: read.positions.map(\.token), confirmed: confirmed, last: confirmed + sent,
            patches: site.plain.patches, since: site.plain.giving?.since, numbered: site.plain.numbered)
    }

    /// Lets others act while a message is under way; the replica itself may write too.
    private func besides(_ index: Int) async throws {
        switch program.below(4) {
        case 0: if replicas[index].plain.hasJoined { try await write(replicas[index]) }
        case 1: try await write(hubSite)
        case 2: try await fail(hubSite)
        default: try await exchange(program.below(replicas.count))
        }
    }

    func deliverLate() async throws {
        guard !late.isEmpty else { return }
        let message = late.remove(at: program.below(late.count))
        note("a late message of replica \(message.replica) arrives")
        do {
            let (answer, reply) = try await deliver(message.message, message.question)
            old[message.replica].append(SyncLetter(message: message.message, answer: answer, reply: reply))
        } catch is SyncEnd {}
    }

    /// Brings a message to the hub, and does to it what the plain model says of the patches.
    private func deliver(_ message: [UInt8], _ question: PlainQuestion?) async throws -> ([UInt8], SyncReply) {
        let answer = try await hubAnswer(message)
        let read = try SyncMessage(bytes: answer)
        guard let question else { return (answer, try await reply(read, to: try SyncMessage(bytes: message))) }
        let known = hubSite.plain.peers[question.name]?.commits.count ?? 0
        let refusal = hubSite.plain.refusal(of: question)
        if refusal == nil {
            _ = hubSite.plain.answer(question, after: known, at: hubSite.time)
            hubSite.state.expire(at: hubSite.time)
            try await noteHub()
            try await hubSite.compare("patches of a message")
        }
        return (answer, try await reply(read, to: question, refusal, after: known))
    }

    /// The meaning of an answer to a question for changes, after the hub has applied the patches.
    ///
    /// - Parameter known: the number of the replica's outcomes before the question and those that were answered together with it.
    func reply(
        _ read: SyncMessage, to question: PlainQuestion, _ refusal: SyncRefusal?, after known: Int
    ) async throws -> SyncReply {
        guard read.refusal == refusal else {
            throw SyncDifference(
                "the answer \(read)", expected: refusal.map { "the refusal \($0)" } ?? "no refusal")
        }
        if let refusal { return .refused(refusal) }
        let peer = hubSite.plain.peers[question.name] ?? PlainPeer()
        // A later message of the round may have confirmed outcomes, which the hub then forgets.
        let first = max(question.confirmed, peer.confirmed - 1)
        // The hub may or may not tell the outcomes of patches that a copy has sent in the same round.
        let last = min(max(known, question.last, first + read.decisions.count), peer.commits.count)
        let outcomes = Array(peer.outcomes[first..<last])
        for outcome in outcomes { note("\(outcome)") }
        guard read.decisions.count == outcomes.count else {
            throw SyncDifference("the answer tells the decisions \(read.decisions)", expected: "\(outcomes)")
        }
        for (outcome, decision) in zip(outcomes, read.decisions) { try outcome.check(decision) }
        if !read.unknown.isEmpty {
            guard faults.contains(.shortHistory) else {
                throw SyncDifference("the hub does not know the changes of \(read.unknown)", expected: "all known")
            }
            return .forgotten
        }
        let told = peer.commits[first..<last]
        if question.isOfAnother(told) { return .isOfAnother }
        guard let token = read.positions.first?.token, hubSite.plain.positions[token] != nil else {
            throw SyncDifference("the answer tells of another position", expected: "the hub's")
        }
        return .told(
            PlainAnswer(
                state: hubSite.state, token: token, outcomes: outcomes,
                changed: try await changed(since: question.since), mayBeOfAnother: question.mayBeOfAnother(told)))
    }

    /// The meaning of an answer to a page, or to the question for a common position.
    private func reply(_ read: SyncMessage, to question: SyncMessage) async throws -> SyncReply {
        let tokens = question.positions.map(\.token)
        if read.kind == .lostCommitsAnswer { return .lost(try common(tokens, read.positions.first?.token)) }
        let refusal = tokens.contains { hubSite.plain.positions[$0] == nil } ? SyncRefusal.hubWentBack : nil
        guard read.refusal == refusal else {
            throw SyncDifference(
                "the answer \(read)", expected: refusal.map { "the refusal \($0)" } ?? "no refusal")
        }
        if let refusal { return .refused(refusal) }
        try await noteHub()
        return .page
    }

    /// The records that have changed at the hub since a position. The store decides when it removes expired ones.
    private func changed(since token: String?) async throws -> Set<PlainPlace>? {
        guard let token, let changed = hubSite.plain.changed(since: token), let since = Store.HistoryToken(token) else {
            return nil
        }
        let permits = try await hubSite.store.commits(since: since, of: ["Permit"]).commits.flatMap(\.changes)
        return changed.union(permits.map { PlainPlace(model: $0.model, key: $0.key.map(\.plainText)) })
    }

    /// - Returns: the position that the hub names, of all that a replica asked for.
    private func common(_ asked: [String], _ found: String?) throws -> String? {
        let expected = asked.first { hubSite.plain.positions[$0] != nil }
        // Without the history since then it is no use.
        guard found == expected || found == nil && faults.contains(.shortHistory) else {
            throw SyncDifference("the hub knows the position \(found ?? "none")", expected: expected ?? "none")
        }
        return found
    }

    /// The hub's answer, unless its program ends.
    private func hubAnswer(_ message: [UInt8]) async throws -> [UInt8] {
        do {
            return try await hub.answer(message)
        } catch  where error.underlying is SyncEnd {
            note("the hub's program ends")
            try await reopen(hubSite)
            throw SyncEnd()
        }
    }

    private func check(_ outcomes: [SyncOutcome], of site: SyncSite) throws {
        guard outcomes.count == site.told.count else {
            throw SyncDifference("\(site.name) is told \(outcomes)", expected: "\(site.told)")
        }
        for (outcome, expected) in zip(outcomes, site.told) { try expected.check(outcome) }
    }

    // MARK: The end

    func settle() async throws {
        note("all is calm")
        isCalm = true
        late = []
        for site in replicas + [hubSite] { site.killer.arm(nil) }
        try await exchangeAll()
        // Programs that lack something have the rest.
        for site in replicas { try await upgrade(site) }
        try await exchangeAll()
        let digests = try await hubSite.digests()
        for site in replicas {
            if site.state != hubSite.state.seen(by: site.version) {
                throw SyncDifference("the plain models of \(site.name) and the hub differ", expected: "equal ones")
            }
            if site.version == .later {
                let own = try await site.digests()
                if own != digests {
                    throw SyncDifference("\(site.name) has the digests \(own)", expected: "\(digests)")
                }
            }
            try await checkEnd(of: site)
        }
        for site in replicas + [hubSite] {
            if let problem = try await site.problem() {
                throw SyncDifference("verify of \(site.name) finds \(problem)", expected: "no problem")
            }
        }
    }

    /// Three times: a first exchange may only find out that a replica is a copy, and a last one takes the patches of others.
    private func exchangeAll() async throws {
        for _ in 0..<3 { for index in replicas.indices { try await exchange(index) } }
    }

    /// Each patch has one outcome, and the store keeps the news.
    private func checkEnd(of site: SyncSite) async throws {
        guard let replica = site.replica else { return }
        let waiting = try await replica.waiting().map(\.number)
        guard waiting.isEmpty, replica.status.waiting == 0, site.plain.confirmed == site.plain.patches.count else {
            throw SyncDifference("patches \(waiting) of \(site.name) wait", expected: "none")
        }
        // The outcomes are waited for, so count their rows before.
        let rows = try await site.store.annexRows("StorageSync.replica", limit: 10_000).filter { $0.key.first == 3 }
        guard rows.count == site.plain.kept.count else {
            throw SyncDifference("\(site.name) keeps \(rows.count) outcomes", expected: "\(site.plain.kept)")
        }
        var kept = replica.outcomes.makeAsyncIterator()
        for expected in site.plain.kept {
            guard let outcome = try await kept.next() else {
                throw SyncDifference("\(site.name) keeps fewer outcomes", expected: "\(expected)")
            }
            try expected.check(outcome)
            try await replica.confirm(outcome)
        }
    }
}

extension SyncSite {
    /// The digests of the models, without expired records.
    fileprivate func digests() async throws -> [String] {
        var digests: [String] = []
        for model in PlainModel.names {
            digests += try await store.digests(of: model, parts: 1).map { "\(model) \($0)" }
        }
        return digests
    }
}
