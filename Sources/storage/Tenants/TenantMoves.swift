import ArgumentParser
import StorageAPI
import StorageDriver
import StorageTenants
import TerminalOutput

/// `storage tenants move`.
struct TenantMoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Move the stores of tenants to another server, while programs write to them.",
        discussion: """
            A store is copied with its history and search while programs use it. Then it is closed to writers for a moment, the rest is \
            copied, digests are compared, and the directory names the new place. A move that ends early leaves one \
            place in charge; the same command goes on with it, and --cancel gives it up.

            A store in an archive is moved by the program that has it open, or while no program has.

            Exit codes: 0 all are moved; 1 some are not.
            """)

    @OptionGroup var directory: DirectoryArgument

    @Argument(help: "The names of the tenants.")
    var tenants: [String]

    @Option(help: ArgumentHelp("The server to which they move.", valueName: "server"))
    var to: String?

    @Flag(help: "Give moves up, and let the old places take writes again.")
    var cancel = false

    @Flag(help: "Print each step.")
    var steps = false

    @Flag(help: "Show no progress on the terminal.")
    var noProgress = false

    func validate() throws {
        guard !tenants.isEmpty else { throw ValidationError("Name one tenant at least.") }
        guard (to != nil) != cancel else {
            throw ValidationError("Name a server by --to, or give the moves up by --cancel.")
        }
    }

    func run() async throws {
        let failed = try await Interruption.cancelling {
            try await directory.with { directory in
                let stores = DirectoryArgument.tenants(directory)
                let failed = await move(stores)
                await stores.close()
                return failed
            }
        }
        print("\((tenants.count - failed).counted("tenant")) \(cancel ? "stay" : "moved"), \(failed) failed.")
        if failed > 0 { throw ExitCode(ToolExit.negative.rawValue) }
    }

    private func move(_ stores: Tenants) async -> Int {
        let progress = ProgressLine(isWanted: !noProgress)
        defer { progress.clear() }
        var failed = 0
        for (number, tenant) in tenants.enumerated() {
            do {
                // A move that was interrupted goes on when the command runs again.
                try Task.checkCancellation()
                guard let to else {
                    try await stores.cancelMove(of: tenant)
                    continue
                }
                let entry = try await stores.move(tenant, to: to) { step in
                    try Task.checkCancellation()
                    if steps, step.step != .copying {
                        progress.clear()
                        print("\(tenant): \(step.step.rawValue), \(step.rows.counted("row"))")
                    }
                    progress.show(
                        "\(tenant): \(step.step.rawValue), \(step.rows.grouped) rows",
                        Double(number) / Double(tenants.count))
                }
                progress.clear()
                print("\(tenant): \(entry.server ?? entry.address.printable)")
            } catch {
                failed += 1
                progress.clear()
                let reason =
                    (error as? StorageError)?.message ?? "\(error is CancellationError ? "interrupted" : "\(error)")"
                print("\(tenant): \(reason)".printable)
            }
        }
        return failed
    }
}

/// `storage tenants migrate`.
struct TenantMigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Change the schemas of all tenants' stores to that of a lock.",
        discussion: """
            As storage migrate does for files and schemas that are named, on all servers of the directory. A store that fails is named, \
            and the others are changed; the same command goes on.

            Exit codes: 0 all are as the lock says; 1 some could not be changed.
            """)

    @OptionGroup var directory: DirectoryArgument

    @OptionGroup var migration: MigrationArguments

    func run() async throws {
        let open = DirectoryArgument.opening()
        let result = try await directory.with { directory in
            try await migration.run {
                try await directory.tenants().map { entry in
                    ManyStores.Target(name: entry.tenant) { try await Store(open(entry), models: []) }
                }
            }
        }
        try result.tell(isPlan: migration.dryRun)
    }
}
