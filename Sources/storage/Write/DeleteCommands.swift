import ArgumentParser
import Foundation
import StorageAPI
import StorageJSON
import TerminalOutput

/// `storage delete`.
struct DeleteCommand: AsyncParsableCommand, ModelCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete records with all that they own.",
        discussion: """
            Prints how many were deleted. A missing key is not an error. If more than one record meets the condition, \
            it asks first on a terminal, and needs --yes elsewhere.

            Examples:
              storage delete people.db Person 7
              storage delete people.db Pair first second          a key of two properties
              storage delete people.db Person --where 'age > 100' --yes
            """)

    @OptionGroup var target: ModelTarget

    @Argument(help: ArgumentHelp("The key, one argument for each of its properties.", valueName: "key"))
    var key: [String] = []

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp("The condition of the records to delete.", valueName: "condition"))
    var condition: String?

    @OptionGroup var confirmation: Confirmation
    @OptionGroup var result: ResultOptions

    func validate() throws {
        if key.isEmpty == (condition == nil) {
            throw ValidationError("Give a key or --where CONDITION; storage truncate removes every record.")
        }
    }

    func run() async throws {
        let command = self
        try await Interruption.cancelling {
            try await command.store.with(.writing) { store in
                let schema = try await store.recordSchema(command.model)
                let count: Int
                if let condition = command.condition {
                    let records = store.records(command.model).where(text: condition)
                    let found = try await records.count()
                    if found > 1 { try command.confirmation.confirm("Delete", found, of: command.model) }
                    count = try await records.delete()
                } else {
                    count = try await store.records(command.model).delete(keys: [try schema.key(command.key)])
                }
                try command.result.tell("\(count.grouped) deleted.", ["deleted": .count(count)])
            }
        }
    }
}

/// `storage truncate`.
struct TruncateCommand: AsyncParsableCommand, ModelCommand {
    static let configuration = CommandConfiguration(
        commandName: "truncate",
        abstract: "Remove every record of a model, and restart assigned keys at 1.",
        discussion: """
            It asks first on a terminal, and needs --yes elsewhere.

            Example:
              storage truncate people.db Person --yes
            """)

    @OptionGroup var target: ModelTarget

    @OptionGroup var confirmation: Confirmation
    @OptionGroup var result: ResultOptions

    func run() async throws {
        let command = self
        try await Interruption.cancelling {
            try await command.store.with(.writing) { store in
                _ = try await store.recordSchema(command.model)
                let count = try await store.records(command.model).count()
                try command.confirmation.confirm("Remove", count, of: command.model)
                try await store.truncate(command.model)
                try command.result.tell("\(count.grouped) removed.", ["removed": .count(count)])
            }
        }
    }
}

/// Asks before many records go.
struct Confirmation: ParsableArguments {
    @Flag(name: [.short, .long], help: "Do not ask first; needed where there is no terminal to ask on.")
    var yes = false

    /// - Throws: if the user says no, cannot be asked, or interrupts.
    func confirm(_ action: String, _ count: Int, of model: String) throws {
        guard !yes, count > 0 else { return }
        let question = "\(action) \(count.counted("record")) of \(model.printable)?"
        guard Terminal.isTerminal(.standardInput), Terminal.isTerminal(.standardError) else {
            throw ToolError("\(question) There is no terminal to ask on; give --yes.", .usage)
        }
        Terminal.prompt("\(question) [y/N] ")
        guard let answer = try Self.answer(), ["y", "yes"].contains(answer.lowercased()) else {
            throw ToolError("Nothing was changed.", .negative)
        }
    }

    /// The typed line; nil if the input ends.
    private static func answer() throws -> String? {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        // Ctrl-C is a cancellation, which a blocking read would not hear of.
        while poll(&input, 1, 100) < 1 { try Task.checkCancellation() }
        return readLine()
    }
}
