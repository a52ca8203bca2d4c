public import StorageAPI

/// The outcome of a case. There is none for "skipped".
public enum ConformanceOutcome: Sendable, Codable {
    /// The clause holds.
    case passed
    /// The clause does not hold.
    case failed(ConformanceFailure)
    /// The backend declares that it lacks the capability, and refused as it must.
    case refusedAsDeclared(BackendInfo.Capability, reason: String)
    /// The case could not run: the harness lacks what it needs.
    case notProven(reason: String)
    /// The case fails, as the harness declares.
    case knownFailure(KnownFailure, ConformanceFailure)
    /// The harness failed, so nothing is known about the backend.
    case harnessError(String)

    /// The name in reports.
    public var name: String {
        switch self {
        case .passed: "passed"
        case .failed: "failed"
        case .refusedAsDeclared: "refused as declared"
        case .notProven: "not proven"
        case .knownFailure: "known failure"
        case .harnessError: "harness error"
        }
    }

    /// A Boolean value that indicates whether the outcome is acceptable: anything except a failure and a harness error.
    public var isAccepted: Bool {
        switch self {
        case .passed, .refusedAsDeclared, .notProven, .knownFailure: true
        case .failed, .harnessError: false
        }
    }
}

/// A case with its outcome.
public struct ConformanceResult: Sendable {
    /// The case.
    public let test: ConformanceCase
    /// Its outcome.
    public let outcome: ConformanceOutcome
    /// The duration of the case.
    public let duration: Duration
    /// A Boolean value that indicates whether the case is advisory.
    public let isAdvisory: Bool

    /// A case with its outcome.
    public init(_ test: ConformanceCase, _ outcome: ConformanceOutcome, duration: Duration) {
        self.test = test
        self.outcome = outcome
        self.duration = duration
        isAdvisory = Conformance.v1.isAdvisory(test)
    }

    /// A Boolean value that indicates whether it makes the run fail.
    public var fails: Bool { !isAdvisory && !outcome.isAccepted }
}

/// A failure, with everything needed to understand and repeat it.
public struct ConformanceFailure: Sendable, Codable {
    /// The expectation that failed, in one sentence.
    public var message: String
    /// The differences part by part: the path, the expected and the actual value.
    public var differences: [Difference]
    /// The operations of the case up to the failure, as Swift to paste.
    public var operations: [String] = []
    /// The declarations of the models that it used.
    public var declarations: [String] = []
    /// The source location of the expectation in the suite.
    public var location: String

    /// - Parameters:
    ///   - message: the expectation that failed, in one sentence.
    ///   - differences: the differences part by part.
    ///   - location: the source location of the expectation, as `file:line`.
    public init(_ message: String, _ differences: [Difference] = [], location: String) {
        self.message = message
        self.differences = differences
        self.location = location
    }
}

extension ConformanceFailure: Error {}

/// An error of the harness, as opposed to the backend.
struct HarnessFailure: Error {
    let message: String
}
