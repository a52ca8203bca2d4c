import ArgumentParser
import StorageAPI
import StorageDriver
import StorageJSON
import StorageSearch
import TerminalOutput

/// `storage search`.
struct SearchCommand: AsyncParsableCommand, ModelCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Print the records that have the words of a search, the best first.",
        discussion: """
            Searches the texts that the model declares searched, by the index that the store keeps of them; storage alter \
            --searchable declares them. Prints the key of each record and the parts of its texts that have the words.

            A search is words, which a record has anywhere, "words next to each other", beginnings (data*), words that no \
            record may have (-toy), alternatives (cat OR dog) and words of one property (title:guide). Put one with quotation marks, \
            stars or spaces into the quotes of your shell.

            Examples:
              storage search packages.db Package storage engine
              storage search packages.db Package '"storage engine" data* -toy' --limit 5
              storage search packages.db Package stor --typing --columns section
              storage search packages.db Package engine --where 'section == "database"' --count
            """)

    /// The number of records that are printed unless another is asked for.
    private static let defaultLimit = 10

    @OptionGroup var target: ModelTarget

    @Argument(parsing: .allUnrecognized, help: ArgumentHelp("The words of the search.", valueName: "words"))
    var words: [String] = []

    @Option(
        name: .customLong("where"), parsing: .unconditional,
        help: ArgumentHelp("Another condition on the records, as in 'age >= 28'.", valueName: "condition"))
    var condition: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The most records to print. (default: \(defaultLimit))", valueName: "count"))
    var limit: Int?

    @Option(parsing: .unconditional, help: ArgumentHelp("The number of records to skip first.", valueName: "count"))
    var offset: Int?

    @Option(
        help: ArgumentHelp(
            "Additional properties, joined by commas; with --json, the properties of the record (default: all).",
            valueName: "properties"))
    var columns: String?

    @Flag(help: "The last word matches every word that begins with it.")
    var typing = false

    @Flag(help: "Print the number of records that the search finds.")
    var count = false

    @Flag(help: "Print JSON: of each record its relevance, the excerpts with the places of the words, and the record.")
    var json = false

    func validate() throws {
        // A word of one dash excludes what follows it.
        if let option = words.first(where: { $0.hasPrefix("--") }) {
            throw ValidationError("Unknown option '\(option)'.")
        }
        if count, limit != nil || offset != nil || columns != nil {
            throw ValidationError(
                "--count is of all records that are found; leave --limit, --offset and --columns out.")
        }
    }

    /// The words as one text.
    private var text: String { words.joined(separator: " ") }

    func run() async throws {
        try await store.with(.reading) { store in
            let schema = try await store.recordSchema(model)
            let texts = SearchedTexts(schema)
            guard !texts.isEmpty else { throw try await schema.isNotSearched(in: self.store, store) }
            let columns = try self.columns.map { try schema.properties(named: $0.commaSeparated) }
            let search = typing ? SearchQuery(typing: text, properties: texts.names).description : text
            var records = store.records(model).where(text: "matches ?", arguments: [.text(search)])
            if let condition { records = records.where(text: condition) }
            if count { return try await print(count: records.count()) }
            records = records.limit(limit ?? Self.defaultLimit)
            if let offset { records = records.offset(offset) }
            let hits = try await records.hits().map { hit in
                SearchedRecord(
                    record: hit.record, relevance: hit.relevance, excerpts: texts.excerpts(of: hit.record, for: search))
            }
            var output = Output()
            if json {
                try SearchJSON(columns: columns).write(hits, to: &output)
            } else {
                try SearchList(schema: schema, columns: columns ?? []).write(hits, to: &output)
            }
            try output.flush()
        }
    }

    private func print(count: Int) throws {
        var output = Output()
        try output.line(json ? "{\"count\":\(count)}" : String(count))
        try output.flush()
    }
}

/// A record that a search has found, with the parts of its texts that have the words.
struct SearchedRecord {
    let record: DynamicRecord
    let relevance: Double
    let excerpts: [SearchedTexts.Excerpt]
}
