internal import StorageAPI

/// A call of a generated program that gave something else than the contract says.
public struct GeneratedFailure: Sendable {
    /// The mixture of the program's steps.
    public let mixture: GeneratedTests.Mixture
    /// The seed that makes the program, as the first of its run.
    public let seed: UInt64
    /// The number of steps with which the program was made.
    public let steps: Int
    /// The name of the backend that differs.
    public let backend: String
    /// The call that differs, as Swift.
    public let call: String
    /// The result that the contract requires of the call, as Swift.
    public let expected: String
    /// The result of the backend, as Swift.
    public let actual: String
    /// The smallest program that was found to fail, as Swift that can be pasted.
    public let program: String
}

extension GeneratedFailure: CustomStringConvertible {
    /// The call, what was expected, the smallest program that shows it, and the arguments that repeat it.
    public var description: String { text(repeating: "conformance --backend \(backend)") }

    /// The same, with a program that runs ``ConformanceTool``.
    func text(repeating command: String) -> String {
        let opening =
            [.schemas, .synchronisation, .restoredHubs].contains(mixture)
            ? "" : "import StorageConformance\nlet store = try await Store(backend).blocking\n"
        return """
            The backend \(backend) differs from the contract in
                \(call)
            expected: \(expected.indented)
            actual:   \(actual.indented)

            The smallest program that shows it:

            \(opening)\(program)

            Repeat it with: \(repetition(by: command))
            """
    }

    /// The command that repeats the program.
    func repetition(by command: String) -> String {
        let option =
            switch mixture {
            case .everything: "--generate 1"
            case .queries: "--generate-queries \(steps)"
            case .schemas: "--generate-schemas 1"
            case .references: "--generate-references 1"
            case .synchronisation: "--generate-synchronisation 1"
            case .restoredHubs: "--generate-restored-hubs 1"
            }
        return "\(command) \(option) --steps \(steps) --seed \(seed)"
    }
}

extension String {
    fileprivate var indented: String {
        isEmpty ? "nothing" : split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n          ")
    }
}

/// The work of a run of generated programs so far.
public struct GeneratedProgress: Sendable {
    /// The number of programs that have ended.
    public internal(set) var programs = 0
    /// The number of their calls.
    public internal(set) var calls = 0
    /// The seed of the program that ended last.
    public internal(set) var seed: UInt64 = 0
    /// The difference that this program has found; nil for none.
    public internal(set) var failure: GeneratedFailure?
}

/// The findings of a run of generated programs.
public struct GeneratedReport: Sendable {
    /// The backends' names.
    public internal(set) var backends: [String] = []
    /// The number of programs that ran.
    public internal(set) var programs = 0
    /// The number of calls that were compared, each on every backend.
    public internal(set) var calls = 0
    /// The number of those that the contract lets throw.
    public internal(set) var errors = 0
    /// The differences from the contract.
    public internal(set) var failures: [GeneratedFailure] = []
    /// The duration of the run.
    public internal(set) var duration = Duration.zero

    mutating func add(_ other: GeneratedReport) {
        backends = backends.isEmpty ? other.backends : backends
        programs += other.programs
        calls += other.calls
        errors += other.errors
        failures += other.failures
    }
}

extension GeneratedReport: CustomStringConvertible {
    /// One line of numbers, and each difference.
    public var description: String { ([summary] + failures.map(\.description)).joined(separator: "\n\n") }

    /// The same, with a program that runs ``ConformanceTool``.
    func text(repeating command: String) -> String {
        ([summary] + failures.map { $0.text(repeating: command) }).joined(separator: "\n\n")
    }

    private var summary: String {
        "\(programs) programs on \(backends.joined(separator: " and ")), \(calls) calls, of which \(errors) throw "
            + "as they should; \(failures.count) differences, in \(duration.formatted())"
    }
}
