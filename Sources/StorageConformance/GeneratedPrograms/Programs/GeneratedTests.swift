internal import StorageAPI
import StorageDriver
internal import Synchronization

/// Random programs of every verb, compared call by call with a model of the contract, on one backend or on several.
///
/// A program inserts, saves, updates, deletes, queries, streams, opens transactions with savepoints that fail, and opens
/// the store again. The model keeps arrays of structs and does with them what the contract says in plain Swift; it shares
/// nothing with the library's own evaluation of queries. Two backends that agree with the model agree with each other.
///
/// ```swift
/// let report = try await GeneratedTests(programs: 1000, seed: 1).run(Harness(), against: InMemoryHarness())
/// print(report)
/// ```
public struct GeneratedTests: Sendable {
    /// The mixture of steps in programs.
    public enum Mixture: Sendable {
        /// Every verb, with transactions and reopenings.
        case everything
        /// Queries over random records: each step is one question.
        case queries
        /// Programs of several versions of a model, one after the other on one store, which is reopened, compacted and
        /// copied in between, with its history: records are read as they were after earlier steps, and steps are undone.
        /// `steps` counts what all of them do together.
        case schemas
        /// Calls about records that refer to each other in cycles: their rules, filters both ways, and loading together.
        case references
        /// A hub and replicas on stores of the backend and in memory, whose messages are lost, repeated and late, and whose
        /// programs end between any two writes; see <doc:ProvingABackend>.
        case synchronisation
        /// The same, each with a hub that is restored from backups.
        case restoredHubs
    }

    /// The mixture of steps in the programs.
    public var mixture = Mixture.everything
    /// The number of programs to run.
    public var programs: Int
    /// The approximate number of calls of each.
    public var steps: Int
    /// Makes the first program; the next number makes the next one.
    public var seed: UInt64
    /// The number of programs that run at the same time, each on a store of its own.
    public var parallelism: Int
    /// The number of differences after which a run ends.
    public var mostFailures = 3
    /// The number of smaller programs that are tried for each difference.
    public var shrinkingBudget = 3000
    /// A Boolean value that indicates whether queries are observed while programs run, and some calls made by a second
    /// store. Not for an engine that gives other rows than it stores: what an observer waits for need never come.
    public var isObserved = true

    /// - Parameters:
    ///   - programs: the number of programs.
    ///   - steps: the approximate number of calls of each.
    ///   - seed: makes the first program; the next number makes the next one.
    ///   - parallelism: the number that run at the same time; at least one.
    public init(programs: Int = 100, steps: Int = 50, seed: UInt64 = 1, parallelism: Int = 2) {
        self.programs = programs
        self.steps = steps
        self.seed = seed
        self.parallelism = max(parallelism, 1)
    }

    /// Runs the programs on one backend.
    ///
    /// - Parameters:
    ///   - harness: makes the backend, and a place for it.
    ///   - progress: called after each program, from the tasks that run them.
    /// - Throws: what the harness throws, and what opening, emptying or closing a store throws.
    public func run(
        _ harness: some ConformanceHarness, progress: @escaping @Sendable (GeneratedProgress) -> Void = { _ in }
    ) async throws -> GeneratedReport {
        try await run([{ try await TrialPlace(harness) }], progress)
    }

    /// Runs the same programs on two backends.
    public func run(
        _ harness: some ConformanceHarness, against other: some ConformanceHarness,
        progress: @escaping @Sendable (GeneratedProgress) -> Void = { _ in }
    ) async throws -> GeneratedReport {
        try await run([{ try await TrialPlace(harness) }, { try await TrialPlace(other) }], progress)
    }

    private func run(
        _ engines: [VersionEngine], _ progress: @escaping @Sendable (GeneratedProgress) -> Void
    ) async throws -> GeneratedReport {
        let places: Places = {
            var places: [TrialPlace] = []
            for engine in engines { places.append(try await engine()) }
            return places
        }
        let start = ContinuousClock.now
        let queue = ProgramQueue(programs)
        var report = GeneratedReport()
        try await withThrowingTaskGroup(of: GeneratedReport.self) { group in
            let maximum = mixture == .schemas ? VersionComparison.maximumWorkers : .max
            for worker in 0..<min(parallelism, max(programs, 1), maximum) {
                group.addTask {
                    switch mixture {
                    case .schemas: try await work(queue, engines, worker: worker, progress)
                    case .synchronisation, .restoredHubs: try await work(queue, synchronising: engines, progress)
                    case .everything, .queries, .references: try await work(queue, places, worker: progress)
                    }
                }
            }
            for try await part in group { report.add(part) }
        }
        report.duration = start.duration(to: .now)
        return report
    }

    typealias Places = @Sendable () async throws -> [TrialPlace]

    /// Runs programs from the queue until it is empty.
    private func work(
        _ queue: ProgramQueue, _ places: Places, worker progress: @Sendable (GeneratedProgress) -> Void
    ) async throws -> GeneratedReport {
        var comparison = try await Comparison(places, mixture, isObserved: isObserved)
        var report = GeneratedReport()
        report.backends = comparison.names
        while let number = queue.next() {
            let (seed, failures) = (seed &+ UInt64(number), report.failures.count)
            let program = mixture.program(seed: seed, steps: steps)
            report.programs += 1
            let expected = ExpectedRun(program).outcomes
            report.calls += expected.count
            report.errors += expected.count(where: \.isFailure)
            if let found = try await comparison.difference(program, expected) {
                report.failures.append(try await failure(of: program, found, seed: seed, places))
                if queue.hasFailed() >= mostFailures { queue.end() }
                // The state that a failing program leaves is no base for another.
                try await comparison.close()
                comparison = try await Comparison(places, mixture, isObserved: isObserved)
            }
            progress(queue.ended(seed, calls: expected.count, report, since: failures))
        }
        try await comparison.close()
        return report
    }

