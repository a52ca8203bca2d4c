import ArgumentParser
import Foundation
import StorageAPI
import Synchronization
import TerminalOutput

/// `storage shell`.
struct ShellCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shell", abstract: "Read commands for one store, a line each.",
        discussion: """
            A line is a command of this tool without storage and without the store: select Person --where 'age > 28'. \
            Words are quoted as in a shell. Each line opens the store as its command does, so nothing is locked between \
            two lines. exit, or the end of the input, ends it.

            On a terminal the shell reports a command that fails, and reads the next one. Elsewhere the first failure ends \
            the shell with that command's exit status.

            On a terminal lines are edited, where the system has libedit: the arrow keys find earlier lines, which \
            ~/.storage_history keeps, or the file that STORAGE_HISTORY names (none if it is empty). Tab completes \
            commands, their options, models and properties.

            Examples:
              storage shell people.db
              printf 'count Person\\ncount Pen\\n' | storage shell people.db
            """)

    @Argument(help: StoreLocation.help)
    var store: StoreLocation

    private static let prompt = "storage> "

    func run() async throws {
        // A missing store is reported before the first line.
        let completion = Mutex(ShellCompletion(schemas: try await schemas()))
        let isTerminal = Terminal.isTerminal(.standardInput)
        var history = isTerminal ? LineHistory() : nil
        let editor = LineEditor(history: history?.lines ?? []) { text in
            completion.withLock { $0 }.words(after: text)
        }
        while let line = Self.line(editor, isAsked: isTerminal) {
            // Tab adds a space after a completion.
            let kept = line.trimmingCharacters(in: .whitespaces)
            if let editor, history?.add(kept) ?? true { editor.remember(kept) }
            do {
                let words = try ShellWords.split(line)
                guard let name = words.first else { continue }
                if ["exit", "quit"].contains(name) { return }
                try await run(name, Array(words.dropFirst()))
                if editor != nil, ["alter", "import"].contains(name) {
                    let schemas = try await schemas()
                    completion.withLock { $0 = ShellCompletion(schemas: schemas) }
                }
            } catch {
                // Help that was asked for is no failure.
                guard isTerminal && !(error is ReaderGone) || ToolExit.isHelp(error) else { throw error }
                ToolExit.tell(error)
            }
        }
        // The next output must not follow the prompt.
        if isTerminal { Terminal.prompt("\n") }
    }

    private func schemas() async throws -> [RecordSchema] {
        try await store.with(.reading) { try await $0.recordSchemas() }
    }

    private func run(_ name: String, _ words: [String]) async throws {
        // A shell inside of a shell would read its lines.
        guard name != Self.configuration.commandName else { throw ToolError("This is the shell already.", .usage) }
        let isHelp = name == "help" || name.hasPrefix("-")
        try await StorageCommand.perform([name] + (isHelp ? [] : [store.text]) + words)
    }

    private static func line(_ editor: LineEditor?, isAsked: Bool) -> String? {
        // What was printed stands before the next prompt.
        fflush(nil)
        if let editor { return editor.line(asked: prompt) }
        if isAsked { Terminal.prompt(prompt) }
        return readLine()
    }
}
