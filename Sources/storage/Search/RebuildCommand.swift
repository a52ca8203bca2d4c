import ArgumentParser
import StorageAPI
import StorageJSON
import TerminalOutput

/// `storage rebuild`.
struct RebuildCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rebuild", abstract: "Build the indexes of searches again.",
        discussion: """
            Reads the searched texts of a model, or of all models, and builds their index again, if storage verify has found it \
            damaged or an interrupted command has left it incomplete. The store can be used meanwhile: the old index answers \
            searches until the new one is complete. After an interruption the same command continues.

            Examples:
              storage rebuild packages.db
              storage rebuild packages.db Package
            """)

    @Argument(help: StoreLocation.help)
    var store: StoreLocation

    @Argument(
        help: ArgumentHelp("The model's stored name; all models that are searched by default.", valueName: "model"),
        completion: ModelCompletion.kind)
    var model: String?

    @OptionGroup var result: ResultOptions

    @Flag(help: "Show no progress on the terminal.")
    var noProgress = false

    func run() async throws {
        let command = self
        let indexing = IndexingProgress(isWanted: !noProgress)
        try await Interruption.cancelling {
            defer { indexing.clear() }
            try await command.store.with(.writing) { store in
                for model in try await command.models(of: store) {
                    try await store.rebuildSearch(of: model) { indexing.show($0) }
                }
            }
        }
        try result.tell(
            indexing.lines.isEmpty ? "No model is searched." : indexing.lines.joined(separator: "\n"),
            ["indexed": .array(indexing.json)])
    }

    /// The models whose index is to be made.
    private func models(of store: Store) async throws -> [String] {
        guard let model else { return try await store.recordSchemas().filter(\.isSearched).map(\.name) }
        let schema = try await store.recordSchema(model)
        guard schema.isSearched else { throw try await schema.isNotSearched(in: self.store, store) }
        return [schema.name]
    }
}
