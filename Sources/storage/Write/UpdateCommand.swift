import ArgumentParser
import StorageAPI
import TerminalOutput

/// `storage update`.
struct UpdateCommand: AsyncParsableCommand, ModelCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Replace stored records, or set some properties of those that meet a condition.",
        discussion: """
            With --set and --compute, sets the properties on all records that meet --where, and prints how many there were. Without \
            it, whole records replace the stored ones with their keys; if one is missing, the exit status is 1.

            Examples:
              storage update people.db Person --where 'age < 31' --set age=31 --set nickname=null
              storage update people.db Person --set age=31 --yes        every record
              storage update people.db Person --where 'age < 31' --compute 'age = age + 1'
              storage update people.db Person --compute 'name = first + " " + last' --yes
              storage update people.db Person id=7 name=Chengdu age=29
            """)

    @OptionGroup var target: ModelTarget

    @OptionGroup var input: RecordInput

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp("The records that --set and --compute change.", valueName: "condition"))
    var condition: String?

    @Option(help: ArgumentHelp("A property and its new value.", valueName: "property=value"))
    var set: [String] = []

    @Option(
        help: ArgumentHelp(
            "Set a property to an expression over the record's old values.", valueName: "property = term"))
    var compute: [String] = []

    @OptionGroup var confirmation: Confirmation

    @Flag(help: "Print nothing.")
    var quiet = false

    private var isPartial: Bool { !set.isEmpty || !compute.isEmpty }

    func validate() throws {
        if !isPartial, condition != nil {
            throw ValidationError("--where needs --set PROPERTY=VALUE or --compute 'PROPERTY = TERM'.")
        }
        if isPartial, !input.fields.isEmpty || input.text != nil {
            throw ValidationError("Give --set and --compute, or whole records, not both.")
        }
    }

    func run() async throws {
        let command = self
        let source = isPartial ? nil : try input.read()
        try await Interruption.cancelling {
            try await command.store.with(.writing) { store in
                let schema = try await store.recordSchema(command.model)
                if let source {
                    let records = try source.records(of: schema)
                    try await store.update(records)
                    command.tell(records.count)
                } else {
                    try await command.assign(in: store, schema)
                }
            }
        }
    }

    private func assign(in store: Store, _ schema: RecordSchema) async throws {
        var update = store.update(model)
        if let condition {
            update = update.where(text: condition)
        } else {
            try confirmation.confirm("Update", try await store.records(model).count(), of: model)
        }
        for field in set {
            let setting = try schema.setting(field)
            update = update.set(setting.name, to: setting.value)
        }
        for text in compute { update = update.set(text: text) }
        tell(try await update.run())
    }

    private func tell(_ count: Int) {
        if !quiet { print("\(count.grouped) updated.") }
    }
}
