extension GeneratedTests {
    /// A program that once found something, kept so that it is run before any other.
    public struct FailedProgram: Sendable {
        /// The seed that makes the program.
        public let seed: UInt64
        /// The number of steps with which it was made.
        public let steps: Int
        /// The mixture of steps.
        public var mixture = GeneratedTests.Mixture.everything
        /// The difference that it found, in one sentence.
        public let finding: String
    }

    /// The programs that once failed. What a seed makes changes with the generator: a finding that matters also has a
    /// case of its own.
    public static let failedPrograms = [
        FailedProgram(
            seed: 13, steps: 50,
            finding: "An array's error was that of an element which cannot be written, not of an earlier missing one."),
        FailedProgram(
            seed: 16, steps: 50,
            finding: "A constraint that a partial update met named no key, and then on SQLite the first key."),
        FailedProgram(
            seed: 99, steps: 50, mixture: .queries,
            finding: "A query that computes looked at no row on SQLite where its limit was 0, and so did not fail."),
        FailedProgram(
            seed: 1103, steps: 50, mixture: .queries,
            finding:
                "The least key of rows that a computation chooses was on SQLite that of the first row, looked at alone."
        ),
        FailedProgram(
            seed: 1110, steps: 50, mixture: .queries,
            finding:
                "Distinct values with a limit were on SQLite read in an index's order, and no row after the limit."),
    ]

    /// Runs the programs that once failed, on two backends.
    ///
    /// - Throws: what the harness throws, and what opening, emptying or closing a store throws.
    public static func replayingFailures(
        on harness: some ConformanceHarness, against other: some ConformanceHarness
    ) async throws -> GeneratedReport {
        var report = GeneratedReport()
        for failed in failedPrograms {
            var tests = GeneratedTests(programs: 1, steps: failed.steps, seed: failed.seed, parallelism: 1)
            tests.mixture = failed.mixture
            report.add(try await tests.run(harness, against: other))
        }
        return report
    }
}
