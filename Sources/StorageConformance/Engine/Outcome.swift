public import StorageAPI

/// What became of a case. There is no outcome for "skipped".
public enum ConformanceOutcome: Sendable, Codable {
    /// The clause holds.
    case passed
    /// It does not.
    case failed(ConformanceFailure)
    /// The backend declares that it lacks the capability, and refused as it must.
    case refusedAsDeclared(BackendInfo.Capability, reason: String)
    /// It fails, as the harness lists.
    case knownFailure(KnownFailure, ConformanceFailure)
    /// The harness could not do its part, so nothing is known of the backend.
    case harnessError(String)

    /// The name that reports give it.
    public var name: String {
        switch self {
        case .passed: "passed"
        case .failed: "failed"
        case .refusedAsDeclared: "refused as declared"
        case .knownFailure: "known failure"
        case .harnessError: "harness error"
        }
    }

    /// Whether the backend may be published with it: everything but a failure and a harness error.
    public var isAccepted: Bool {
        switch self {
        case .passed, .refusedAsDeclared, .knownFailure: true
        case .failed, .harnessError: false
        }
    }
}

/// A case with its outcome.
public struct ConformanceResult: Sendable {
    /// The case.
    public let test: ConformanceCase
    /// What became of it.
    public let outcome: ConformanceOutcome
    /// How long it took.
    public let duration: Duration
    /// Whether the outcome only advises.
    public let isAdvisory: Bool

    /// A case with what became of it.
    public init(_ test: ConformanceCase, _ outcome: ConformanceOutcome, duration: Duration) {
        self.test = test
        self.outcome = outcome
        self.duration = duration
        isAdvisory = Conformance.v1.isAdvisory(test)
    }

    /// Whether the run as a whole fails by it.
    public var fails: Bool { !isAdvisory && !outcome.isAccepted }
}

/// A failure with all that is needed to understand and repeat it.
public struct ConformanceFailure: Sendable, Codable {
    /// What was expected of what, in one sentence.
    public var message: String
    /// What differs, part for part: the place, the expected and the actual value.
    public var differences: [Difference]
    /// What the case did up to the failure, as Swift that can be pasted.
    public var operations: [String] = []
    /// The declarations of the models that it used.
    public var declarations: [String] = []
    /// Where in the suite the expectation stands.
    public var location: String

    /// - Parameters:
    ///   - message: what was expected of what, in one sentence.
    ///   - differences: what differs, part for part.
    ///   - location: where the expectation stands, as `file:line`.
    public init(_ message: String, _ differences: [Difference] = [], location: String) {
        self.message = message
        self.differences = differences
        self.location = location
    }
}

extension ConformanceFailure: Error {}

/// The harness's own error, apart from the backend's.
struct HarnessFailure: Error {
    let message: String
}
