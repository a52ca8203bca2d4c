internal import StorageAPI
import StorageDriver
internal import Synchronization

/// Runs a program of versions on stores, with the types of one worker.
struct VersionRun<W: VersionWorker> {
    typealias Root = Versioned<GeneratedVersion<W, PartRoot>>
    typealias OtherRoot = Versioned<GeneratedVersion<Rival<W>, PartRoot>>

    private let engines: [VersionEngine]
    /// The engine of the store.
    private var engine: Int
    private var place: TrialPlace
    private var store: Store
    private var version = VersionSet()
    /// The last commit of the history after each step.
    private var commits: [Int] = []
    private let clock = TrialClock()

    init(_ engines: [VersionEngine], first: Int) async throws {
        self.engines = engines
        engine = first
        W.box.current = version
        place = try await engines[first]()
        store = try await Self.open(place, clock)
        try await store.insert(VersionGoal.records)
    }

    private static func open(_ place: TrialPlace, _ clock: TrialClock, moving move: Move? = nil) async throws -> Store {
        var options = Store.Options(history: .init(records: [Root.self]), clock: { clock.now })
        if let move {
            options = options.moving(move.name) { tx in
                for record in try tx.records(PartRoot.part.rawValue).all() { try tx.save(record) }
                try tx.save(Root(values: move.values))
            }
        }
        return try await Store(place.backend(), models: Root.self, options: options)
    }

    /// A step of an opening, and the record that it saves.
    private struct Move {
        let name: String
        let values: [FieldValue]
    }

    /// The first step that gives something else than expected: its number, and what came of it.
    static func difference(
        _ program: VersionProgram, _ expected: [String], on engines: [VersionEngine], first: Int
    ) async throws -> (step: Int, actual: String, backend: String)? {
        var run = try await Self(engines, first: first)
        var found: (step: Int, actual: String, backend: String)?
        for (index, step) in program.steps.enumerated() {
            let outcome = await run.outcome(of: step)
            guard outcome != expected[index] else { continue }
            found = (index, outcome, run.store.info.name)
            break
        }
        if found == nil, let problem = await run.problem() {
            found = (program.steps.count - 1, problem, run.store.info.name)
        }
        try? await run.store.close()
        _ = try? await run.place.destroy()
        return found
    }

    private mutating func outcome(of step: VersionProgram.Step) async -> String {
        do {
            let start = try await store.historyToken()
            let result = try await self.result(of: step)
            let end = try await store.historyToken()
            commits.append(end.commit)
            // A copy does not accept the token of its source.
            let changed = if case .copy = step { [Int]() } else { try await changedKeys(since: start) }
            let records = try store.blocking.select(Root.self).all().map(\.values)
            return VersionProgram.outcome(result, changed: changed, records, bound: try await bound())
        } catch {
            return "\(error)"
        }
    }

    /// The rules that bind the store, whatever the version declares.
    private func bound() async throws -> String {
        let records = store.records(PartRoot.part.rawValue)
        func keys(_ query: Select<DynamicRecord, Store>) async throws -> [Int] {
            try await query.all().map { try $0.value("id", as: Int.self) }
        }
        var found: [[Int]]? = []
        do {
            for word in ExpectedSchema.words { found?.append(try await keys(records.where(text: "matches ?", word))) }
        } catch let error as StorageError where error.code == .invalidQuery {
            found = nil
        }
        clock.advance(by: VersionSet.expiry)
        let later = try await keys(records)
        clock.advance(by: -VersionSet.expiry)
        return ExpectedSchema.bound(found: found, later: later, denied: try await deniedGoals())
    }

    /// The goals that cannot be deleted. Each deletion is undone.
    private func deniedGoals() async throws -> [Int] {
        var denied: [Int] = []
        for goal in ExpectedSchema.goals {
            do {
                try await store.transaction { tx in
                    try tx.delete(Versioned<VersionGoal>.self, key: goal)
                    throw Undone()
                }
            } catch let error as StorageError where error.code == .constraint {
                denied.append(goal)
            } catch is Undone {}
        }
        return denied
    }

    private func changedKeys(since token: Store.HistoryToken) async throws -> [Int] {
        var keys: Set<Int> = []
        for try await entry in store.history(since: token) {
            if case .int(let key)? = entry.key?.first { keys.insert(Int(key)) }
        }
        return keys.sorted()
    }

    private mutating func result(of step: VersionProgram.Step) async throws -> String {
        switch step {
        case .open(let next): return try await open(next)
        case .openSaving(let next, let key, let seed):
            return try await open(
                next, Move(name: "step \(commits.count)", values: next.record(key, seed: seed)))
        case .reopen: return try await open(version)
        case .compact:
            if store.engine(as: (any CompactingEngine).self) != nil { try await store.compact() }
            return "done"
        case .copy: return try await copy()
        case .insert(let key, let seed): return try written { try store.blocking.insert(record(key, seed)) }
        case .save(let key, let seed): return try written { try store.blocking.save(record(key, seed)) }
        case .update(let key, let seed): return try written { try store.blocking.update(record(key, seed)) }
        case .delete(let key): return try written { try store.blocking.delete(Root.self, key: key) }
        case .deleteWhere(let key):
            return try written { try store.blocking.delete(Root.self).where { $0.id == key }.run() }
        case .truncate: return try written { try store.blocking.truncate(Root.self) }
        case .asOf(let number): return try await found(asOf: number)
        case .undo: return try await undo()
        case .rival:
            W.rival.current = version.rival
            // The store knows the program's type, also where the step that opened it was left out.
            _ = try store.blocking.select(Root.self).count()
            return try written { try store.blocking.delete(OtherRoot.self).run() }
        }
    }

