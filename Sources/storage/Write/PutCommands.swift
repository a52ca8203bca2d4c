import ArgumentParser
import StorageAPI

/// `storage insert`.
struct InsertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "insert", abstract: "Store new records with all that they own: all of them or none.",
        discussion: """
            Prints each stored record, with its key where the store assigned it. A key that is there already is an error.

            Examples:
              storage insert people.db Person id=7 name=Chengdu age=28 'tags=["a","b"]'
              storage insert people.db Person --json '{"id": 8, "name": "Ann", "pens": [{"id": 1, "color": "red"}]}'
              storage export old.db Person --format ndjson | storage insert new.db Person
            """)

    @OptionGroup var target: PutTarget

    func run() async throws { try await target.put { try await $0.insert($1) } }
}

/// `storage save`.
struct SaveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "save", abstract: "Store records whether or not their keys are there: all of them or none.",
        discussion: """
            Afterwards the store holds exactly these records: properties that are not given are nil, and children that \
            are not given are gone.

            Examples:
              storage save people.db Person id=7 name=Chengdu age=29
              storage get people.db Person 7 | sed s/29/30/ | storage save people.db Person
            """)

    @OptionGroup var target: PutTarget

    func run() async throws { try await target.put { try await $0.save($1) } }
}

/// What inserting and saving share.
struct PutTarget: ParsableArguments {
    @Argument(help: StoreLocation.help)
    var store: StoreLocation

    @Argument(help: ArgumentHelp("The model's stored name.", valueName: "model"))
    var model: String

    @OptionGroup var input: RecordInput

    @Flag(help: "Print nothing.")
    var quiet = false

    func put(_ write: @escaping @Sendable (Store, [Record]) async throws -> [Record]) async throws {
        let target = self
        try await Interruption.cancelling {
            try await target.store.with(.writing) { store in
                let records = try target.input.records(of: try await store.recordSchema(target.model))
                let stored = try await write(store, records)
                var output = Output()
                for record in stored where !target.quiet {
                    try output.write { bytes in
                        RecordJSON.append(record, to: &bytes)
                        bytes.append(UInt8(ascii: "\n"))
                    }
                }
                try output.flush()
            }
        }
    }
}

/// `storage update`.
struct UpdateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Replace stored records, or set some properties of those that meet a condition.",
        discussion: """
            With --set, the properties are set on all records that meet --where, and how many there were is printed. \
            Without it, whole records replace the stored ones of their keys; a missing one is exit status 1.

            Examples:
              storage update people.db Person --where 'age < 31' --set age=31 --set nickname=null
              storage update people.db Person --set age=31 --yes        every record
              storage update people.db Person id=7 name=Chengdu age=29
            """)

    @Argument(help: StoreLocation.help)
    var store: StoreLocation

    @Argument(help: ArgumentHelp("The model's stored name.", valueName: "model"))
    var model: String

    @Argument(help: ArgumentHelp("One whole record, as PROPERTY=VALUE.", valueName: "property=value"))
    var fields: [String] = []

    @Option(name: .customLong("json"), help: ArgumentHelp("Whole records as JSON.", valueName: "text"))
    var text: String?

    @Option(
        name: .customLong("where"), help: ArgumentHelp("Which records --set is for.", valueName: "condition"))
    var condition: String?

    @Option(help: ArgumentHelp("A property and its new value.", valueName: "property=value"))
    var set: [String] = []

    @OptionGroup var confirmation: Confirmation

    func validate() throws {
        if set.isEmpty, condition != nil { throw ValidationError("--where needs --set PROPERTY=VALUE.") }
        if !set.isEmpty, !fields.isEmpty || text != nil {
            throw ValidationError("Give --set, or whole records, not both.")
        }
    }

    func run() async throws {
        let command = self
        try await Interruption.cancelling {
            try await command.store.with(.writing) { store in
                let schema = try await store.recordSchema(command.model)
                if command.set.isEmpty { return try await command.replace(in: store, schema) }
                try await command.assign(in: store, schema)
            }
        }
    }

    private func replace(in store: Store, _ schema: RecordSchema) async throws {
        var input = RecordInput()
        (input.fields, input.text) = (fields, text)
        try input.validate()
        let records = try input.records(of: schema)
        try await store.update(records)
        print("\(records.count.grouped) updated.")
    }

    private func assign(in store: Store, _ schema: RecordSchema) async throws {
        var query = QueryOptions()
        query.condition = condition
        let records = query.records(model, in: store)
        if condition == nil { try confirmation.confirm("Update", try await records.count(), of: model) }
        guard let first = set.first else { return }
        var update = try schema.setting(first, in: records)
        for field in set.dropFirst() {
            let (name, value) = try schema.settable(field)
            update = update.set(name, to: value)
        }
        print("\(try await update.run().grouped) updated.")
    }
}

extension RecordSchema {
    fileprivate func setting(_ field: String, in records: Records) throws(ToolError) -> RecordUpdate {
        let (name, value) = try settable(field)
        return records.set(name, to: value)
    }

    /// The name and the value of `PROPERTY=VALUE`.
    fileprivate func settable(_ field: String) throws(ToolError) -> (String, Value) {
        let (property, text) = try assignment(field)
        guard case .column(let type) = property.kind else {
            throw ToolError("\(property.name) is owned; replace the whole record to change it.")
        }
        if text == "null" || text == "nil", property.isOptional { return (property.name, .null) }
        guard let value = ValueForm.value(text: text, type) else {
            throw ToolError("\(property.name)=\(text) is no \(type).")
        }
        return (property.name, value)
    }
}
