import ArgumentParser
import StorageAPI
import StorageJSON
import Synchronization
import TerminalOutput

/// `storage verify`.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Read everything in a store and report its problems.",
        discussion: """
            Checks checksums and structure, if the backend has them, and every row: types, text, keys, unique \
            properties, owners of children and their positions.

            Examples:
              storage verify people.karch
              storage verify sqlite:people.db --json

            Exit codes: 0 no problem; 1 a problem was found.
            """)

    @Argument(help: StoreLocation.help)
    var store: StoreLocation

    @Flag(help: "Print a JSON object for each problem, one on each line.")
    var json = false

    @Flag(help: "Print nothing; only set the exit code.")
    var quiet = false

    @Flag(help: "Show no progress on the terminal.")
    var noProgress = false

    func run() async throws {
        let progress = ProgressLine(isWanted: !noProgress)
        let problems = try await Interruption.cancelling { try await verify(progress) }
        if problems > 0 { throw ExitCode(ToolExit.negative.rawValue) }
    }

    private func verify(_ progress: ProgressLine) async throws -> Int {
        do {
            return try await store.with(.reading) { try await verify($0, progress) }
        } catch let error as StorageError where error.code == .corrupt {
            // What keeps a store from being opened is the problem that was looked for.
            tell(StoreProblem(error))
            return 1
        }
    }

    private func verify(_ store: Store, _ progress: ProgressLine) async throws -> Int {
        let count = Counter()
        try await progress.during("Verifying \(self.store.shown)") {
            try await store.verify { problem in
                count.value.withLock { $0 += 1 }
                tell(problem)
            }
        }
        let models = try await store.schema().count(where: \.isRoot)
        let problems = count.value.withLock(\.self)
        if problems == 0, !json, !quiet { print("\(models.counted("model")), nothing is wrong.") }
        return problems
    }

    private final class Counter: Sendable {
        let value = Mutex(0)
    }

    private func tell(_ problem: StoreProblem) {
        if !quiet { print(json ? problem.json.text : problem.description.printable) }
    }
}

extension StoreProblem {
    fileprivate var json: JSONValue {
        .object([
            "model": model.map(JSONValue.string) ?? .null,
            "key": key.map { .array($0.map(JSONValue.init(key:))) } ?? .null,
            "property": property.map(JSONValue.string) ?? .null, "problem": .string(message),
        ])
    }
}
