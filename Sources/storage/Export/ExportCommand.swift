import ArgumentParser
import Foundation
import StorageAPI
import TerminalOutput

/// `storage export`.
struct ExportCommand: AsyncParsableCommand, ModelCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the records of a model to a file that storage import reads.",
        discussion: """
            The file is there whole or not at all, and an existing one is kept unless --overwrite is given. What is imported \
            again into a store that has the model is equal; a new model gets the types that its values show. A file whose name ends \
            with .gz is compressed.

            Examples:
              storage export people.db Person --output people.json
              storage export people.db Person --output people.csv.gz
              storage export people.db Person --format ndjson | zstd > people.ndjson.zst
              storage export books.db Book --with author --with tags --output books.json
              storage export music.db Track --columns 'Name, AlbumId.Title as album' --output tracks.csv
            """)

    @OptionGroup var target: ModelTarget

    @OptionGroup var query: QueryOptions

    @OptionGroup var related: RelatedOptions

    @Option(
        help: ArgumentHelp(
            """
            Columns, joined by commas, as for select: properties, those of records that they refer to, and what is computed of \
            them. (default: all properties)
            """, valueName: "terms"))
    var columns: String?

    @Option(help: "The format. (default: the one that the file's name ends with; json for a name without an ending)")
    var format: InputFormat?

    @OptionGroup var delimited: DelimitedOptions

    @OptionGroup var skip: SkipOptions

    @Option(
        name: [.short, .long], help: ArgumentHelp("The file to write. (default: standard output)", valueName: "file"))
    var output: String?

    @Flag(help: "Replace an existing file.")
    var overwrite = false

    @Flag(help: "Show no progress on the terminal.")
    var noProgress = false

    func validate() throws {
        if skip.skipBad, related.isWanted {
            throw ValidationError("--skip-bad is for records as they are; leave --with out.")
        }
        if let ending = ending(0), ["xz", "zst", "bz2"].contains(ending) {
            throw ValidationError(
                ".\(ending) is not written here; name the file .gz, or leave --output out and pipe into a compressor.")
        }
        if format == nil, let formatEnding, InputFormat(ending: formatEnding) == nil {
            throw ValidationError(
                "No format is known by the ending .\(formatEnding); end the name with .json, .ndjson, .csv or .tsv, or give "
                    + "--format.")
        }
    }

    func run() async throws {
        let command = self
        try await Interruption.cancelling {
            try await command.store.with(.reading) { store in try await command.export(store) }
        }
    }

    private func export(_ store: Store) async throws {
        let schema = try await store.recordSchema(model)
        guard let path = output else {
            return try await write(store, schema, to: .standardOutput, progress: ProgressLine(isWanted: false), of: 0)
        }
        let file = try NewFile(path, mayReplace: overwrite)
        let progress = ProgressLine(isWanted: !noProgress)
        defer { progress.clear() }
        try await write(
            store, schema, to: file.handle, progress: progress, of: try await query.records(model, in: store).count())
        try file.keep()
    }

    private func write(
        _ store: Store, _ schema: RecordSchema, to file: FileHandle, progress: ProgressLine,
        of total: Int
    ) async throws {
        var output = Output(file, gzip: ending(0) == "gz" ? try GzipWriter() : nil)
        let printed = try PrintedRecords(of: schema, query, columns: columns, related: related, skip: skip)
        var count = 0
        try await printed.write(from: store, to: &output, { chosenFormat.writer($0, delimited) }) {
            try Task.checkCancellation()
            count += 1
            if count.isMultiple(of: 1 << 13), total > 0 { progress.show("Exporting", Double(count) / Double(total)) }
        }
        try output.finish()
    }

    /// Returns a part of the file name's extension, counted from its end: 0 for the last part.
    private func ending(_ place: Int) -> String? {
        guard let name = output?.split(separator: "/").last else { return nil }
        return name.split(separator: ".").dropFirst().reversed().dropFirst(place).first?.lowercased()
    }

    /// The ending that says the format, without that of a compression.
    private var formatEnding: String? { ending(ending(0) == "gz" ? 1 : 0) }

    private var chosenFormat: RecordFormat {
        (format ?? formatEnding.flatMap(InputFormat.init(ending:)) ?? .json).records
    }
}
