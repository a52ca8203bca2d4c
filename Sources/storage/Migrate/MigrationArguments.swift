import ArgumentParser
import StorageAPI
import StorageJSON
import TerminalOutput

/// The options of the commands that change the schemas of many stores.
struct MigrationArguments: ParsableArguments {
    @Option(help: ArgumentHelp("The file with the schema that the stores get.", valueName: "file"))
    var lock: String

    @Option(help: ArgumentHelp("The number of stores to change at the same time.", valueName: "count"))
    var atOnce = 4

    @Option(help: ArgumentHelp("The number of failures after which no other store is changed.", valueName: "count"))
    var stopAfter = 10

    @Flag(help: "Change nothing; print what would be done.")
    var dryRun = false

    @Flag(help: "Show no progress on the terminal.")
    var noProgress = false

    func validate() throws {
        guard (1...64).contains(atOnce) else { throw ValidationError("--at-once is from 1 to 64.") }
        guard stopAfter >= 1 else { throw ValidationError("--stop-after is 1 at least.") }
    }

    /// Changes the stores to the schema of the lock, with progress, until the command is interrupted.
    ///
    /// - Parameter targets: finds the stores.
    /// - Returns: the numbers of stores.
    func run(
        _ targets: @escaping @Sendable () async throws -> [ManyStores.Target]
    ) async throws -> ManyStores.Result {
        let schema = try Store.SchemaLock(contentsOf: lock)
        return try await Interruption.cancelling {
            let targets = try await targets()
            let progress = ProgressLine(isWanted: !noProgress)
            defer { progress.clear() }
            return await ManyStores(targets: targets, lock: schema, isPlan: dryRun).run(
                atOnce: atOnce, stoppingAfter: stopAfter, progress)
        }
    }
}
