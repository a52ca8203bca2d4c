import ArgumentParser
import StorageAPI
import StorageDriver
import TerminalOutput

#if PostgreSQL
import PostgreSQLBackend
#endif

/// `storage migrate`.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Change the schemas of many stores to that of a lock, one store after the other.",
        discussion: """
            The lock is the file that storage schema --lock writes, from a store or a test of the new program. Each store \
            is changed in a transaction of its own, as opening it with the program would. A run that is interrupted or killed \
            leaves each store as it was or as it will be, and the same command goes on. A lock has no defaults: a property that \
            stored records lack must be optional there, or be added by the program.

            Indexes of large tables of a server are made beside writers, after the change; the command waits for them.

            Name files of stores, or a PostgreSQL database with --schemas: * stands for any characters, ? for one.

            Examples:
              storage migrate tenants/*.db --lock Schema.lock
              storage migrate 'postgresql://app@db.example.com/people' --schemas 't_*' --lock Schema.lock --dry-run

            Exit codes: 0 all are as the lock says; 1 some could not be changed.
            """)

    @Argument(help: StoreLocation.help)
    var stores: [StoreLocation]

    @OptionGroup var migration: MigrationArguments

    @Option(help: ArgumentHelp("A pattern for the schemas to change, like t_*.", valueName: "pattern"))
    var schemas: String?

    func validate() throws {
        guard schemas == nil || stores.count == 1 else {
            throw ValidationError("--schemas is for one database; name one URL.")
        }
    }

    func run() async throws {
        try await migration.run { try targets() }.tell(isPlan: migration.dryRun)
    }

    // MARK: Stores

    private func targets() throws -> [ManyStores.Target] {
        guard let schemas else {
            return stores.map { store in
                ManyStores.Target(name: store.shown) {
                    try await store.open(.writing, indexBuilding: showing(store.shown))
                }
            }
        }
        #if PostgreSQL
        let url = try StorageURL(stores[0].text)
        guard url.scheme == PostgreSQLBackend.scheme else { throw Self.needsDatabase }
        let database = try PostgreSQLBackend(url: url).sharingConnections()
        let names = try database.schemas(matching: schemas)
        guard !names.isEmpty else {
            throw ToolError("No schema that is a store has a name like \(schemas).", .noInput)
        }
        return names.map { name in
            ManyStores.Target(name: name) {
                var backend = database
                backend.schema = name
                return try await Store(backend, models: [], options: Store.Options(indexBuilding: showing(name)))
            }
        }
        #else
        throw Self.needsDatabase
        #endif
    }

    /// Shows the progress of indexes that a server makes beside writers.
    private func showing(_ store: String) -> @Sendable (IndexProgress) -> Void {
        let line = ProgressLine(isWanted: !migration.noProgress)
        return { index in
            let fraction = Double(index.done) / Double(max(index.total, 1))
            line.show("\(store): index of \(index.model).\(index.property), \(index.step)", fraction)
        }
    }

    private static let needsDatabase = ToolError(
        "--schemas is for a PostgreSQL database; name files one by one.", .usage)
}
