import ArgumentParser
import StorageAPI
import StorageJSON

/// `storage get`.
struct GetCommand: AsyncParsableCommand, ModelCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Print one record with all that it owns, as JSON.",
        discussion: """
            If there is no such record, or the value is nil, the exit status is 1. --raw writes one value as it is: the bytes of a \
            blob, or a text.

            Examples:
              storage get people.db Person 1
              storage get people.db Pair first second     a key of two properties
              storage get people.db Account -- -5         a key that looks like an option
              storage get books.db Book 1 --with author --with tags     with the records that it refers to
              storage get people.db Person 1 --raw photo --output portrait.jpg
            """)

    @OptionGroup var target: ModelTarget

    @Argument(help: ArgumentHelp("The key, one argument for each of its properties.", valueName: "key"))
    var key: [String]

    @OptionGroup var related: RelatedOptions

    @Option(
        help: ArgumentHelp(
            "Write the value of this property alone: bytes, or text without quotes.", valueName: "property"))
    var raw: String?

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("With --raw: the file to write. (default: standard output)", valueName: "file"))
    var output: String?

    @Flag(help: "Replace an existing file.")
    var overwrite = false

    @Flag(help: "Print JSON, the only format of records.")
    var json = false

    func validate() throws {
        if output != nil || overwrite, raw == nil {
            throw ValidationError("--output takes one value; give --raw PROPERTY too.")
        }
        if raw != nil, json || related.isWanted {
            throw ValidationError("--raw writes a value as it is; leave --json and --with out.")
        }
    }

    func run() async throws {
        try await store.with(.reading) { store in
            let schema = try await store.recordSchema(model)
            let key = try schema.key(key)
            let (model, related) = (model, related)
            let found = try await store.read { snapshot in
                let records = snapshot.records(model)
                return try records.with(related.paths, of: records.find(key: key).map { [$0] } ?? []).first
            }
            guard let record = found else {
                throw ToolError("\(model) has no record with the key \(self.key.joined(separator: ", ")).", .negative)
            }
            if let raw { return try write(try schema.properties(named: [raw]).first, of: record) }
            var output = Output()
            try output.write { bytes in
                JSONText.append(record, to: &bytes)
                bytes.append(UInt8(ascii: "\n"))
            }
            try output.flush()
        }
    }

    /// Writes one value as it is.
    private func write(_ property: RecordSchema.Property?, of record: DynamicRecord) throws {
        guard let property, case .column(let type) = property.kind, let value = record.value(property.name) else {
            throw ToolError("\(raw ?? "") is owned, so it is no value; leave --raw out.")
        }
        var bytes: [UInt8]
        switch value {
        case .null: throw ToolError("\(property.name) is nil.", .negative)
        case .blob(let content) where type == .data: bytes = Array(content)
        default: bytes = Array((ValueForm.text(value, type) ?? "").utf8)
        }
        guard let path = output else {
            var output = Output()
            try output.write { $0 += bytes }
            return try output.flush()
        }
        let file = try NewFile(path, mayReplace: overwrite)
        var output = Output(file.handle)
        try output.write { $0 += bytes }
        try output.finish()
        try file.keep()
    }
}
