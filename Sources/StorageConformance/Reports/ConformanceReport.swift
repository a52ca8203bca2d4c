public import StorageAPI

/// The results of a run.
public struct ConformanceReport: Sendable {
    /// The results, sorted by identifier.
    public let results: [ConformanceResult]
    /// The backend's description of itself; nil if it could not be opened.
    public let backend: BackendInfo?
    /// The options of the run.
    public let options: ConformanceOptions
    /// The duration of the run.
    public let duration: Duration

    /// A Boolean value that indicates whether the backend conforms: at least one case ran, and no case failed that is
    /// not advisory.
    public var isPassed: Bool { !results.isEmpty && !results.contains { $0.fails } }

    /// The number of results with each outcome, in a fixed order.
    public var counts: [(outcome: String, count: Int)] {
        ["passed", "refused as declared", "not proven", "known failure", "failed", "harness error"].map { name in
            (name, results.count { $0.outcome.name == name })
        }
    }
}

extension ConformanceReport {
    /// The report for people: each case that did not pass, with its explanation, and the counts.
    ///
    /// - Parameter command: returns the command that repeats the case with an identifier.
    public func text(repeating command: (String) -> String) -> String {
        var lines: [String] = []
        for result in results {
            switch result.outcome {
            case .passed: break
            case .refusedAsDeclared(let capability, let reason):
                lines.append("refused as declared  \(result.test.id): lacks \(capability.rawValue). \(reason)")
            case .notProven(let reason): lines.append("not proven  \(result.test.id): \(reason)")
            case .harnessError(let message):
                lines += [
                    "", "HARNESS ERROR  \(result.test.id)", "  \(message)", "  repeat: \(command(result.test.id))",
                ]
            case .knownFailure(let known, _):
                lines.append("known failure  \(result.test.id): \(known.reason) (\(known.link))")
            case .failed(let failure):
                lines += [
                    "",
                    failure.text(
                        of: result, backend: backend?.name, seed: options.seed, repeating: command(result.test.id)),
                ]
            }
        }
        return (lines + ["", summary]).joined(separator: "\n")
    }

    /// One line: the verdict, the counts, the backend, the versions and the time.
    public var summary: String {
        let counted = counts.filter { $0.count > 0 }.map { "\($0.count) \($0.outcome)" }.joined(separator: ", ")
        let name = backend.map { "\($0.name)" } ?? "a backend that does not open"
        let verdict = isPassed ? "CONFORMS" : "DOES NOT CONFORM"
        let counts =
            results.isEmpty
            ? "no case was run, which is a failure"
            : "\(results.count) case\(results.count == 1 ? "" : "s"): \(counted)"
        return "\(verdict): \(name), suite \(Conformance.v1.version), seed \(options.seed). \(counts)."
    }
}

extension ConformanceResult {
    /// Returns the reason why the case failed, with its explanation; nil if the outcome is accepted.
    public func explanation(_ options: ConformanceOptions) -> String? {
        switch outcome {
        case .passed, .refusedAsDeclared, .notProven, .knownFailure: nil
        case .harnessError(let message): "HARNESS ERROR  \(test.id)\n  \(message)"
        case .failed(let failure):
            failure.text(
                of: self, backend: nil, seed: options.seed,
                repeating: "--only \(test.id) --seed \(options.seed), with a program that runs ConformanceTool")
        }
    }
}

extension ConformanceFailure {
    /// The failure with its explanation.
    func text(of result: ConformanceResult, backend: String?, seed: UInt64, repeating command: String) -> String {
        let title = result.isAdvisory ? "FAILED (advisory)" : "FAILED"
        var lines = ["\(title)  \(result.test.id)", "  \(result.test.sentence)"]
        for rule in result.test.rules { lines.append("  rule \(rule.id): \(rule.text)") }
        lines.append("  \(message)")
        for difference in differences {
            let place = difference.path.isEmpty ? "value" : difference.path
            lines += ["    \(place)", "      expected \(difference.expected)", "      actual   \(difference.actual)"]
        }
        if !operations.isEmpty { lines += ["  as Swift:", ""] + snippet.map { "    " + $0 } + [""] }
        let engine = backend.map { "backend \($0), " } ?? ""
        lines += [
            "  at \(location), \(engine)suite \(Conformance.v1.version), seed \(seed)",
            "  repeat: \(command)",
        ]
        return lines.joined(separator: "\n")
    }

    /// The operations with what they need, ready to be pasted.
    public var snippet: [String] {
        let lines = declarations.joined(separator: "\n").split(separator: "\n").map(String.init)
        let needsValues = declarations.contains { text in ["Kind", "Level", "Payload"].contains { text.contains($0) } }
        let values = needsValues ? valueDeclarations.split(separator: "\n").map(String.init) : []
        return ["import Foundation", "import StorageKit"] + values + lines + operations
    }
}
