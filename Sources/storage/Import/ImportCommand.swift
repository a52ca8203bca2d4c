import ArgumentParser
import Foundation
import StorageAPI
import StorageDriver
import StorageJSON
import TerminalOutput

/// `storage import`.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Store the records of JSON, NDJSON, CSV or TSV files.",
        discussion: """
            If the store has the model, the records must fit it. Otherwise the files are read twice: first for the types \
            of the properties, which are told on standard error, then for the records. Objects in records become owned records, arrays \
            of objects become owned records in order, arrays of scalars become columns; values without a common type \
            are stored as JSON. Texts that are all dates become dates. In comma-separated values, words like yes and no \
            become truth values if a column has both.

            Files that are compressed with gzip, xz or zstd are decompressed while they are read. Their first bytes \
            identify them, also on standard input.

            All records are stored in one transaction. Bad records are reported by line, and nothing is stored, unless \
            --skip-bad names a new file for them. A record whose key is stored already is a bad one, unless --save \
            replaces the stored record.

            Examples:
              storage import sqlite:people.db --model Person people.json
              storage import people.db --model Person --key email --map age=info.age --type born=date people.ndjson
              storage import archive:cities.karch --model City --skip-bad bad.csv cities.csv
              storage import sqlite:cities.db --model City cities.json.zst
              curl -s https://example.com/cities.csv.gz | storage import cities.db --model City --format csv -
              storage import people.db --model Person --save changes.ndjson
              storage import people.db --model Person 2024.json 2025.csv.gz -
              curl -s https://example.com/people | storage import people.db --model Person --at data.items -
              storage import people.db --model Person --dates dd.MM.yyyy --encoding windows-1252 people.csv
              storage import films.db --model Title --quote none titles.csv

            Exit codes: 0 stored; 65 there are bad records.
            """)

    @Argument(help: "The store to write. A new one is made if its backend is named: sqlite:people.db.")
    var store: StoreLocation

    @Option(help: ArgumentHelp("The model's stored name.", valueName: "name"), completion: ModelCompletion.kind)
    var model: String

    @Argument(help: ArgumentHelp("The files to read, in this order; - for standard input.", valueName: "file"))
    var files: [String]

    @OptionGroup var reading: InputOptions

    @Option(
        help: ArgumentHelp(
            """
            A property that is the key, or a part of it. (default: id, else the names of the records, else a number that \
            the store assigns)
            """, valueName: "property"))
    var key: [String] = []

    @Option(
        help: ArgumentHelp(
            "Take a property from a path: age=info.age. Without a property, =info.age leaves it out.",
            valueName: "property=path"))
    var map: [String] = []

    @Option(
        help: ArgumentHelp(
            "The type of a property of a new model: born=date, price=decimal.", valueName: "property=type"))
    var type: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            A property of a new model that has the key of another stored model's records: author=Person, or with what \
            follows when that is deleted: author=Person,cascade. (deny, cascade, nullify, unchecked; default: deny)
            """, valueName: "property=model"))
    var ref: [String] = []

    @Flag(
        help: "Store records whether or not their keys are stored, like storage save; the last record of a key is kept."
    )
    var save = false

    @Option(
        help: ArgumentHelp(
            """
            Replace the stored record that has the same value of this property, and keep its key. If it is repeated, all \
            values must be the same.
            """, valueName: "property"))
    var match: [String] = []

    @Option(help: ArgumentHelp("Store the other records, and keep bad ones in this new file.", valueName: "file"))
    var skipBad: String?

    @Flag(help: "Read the files and print the types of its records, with --json as storage schema does; store nothing.")
    var dryRun = false

    @OptionGroup var result: ResultOptions

    @Flag(help: "Show no progress on the terminal.")
    var noProgress = false

    func validate() throws {
        guard files.count(where: { $0 == "-" }) < 2 else {
            throw ValidationError("- stands for standard input, which is read once; give it once.")
        }
    }

    func run() async throws {
        let input = try files.map { try RecordFile(InputFile($0), reading) }
        if !result.quiet { try tellRemarks(input) }
        let mapping = try InputMapping(map)
        let references = try ref.map { (text) throws(ToolError) in try ImportedReference(text) }
        if dryRun {
            _ = try inferred(input, mapping: mapping, references: [], areSkipped: skipBad != nil)
            return
        }
        try await Interruption.cancelling { try await importAll(input, mapping: mapping, references: references) }
    }

    private func importAll(
        _ input: [RecordFile], mapping: InputMapping, references: [ImportedReference]
    ) async throws {
        try await self.store.withTarget { store in
            let bad = try BadRecords(keptIn: skipBad)
            do {
                try await importAll(input, mapping: mapping, references: references, bad: bad, in: store)
            } catch {
                bad.discard()
                throw error
            }
        }
    }

    private func importAll(
        _ input: [RecordFile], mapping: InputMapping, references: [ImportedReference], bad: BadRecords,
        in store: Store
    ) async throws {
        let start = ContinuousClock.now
        let progress = ProgressLine(isWanted: !noProgress)
        defer { progress.clear() }
        let all = try await store.recordSchemas()
        let stored = all.first { $0.storedName == StoredName(model) }
        let schema: RecordSchema
        if let stored {
            try SchemaInference.check(stored, keys: key, types: type)
            for reference in references { try reference.check(stored) }
            schema = stored
        } else {
            let types = try references.map { (reference) throws(ToolError) in
                (reference, try reference.type(among: all, model))
            }
            schema = try inferred(input, mapping: mapping, references: types, areSkipped: bad.areSkipped)
        }
        let line = RateLine(progress)
        let written = try await store.transaction { transaction in
            var importer = Importer(
                input, schema: schema, mapping: mapping, reading: reading.reading(mayLackKey: !match.isEmpty), bad: bad,
                replaces: save, match: match)
            try importer.run(in: &transaction) { line.show("Storing", records: $0, $1) }
            try Self.check(importer.bad, input)
            return (importer.count, importer.bad)
        }
        progress.clear()
        try report(written.0, time: start.duration(to: .now), bad: written.1, input: input)
    }

    private func tellRemarks(_ input: [RecordFile]) throws {
        var output = Output(.standardError)
        for file in input {
            for remark in file.remarks { try output.line("\(file.name): \(remark)".printable + "\n") }
        }
        try output.flush()
    }

    /// Refuses, or tells of, an answer of a server whose records are inside of it.
    private func checkWrapped(_ inference: SchemaInference, _ input: [RecordFile]) throws {
        guard reading.format == nil, reading.at == nil, let (path, name) = inference.wrapped else { return }
        let advice = "if the records are in it, give --at \(path)"
        if let name {
            throw ToolError(
                "\(input.names) would be one record, \(name), with an array of objects; \(advice), and if not, "
                    + "--format json.")
        }
        guard !result.quiet else { return }
        var output = Output(.standardError)
        try output.line("\(input.names.printable) is one record with an array of objects; \(advice).\n")
        try output.flush()
    }

    private func tell(_ schema: RecordSchema, _ count: Int, rounded: [String]) throws {
        // It is the result of a dry run, and otherwise a remark.
        var output = Output(dryRun ? .standardOutput : .standardError)
        try output.line(
            "\(schema.name.printable)\(schema.keyNote): \(count.counted("record")), whose properties are taken to be\n")
        for line in schema.table.lines { try output.line(line) }
        let doubles = rounded.filter { schema.type(at: $0) == .double }
        if !doubles.isEmpty {
            try output.line(
                "\nNote: numbers of \(doubles.joined(separator: ", ").printable) have more digits than a decimal keeps, and are "
                    + "rounded to doubles.")
        }
        try output.line("")
        try output.flush()
    }

    /// Infers the properties of the file's records, and prints them.
    private func inferred(
        _ input: [RecordFile], mapping: InputMapping, references: [(ImportedReference, ColumnType?)],
        areSkipped: Bool
    ) throws -> RecordSchema {
        let progress = ProgressLine(isWanted: !noProgress)
        defer { progress.clear() }
        var inference = SchemaInference(input, mapping: mapping, dates: reading.inference)
        var problems = try BadRecords(keptIn: nil)
        try inference.read { file, fraction in
            progress.show("Reading \(file.name)", fraction)
            try Task.checkCancellation()
        } bad: {
            try problems.add($0, of: $1, [])
        }
        if !areSkipped { try Self.check(problems, input) }
        guard inference.count > 0 else { throw ToolError("\(input.names) has no records.") }
        try checkWrapped(inference, input)
        var schema = try inference.schema(named: model, keys: key, types: type)
        for (reference, type) in references { try reference.set(in: &schema, type) }
        progress.clear()
        if dryRun, result.json {
            print(try SchemaCommand.json([schema]))
        } else if !result.json, !result.quiet {
            try tell(schema, inference.count, rounded: inference.rounded)
        }
        return schema
    }

    /// - Throws: if there are bad records that must not be skipped, after reporting them.
    private static func check(_ bad: BadRecords, _ input: [RecordFile]) throws {
        guard bad.count > 0, !bad.areSkipped else { return }
        for line in bad.lines(of: input) {
            try FileHandle.standardError.write(contentsOf: Data("storage: \(line)\n".utf8))
        }
        throw ToolError(
            "\(bad.count == 1 ? "A bad record" : "\(bad.count.grouped) bad records"); nothing is stored. "
                + "--skip-bad FILE stores the others.")
    }

    private func report(_ count: Int, time: Duration, bad: BadRecords, input: [RecordFile]) throws {
        let rate = Int(Double(count) / max(time.seconds, 0.001))
        var lines = ["\(count.counted("record")) stored in \(time.short), \(rate.grouped) records/s."]
        if bad.count > 0, let skipBad {
            lines += bad.lines(of: input)
            lines.append(
                "\(bad.count == 1 ? "1 bad record is" : "\(bad.count.grouped) bad records are") in \(skipBad).")
        } else {
            bad.discard()
        }
        try result.tell(
            lines.joined(separator: "\n"),
            [
                "stored": .count(count), "bad": .count(bad.count), "seconds": .number("\(time.seconds)"),
                "recordsPerSecond": .count(rate),
            ])
    }
}
