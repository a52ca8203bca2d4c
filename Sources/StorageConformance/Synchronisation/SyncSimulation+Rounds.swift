internal import StorageAPI
import StorageDriver
internal import StorageSync

// Messages of a simulation that the hub answers together.

/// A question for changes that waits for a round.
typealias SyncSent = (replica: Int, message: [UInt8], question: PlainQuestion)

extension SyncSimulation {
    private static let mostTogether = 6

    /// Lets several messages reach the hub while it is busy: of different replicas, several of one, repeated and late ones. Most
    /// replicas then receive their answers.
    func exchangeTogether() async throws {
        var sent: [SyncSent] = []
        for index in replicas.indices.shuffled(using: &program.random).prefix(2 + program.below(5)) {
            sent += try await question(of: index).map { [$0] } ?? []
            guard program.chance(25), replicas[index].plain.hasJoined else { continue }
            try await write(replicas[index])
            sent += try await question(of: index).map { [$0] } ?? []
        }
        for place in late.indices.reversed() where program.chance(50) {
            guard let question = late[place].question else { continue }
            sent.append((late[place].replica, late[place].message, question))
            late.remove(at: place)
        }
        if sent.count == 1 || program.chance(30), let other = program.pick(sent) { sent.append(other) }
        sent.shuffle(using: &program.random)
        late += sent.dropFirst(Self.mostTogether).map { ($0.replica, $0.message, $0.question) }
        sent = Array(sent.prefix(Self.mostTogether))
        if sent.isEmpty { return }
        try await deliverTogether(sent)
        for index in Set(sent.map(\.replica)).sorted().shuffled(using: &program.random) where program.chance(80) {
            receiving = index
            try await exchange(index)
            receiving = nil
        }
    }

    /// The question that a replica would send now; nil if it sends none.
    private func question(of index: Int) async throws -> SyncSent? {
        gathering = (index, nil)
        defer { gathering = nil }
        try await exchange(index)
        return gathering?.sent
    }

    /// Brings messages to the hub in one round, and does to it what the plain model says of the patches: the hub applies them in
    /// the order in which the messages came.
    private func deliverTogether(_ sent: [SyncSent]) async throws {
        note("messages of \(sent.map { replicas[$0.replica].name }) arrive together")
        let (before, killer) = (hubSite.plain, hubSite.killer)
        let end = killer.armed
        killer.arm(nil)
        let held = try await rounds.hold(hub)
        killer.arm(end)
        let start = killer.counts
        let answers = await held.answers(to: sent.map(\.message))
        let made = (killer.counts.reads - start.reads, killer.counts.commits - start.commits)
        let hasEnded = killer.hasEnded
        let known = sent.map { before.peers[$0.question.name]?.commits.count ?? 0 }
        let receptions = zip(sent, known).map { sent, known -> PlainReception in
            if let refusal = before.refusal(of: sent.question) { return .refused(refusal) }
            if hasEnded { return sent.question.last > known ? .busy : .answered }
            return hubSite.plain.answer(sent.question, after: known, at: hubSite.time)
        }
        hubSite.state.expire(at: hubSite.time)
        try await noteHub()
        try await hubSite.compare("patches of a round")
        for (number, answer) in answers.enumerated() {
            let (index, message, question) = sent[number]
            switch (answer, receptions[number]) {
            case (.success(let answer), .answered), (.success(let answer), .refused):
                var refusal: SyncRefusal?
                if case .refused(let reason) = receptions[number] { refusal = reason }
                let reply = try await reply(try SyncMessage(bytes: answer), to: question, refusal, after: known[number])
                old[index].append(SyncLetter(message: message, answer: answer, reply: reply))
            case (.failure(let error), .busy) where hasEnded ? error.underlying is SyncEnd : error.code == .busy:
                note("no answer to \(replicas[index].name): \(error.code)")
            default:
                throw SyncDifference(
                    "message \(number) of a round has the result \(answer)", expected: "\(receptions[number])")
            }
        }
        try checkRound(of: sent, since: before, answers: answers, made: made)
        if hasEnded {
            note("the hub's program ends")
            try await reopen(hubSite)
        } else {
            // The round gives its answers before it ends, and the next messages must find a hub at rest.
            hub = try await rounds.hub(of: hubSite.store)
        }
    }

    /// One round reads a snapshot to check the messages, commits all patches together, and reads a snapshot for the answers.
    private func checkRound(
        of sent: [SyncSent], since before: PlainSite, answers: [SyncHeldHub.Answer],
        made: (reads: Int, commits: Int)
    ) throws {
        let isAnswered = try answers.contains { answer in
            guard case .success(let bytes) = answer else { return false }
            return try SyncMessage(bytes: bytes).kind == .exchangeAnswer
        }
        let hasPatches = sent.contains { _, _, question in
            before.refusal(of: question) == nil && question.last > before.peers[question.name]?.commits.count ?? 0
        }
        let expected = (reads: isAnswered ? 2 : 1, commits: hasPatches && !hubSite.killer.hasEnded ? 1 : 0)
        guard made == expected else {
            throw SyncDifference(
                "the hub answers \(sent.count) messages by \(made.reads) snapshots and \(made.commits) commits",
                expected: "\(expected.reads) and \(expected.commits), as one round needs")
        }
    }
}
