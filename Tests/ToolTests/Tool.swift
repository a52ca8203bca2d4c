import Foundation
import Testing

/// The tool as a process, as a person or a script runs it.
struct Tool {
    /// The results of a run.
    struct Run {
        let status: Int32
        let wasKilled: Bool
        let output: String
        let error: String
    }

    let folder: TemporaryFolder
    var environment: [String: String] = [:]

    /// Runs the tool to its end.
    func run(_ arguments: [String], input: String = "") throws -> Run {
        try run(arguments, input: Data(input.utf8))
    }

    func run(_ arguments: [String], input: Data) throws -> Run {
        let process = process(arguments)
        let names = ["in", "out", "err"].map { folder.path("\(UUID().uuidString).\($0)") }
        try input.write(to: URL(filePath: names[0]))
        for name in names.dropFirst() { try Data().write(to: URL(filePath: name)) }
        defer { for name in names { try? FileManager.default.removeItem(atPath: name) } }
        // Files and not pipes, so that nobody waits for anybody.
        process.standardInput = try FileHandle(forReadingFrom: URL(filePath: names[0]))
        process.standardOutput = try FileHandle(forWritingTo: URL(filePath: names[1]))
        process.standardError = try FileHandle(forWritingTo: URL(filePath: names[2]))
        try process.run()
        process.waitUntilExit()
        return try Run(
            status: process.terminationStatus, wasKilled: process.terminationReason == .uncaughtSignal,
            output: String(contentsOfFile: names[1], encoding: .utf8),
            error: String(contentsOfFile: names[2], encoding: .utf8))
    }

    /// Runs a line of sh in which $TOOL is the tool; its exit status.
    func shell(_ line: String) throws -> Int32 {
        let process = process(["-c", line])
        process.executableURL = URL(filePath: "/bin/sh")
        process.environment = process.environment?.merging(["TOOL": Self.executable.path]) { $1 }
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
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
    ) throws -> String {
        let run = try run(arguments, input: input)
        #expect(run.status == 0 && !run.wasKilled, "\(run.error)", sourceLocation: sourceLocation)
        #expect(
            run.error == "" || arguments.first == "import" && run.error.contains("whose properties are taken to be"),
            "\(run.error)", sourceLocation: sourceLocation)
        return run.output
    }

    /// Runs the tool and expects it to end with a status and one sentence on the error stream; that sentence.
    @discardableResult
    func failure(
        _ status: Int32, _ arguments: String..., input: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String {
        try failure(status, arguments, Data(input.utf8), sourceLocation: sourceLocation)
    }

    @discardableResult
    func failure(
        _ status: Int32, _ arguments: [String], _ input: Data, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String {
        let run = try run(arguments, input: input)
        #expect(run.status == status && !run.wasKilled, "\(run.error)", sourceLocation: sourceLocation)
        #expect(run.output == "", sourceLocation: sourceLocation)
        // What the command line's parser says has more lines, on usage.
        let lines = run.error.split(separator: "\n", omittingEmptySubsequences: false).count - 1
        let isUsage = status == 64 && run.error.hasPrefix("Error:")
        #expect(lines == 1 || isUsage, "\(run.error)", sourceLocation: sourceLocation)
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
