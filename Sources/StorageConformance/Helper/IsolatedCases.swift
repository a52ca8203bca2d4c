internal import Foundation

/// Runs each case in a process of its own. A crash is an outcome of its case, and the other cases still run.
///
/// ```swift
/// let isolated = IsolatedCases(HelperCommand(executable: myTool, arguments: ["conformance", "--child"]))
/// let report = await ConformanceRun(harness).results(execute: { await isolated.run($0, options) })
/// ```
public struct IsolatedCases: Sendable {
    private let command: HelperCommand

    /// - Parameter command: a program that calls ``ConformanceHelper/runCase(_:_:_:)``. It gets
    ///   `--only ID --seed NUMBER --deadline SECONDS` after its own arguments.
    public init(_ command: HelperCommand) { self.command = command }

    /// Runs one case. Never throws. Always ends: the process is killed some time after the case's own deadlines.
    public func run(_ test: ConformanceCase, _ options: ConformanceOptions) async -> ConformanceResult {
        let start = ContinuousClock.now
        let outcome = await outcome(test, options)
        return ConformanceResult(test, outcome, duration: start.duration(to: .now))
    }

    private func outcome(_ test: ConformanceCase, _ options: ConformanceOptions) async -> ConformanceOutcome {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = command.executable
        process.arguments =
            command.arguments + [
                "--only", test.id, "--seed", "\(options.seed)", "--deadline", "\(options.deadline.components.seconds)",
            ]
        process.standardOutput = pipe
        do {
            try process.run()
        } catch {
            return .harnessError("The case's process \(command.executable.path) cannot be started: \(error)")
        }
        // Making, running and destroying each have a deadline; a process that still runs after these hangs as a whole.
        let grace = options.deadline * 3 + .seconds(10)
        let output = await withDeadline(grace, on: CaseExecutor(test.id)) {
            // Read while waiting: a full pipe would block the process.
            let data = (try? pipe.fileHandleForReading.readToEnd()) ?? nil
            process.waitUntilExit()
            return CaseOutput(data ?? Data())
        }
        guard let output else {
            HelperProcess.kill(process)
            return .harnessError("The case's process has not ended after \(grace).")
        }
        return output.outcome ?? .failed(crash(process, output.operations))
    }

    private func crash(_ process: Process, _ operations: [String]) -> ConformanceFailure {
        let how = process.terminationReason == .uncaughtSignal ? "signal" : "exit code"
        var failure = ConformanceFailure(
            "The process ended in the middle of the case, by \(how) \(process.terminationStatus); "
                + "the last operation is the one that ended it.", location: "process")
        failure.operations = operations
        return failure
    }
}

/// The output of a case's process: each operation on a line, and finally the outcome as JSON.
struct CaseOutput: Sendable {
    private static let operation = "operation "
    private static let outcome = "outcome "

    private(set) var operations: [String] = []
    private(set) var outcome: ConformanceOutcome?

    init(_ data: Data) {
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
            if line.hasPrefix(Self.operation) { operations.append(String(line.dropFirst(Self.operation.count))) }
            if line.hasPrefix(Self.outcome) {
                outcome = try? JSONDecoder().decode(
                    ConformanceOutcome.self, from: Data(line.dropFirst(Self.outcome.count).utf8))
            }
        }
    }

    static func write(operation text: String) { write(operation, text) }

    static func write(_ result: ConformanceOutcome) throws {
        write(outcome, String(decoding: try JSONEncoder().encode(result), as: UTF8.self))
    }

    // Unbuffered, since the next call may end the process.
    private static func write(_ head: String, _ text: String) {
        FileHandle.standardOutput.write(Data((head + text.replacing("\n", with: " ") + "\n").utf8))
    }
}

extension ConformanceHelper {
    /// The other side of ``IsolatedCases``: runs one case and writes its operations and outcome to standard output.
    ///
    /// - Throws: errors of encoding the outcome.
    public static func runCase(
        _ test: ConformanceCase, _ harness: some ConformanceHarness, _ options: ConformanceOptions
    ) async throws {
        var options = options
        options.onOperation = { CaseOutput.write(operation: $0) }
        try CaseOutput.write(await test.run(harness, options).outcome)
    }
}
