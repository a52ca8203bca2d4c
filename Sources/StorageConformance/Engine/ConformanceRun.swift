internal import StorageAPI

/// A run of cases on one backend, in an order that follows from the seed, several at a time.
public struct ConformanceRun<Harness: ConformanceHarness>: Sendable {
    /// Makes the backend, and a place for each case.
    public let harness: Harness
    /// The cases to run.
    public let cases: [ConformanceCase]
    /// The seed, the deadline of a case, and the number of cases that run at a time.
    public let options: ConformanceOptions

    /// - Parameters:
    ///   - harness: makes the backend, and a place for each case.
    ///   - cases: the cases to run; all of version 1 by default.
    ///   - options: the seed, the deadline of a case, and the number of cases that run at a time.
    public init(
        _ harness: Harness, cases: [ConformanceCase] = Conformance.v1.cases, options: ConformanceOptions = .init()
    ) {
        self.harness = harness
        self.cases = cases
        self.options = options
    }

    /// Runs the cases.
    ///
    /// - Parameters:
    ///   - execute: runs one case; in this process by default.
    ///   - progress: called after each case with its result and the number of completed cases.
    public func results(
        execute: (@Sendable (ConformanceCase) async -> ConformanceResult)? = nil,
        progress: (ConformanceResult, Int) -> Void = { _, _ in }
    ) async -> ConformanceReport {
        let start = ContinuousClock.now
        let backend = await backendInfo()
        let execute = execute ?? { [harness, options] test in await test.run(harness, options) }
        var waiting = SeededGenerator(seed: options.seed).shuffled(cases)[...]
        var results: [ConformanceResult] = []
        await withTaskGroup(of: ConformanceResult.self) { group in
            for test in waiting.prefix(options.parallelism) { group.addTask { await execute(test) } }
            waiting = waiting.dropFirst(options.parallelism)
            for await result in group {
                results.append(result)
                progress(result, results.count)
                if let test = waiting.popFirst() { group.addTask { await execute(test) } }
            }
        }
        return ConformanceReport(
            results: results.sorted { $0.test.id < $1.test.id }, backend: backend, options: options,
            duration: start.duration(to: .now))
    }

    /// The backend's description of itself, for the report; nil if it cannot be opened, which its cases report.
    private func backendInfo() async -> BackendInfo? {
        let info = await withDeadline(options.deadline, on: CaseExecutor("info")) { [harness] in
            await caught {
                let place = try await TrialPlace(harness)
                let info = await caught { try await Trial(place: place, seed: 0).info() }
                _ = try await place.destroy()
                return try info.get()
            }
        }
        return try? info?.get()
    }
}

/// Numbers that follow from a seed, the same on every platform (SplitMix64, public domain, by Sebastiano Vigna).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// The elements in an order of the generator's.
    func shuffled<T>(_ elements: [T]) -> [T] {
        var generator = self
        return elements.shuffled(using: &generator)
    }
}
