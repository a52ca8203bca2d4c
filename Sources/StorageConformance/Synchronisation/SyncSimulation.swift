internal import StorageAPI
import StorageDriver
internal import StorageSync

/// A hub and some replicas, on whose stores random programs run: messages are lost, repeated, late and in another order, and
/// programs end before any of their writes. After each step each store equals what the plain model says.
///
/// Unchecked for the reason of ``SyncSite``.
final class SyncSimulation: @unchecked Sendable {
    private var program: PlainProgram
    private let clock = TrialClock()
    private let types: PlainTypes
    private let hubSite: SyncSite
    private var hub: Hub
    private let replicas: [SyncSite]

    /// The number of patches of each replica that have an outcome at the hub, and these outcomes.
    private var outcomes: [[PlainOutcome]]
    /// Messages that are still under way.
    private var late: [(replica: Int, message: [UInt8], patches: Int)] = []
    /// Answers that a replica has not received, of older questions.
    private var old: [[SyncLetter]]
    private var isCalm = false
    /// What was done, for a report.
    private(set) var log: [String] = []
    /// The number of steps, and of calls that were refused as they should.
    private(set) var (steps, refusals) = (0, 0)

    /// - Parameter engines: make places, of which the stores draw theirs.
    init(seed: UInt64, _ engines: [@Sendable () async throws -> TrialPlace]) async throws {
        var program = PlainProgram(SeededGenerator(seed: seed))
        hubSite = try await SyncSite("hub", at: try await engines[program.below(engines.count)](), clock)
        var sites: [SyncSite] = []
        for number in 0..<1 + program.below(program.chance(20) ? 8 : 4) {
            let place = try await engines[program.below(engines.count)]()
            sites.append(try await SyncSite("replica \(number)", at: place, clock))
        }
        (replicas, self.program) = (sites, program)
        (outcomes, old) = (sites.map { _ in [] }, sites.map { _ in [] })
        types = try await PlainTypes(hubSite.store)
        hub = try await Hub(hubSite.store, models: PlainModel.types)
    }

    /// The engines, the hub's first.
    var engines: String { ([hubSite] + replicas).map(\.store.info.name).joined(separator: ", ") }

    func end() async throws {
        // Their transports own the simulation.
        for site in replicas { site.replica = nil }
        for site in replicas + [hubSite] { try await site.end() }
    }

    // MARK: Steps

    func run(steps count: Int) async throws {
        for _ in 0..<program.below(4) { try await write(hubSite) }
        for index in replicas.indices {
            try await makeReplica(index)
            while !replicas[index].hasJoined { try await exchange(index) }
        }
        for _ in 0..<count { try await step() }
        try await settle()
    }

    private func step() async throws {
        steps += 1
        let index = program.below(replicas.count)
        let site = program.chance(85) ? replicas[index] : hubSite
        if program.chance(6) { site.killer.arm(1 + program.below(4)) }
        switch program.below(100) {
        case 0..<48: try await write(site)
        case 48..<52: try await undo(site)
        case 52..<56: try await reopen(site)
        case 56..<60:
            clock.advance(by: Double(1 + program.below(8)))
            for site in replicas + [hubSite] { try await site.compare("the clock went on") }
        case 60..<63: try await deliverLate()
        default: try await exchange(index)
        }
    }

    private func note(_ text: String) { log.append(text) }

    private func reopen(_ site: SyncSite) async throws {
        note("\(site.name) opens again")
        try await site.reopen()
        if site === hubSite {
            hub = try await Hub(site.store, models: PlainModel.types)
        } else if let index = replicas.firstIndex(where: { $0 === site }) {
            try await makeReplica(index)
        }
        try await site.compare("it opened again")
    }

    private func makeReplica(_ index: Int) async throws {
        let transport = SyncDraw { [self] message in try await carry(message, of: index) }
        replicas[index].replica = try await Replica(replicas[index].store, models: PlainModel.types, to: transport)
    }

    // MARK: Writes

    private func write(_ site: SyncSite) async throws {
        clock.advance(by: 1)
        site.state.expire(at: site.time)
        let tag = site === hubSite ? "h" : "r\(site.name.last ?? "0")-"
        let writes = program.transaction(on: site.state, tag, at: site.time)
        var (next, touched, refusal): (PlainState, Set<PlainPlace>, (any Error)?) = (site.state, [], nil)
        do {
            for write in writes { try write.run(on: &next, &touched) }
            try next.checkReferences(touched)
        } catch { refusal = error }
        note("\(site.name) writes \(writes)\(refusal.map { ", refused: \($0)" } ?? "")")
        var failure: StorageError?
        do throws(StorageError) {
            let types = types
            try await site.store.transaction { (tx: inout Store.Transaction) throws(StorageError) -> Void in
                for write in writes { try write.run(in: tx, types) }
            }
        } catch { failure = error }
        if failure?.underlying is SyncEnd { return try await reopen(site) }
        guard (failure == nil) == (refusal == nil) else {
            throw SyncDifference(
                failure.map { "\(site.name) refuses a transaction: \($0)" } ?? "\(site.name) accepts a transaction",
                expected: refusal.map { "a refusal, \($0)" } ?? "no error")
        }
        if refusal != nil {
            refusals += 1
        } else {
            try await accept(next, touched, at: site)
        }
        try await site.compare("a transaction")
    }

