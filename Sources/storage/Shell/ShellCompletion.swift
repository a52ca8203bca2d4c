import ArgumentParser
import StorageAPI

/// The completions in a shell.
struct ShellCompletion: Sendable {
    /// The models of the shell's store.
    let schemas: [RecordSchema]

    /// The commands, in the order of the help.
    static var commands: [any ParsableCommand.Type] {
        StorageCommand.configuration.groupedSubcommands.flatMap(\.subcommands)
    }

    /// The words that may stand after the text of a line: a command, then an option of it, a model, or a property of the model
    /// that is named.
    func words(after text: String) -> [String] {
        let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        let commands = Self.commands.compactMap { $0.configuration.commandName }
        guard let name = words.first, name != "help" else { return commands.sorted() + ["exit", "help"] }
        guard let command = Self.commands.first(where: { $0.configuration.commandName == name }) else { return [] }
        let model = words.dropFirst().lazy.compactMap { word in schemas.first { $0.name == word } }.first
        return options(of: command) + (model.map { $0.names.sorted() } ?? schemas.map(\.name))
    }

    private func options(of command: any ParsableCommand.Type) -> [String] {
        let help = StorageCommand.helpMessage(for: command, includeHidden: false, columns: 200)
        return help.split(separator: "\n").compactMap { line in
            line.firstMatch(of: /^ +(?:-[a-z], )?(--[a-z-]+)/).map { String($0.1) }
        }
    }
}

extension RecordSchema {
    /// The names of the properties, including those of owned records.
    fileprivate var names: Set<String> {
        properties.reduce(into: []) { names, property in
            names.insert(property.name)
            switch property.kind {
            case .child(let schema), .children(let schema): names.formUnion(schema.names)
            case .column, .ancestor: break
            }
        }
    }
}
