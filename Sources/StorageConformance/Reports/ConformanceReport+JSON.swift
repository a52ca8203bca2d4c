public import Foundation

extension ConformanceReport {
    /// The report for programs: one object, `results` with an object for each case.
    ///
    /// - Throws: errors of the encoder; none in practice.
    public func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(Document(self))
    }

    private struct Document: Encodable {
        let suite: String
        let backend: String?
        let location: String?
        let seed: UInt64
        let isPassed: Bool
        let seconds: Double
        let counts: [String: Int]
        let lacking: [String: String]
        let results: [Result]

        init(_ report: ConformanceReport) {
            suite = "\(Conformance.v1.version)"
            backend = report.backend?.name
            location = report.backend?.location
            seed = report.options.seed
            isPassed = report.isPassed
            seconds = report.duration.seconds
            counts = Dictionary(report.counts.map { ($0.outcome, $0.count) }) { $1 }
            lacking = Dictionary((report.backend?.lacking ?? [:]).map { ($0.key.rawValue, $0.value) }) { $1 }
            results = report.results.map(Result.init)
        }
    }

    private struct Result: Encodable {
        let id: String
        let clauses: [String]
        let rules: [String]
        let sentence: String
        let since: String
        let outcome: String
        let isAdvisory: Bool
        let seconds: Double
        var reason: String?
        var failure: Failure?

        init(_ result: ConformanceResult) {
            id = result.test.id
            clauses = result.test.clauses.map(\.id)
            rules = result.test.rules.map(\.id)
            sentence = result.test.sentence
            since = "\(result.test.since)"
            outcome = result.outcome.name
            isAdvisory = result.isAdvisory
            seconds = result.duration.seconds
            switch result.outcome {
            case .passed: break
            case .failed(let error): failure = Failure(error)
            case .knownFailure(let known, let error):
                reason = "\(known.reason) (\(known.link))"
                failure = Failure(error)
            case .refusedAsDeclared(let capability, let why): reason = "lacks \(capability.rawValue): \(why)"
            case .notProven(let why): reason = why
            case .harnessError(let message): reason = message
            }
        }
    }

    private struct Failure: Encodable {
        let message: String
        let location: String
        let differences: [[String: String]]
        let snippet: [String]

        init(_ failure: ConformanceFailure) {
            message = failure.message
            location = failure.location
            differences = failure.differences.map { ["path": $0.path, "expected": $0.expected, "actual": $0.actual] }
            snippet = failure.snippet
        }
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
