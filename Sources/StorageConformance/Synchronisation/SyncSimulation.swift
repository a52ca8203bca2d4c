internal import StorageAPI
import StorageDriver
internal import StorageSync

/// A hub and some replicas, on whose stores random programs run: messages are lost, repeated, late and in another order, and
/// programs end before any of their writes. After each step each store equals what the plain model says.
///
/// Unchecked for the reason of ``SyncSite``.
final class SyncSimulation: @unchecked Sendable {
    var program: PlainProgram
    let clock = TrialClock()
    private let engines: [@Sendable () async throws -> TrialPlace]
    private let types: PlainTypes
    let hubSite: SyncSite
    let rounds: SyncRounds
    var hub: Hub
    var replicas: [SyncSite]
    /// The failures of this program beside messages and ends.
    let faults: Set<SyncFault>

    /// Messages that are still under way.
    var late: [(replica: Int, message: [UInt8], question: PlainQuestion?)] = []
    /// Answers that a replica has not received, of older questions.
    var old: [[SyncLetter]]
    /// The replica whose next question for changes waits for a round, and the question.
    var gathering: (replica: Int, sent: SyncSent?)?
    /// The replica that receives the answer of a round, if its question is the same.
    var receiving: Int?
    var isCalm = false
    /// The numbers of the commits of replicas.
    private var numbers: [PlainIdentity: Int] = [:]
    /// The steps so far, for a report.
    private(set) var log: [String] = []
    /// The number of steps, and of calls that were refused as they should.
    private(set) var (steps, refusals) = (0, 0)

    /// - Parameters:
    ///   - engines: make places, of which the stores draw theirs.
    ///   - restoresHub: whether the hub is restored from backups in any case.
    init(
        seed: UInt64, _ engines: [@Sendable () async throws -> TrialPlace], restoresHub: Bool = false
    ) async throws {
        self.engines = engines
        var program = PlainProgram(SeededGenerator(seed: seed))
        var faults = Set(SyncFault.allCases.filter { _ in program.chance(35) })
        if restoresHub { faults.insert(.restoredHub) }
        self.faults = faults
        program.keepsExpiry = faults.contains(.restoredHub)
        let keeping = faults.contains(.shortHistory) ? Store.HistoryLimit(commits: 1 + program.below(12)) : nil
        hubSite = try await SyncSite(
            "hub", at: try await Self.place(engines, &program), clock, keeping: keeping)
        let schemas = try await hubSite.store.recordSchemas()
        var sites: [SyncSite] = []
        for number in 0..<1 + program.below(program.chance(20) ? 8 : 4) {
            let place = try await Self.place(engines, &program)
            let version = faults.contains(.versions) && program.chance(50) ? PlainVersion.earlier : .later
            sites.append(try await SyncSite("replica \(number)", at: place, clock, by: version, of: schemas))
        }
        (replicas, self.program) = (sites, program)
        old = sites.map { _ in [] }
        types = try await PlainTypes(hubSite.store)
        rounds = try await SyncRounds(hubSite.store)
        hub = try await rounds.hub(of: hubSite.store)
        try await noteHub()
    }

