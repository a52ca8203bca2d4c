import Foundation
import StorageConformance

/// A case in a process of its own: a crash is an outcome of the case, and the others still run.
struct IsolatedCase {
    private let test: ConformanceCase
    private let backend: BackendChoice
    private let options: ConformanceOptions

    init(_ test: ConformanceCase, _ backend: BackendChoice, _ options: ConformanceOptions) {
        self.test = test
        self.backend = backend
        self.options = options
    }

    func run() async -> ConformanceResult {
        let start = ContinuousClock.now
        let outcome = await outcome()
        return ConformanceResult(test, outcome, duration: start.duration(to: .now))
    }

    private func outcome() async -> ConformanceOutcome {
        guard let executable = CommandLine.ownExecutable else {
            return .harnessError("The system does not tell where this program is, so it cannot be started again.")
        }
        let process = Process()
        process.executableURL = executable
        process.arguments = [
            "conformance", "--child", "--backend", backend.rawValue, "--only", test.id, "--seed", "\(options.seed)",
            "--deadline", "\(options.deadline.components.seconds)",
        ]
        let pipe = Pipe()
        process.standardOutput = pipe
        // Read aside: a full pipe would stop the child. The case's own deadline ends it; a minute more ends its process.
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                do {
                    try process.run()
                    let killer = DispatchWorkItem { process.terminate() }
                    let grace = Double(options.deadline.components.seconds) * 3 + 60
                    DispatchQueue.global().asyncAfter(deadline: .now() + grace, execute: killer)
                    let data = (try? pipe.fileHandleForReading.readToEnd()) ?? nil
                    process.waitUntilExit()
                    killer.cancel()
                    continuation.resume(returning: read(ChildOutput(data ?? Data()), process))
                } catch {
                    continuation.resume(returning: .harnessError("The case's process cannot be started: \(error)"))
                }
            }
        }
    }

    private func read(_ output: ChildOutput, _ process: Process) -> ConformanceOutcome {
        if let outcome = output.outcome { return outcome }
        let how =
            process.terminationReason == .uncaughtSignal
            ? "signal \(process.terminationStatus)" : "exit code \(process.terminationStatus)"
        var failure = ConformanceFailure(
            "The process ended in the middle of the case, by \(how); the last operation is the one that ends it.",
            location: "process")
        failure.operations = output.operations
        return .failed(failure)
    }
}

/// What a case's process writes: each operation on a line, and at last the outcome as JSON.
struct ChildOutput {
    static let operation = "operation "
    static let outcome = "outcome "

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

    /// Writes a line at once, since the process may end in the next call.
    static func write(_ head: String, _ text: String) {
        FileHandle.standardOutput.write(Data((head + text.replacing("\n", with: " ") + "\n").utf8))
    }
}

extension ConformanceCommand {
    /// The other side of ``IsolatedCase``: runs one case and writes what comes of it.
    func runChild(_ options: ConformanceOptions) async throws {
        var options = options
        options.onOperation = { ChildOutput.write(ChildOutput.operation, $0) }
        for test in Conformance.v1.cases where only == [test.id] {
            let outcome = await test.run(backend.harness, options).outcome
            ChildOutput.write(ChildOutput.outcome, String(decoding: try JSONEncoder().encode(outcome), as: UTF8.self))
        }
    }
}
