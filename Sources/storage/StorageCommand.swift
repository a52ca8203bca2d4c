import ArgumentParser
import Foundation
import StorageDriver

/// The version of the package, which the changelog has first.
enum ToolVersion {
    static let current = "0.1.0"
}

/// The tool; each subcommand is a separate folder.
@main
struct StorageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storage",
        abstract: "Read, change, move and check stores of Swift structs, without their types.",
        discussion: """
            Name a store by a URL (sqlite:people.db, archive:people.karch?readonly=true) or by its file's path.

            Examples:
              storage info people.db
              storage select people.db Person --where 'age >= 28' --order 'name' --limit 10
              storage get people.db Person 1
              storage help select             the options of a command

            \(ToolExit.help)
            """,
        version: ToolVersion.current,
        subcommands: [],
        groupedSubcommands: [
            CommandGroup(
                name: "Looking",
                subcommands: [
                    InfoCommand.self, SchemaCommand.self, DescribeCommand.self, SelectCommand.self, SearchCommand.self,
                    CountCommand.self, GetCommand.self, WatchCommand.self, ViewCommand.self, HistoryCommand.self,
                    LogCommand.self,
                    ExportCommand.self, BrowseCommand.self,
                    ShellCommand.self,
                ]),
            CommandGroup(
                name: "Changing",
                subcommands: [
                    InsertCommand.self, SaveCommand.self, UpdateCommand.self, DeleteCommand.self, TruncateCommand.self,
                    ExpireCommand.self, AlterCommand.self, UndoCommand.self,
                ]),
            CommandGroup(
                name: "Moving and checking",
                subcommands: [
                    ImportCommand.self, CopyCommand.self, SyncCommand.self, DiffCommand.self, VerifyCommand.self,
                    RebuildCommand.self, DoctorCommand.self, MigrateCommand.self, TenantsCommand.self,
                    CompactCommand.self, BackupCommand.self, RestoreCommand.self,
                ]),
        ])

    static func main() async {
        Output.keepDescriptors()
        // A reader that has gone away is an error of the write, after which stores are closed as they should be.
        signal(SIGPIPE, SIG_IGN)
        do {
            try await perform(Array(CommandLine.arguments.dropFirst()))
        } catch {
            ToolExit.exit(error)
        }
    }

    /// Runs a command line, without the tool's name.
    ///
    /// - Throws: also if the output cannot be written.
    static func perform(_ words: [String]) async throws {
        try checkName(words.first)
        var command = try parseAsRoot(words)
        do {
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            // An answer that is no has to be readable too.
            try Output.flushPrinted()
            throw error
        }
        try Output.flushPrinted()
    }

    /// - Throws: if a word in a command's place is none.
    private static func checkName(_ word: String?) throws {
        let names = ShellCompletion.commands.compactMap { $0.configuration.commandName }
        guard let word, !word.hasPrefix("-"), word != "help", !names.contains(word) else { return }
        throw ToolError(
            "There is no command \(word)\(SpellingSuggestion.hint(word, among: names)); help lists them.", .usage)
    }
}
