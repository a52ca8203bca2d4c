import ArgumentParser
import StorageAPI

/// `storage get`.
struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Print one record with all that it owns, as JSON.",
        discussion: """
            A record that is not there is exit status 1.

            Examples:
              storage get people.db Person 1
              storage get people.db Pair first second     a key of two properties
              storage get people.db Account -- -5         a key that looks like an option
            """)

    @Argument(help: StoreLocation.help)
    var store: StoreLocation

    @Argument(help: ArgumentHelp("The model's stored name.", valueName: "model"))
    var model: String

    @Argument(help: ArgumentHelp("The key, one argument for each of its properties.", valueName: "key"))
    var key: [String]

    @Flag(help: "Print JSON, which is the only form.")
    var json = false

    func run() async throws {
        try await store.with(.reading) { store in
            let schema = try await store.recordSchema(model)
            let key = try schema.key(key)
            guard let record = try await store.records(model).find(key: key) else {
                throw ToolError("\(model) has no record with the key \(self.key.joined(separator: ", ")).", .negative)
            }
            var output = Output()
            try output.write { bytes in
                RecordJSON.append(record, to: &bytes)
                bytes.append(UInt8(ascii: "\n"))
            }
            try output.flush()
        }
    }
}

extension RecordSchema {
    /// The properties of the key.
    var keys: [Property] {
        let marked = properties.filter(\.isKey)
        return marked.isEmpty ? properties.filter { $0.name == "id" } : marked
    }

    /// A key as arguments give it.
    func key(_ texts: [String]) throws(ToolError) -> [Value] {
        guard texts.count == keys.count else {
            let names = keys.map(\.name).joined(separator: ", ")
            throw ToolError(
                "The key of \(name) is \(names): \(keys.count) of them, and \(texts.count) are given.", .usage)
        }
        var key: [Value] = []
        for (property, text) in zip(keys, texts) {
            guard case .column(let type) = property.kind, let value = ValueForm.value(text: text, type) else {
                throw ToolError("\(text) is no value of \(name).\(property.name), which is a \(property.typeName).")
            }
            key.append(value)
        }
        return key
    }
}

extension RecordSchema.Property {
    /// The type of a column, and how the property is owned otherwise.
    var typeName: String {
        if case .column(let type) = kind { type.description } else { "owned record" }
    }
}
