public import StorageAPI

/// The rules that a case proves, as cases write them: `[.w4: [2], .t1: [1, 2]]` is W4.2, T1.1 and T1.2.
typealias Proof = KeyValuePairs<Contract, [Int]>

/// One case of the suite: a permanent identifier, the rules that it proves, and what it does.
public struct ConformanceCase: Sendable, Identifiable, CustomStringConvertible {
    /// A permanent identifier that never changes its meaning: `keys/int64-bounds`.
    public let id: String
    /// The rules of the contract that the case proves, the main one first: it fails where one of them is broken.
    public let rules: [Contract.Rule]
    /// The statement that the case proves, in one sentence.
    public let sentence: String
    /// The capabilities that the case needs. If the backend lacks one, the case expects the refusal instead.
    public let needs: [BackendInfo.Capability]
    /// The version of the suite that added the case. The case is advisory in that version, and counts from the next on.
    public let since: ConformanceVersion
    /// A Boolean value that indicates whether the case runs only if the harness can start other processes.
    let needsHelper: Bool
    /// The case runs only if the harness can make such faults below the backend.
    let needsFaults: InjectedFault.Kind?
    let body: @Sendable (Trial) async throws -> Void

    init(
        _ id: String, for proof: Proof, since: ConformanceVersion = .v1,
        needs: [BackendInfo.Capability] = [], needsHelper: Bool = false, needsFaults: InjectedFault.Kind? = nil,
        _ sentence: String,
        _ body: @escaping @Sendable (Trial) async throws -> Void
    ) {
        self.id = id
        rules = proof.flatMap { clause, numbers in numbers.map { Contract.Rule(clause, $0) } }
        self.sentence = sentence
        self.needs = needs
        self.since = since
        self.needsHelper = needsHelper
        self.needsFaults = needsFaults
        self.body = body
    }

    /// The clauses that the rules belong to.
    public var clauses: [Contract] {
        rules.map(\.clause).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The identifier.
    public var description: String { id }
}

/// A version of the suite. A major version never changes its cases' meaning; a minor one adds cases.
public struct ConformanceVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Increases when the meaning of a case changes.
    public let major: Int
    /// Increases when cases are added.
    public let minor: Int

    /// The first version.
    public static let v1 = ConformanceVersion(major: 1, minor: 0)

    /// Returns whether the left version is the earlier one.
    public static func < (left: Self, right: Self) -> Bool { (left.major, left.minor) < (right.major, right.minor) }
    /// `1.0`.
    public var description: String { "\(major).\(minor)" }
}

/// The suite, by its versions.
public struct Conformance: Sendable {
    /// The version of the suite.
    public let version: ConformanceVersion
    /// All cases, in the contract's order.
    public let cases: [ConformanceCase]

    /// Version 1 of the suite, for version 1 of the contract.
    public static let v1 = Conformance(version: .v1, cases: allCases)

    /// Returns whether a case is advisory: this version added it, and is not the first.
    public func isAdvisory(_ test: ConformanceCase) -> Bool { test.since == version && version.minor > 0 }
}
