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
            properties, owners of children and their positions. Compares the indexes of searches with the texts.

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
        let problems = count.value.withLock(\.self)
        if problems == 0, !json, !quiet { print("\(try await Self.contents(of: store)), nothing is wrong.") }
        return problems
    }

    /// The numbers of models and of search indexes, all of which were compared with their texts.
    private static func contents(of store: Store) async throws -> String {
        let tables = try await store.schema()
        let searched = tables.filter { table in
            table.columns.contains { $0.searchWeight != nil && table.binds($0) }
        }
        let indexes = Set(searched.compactMap(\.path.first)).count
        let models = tables.count(where: \.isRoot).counted("model")
        guard indexes > 0 else { return models }
        return "\(models), \(indexes) \(indexes == 1 ? "search index" : "search indexes")"
    }

    private final class Counter: Sendable {
        let value = Mutex(0)
    }

    private func tell(_ problem: StoreProblem) {
        if !quiet { print(json ? problem.json.text : problem.description.namingCommands.printable) }
    }
}

extension StoreProblem {
    fileprivate var json: JSONValue {
        .object([
            "model": model.map(JSONValue.string) ?? .null,
            "key": key.map { .array($0.map(JSONValue.init(key:))) } ?? .null,
            "property": property.map(JSONValue.string) ?? .null, "problem": .string(message.namingCommands),
        ])
    }
}