    private func found(asOf number: Int) async throws -> String {
        guard !commits.isEmpty else { return "done" }
        var lines: [String] = []
        for key in VersionProgram.keys {
            do {
                let found = try await store.find(Root.self, key: key, asOf: commits[number % commits.count])
                lines.append(found.map { $0.values.map(\.shown).joined(separator: " ") } ?? "nil")
            } catch {
                guard Self.isUnfit(error) else { throw error }
                lines.append("unfit")
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func isUnfit(_ error: StorageError) -> Bool {
        error.code == .schemaMismatch || error.code == .typeMismatch
    }

    private func undo() async throws -> String {
        var last: Int?
        for try await entry in store.history() { last = entry.commit }
        do {
            guard let last else { return ExpectedSchema.Refusal.notFound.rawValue }
            try await store.undo(last)
            return "done"
        } catch {
            if error.code == .constraint { return ExpectedSchema.Refusal.constraint.rawValue }
            guard Self.isUnfit(error) else { throw error }
            return ExpectedSchema.Refusal.schemaMismatch.rawValue
        }
    }

    private func record(_ key: Int, _ seed: UInt64) -> Root { Root(values: version.record(key, seed: seed)) }

    /// Returns the result of a call that the contract allows, and rethrows other errors.
    private func written(_ body: () throws -> Any) throws -> String {
        do {
            _ = try body()
            return "done"
        } catch let error as StorageError {
            guard let refusal = ExpectedSchema.Refusal(rawValue: "\(error.code)") else { throw error }
            return refusal.rawValue
        }
    }

    private mutating func open(_ next: VersionSet, _ move: Move? = nil) async throws -> String {
        try await store.close()
        W.box.current = next
        do {
            store = try await Self.open(place, clock, moving: move)
            version = next
            return "done"
        } catch let error as StorageError {
            let refusal = ExpectedSchema.Refusal(rawValue: "\(error.code)")
            guard let refusal, refusal == .schemaMismatch || refusal == .constraint || move != nil else { throw error }
            W.box.current = version
            store = try await Self.open(place, clock)
            return VersionProgram.refused(refusal)
        }
    }

    private mutating func copy() async throws -> String {
        engine = (engine + 1) % engines.count
        let target = try await engines[engine]()
        let next = try await Store(target.backend())
        let copied = try await next.copy(from: store, history: true)
        try await next.close()
        let reopened = try await Store(target.backend())
        for digest in copied {
            guard try await reopened.digest(of: digest.model) == digest else { return "the copy differs" }
        }
        try await reopened.close()
        try await store.close()
        _ = try await place.destroy()
        (place, store) = (target, try await Self.open(target, clock))
        return "done"
    }

    /// Returns the problem that `verify` finds in the store at the end.
    private func problem() async -> String? {
        let problems = Problems()
        do {
            try await store.verify { problem in problems.list.withLock { $0.append(problem.description) } }
        } catch {
            return "verify: \(error)"
        }
        return problems.list.withLock { $0.isEmpty ? nil : "verify: " + $0.joined(separator: "\n") }
    }
}

typealias VersionEngine = @Sendable () async throws -> TrialPlace

private final class Problems: Sendable {
    let list = Mutex<[String]>([])
}

/// Compares programs of versions with the rules, on each engine and from each to the next.
enum VersionComparison {
    /// The maximum of workers at the same time: each has types of its own.
    static let maximumWorkers = 4

    static func difference(
        _ program: VersionProgram, on engines: [VersionEngine], worker: Int
    ) async throws -> ProgramDifference? {
        let expected = program.outcomes
        for first in engines.indices {
            let found =
                switch worker % maximumWorkers {
                case 0: try await VersionRun<Worker0>.difference(program, expected, on: engines, first: first)
                case 1: try await VersionRun<Worker1>.difference(program, expected, on: engines, first: first)
                case 2: try await VersionRun<Worker2>.difference(program, expected, on: engines, first: first)
                default: try await VersionRun<Worker3>.difference(program, expected, on: engines, first: first)
                }
            if let found {
                let call = VersionProgram(steps: Array(program.steps[...found.step])).text
                return ProgramDifference(
                    backend: found.backend, call: call.split(separator: "\n").last.map(String.init) ?? "",
                    expected: expected[found.step], actual: found.actual)
            }
        }
        return nil
    }
}

/// Undoes a transaction.
private struct Undone: Error {}
