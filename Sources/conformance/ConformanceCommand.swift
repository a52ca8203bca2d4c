import ArgumentParser
import Foundation
import StorageConformance
import TerminalOutput

/// `conformance run`, the default command.
struct ConformanceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Prove that a backend keeps the storage contract, clause by clause.",
        discussion: """
            Runs the cases of the conformance suite, and tells of each that fails what was expected, what came, and the \
            Swift that shows it.

            Exit codes: 0 the backend conforms; 1 some case failed, or none was run; 64 the options have no meaning.

            Examples:
              conformance --backend sqlite
              conformance --backend memory --format junit --output report.xml
              conformance --backend sqlite --only write/insert-existing --seed 7
              conformance --backend sqlite --generate 10000 --against memory
              conformance --backend archive --generate-queries 100000 --against memory
              conformance --backend sqlite --generate-references 10000
              conformance --list
              conformance --contract
            """)

    enum Format: String, CaseIterable, ExpressibleByArgument { case text, json, junit }

    @Option(help: "The backend to test.")
    var backend = BackendChoice.sqlite

    @Option(help: "The format of the report.")
    var format = Format.text

    @Option(
        help: ArgumentHelp("Run only this case, or those whose identifiers begin so. May be repeated.", valueName: "id")
    )
    var only: [String] = []

    @Option(help: "The seed of the order of the cases and of their random values. (default: a new one)")
    var seed: UInt64?

    @Option(help: ArgumentHelp("The time after which a case counts as hanging.", valueName: "seconds"))
    var deadline = 300

    @Option(help: ArgumentHelp("The number of cases that run at the same time.", valueName: "count"))
    var jobs = 2

    @Flag(help: "Run each case in a process of its own, so that a crash is an outcome of its case.")
    var isolate = false

    @Flag(help: "List the cases with the rules that they prove, and run none.")
    var list = false

    @Flag(help: "Print the contract, each rule with the cases that prove it, and run none.")
    var contract = false

    @Option(help: ArgumentHelp("Write the report to a file.", valueName: "path"))
    var output: String?

    @Flag(help: "Show no progress on the terminal.")
    var noProgress = false

    @OptionGroup(title: "Generated programs")
    var generated: GenerateOptions

    @Flag(help: .private)
    var child = false

    func validate() throws {
        guard deadline > 0 else { throw ValidationError("--deadline is at least 1 second.") }
        guard jobs > 0 else { throw ValidationError("--jobs is at least 1.") }
        guard !isolate || CommandLine.ownExecutable != nil else {
            throw ValidationError("--isolate: the system does not tell where this program is.")
        }
        for id in only where !Conformance.v1.cases.contains(where: { $0.id.hasPrefix(id) }) {
            throw ValidationError("--only \(id) names no case; conformance --list names them all.")
        }
    }

    func run() async throws {
        if contract { return try write(Conformance.v1.proof) }
        if list { return try write(Conformance.v1.cases.map(\.listing).joined(separator: "\n")) }
        let seed = seed ?? UInt64.random(in: 1..<1_000_000)
        if generated.isWanted { return try await generate(seed) }
        let options = ConformanceOptions(seed: seed, deadline: .seconds(deadline), parallelism: jobs)
        if child {
            for test in cases { try await ConformanceHelper.runCase(test, backend.harness, options) }
            return
        }
        let report = await report(backend.harness, options)
        try write(text(of: report))
        guard report.isPassed else { throw ExitCode(1) }
    }

    private func generate(_ seed: UInt64) async throws {
        let report = try await generated.run(
            on: backend, seed: seed, jobs: jobs, isProgressWanted: !noProgress)
        try write(report.description)
        guard report.failures.isEmpty else { throw ExitCode(1) }
    }

    private var cases: [ConformanceCase] {
        let all = Conformance.v1.cases
        if only.isEmpty { return all }
        // A complete identifier names that case only.
        return all.filter { test in
            only.contains { id in test.id == id || !all.contains { $0.id == id } && test.id.hasPrefix(id) }
        }
    }

    /// The runner that gives each case a process of its own, if that is requested.
    private var isolated: IsolatedCases? {
        guard isolate, let executable = CommandLine.ownExecutable else { return nil }
        return IsolatedCases(
            HelperCommand(
                executable: executable, arguments: ["run", "--child", "--backend", backend.rawValue]))
    }

    private func report(_ harness: some ConformanceHarness, _ options: ConformanceOptions) async -> ConformanceReport {
        let progress = ProgressLine(isWanted: !noProgress)
        let cases = cases
        let execute = isolated.map { isolated in { @Sendable in await isolated.run($0, options) } }
        let report = await ConformanceRun(harness, cases: cases, options: options).results(execute: execute) {
            result, done in
            progress.show(result.test.id.cut(to: 36).padded(to: 36), Double(done) / Double(cases.count))
        }
        progress.clear()
        return report
    }

    private func text(of report: ConformanceReport) throws -> String {
        let command = { (id: String) in
            "conformance --backend \(backend.rawValue) --only \(id) --seed \(report.options.seed)"
        }
        return switch format {
        case .text: report.text(repeating: command)
        case .json: String(decoding: try report.json(), as: UTF8.self)
        case .junit: report.junit(repeating: command)
        }
    }

    private func write(_ text: String) throws {
        guard let output else { return print(text) }
        do {
            try Data((text + "\n").utf8).write(to: URL(fileURLWithPath: output))
        } catch {
            throw ReportError(description: "The report cannot be written to \(output): \(error)")
        }
    }
}

/// The reason why a report could not be written.
private struct ReportError: Error, CustomStringConvertible {
    let description: String
}

extension ConformanceCase {
    fileprivate var listing: String { "\(id)  [\(rules.map(\.id).joined(separator: " "))]  \(sentence)" }
}
