import ArgumentParser
import StorageAPI
import TerminalOutput

/// `storage update`.
struct UpdateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Replace stored records, or set some properties of those that meet a condition.",
        discussion: """
            With --set, sets the properties on all records that meet --where, and prints how many there were. Without \
            it, whole records replace the stored ones with their keys; if one is missing, the exit status is 1.

            Examples:
              storage update people.db Person --where 'age < 31' --set age=31 --set nickname=null
              storage update people.db Person --set age=31 --yes        every record
              storage update people.db Person id=7 name=Chengdu age=29
            """)

    @Argument(help: StoreLocation.help)
    var store: StoreLocation

    @Argument(help: ArgumentHelp("The model's stored name.", valueName: "model"))
    var model: String

    @OptionGroup var input: RecordInput

    @Option(
        name: .customLong("where"), help: ArgumentHelp("The records that --set changes.", valueName: "condition"))
    var condition: String?

    @Option(help: ArgumentHelp("A property and its new value.", valueName: "property=value"))
    var set: [String] = []

    @OptionGroup var confirmation: Confirmation

    func validate() throws {
        if set.isEmpty, condition != nil { throw ValidationError("--where needs --set PROPERTY=VALUE.") }
        if !set.isEmpty, !input.fields.isEmpty || input.text != nil {
            throw ValidationError("Give --set, or whole records, not both.")
        }
    }

    func run() async throws {
        let command = self
        let source = set.isEmpty ? try input.read() : nil
        try await Interruption.cancelling {
            try await command.store.with(.writing) { store in
                let schema = try await store.recordSchema(command.model)
                if let source {
                    let records = try source.records(of: schema)
                    try await store.update(records)
                    print("\(records.count.grouped) updated.")
                } else {
                    try await command.assign(in: store, schema)
                }
            }
        }
    }

    private func assign(in store: Store, _ schema: RecordSchema) async throws {
        var settings: [(name: String, value: Value)] = []
        for field in set { settings.append(try schema.setting(field)) }
        var records = store.records(model)
        if let condition {
            records = records.where(text: condition)
        } else {
            try confirmation.confirm("Update", try await records.count(), of: model)
        }
        guard let first = settings.first else { return }
        let update = settings.dropFirst().reduce(records.set(first.name, to: first.value)) {
            $0.set($1.name, to: $1.value)
        }
        print("\(try await update.run().grouped) updated.")
    }
}
