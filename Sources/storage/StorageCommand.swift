import ArgumentParser

/// The tool; each subcommand is a folder of its own.
@main
struct StorageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storage",
        abstract: "Stores Swift structs in exchangeable databases, and shows how.",
        discussion: """
            Examples:
              storage demo                    the sample data in a new SQLite database
              storage conformance             the proof that SQLite keeps the storage contract
              storage help demo               what the demo can be told
            """,
        subcommands: [
            ImportCommand.self, CopyCommand.self, DiffCommand.self, VerifyCommand.self, CompactCommand.self,
            BackupCommand.self,
            DemoCommand.self, ConformanceCommand.self, ConformanceHelperCommand.self,
        ])
}