    /// The same with programs of several versions.
    private func work(
        _ queue: ProgramQueue, _ engines: [VersionEngine], worker: Int,
        _ progress: @Sendable (GeneratedProgress) -> Void
    ) async throws -> GeneratedReport {
        var report = GeneratedReport()
        for engine in engines { report.backends.append(try await Trial(place: engine(), seed: 0).info().name) }
        while let number = queue.next() {
            let (seed, failures) = (seed &+ UInt64(number), report.failures.count)
            let program = VersionProgram.random(seed: seed, steps: steps)
            report.programs += 1
            report.calls += program.steps.count
            report.errors += program.outcomes.count { !$0.hasPrefix("done") }
            if try await VersionComparison.difference(program, on: engines, worker: worker) != nil {
                let smallest = try await program.shrunk(budget: shrinkingBudget) { candidate in
                    try await VersionComparison.difference(candidate, on: engines, worker: worker) != nil
                }
                let found = try await VersionComparison.difference(smallest, on: engines, worker: worker)
                report.failures.append(
                    GeneratedFailure(
                        mixture: mixture, seed: seed, steps: steps, backend: found?.backend ?? "any",
                        call: found?.call ?? "", expected: found?.expected ?? "", actual: found?.actual ?? "",
                        program: smallest.text))
                if queue.hasFailed() >= mostFailures { queue.end() }
            }
            progress(queue.ended(seed, calls: program.steps.count, report, since: failures))
        }
        return report
    }

    /// The same with a hub and its replicas, on these engines and in memory.
    private func work(
        _ queue: ProgramQueue, synchronising engines: [VersionEngine], _ progress: @Sendable (GeneratedProgress) -> Void
    ) async throws -> GeneratedReport {
        var report = GeneratedReport()
        for engine in engines { report.backends.append(try await Trial(place: engine(), seed: 0).info().name) }
        while let number = queue.next() {
            let (seed, failures) = (seed &+ UInt64(number), report.failures.count)
            report.programs += 1
            let simulation = try await SyncSimulation(
                seed: seed, engines + [{ try await TrialPlace(InMemoryHarness()) }],
                restoresHub: mixture == .restoredHubs)
            do {
                try await simulation.run(steps: steps)
                try await simulation.end()
            } catch {
                let found = error as? SyncDifference ?? SyncDifference("\(error)", expected: "no error")
                report.failures.append(
                    GeneratedFailure(
                        mixture: mixture, seed: seed, steps: steps, backend: report.backends.first ?? "memory",
                        call: "hub and replicas on \(simulation.names)", expected: found.expected,
                        actual: found.actual,
                        program: simulation.log.suffix(60).joined(separator: "\n")))
                if queue.hasFailed() >= mostFailures { queue.end() }
                try? await simulation.end()
            }
            report.calls += simulation.steps
            report.errors += simulation.refusals
            progress(queue.ended(seed, calls: simulation.steps, report, since: failures))
        }
        return report
    }

    /// Makes a failing program small, each candidate on a store of its own.
    ///
    /// - Parameter found: the difference on the store on which the programs before it had run.
    private func failure(
        of program: Program, _ found: ProgramDifference, seed: UInt64, _ places: Places
    ) async throws -> GeneratedFailure {
        let smallest = try await program.shrunk(budget: shrinkingBudget) { candidate in
            try await Comparison.difference(candidate, places, mixture: mixture, isObserved: isObserved) != nil
        }
        let difference =
            try await Comparison.difference(smallest, places, mixture: mixture, isObserved: isObserved)
            ?? ProgramDifference(
                backend: found.backend, call: found.call, expected: found.expected,
                actual: found.actual + " (only after the programs before it)")
        return GeneratedFailure(
            mixture: mixture, seed: seed, steps: steps, backend: difference.backend, call: difference.call,
            expected: difference.expected, actual: difference.actual, program: smallest.swift)
    }
}

extension GeneratedTests.Mixture {
    func program(seed: UInt64, steps: Int) -> Program {
        switch self {
        case .everything: .random(seed: seed, steps: steps)
        case .references: .references(seed: seed, steps: steps)
        // Programs of versions and of synchronisation are of another kind.
        case .queries, .schemas, .synchronisation, .restoredHubs: .questions(seed: seed, count: steps)
        }
    }

    /// The models with which the store of the programs is opened.
    var models: [any Storable.Type] { self == .references ? LinkedWorld.models : World.models }
}

/// Hands out the programs' numbers, and counts the programs that are done.
private final class ProgramQueue: Sendable {
    private let state: Mutex<(next: Int, end: Int, failures: Int, progress: GeneratedProgress)>

    init(_ count: Int) { state = Mutex((0, count, 0, GeneratedProgress())) }

    func next() -> Int? {
        state.withLock { state in
            guard state.next < state.end else { return nil }
            state.next += 1
            return state.next - 1
        }
    }

    /// Counts a program that has ended.
    ///
    /// - Parameter failures: the number of failures in the worker's report before the program.
    func ended(_ seed: UInt64, calls: Int, _ report: GeneratedReport, since failures: Int) -> GeneratedProgress {
        state.withLock { state in
            state.progress.programs += 1
            state.progress.calls += calls
            state.progress.seed = seed
            state.progress.failure = report.failures.dropFirst(failures).first
            return state.progress
        }
    }

    /// Counts a failure and returns the number of failures.
    func hasFailed() -> Int {
        state.withLock { state in
            state.failures += 1
            return state.failures
        }
    }

    func end() { state.withLock { $0.end = 0 } }
}
