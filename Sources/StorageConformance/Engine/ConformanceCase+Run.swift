internal import StorageAPI

/// The options of a run.
public struct ConformanceOptions: Sendable {
    /// The seed of the cases' order and of the values that they draw.
    public var seed: UInt64
    /// The time after which a case counts as hanging.
    public var deadline: Duration
    /// The number of cases that run at the same time.
    public var parallelism: Int
    /// Called with each operation, as Swift, before it runs. So an operation that ends the process is known.
    public var onOperation: (@Sendable (String) -> Void)?

    /// - Parameters:
    ///   - seed: the seed of the cases' order and of the values that they draw.
    ///   - deadline: the time after which a case counts as hanging. The longest takes some seconds; a busy machine is no
    ///     failure.
    ///   - parallelism: the number of cases that run at the same time; at least one.
    public init(seed: UInt64 = 1, deadline: Duration = .seconds(300), parallelism: Int = 2) {
        self.seed = seed
        self.deadline = deadline
        self.parallelism = max(parallelism, 1)
    }
}

extension ConformanceCase {
    /// Runs the case at a new place of the harness. Never throws. Always ends, at the latest after the deadline.
    public func run(_ harness: some ConformanceHarness, _ options: ConformanceOptions = .init()) async
        -> ConformanceResult
    {
        let start = ContinuousClock.now
        let outcome = await outcome(harness, options)
        return ConformanceResult(
            self, judged(outcome, harness.knownFailures), duration: start.duration(to: .now))
    }

    /// Known failures are strict: one that passes must be removed from the list.
    private func judged(_ outcome: ConformanceOutcome, _ known: [KnownFailure]) -> ConformanceOutcome {
        guard let known = known.first(where: { $0.id == id }) else { return outcome }
        switch outcome {
        case .failed(let failure): return .knownFailure(known, failure)
        case .passed, .refusedAsDeclared, .notProven:
            return .failed(
                ConformanceFailure(
                    "The case is listed as a known failure (\(known.reason), \(known.link)) and passes; "
                        + "take it off the list.", location: "knownFailures"))
        case .knownFailure, .harnessError: return outcome
        }
    }

    private func outcome(_ harness: some ConformanceHarness, _ options: ConformanceOptions) async
        -> ConformanceOutcome
    {
        let executor = CaseExecutor(id)
        let made = await withDeadline(options.deadline, on: executor) {
            await caught { try await TrialPlace(harness) }
        }
        let place: TrialPlace
        switch made {
        case nil: return .harnessError("makePlace() has not returned after \(options.deadline).")
        case .failure(let error): return .harnessError("makePlace() threw \(error)")
        case .success(let value): place = value
        }
        let faults = needsFaults == nil ? nil : place.faults()
        let trial = Trial(place: place, seed: options.seed, faults: faults, onOperation: options.onOperation)
        let outcome = await withDeadline(options.deadline, on: executor) { await attempt(trial) }
        trial.endHelpers()
        let destroyed = await withDeadline(options.deadline, on: executor) {
            await caught { try await place.destroy() }
        }
        guard let outcome else { return .failed(trial.hanging(options.deadline)) }
        guard outcome.isAccepted else { return outcome }
        switch destroyed {
        case nil: return .harnessError("destroy(_:) has not returned after \(options.deadline).")
        case .failure(let error): return .harnessError("destroy(_:) threw \(error)")
        case .success(let left) where !left.isEmpty:
            return .harnessError("destroy(_:) left behind: \(left.joined(separator: ", "))")
        case .success: return outcome
        }
    }

    /// Runs the body, or expects the refusal if a capability is lacking, and closes the stores.
    private func attempt(_ trial: Trial) async -> ConformanceOutcome {
        do {
            if let (capability, reason) = try await lacking(trial) {
                try await Refusal.check(capability, reason, in: trial)
                try await trial.closeStores()
                return .refusedAsDeclared(capability, reason: reason)
            }
            if let needsFaults, let reason = trial.missing(needsFaults) { return .notProven(reason: reason) }
            try await body(trial)
            try await trial.closeStores()
            return .passed
        } catch {
            try? await trial.closeStores()
            return trial.outcome(of: error)
        }
    }

    /// The first needed capability that the backend lacks, with its reason.
    private func lacking(_ trial: Trial) async throws -> (BackendInfo.Capability, String)? {
        guard !needs.isEmpty else { return nil }
        let info = try await trial.info()
        for capability in needs {
            guard let reason = info.lacking[capability] else { continue }
            // Surviving a close is enough, unless a process must end, or the power.
            if capability == .durability, !needsHelper, needsFaults == nil, trial.place.outlivesClosing(info) {
                continue
            }
            return (capability, reason)
        }
        return nil
    }
}

/// The body's result, or the error that it threw.
func caught<T: Sendable>(_ body: () async throws -> T) async -> Result<T, any Error> {
    do { return .success(try await body()) } catch { return .failure(error) }
}

extension Trial {
    /// The backend's description of itself. Opens a store for it, and closes the store.
    func info() async throws -> BackendInfo {
        let store = try await Store(place.backend())
        let info = store.info
        try await store.close()
        return info
    }

    fileprivate func hanging(_ deadline: Duration) -> ConformanceFailure {
        described(
            ConformanceFailure(
                "The case has not ended after \(deadline); the last operation is the one that hangs.",
                location: "deadline"))
    }

    fileprivate func outcome(of error: any Error) -> ConformanceOutcome {
        switch error {
        case let failure as ConformanceFailure: .failed(described(failure))
        case let failure as HarnessFailure: .harnessError(failure.message)
        case let missing as NotProven: .notProven(reason: missing.reason)
        default:
            .failed(described(ConformanceFailure("The last operation threw: \(error)", location: "operation")))
        }
    }
}

/// Thrown by a case that finds that the backend offers no way to prove it.
struct NotProven: Error {
    let reason: String
}
