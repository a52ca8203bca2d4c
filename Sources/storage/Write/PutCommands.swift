import ArgumentParser
import StorageAPI
import StorageJSON

/// `storage insert`.
struct InsertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "insert", abstract: "Store new records with all that they own: all of them or none.",
        discussion: """
            Prints each stored record, with its key if the store assigned one. A key that is stored already is an error.

            Examples:
              storage insert people.db Person id=7 name=Chengdu age=28 'tags=["a","b"]'
              storage insert people.db Person --json '{"id": 8, "name": "Ann", "pens": [{"id": 1, "color": "red"}]}'
              storage insert people.db Person id=9 name=Li photo=@portrait.jpg     the bytes of a file, for a property of bytes
              storage export old.db Person --format ndjson | storage insert new.db Person
            """)

    @OptionGroup var target: PutTarget

    func run() async throws { try await target.put { try await $0.insert($1) } }
}

/// `storage save`.
struct SaveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "save", abstract: "Store records whether or not their keys are stored: all of them or none.",
        discussion: """
            Afterwards the store has exactly these records: missing properties are nil, and missing children are \
            removed.

            Examples:
              storage save people.db Person id=7 name=Chengdu age=29
              storage get people.db Person 7 | sed s/29/30/ | storage save people.db Person
            """)

    @OptionGroup var target: PutTarget

    func run() async throws { try await target.put { try await $0.save($1) } }
}

/// The options that inserting and saving share.
struct PutTarget: ParsableArguments, ModelCommand {
    @OptionGroup var target: ModelTarget

    @OptionGroup var input: RecordInput

    @Flag(help: "Print nothing.")
    var quiet = false

    func put(_ write: @escaping @Sendable (Store, [DynamicRecord]) async throws -> [DynamicRecord]) async throws {
        let target = self
        let source = try input.read()
        try await Interruption.cancelling {
            try await target.store.with(.writing) { store in
                let records = try source.records(of: try await store.recordSchema(target.model))
                let stored = try await write(store, records)
                var output = Output()
                for record in stored where !target.quiet {
                    try output.write { bytes in
                        JSONText.append(record, to: &bytes)
                        bytes.append(UInt8(ascii: "\n"))
                    }
                }
                try output.flush()
            }
        }
    }
}
