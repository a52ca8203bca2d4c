import ArgumentParser
import StorageConformance
import TerminalOutput

/// The options of generated programs, which `conformance` runs instead of its cases.
struct GenerateOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Run so many random programs instead of the cases, each compared with a model of the contract.",
            valueName: "count"))
    var generate: Int?

    @Option(
        help: ArgumentHelp(
            "Run so many random queries instead of the cases, over random records, each compared in the same way.",
            valueName: "count"))
    var generateQueries: Int?

    @Option(
        help: ArgumentHelp(
            "Run so many random sequences of programs of several versions of a model instead of the cases.",
            valueName: "count"))
    var generateSchemas: Int?

    @Option(
        help: ArgumentHelp(
            "Run so many random programs about records that refer to each other instead of the cases.",
            valueName: "count"))
    var generateReferences: Int?

    @Option(help: ArgumentHelp("Run the programs on this backend too.", valueName: "backend"))
    var against: BackendChoice?

    @Option(help: ArgumentHelp("The approximate number of calls, or queries, of a program.", valueName: "count"))
    var steps = 50

    func validate() throws {
        guard generate ?? 1 > 0 else { throw ValidationError("--generate is at least 1.") }
        guard generateQueries ?? 1 > 0 else { throw ValidationError("--generate-queries is at least 1.") }
        guard generateSchemas ?? 1 > 0 else { throw ValidationError("--generate-schemas is at least 1.") }
        guard generateReferences ?? 1 > 0 else { throw ValidationError("--generate-references is at least 1.") }
        guard [generate, generateQueries, generateSchemas, generateReferences].compactMap(\.self).count < 2 else {
            throw ValidationError(
                "--generate, --generate-queries, --generate-schemas and --generate-references are runs of their own.")
        }
        guard steps > 0 else { throw ValidationError("--steps is at least 1.") }
        guard isWanted || against == nil else {
            throw ValidationError("--against goes with --generate and the options that begin with it.")
        }
    }
}

extension GenerateOptions {
    /// True if programs run instead of the cases.
    var isWanted: Bool {
        generate != nil || generateQueries != nil || generateSchemas != nil || generateReferences != nil
    }

    /// Runs the programs on a backend.
    func run(
        on backend: BackendChoice, seed: UInt64, jobs: Int, isProgressWanted: Bool
    ) async throws -> GeneratedReport {
        let programs = generate ?? generateSchemas ?? generateReferences ?? ((generateQueries ?? 1) - 1) / steps + 1
        var tests = GeneratedTests(programs: programs, steps: steps, seed: seed, parallelism: jobs)
        if generateQueries != nil { tests.mixture = .queries }
        if generateSchemas != nil { tests.mixture = .schemas }
        if generateReferences != nil { tests.mixture = .references }
        let line = ProgressLine(isWanted: isProgressWanted)
        defer { line.clear() }
        let progress: @Sendable (Int) -> Void = { line.show("programs", Double($0) / Double(programs)) }
        guard let against else { return try await Self.run(tests, backend.harness, progress) }
        return try await Self.run(tests, backend.harness, against: against.harness, progress)
    }

    private static func run(
        _ tests: GeneratedTests, _ harness: some ConformanceHarness, _ progress: @escaping @Sendable (Int) -> Void
    ) async throws -> GeneratedReport { try await tests.run(harness, progress: progress) }

    private static func run(
        _ tests: GeneratedTests, _ harness: some ConformanceHarness, against other: some ConformanceHarness,
        _ progress: @escaping @Sendable (Int) -> Void
    ) async throws -> GeneratedReport { try await tests.run(harness, against: other, progress: progress) }
}
