import ArgumentParser
import Foundation
import StorageAPI
import TerminalOutput

/// `storage shell`.
struct ShellCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shell", abstract: "Read commands for one store, a line each.",
        discussion: """
            A line is a command of this tool without storage and without the store: select Person --where 'age > 28'. \
            Words are quoted as in a shell. Each line opens the store as its command does, so nothing is locked between \
            two lines. exit, or the end of the input, ends it.

            On a terminal a command that fails is told, and the next one is asked for. Elsewhere the first one that fails \
            ends the shell with its exit status.

            rlwrap adds a history and completes the words of --words.

            Examples:
              storage shell people.db
              storage shell people.db --words > words; rlwrap -f words storage shell people.db
              printf 'count Person\\ncount Pen\\n' | storage shell people.db
            """)

    @Argument(help: StoreLocation.help)
    var store: StoreLocation

    @Flag(help: "Print the names of commands, models and properties, a line each, and end.")
    var words = false

    func run() async throws {
        if words { return try await printWords() }
        // A store that is not there is told before the first line.
        try await store.with(.reading) { _ in }
        let isTerminal = Terminal.isTerminal(.standardInput)
        while let line = Self.line(asked: isTerminal) {
            do {
                let words = try ShellWords.split(line)
                guard let name = words.first else { continue }
                if ["exit", "quit"].contains(name) { return }
                try await run(name, Array(words.dropFirst()))
            } catch {
                guard isTerminal, !(error is ReaderGone) else { throw error }
                ToolExit.tell(error)
            }
        }
        if isTerminal { print("") }
    }

    private func run(_ name: String, _ words: [String]) async throws {
        // A shell inside of a shell would read its lines.
        guard name != Self.configuration.commandName else { throw ToolError("This is the shell already.", .usage) }
        let isHelp = name == "help" || name.hasPrefix("-")
        var command = try StorageCommand.parseAsRoot([name] + (isHelp ? [] : [store.text]) + words)
        if var command = command as? any AsyncParsableCommand {
            try await command.run()
        } else {
            try command.run()
        }
    }

    private static func line(asked isAsked: Bool) -> String? {
        if isAsked { try? FileHandle.standardError.write(contentsOf: Data("storage> ".utf8)) }
        // What was printed stands before the next prompt.
        fflush(nil)
        return readLine()
    }

    private func printWords() async throws {
        let commands = StorageCommand.configuration.groupedSubcommands.flatMap(\.subcommands)
        var names = commands.compactMap { $0.configuration.commandName } + ["exit"]
        for schema in try await store.with(.reading, { try await $0.recordSchemas() }) { schema.add(to: &names) }
        var seen: Set<String> = []
        for name in names where seen.insert(name).inserted { print(name.printable) }
    }
}

extension RecordSchema {
    /// Adds the names of the model, of its properties and of those that it owns.
    fileprivate func add(to names: inout [String]) {
        names.append(name)
        for property in properties {
            names.append(property.name)
            switch property.kind {
            case .child(let schema), .children(let schema): schema.add(to: &names)
            case .column, .ancestor: break
            }
        }
    }
}
