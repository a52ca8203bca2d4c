import Foundation
import TestSupport
import Testing

/// The tool as a process, as a person or a script runs it.
struct Tool {
    typealias Run = ProcessResult

    let folder: TemporaryFolder
    var environment: [String: String] = [:]

    /// Runs the tool to its end.
    func run(_ arguments: [String], input: String = "") async throws -> Run {
        try await run(arguments, input: Data(input.utf8))
    }

    func run(_ arguments: [String], input: Data) async throws -> Run {
        try await process(arguments).result(of: input)
    }

    /// Runs a line of sh in which $TOOL is the tool.
    func shell(_ line: String) async throws -> Run {
        let process = process(["-c", line])
        process.executableURL = URL(filePath: "/bin/sh")
        process.environment = process.environment?.merging(["TOOL": Self.executable.path]) { $1 }
        return try await process.result()
    }

    /// The tool, not yet started, for tests that talk to it while it runs.
    func process(_ arguments: [String]) -> Process {
        // In the background of a script, tests ignore interrupts, and so would all that they start.
        signal(SIGINT, SIG_DFL)
        let process = Process()
        process.executableURL = Self.executable
        process.arguments = arguments
        process.currentDirectoryURL = folder.url
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        return process
    }

    /// Runs the tool and expects success; what it prints. An import may tell on the error stream what the types of a new model
    /// are.
    @discardableResult
    func output(
        _ arguments: String..., input: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let run = try await run(arguments, input: input)
        expect(run.status == 0 && !run.wasKilled, "\(run.error)", sourceLocation: sourceLocation)
        expect(
            run.error == "" || arguments.first == "import" && run.error.contains("whose properties are taken to be"),
            "\(run.error)", sourceLocation: sourceLocation)
        return run.output
    }

    /// Returns the output of each of several commands for a store, without the store's name. One shell runs them, because
    /// most of what a command takes is the start of its process.
    func outputs(
        of commands: [[String]], on store: String = Tool.file, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [String] {
        let lines = commands.map { words in
            words.map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
        }
        // The version stands after each command's output.
        let input = lines.map { $0 + "\n--version\n" }.joined()
        let text = try await output("shell", store, input: input, sourceLocation: sourceLocation)
        let version = text.split(separator: "\n").last ?? ""
        let outputs = text.components(separatedBy: "\(version)\n").dropLast()
        return try #require(outputs.count == commands.count ? Array(outputs) : nil, sourceLocation: sourceLocation)
    }

    /// Runs the tool and expects it to end with a status and one sentence on the error stream; that sentence.
    @discardableResult
    func failure(
        _ status: Int32, _ arguments: String..., input: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        try await failure(status, arguments, input: Data(input.utf8), sourceLocation: sourceLocation)
    }

    @discardableResult
    func failure(
        _ status: Int32, _ arguments: [String], input: Data = Data(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let run = try await run(arguments, input: input)
        return expectFailure(status, run, sourceLocation: sourceLocation)
    }

    /// Expects a failure within a body that cannot suspend, such as a transaction's; its sentence.
    func blockingFailure(
        _ status: Int32, _ arguments: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String {
        expectFailure(status, try process(arguments).blockingResult(), sourceLocation: sourceLocation)
    }

    private func expectFailure(_ status: Int32, _ run: Run, sourceLocation: SourceLocation) -> String {
        expect(run.status == status && !run.wasKilled, "\(run.error)", sourceLocation: sourceLocation)
        expect(run.output, equals: "", sourceLocation: sourceLocation)
        // What the command line's parser says has more lines, on usage.
        let lines = run.error.split(separator: "\n", omittingEmptySubsequences: false).count - 1
        let isUsage = status == 64 && run.error.hasPrefix("Error:")
        expect(lines == 1 || isUsage, "\(run.error)", sourceLocation: sourceLocation)
        return run.error
    }

    /// The tool, which is built beside the tests.
    private static let executable: URL = {
        let bundles =
            Bundle.allBundles.map(\.bundleURL) + [Bundle.main.bundleURL, Bundle.main.executableURL].compactMap(\.self)
        let folders = bundles.flatMap { [$0, $0.deletingLastPathComponent()] }
        let places = folders.map { $0.appending(path: "storage") }
        return places.first { FileManager.default.isExecutableFile(atPath: $0.path) } ?? URL(filePath: "storage")
    }()
}

/// A folder of its own that goes with the value.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "tool-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path }

    /// Every file with its bytes.
    var contents: [String: Data] {
        get throws {
            let names = try FileManager.default.contentsOfDirectory(atPath: url.path)
            return try Dictionary(
                uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: url.appending(path: $0))) })
        }
    }
}

/// The data that comes with the project.
enum Sample {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Examples/Data")

    /// A database that other software has made.
    static let chinook = folder.appending(path: "chinook/Chinook_Sqlite.sqlite").path
}