    private func accept(_ next: PlainState, _ touched: Set<PlainPlace>, at site: SyncSite) async throws {
        let before = site.state
        site.state = next
        site.state.expire(at: site.time)
        try await site.adoptTimes(since: before)
        let patch = site.state.patch(since: before, touched: touched)
        if site !== hubSite, !patch.isEmpty { site.patches.append(patch) }
    }

    /// Undoing follows its own rules, so the plain model takes over what it has made.
    private func undo(_ site: SyncSite) async throws {
        let before = site.state
        do throws(StorageError) { _ = try await site.store.undoLast() } catch {
            note("\(site.name) undoes nothing: \(error.code)")
            if error.underlying is SyncEnd { return try await reopen(site) }
            return try await site.compare("undoing nothing")
        }
        note("\(site.name) undoes its last commit")
        site.state = try await site.stored()
        site.state.expire(at: site.time)
        let patch = site.state.patch(since: before, touched: Set(site.state.records.keys).union(before.records.keys))
        if site !== hubSite, !patch.isEmpty { site.patches.append(patch) }
    }

    // MARK: Exchanges

    private func exchange(_ index: Int) async throws {
        let site = replicas[index]
        guard let replica = site.replica, !site.isExchanging else { return }
        note("\(site.name) exchanges")
        (site.isExchanging, site.pending) = (true, nil)
        defer { site.isExchanging = false }
        do {
            let exchange = try await replica.sync()
            follow(site)
            site.hasJoined = true
            try check(exchange.outcomes, of: index)
        } catch let error as StorageError
            where error.underlying is SyncEnd || error.code == .corrupt || replica !== site.replica
        {
            note("\(site.name)'s exchange ends: \(error.code)")
            site.pending = nil
            if error.code == .io, site.killer.hasEnded { try await reopen(site) }
        }
        if site.hasJoined { try await site.compare("an exchange") }
    }

    /// What an answer tells has been taken when the next question comes, or when the exchange has succeeded.
    private func follow(_ site: SyncSite) {
        if let pending = site.pending { site.take(pending) }
        site.pending = nil
    }

    /// Carries a message, if it arrives, with all that may happen on the way.
    private func carry(_ message: [UInt8], of index: Int) async throws -> [UInt8] {
        let site = replicas[index]
        if site.hasJoined { follow(site) }
        let count = site.patches.count
        if isCalm { return try await deliver(message, of: index, patches: count) }
        if program.chance(12) {
            note("the message is late or lost")
            late.append((index, message, count))
            throw SyncEnd()
        }
        if program.chance(10) { try await deliverLate() }
        if program.chance(12) { try await besides(index) }
        var answer = try await deliver(message, of: index, patches: count)
        if program.chance(8) {
            note("the message arrives twice")
            answer = try await deliver(message, of: index, patches: count)
        }
        if program.chance(10) {
            note("the answer is lost")
            old[index].append(SyncLetter(message: message, answer: answer, told: site.pending))
            throw SyncEnd()
        }
        if program.chance(6), let other = program.pick(old[index]) {
            note("the answer to an older question arrives")
            // It is as good as another one to the same question.
            site.pending = other.message == message ? other.told : nil
            return other.answer
        }
        if program.chance(12) { try await besides(index) }
        return answer
    }

    /// What others do while a message is under way; the replica itself may write too.
    private func besides(_ index: Int) async throws {
        switch program.below(3) {
        case 0: if replicas[index].hasJoined { try await write(replicas[index]) }
        case 1: try await write(hubSite)
        default: try await exchange(program.below(replicas.count))
        }
    }

    private func deliverLate() async throws {
        guard !late.isEmpty else { return }
        let message = late.remove(at: program.below(late.count))
        note("a late message of replica \(message.replica) arrives")
        let site = replicas[message.replica]
        let pending = site.pending
        do {
            let answer = try await deliver(message.message, of: message.replica, patches: message.patches)
            old[message.replica].append(SyncLetter(message: message.message, answer: answer, told: site.pending))
        } catch is SyncEnd {}
        site.pending = pending
    }

