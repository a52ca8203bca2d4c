import ArgumentParser
import StorageAPI
import StorageJSON

/// `storage get`.
struct GetCommand: AsyncParsableCommand, ModelCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Print one record with all that it owns, as JSON.",
        discussion: """
            If there is no such record, the exit status is 1.

            Examples:
              storage get people.db Person 1
              storage get people.db Pair first second     a key of two properties
              storage get people.db Account -- -5         a key that looks like an option
              storage get books.db Book 1 --with author --with tags     with the records that it refers to
            """)

    @OptionGroup var target: ModelTarget

    @Argument(help: ArgumentHelp("The key, one argument for each of its properties.", valueName: "key"))
    var key: [String]

    @OptionGroup var related: RelatedOptions

    @Flag(help: "Print JSON, the only format.")
    var json = false

    func run() async throws {
        try await store.with(.reading) { store in
            let schema = try await store.recordSchema(model)
            let schemas = related.isWanted ? try await store.recordSchemas() : []
            let key = try schema.key(key)
            let (model, related) = (model, related)
            let found = try await store.read { snapshot in
                let found = try snapshot.records(model).find(key: key).map { [$0] } ?? []
                return try related.load(found, of: schema, among: schemas, in: snapshot).first
            }
            guard let record = found else {
                throw ToolError("\(model) has no record with the key \(self.key.joined(separator: ", ")).", .negative)
            }
            var output = Output()
            try output.write { bytes in
                JSONText.append(record, to: &bytes)
                bytes.append(UInt8(ascii: "\n"))
            }
            try output.flush()
        }
    }
}