    /// The engines, the hub's first.
    var names: String { ([hubSite] + replicas).map(\.store.info.name).joined(separator: ", ") }

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
            while !replicas[index].plain.hasJoined { try await exchange(index) }
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
        case 0..<45: try await write(site)
        case 45..<49: try await undo(site)
        case 49..<53: try await reopen(site)
        case 53..<57:
            clock.advance(by: Double(1 + program.below(8)))
            for site in replicas + [hubSite] { try await site.compare("the clock went on") }
        case 57..<60: try await deliverLate()
        case 60..<66: try await fail(site)
        case 66..<74: try await exchangeTogether()
        default: try await exchange(index)
        }
    }

    /// Fails in one of the ways that the program has.
    func fail(_ site: SyncSite) async throws {
        switch program.pick(SyncFault.allCases.filter(faults.contains)) {
        case .shortHistory, nil: return
        case .versions: try await upgrade(site)
        case .restoredHub: try await backUpOrRestore(hubSite)
        case .restoredReplicas:
            guard let index = replicas.indices.randomElement(using: &program.random) else { return }
            try await backUpOrRestore(replicas[index])
        case .copiedReplicas:
            guard replicas.count < 8, site !== hubSite, !site.isExchanging, site.canCopy else { return }
            site.killer.arm(nil)
            let name = "replica \(replicas.count)"
            note("\(name) is a copy of \(site.name)")
            replicas.append(try await SyncSite(name, at: try await place(), copying: site))
            old.append([])
            try await begin(replicas[replicas.count - 1])
        }
    }

    /// Starts the later version of the program, unless the replica gives the hub's losses back.
    func upgrade(_ site: SyncSite) async throws {
        guard site.version == .earlier, !site.isExchanging, site.plain.giving == nil, site.plain.offer == nil,
            try await site.upgrade()
        else { return }
        note("\(site.name) has a later version")
        try await begin(site)
    }

    private func backUpOrRestore(_ site: SyncSite) async throws {
        if site.isExchanging || !site.canCopy { return }
        if program.chance(50) {
            note("\(site.name) is backed up")
            return try await site.backUp(to: try await place())
        }
        guard try await site.restore() else { return }
        note("\(site.name) is restored")
        try await begin(site)
    }

    private func place() async throws -> TrialPlace { try await Self.place(engines, &program) }

    /// A place on an engine that the program draws. One to four engines make no other program.
    private static func place(
        _ engines: [@Sendable () async throws -> TrialPlace], _ program: inout PlainProgram
    ) async throws -> TrialPlace { try await engines[program.below(12) % engines.count]() }

    func note(_ text: String) { log.append(text) }

    /// The number of a commit. If copies of a replica make the same one, it is one patch to the hub.
    func number(_ commit: PlainIdentity) -> Int {
        let number = numbers[commit] ?? numbers.count + 1
        numbers[commit] = number
        return number
    }

    func reopen(_ site: SyncSite) async throws {
        note("\(site.name) opens again")
        try await site.reopen()
        try await begin(site)
    }

    /// Makes the hub or the replica of a store that was opened.
    private func begin(_ site: SyncSite) async throws {
        if site === hubSite {
            hub = try await rounds.hub(of: site.store)
        } else if let index = replicas.firstIndex(where: { $0 === site }) {
            try await makeReplica(index)
        }
        try await site.compare("it opened again")
    }

    private func makeReplica(_ index: Int) async throws {
        let transport = SyncDraw { [self] message in try await carry(message, of: index) }
        let site = replicas[index]
        site.replica = try await Replica(site.store, models: site.version.models, to: transport)
    }

    // MARK: Writes

    func write(_ site: SyncSite) async throws {
        clock.advance(by: 1)
        program.version = site.version
        // The history of a model that joins begins with it: its records are compared with the hub's, and are no patches yet.
        program.models = site === hubSite ? PlainModel.names : site.plain.base.version.models
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
        var next = next
        next.expire(at: site.time)
        site.state = next
        try await site.adoptTimes(since: before)
        try await keep(site.state.patch(since: before, touched: touched), since: before, at: site)
    }

    /// Undoing follows its own rules, so the plain model takes over what it has made.
    private func undo(_ site: SyncSite) async throws {
        site.state.expire(at: site.time)
        let before = site.state
        do throws(StorageError) { _ = try await site.store.undoLast() } catch {
            note("\(site.name) undoes nothing: \(error.code)")
            if error.underlying is SyncEnd { return try await reopen(site) }
            return try await site.compare("undoing nothing")
        }
        note("\(site.name) undoes its last commit")
        site.state = try await site.stored()
        site.state.expire(at: site.time)
        let made = try await site.undone()
        let touched = Set(made.records.keys).union(before.records.keys)
        try await keep(made.patch(since: before, touched: touched), since: before, at: site)
    }

    private func keep(_ patch: PlainPatch, since before: PlainState, at site: SyncSite) async throws {
        if site === hubSite {
            let next = site.state
            site.state = before
            site.plain.move(to: next)
            try await noteHub()
        } else if !patch.isEmpty {
            let number = number(.commit(patch, after: site.plain.patches.last?.number))
            site.plain.patches.append(PlainCommit(number: number, patch: patch))
        }
    }

    func noteHub() async throws { hubSite.plain.note(try await hubSite.store.historyToken().description) }
}

/// A kind of failure, which a program draws or not.
enum SyncFault: CaseIterable {
    /// The hub forgets its history while a replica is away.
    case shortHistory
    /// Some replicas have programs that lack a model and properties.
    case versions
    case restoredHub, restoredReplicas, copiedReplicas
}

/// A transport that asks the simulation.
struct SyncDraw: SyncTransport {
    let carry: @Sendable ([UInt8]) async throws -> [UInt8]

    func exchange(_ message: [UInt8]) async throws -> [UInt8] { try await carry(message) }
}
