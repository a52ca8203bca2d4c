internal import Foundation
internal import StorageAPI
internal import TerminalOutput

/// The suite as a program, of which the author of a backend writes two lines. It runs the commands that failures print, and
/// is the second process that some cases need.
///
/// ```swift
/// let arguments = Array(CommandLine.arguments.dropFirst())
/// exit(await ConformanceTool.run(Harness(), arguments))
/// ```
///
/// `--help` names the options. With the words `helper --place PLACE` before its other arguments the program is the second
/// process of a case, for ``ConformanceHarness/helper(at:)``; ``ConformanceHarness/place(named:)`` returns the place.
public struct ConformanceTool {
    private let arguments: ConformanceArguments
    private let seed: UInt64
    private let command: [String]
    private let others: [String: any ConformanceHarness]

    /// Runs the suite, generated programs or a second process as the arguments say, and prints the report.
    ///
    /// - Parameters:
    ///   - harness: makes the backend.
    ///   - arguments: the program's arguments, without its name.
    ///   - command: the words with which the program is started, for commands that it prints and processes that it starts;
    ///     the program's name by default.
    ///   - others: the backends that `--against` can name; by default the one in memory.
    /// - Returns: the exit code: 0 if the backend conforms, 1 if a case failed or none was run, 64 if the arguments have no
    ///   meaning.
    public static func run(
        _ harness: some ConformanceHarness, _ arguments: [String], as command: [String] = [programName],
        against others: [String: any ConformanceHarness] = ["memory": InMemoryHarness()]
    ) async -> Int32 {
        do {
            let arguments = try ConformanceArguments(arguments)
            let seed = arguments.seed ?? UInt64.random(in: 1..<1_000_000)
            let tool = ConformanceTool(arguments: arguments, seed: seed, command: command, others: others)
            return try await tool.run(harness) ? 0 : 1
        } catch {
            FileHandle.standardError.write(Data("\(command.first ?? ""): \(error)\n".utf8))
            return (error as? StorageError)?.code == .configuration ? 64 : 1
        }
    }

    /// The name of the running program.
    public static var programName: String {
        CommandLine.arguments.first.map { URL(fileURLWithPath: $0).lastPathComponent } ?? "conformance"
    }

    /// Returns whether nothing failed.
    private func run(_ harness: some ConformanceHarness) async throws -> Bool {
        if let helper = arguments.helper {
            try await help(harness, at: helper.place, as: helper.role)
            return true
        }
        if arguments.helps { return try write(ConformanceArguments.help) }
        if arguments.printsContract { return try write(Conformance.v1.proof) }
        if arguments.lists { return try write(arguments.cases.map(\.listing).joined(separator: "\n")) }
        if let (mixture, count) = arguments.generated { return try await generate(harness, mixture, count: count) }
        let options = arguments.options(seed)
        if arguments.isChild {
            for test in arguments.cases { try await ConformanceHelper.runCase(test, harness, options) }
            return true
        }
        let report = try await report(harness, options)
        try write(text(of: report))
        return report.isPassed
    }

    private func help<H: ConformanceHarness>(_ harness: H, at name: String, as role: [String]) async throws {
        guard let place = harness.place(named: name) else {
            throw ConformanceArguments.misuse("The harness has no place for another process; place(named:) is nil.")
        }
        try await ConformanceHelper.run(harness.backend(at: place), arguments: role)
    }

    private func report(
        _ harness: some ConformanceHarness, _ options: ConformanceOptions
    ) async throws -> ConformanceReport {
        let progress = ProgressLine(isWanted: arguments.showsProgress)
        defer { progress.clear() }
        let cases = arguments.cases
        let isolated = arguments.isIsolated ? try isolatedCases() : nil
        let execute = isolated.map { isolated in { @Sendable in await isolated.run($0, options) } }
        return await ConformanceRun(harness, cases: cases, options: options).results(execute: execute) { result, done in
            progress.show(result.test.id.cut(to: 36).padded(to: 36), Double(done) / Double(cases.count))
        }
    }

    /// The runner that gives each case a process of this program.
    private func isolatedCases() throws(StorageError) -> IsolatedCases {
        guard let executable = Bundle.main.executableURL else {
            throw ConformanceArguments.misuse("--isolate: the system does not tell where this program is.")
        }
        return IsolatedCases(HelperCommand(executable: executable, arguments: command.dropFirst() + ["--child"]))
    }

    private func generate(
        _ harness: some ConformanceHarness, _ mixture: GeneratedTests.Mixture, count: Int
    ) async throws -> Bool {
        let programs = mixture == .queries ? (count - 1) / arguments.steps + 1 : count
        var tests = GeneratedTests(programs: programs, steps: arguments.steps, seed: seed, parallelism: arguments.jobs)
        tests.mixture = mixture
        let line = ProgressLine(isWanted: arguments.showsProgress)
        defer { line.clear() }
        let against = arguments.against.map { ["--against", $0] } ?? []
        let repeating = (command + against).joined(separator: " ")
        let showsLines = arguments.showsProgress && !Terminal.isTerminal(.standardError)
        let progress: @Sendable (GeneratedProgress) -> Void = { done in
            Self.show(done, of: programs, line, repeating: repeating)
            let isPart = done.programs % max(programs / 20, 1) == 0
            if showsLines, isPart { Self.say(done.text(of: programs)) }
        }
        let report: GeneratedReport
        if let name = arguments.against {
            guard let other = others[name] else {
                throw ConformanceArguments.misuse(
                    "--against is one of \(others.keys.sorted().joined(separator: ", ")).")
            }
            report = try await compare(tests, harness, with: other, progress)
        } else {
            report = try await tests.run(harness, progress: progress)
        }
        line.clear()
        try write(report.text(repeating: repeating))
        return report.failures.isEmpty
    }

    /// Shows the progress, and at once each difference with the command that repeats it.
    private static func show(
        _ done: GeneratedProgress, of programs: Int, _ line: ProgressLine, repeating command: String
    ) {
        if let failure = done.failure {
            line.clear()
            let actual = failure.actual.prefix { !$0.isNewline }
            say("Program \(done.seed) differs: \(actual)\n  \(failure.repetition(by: command))")
        }
        line.show(done.text(of: programs), Double(done.programs) / Double(programs))
    }

    private static func say(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

    private func compare(
        _ tests: GeneratedTests, _ harness: some ConformanceHarness, with other: some ConformanceHarness,
        _ progress: @escaping @Sendable (GeneratedProgress) -> Void
    ) async throws -> GeneratedReport { try await tests.run(harness, against: other, progress: progress) }

    private func text(of report: ConformanceReport) throws -> String {
        let repeating = { (id: String) in "\(command.joined(separator: " ")) --only \(id) --seed \(seed)" }
        return switch arguments.format {
        case .text: report.text(repeating: repeating)
        case .json: String(decoding: try report.json(), as: UTF8.self)
        case .junit: report.junit(repeating: repeating)
        }
    }

    @discardableResult
    private func write(_ text: String) throws(StorageError) -> Bool {
        guard let output = arguments.output else {
            print(text)
            return true
        }
        do {
            try Data((text + "\n").utf8).write(to: URL(fileURLWithPath: output))
        } catch {
            throw StorageError(.io, "The report cannot be written to \(output).").caused(by: error)
        }
        return true
    }
}

extension ConformanceCase {
    fileprivate var listing: String { "\(id)  [\(rules.map(\.id).joined(separator: " "))]  \(sentence)" }
}

extension GeneratedProgress {
    fileprivate func text(of count: Int) -> String { "\(programs) of \(count) programs, \(calls) calls, seed \(seed)" }
}