    /// Brings a message to the hub, and does to it what the plain model says of the patches.
    private func deliver(_ message: [UInt8], of index: Int, patches count: Int) async throws -> [UInt8] {
        let site = replicas[index]
        let answer = try await answer(message)
        let known = outcomes[index].count
        for number in known..<max(count, known) {
            outcomes[index].append(outcome(of: site.patches[number]))
            note("patch \(number + 1) of replica \(index): \(outcomes[index][number])")
        }
        try await hubSite.compare("patches of replica \(index)")
        site.pending = (hubSite.state, outcomes[index].count)
        return answer
    }

    /// The hub's answer, unless its program ends.
    private func answer(_ message: [UInt8]) async throws -> [UInt8] {
        do {
            return try await hub.answer(message)
        } catch  where error.underlying is SyncEnd {
            note("the hub's program ends")
            try await reopen(hubSite)
            throw SyncEnd()
        }
    }

    /// Applies a patch to the plain model of the hub.
    private func outcome(of patch: PlainPatch) -> PlainOutcome {
        hubSite.state.expire(at: hubSite.time)
        var next = hubSite.state
        do {
            let lost = try next.apply(patch)
            next.expire(at: hubSite.time)
            hubSite.state = next
            return PlainOutcome(refusal: nil, lost: lost)
        } catch {
            return PlainOutcome(refusal: "\(error)", lost: [])
        }
    }

    private func check(_ told: [SyncOutcome], of index: Int) throws {
        for outcome in told {
            guard let number = outcome.patch?.number, number > 0, number <= outcomes[index].count else {
                throw SyncDifference("replica \(index) is told \(outcome)", expected: "outcomes of its patches")
            }
            try outcomes[index][number - 1].check(outcome)
            outcomes[index][number - 1].count += 1
            guard outcomes[index][number - 1].count == 1 else {
                throw SyncDifference("patch \(number) of replica \(index) has two outcomes", expected: "one")
            }
        }
    }

    // MARK: The end

    private func settle() async throws {
        note("all is calm")
        isCalm = true
        late = []
        for site in replicas + [hubSite] { site.killer.arm(nil) }
        for _ in 0..<2 { for index in replicas.indices { try await exchange(index) } }
        let digests = try await hubSite.digests()
        for (index, site) in replicas.enumerated() {
            if site.state != hubSite.state { throw SyncDifference("the plain models differ", expected: "equal ones") }
            let own = try await site.digests()
            if own != digests { throw SyncDifference("\(site.name) has the digests \(own)", expected: "\(digests)") }
            try await checkEnd(of: index)
        }
        for site in replicas + [hubSite] {
            if let problem = try await site.problem() {
                throw SyncDifference("verify finds \(problem)", expected: "no problem")
            }
        }
    }

    /// Each patch has one outcome, and the store keeps those that are news.
    private func checkEnd(of index: Int) async throws {
        guard let replica = replicas[index].replica else { return }
        let waiting = try await replica.waiting().map(\.number)
        guard waiting.isEmpty, replica.status.waiting == 0, outcomes[index].count == replicas[index].patches.count
        else {
            throw SyncDifference("patches \(waiting) of replica \(index) wait", expected: "none")
        }
        let news = outcomes[index].indices.filter { outcomes[index][$0].isNews }
        var kept = replica.outcomes.makeAsyncIterator()
        for number in news {
            guard let outcome = try await kept.next(), outcome.patch?.number == number + 1 else {
                throw SyncDifference("replica \(index) keeps other outcomes", expected: "that of patch \(number + 1)")
            }
            try outcomes[index][number].check(outcome)
            try await replica.confirm(outcome)
        }
    }
}

/// What becomes of a patch at the hub.
struct PlainOutcome: CustomStringConvertible {
    let refusal: String?
    let lost: Set<PlainLoss>
    /// The number of times that an exchange has told it.
    var count = 0

    var isNews: Bool { refusal != nil || !lost.isEmpty }

    var description: String { refusal.map { "refused, \($0)" } ?? "applied\(lost.isEmpty ? "" : " over \(lost)")" }

    func check(_ outcome: SyncOutcome) throws {
        switch outcome.result {
        case .refused where refusal != nil: return
        case .applied(let values):
            let told = Set(
                values.map { value in
                    PlainLoss(
                        place: PlainPlace(model: value.model, key: value.key.map(\.plainText)),
                        property: PlainTypes.property(value.property))
                })
            if refusal == nil, told == lost { return }
        default: break
        }
        throw SyncDifference("the outcome \(outcome)", expected: "\(self)")
    }
}

extension Value {
    fileprivate var plainText: String { if case .text(let text) = self { text } else { "" } }
}

/// An answer that has not arrived.
private struct SyncLetter {
    let message: [UInt8]
    let answer: [UInt8]
    let told: (state: PlainState, confirmed: Int)?
}

/// A transport that asks the simulation.
private struct SyncDraw: SyncTransport {
    let carry: @Sendable ([UInt8]) async throws -> [UInt8]

    func exchange(_ message: [UInt8]) async throws -> [UInt8] { try await carry(message) }
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
