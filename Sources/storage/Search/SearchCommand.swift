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
            """
            Additional columns, joined by commas, as for select: properties, also of records that they refer to, and computed values. \
            With --json, the record's. (default: all properties)
            """, valueName: "terms"))
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
            let terms = columns.map(SelectColumns.init)
            let properties = try terms?.properties(of: schema)
            let search = typing ? SearchQuery(typing: text, properties: texts.names).description : text
            if count { return try await print(count: found(store.records(model), search).count()) }
            let command = self
            try await store.read { snapshot in
                let found = command.page(command.found(snapshot.records(command.model), search))
                let hits = try found.hits()
                var (columns, records) = (properties, hits.map(\.record))
                if let terms, properties == nil {
                    records.removeAll()
                    // Of one snapshot and in one order, so record by record those of the hits.
                    try terms.forEach(found.order { _ in Relevance().descending }) {
                        columns = $0
                    } _: {
                        records.append(DynamicRecord(model: command.model, fields: $0))
                    }
                }
                try command.print(
                    zip(hits, records).map { hit, record in
                        SearchedRecord(
                            key: hit.record, record: record, relevance: hit.relevance,
                            excerpts: texts.excerpts(of: hit.record, for: search))
                    }, terms == nil ? nil : columns, of: schema)
            }
        }
    }

    /// The records that the search finds.
    private func found<Source>(
        _ records: Select<DynamicRecord, Source>, _ search: String
    ) -> Select<DynamicRecord, Source> {
        let found = records.where(text: "matches ?", arguments: [.text(search)])
        return condition.map { found.where(text: $0) } ?? found
    }

    private func page<Source>(_ records: Select<DynamicRecord, Source>) -> Select<DynamicRecord, Source> {
        let page = records.limit(limit ?? Self.defaultLimit)
        return offset.map { page.offset($0) } ?? page
    }

    private func print(
        _ hits: [SearchedRecord], _ columns: [RecordSchema.Property]?, of schema: RecordSchema
    ) throws {
        var output = Output()
        if json {
            try SearchJSON(columns: columns).write(hits, to: &output)
        } else {
            try SearchList(schema: schema, columns: columns ?? []).write(hits, to: &output)
        }
        try output.flush()
    }

    private func print(count: Int) throws {
        var output = Output()
        try output.line(json ? "{\"count\":\(count)}" : String(count))
        try output.flush()
    }
}

/// A record that a search has found, with the parts of its texts that have the words.
struct SearchedRecord {
    /// The record that has the key.
    let key: DynamicRecord
    /// The part of it that is printed.
    let record: DynamicRecord
    let relevance: Double
    let excerpts: [SearchedTexts.Excerpt]
}
