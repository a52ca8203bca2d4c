import ArgumentParser
import Foundation
import StorageAPI
import StorageDriver
import StorageJSON
import TerminalOutput

/// `storage alter`.
struct AlterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alter",
        abstract: "Change the properties of a stored model: rename, add, type, index, search, unique, expires, drop.",
        discussion: """
            All changes are one transaction. --dry-run shows them, how many rows would be written anew, and what would fail, and \
            changes nothing; its exit status is 1 if something would fail. Properties that are renamed have their new names in the other \
            options. A dropped property keeps its values, and has them again if \
            it is declared again. Properties of owned records have points: city.name.

            --searchable makes the index of the texts that storage search reads, in steps of some thousand records; after an \
            interruption the same command continues with the next step.

            --history records keeps the record before each change, so that storage undo can restore it; keys keeps the keys alone,             and off keeps nothing more. --keeping limits the history of the whole store; later commits remove the rest. Both bind every             program that writes to the store.

            With --to, models become exactly what another store's schema says.

            Examples:
              storage alter people.db Person --rename name=fullName --index fullName --dry-run
              storage alter people.db Person --add nickname=string --add city.mayor=string --type age=double
              storage alter people.db Person --drop city.spell --no-index age
              storage alter packages.db Package --searchable title=2,body
              storage alter people.db Person --history records --keeping 30d
              storage schema new.db --json > new.json
              storage alter people.db --to new.json --dry-run
            """)

    @Argument(help: StoreLocation.help)
    var store: StoreLocation

    @Argument(
        help: ArgumentHelp("The model's stored name.", valueName: "model"), completion: ModelCompletion.kind)
    var model: String?

    @Option(help: ArgumentHelp("A property and its new name. May be repeated, as all of these.", valueName: "old=new"))
    var rename: [String] = []

    @Option(
        help: ArgumentHelp(
            "A new property and its type. Records that are stored have nil for it.", valueName: "property=type"))
    var add: [String] = []

    @Option(
        help: ArgumentHelp(
            "Change a property's type. Every stored value must convert: 3 to a double and \"3\" to an integer do, 3.5 does not.",
            valueName: "property=type"))
    var type: [String] = []

    @Option(help: ArgumentHelp("Queries by the property use an index.", valueName: "property"))
    var index: [String] = []

    @Option(help: ArgumentHelp("The property loses its index.", valueName: "property"))
    var noIndex: [String] = []

    @Option(help: ArgumentHelp("No two records have one value of the property.", valueName: "property"))
    var unique: [String] = []

    @Option(help: ArgumentHelp("Records may have equal values of the property.", valueName: "property"))
    var noUnique: [String] = []

    @Option(
        help: ArgumentHelp(
            "Texts that storage search finds, joined by commas, each perhaps with a weight, which is 1 by default.",
            valueName: "property=weight"))
    var searchable: [String] = []

    @Option(help: ArgumentHelp("Texts that are no longer searched, joined by commas.", valueName: "property"))
    var noSearchable: [String] = []

    @Option(help: ArgumentHelp("Records expire at the time in this property.", valueName: "property"))
    var expires: [String] = []

    @Option(help: ArgumentHelp("Records no longer expire by the property.", valueName: "property"))
    var noExpires: [String] = []

    @Option(help: ArgumentHelp("The model loses the property. Its values are kept.", valueName: "property"))
    var drop: [String] = []

    @OptionGroup var keepingHistory: HistorySettingOptions

    @Option(help: ArgumentHelp("A file with the output of storage schema --json for another store.", valueName: "file"))
    var to: String?

    @Flag(help: "Show what would be done, and do nothing.")
    var dryRun = false

    @OptionGroup var result: ResultOptions

    @Flag(help: "Show no progress on the terminal.")
    var noProgress = false

    private var isEdit: Bool {
        !([rename, add, type, drop] + marks).allSatisfy(\.isEmpty)
    }

    /// The options that leave names and types of properties as they are.
    private var marks: [[String]] {
        [index, noIndex, unique, noUnique, searchable, noSearchable, expires, noExpires]
    }

    func validate() throws {
        if keepingHistory.isWanted {
            guard !isEdit, to == nil, !dryRun, model != nil else {
                throw ValidationError("--history is of a MODEL, and goes with --keeping alone.")
            }
            return
        }
        if isEdit == (to != nil) {
            throw ValidationError(
                "Say what to change: --rename, --add, --type, --index, --searchable, --unique, --expires, --drop, --history, or "
                    + "--to FILE alone."
            )
        }
        if isEdit, model == nil { throw ValidationError("Name the model whose properties are to be changed.") }
        for text in rename where text.split(separator: "=", omittingEmptySubsequences: false).count != 2 {
            throw ValidationError("--rename needs OLD=NEW, and has '\(text)'.")
        }
    }

    func run() async throws {
        let command = self
        let indexing = IndexingProgress(isWanted: !noProgress)
        try await Interruption.cancelling {
            defer { indexing.clear() }
            try await command.store.with(command.dryRun ? .reading : .writing, indexing: { indexing.show($0) }) {
                store in
                if command.keepingHistory.isWanted {
                    return try await command.keepingHistory.run(
                        on: command.model ?? "", in: store, telling: command.result)
                }
                if let conversions = try await command.conversions(in: store) {
                    return try await command.convert(conversions, in: store)
                }
                let schemas = try await command.schemas(of: store)
                let changes = try await store.plan(for: schemas)
                if !command.dryRun { try await store.migrate(to: schemas) }
                indexing.clear()
                let lines = changes.map(\.line) + indexing.lines
                try command.result.tell(
                    lines.isEmpty ? "Nothing to change." : lines.joined(separator: "\n"),
                    [
                        "done": .bool(!command.dryRun), "changes": .array(changes.map(\.json)),
                        "indexed": .array(indexing.json),
                    ])
                if command.dryRun, changes.contains(where: { $0.problem != nil }) {
                    throw ExitCode(ToolExit.negative.rawValue)
                }
            }
        }
    }

    /// The types to which the store converts no values; nil if none exist.
    private func conversions(in store: Store) async throws -> [TypeConversion]? {
        guard !type.isEmpty else { return nil }
        let schema = try await store.recordSchema(model ?? "")
        let conversions = try type.compactMap { text -> TypeConversion? in
            let (path, type) = try Self.typed(text, "--type")
            return TypeConversion(path, to: type, of: schema)
        }
        guard !conversions.isEmpty else { return nil }
        let others = [rename, add, drop] + marks
        guard conversions.count == 1, type.count == 1, others.allSatisfy(\.isEmpty) else {
            throw ToolError(
                "--type \(type.joined(separator: " --type ")) converts each value of a property; change one, without other "
                    + "options.", .usage)
        }
        try schema.checkType(text: type[0], Self.typed(type[0], "--type").path)
        return conversions
    }

    private func convert(_ conversions: [TypeConversion], in store: Store) async throws {
        for conversion in conversions {
            let rows: Int
            if dryRun {
                rows = try await store.read { snapshot in
                    try conversion.values(in: snapshot.records(conversion.schema.name)).count
                }
            } else {
                rows = try await store.transaction { transaction in
                    let count = try transaction.records(conversion.schema.name).count()
                    try conversion.run(in: &transaction)
                    return count
                }
            }
            let line = conversion.line(rows: rows)
            let change: KeyValuePairs<String, JSONValue> = [
                "model": .string(conversion.schema.name), "change": .string("type changed"), "rows": .count(rows),
                "fails": .null,
            ]
            try result.tell(line, ["done": .bool(!dryRun), "changes": .array([.object(change)])])
        }
    }

    /// The schemas as they shall be.
    private func schemas(of store: Store) async throws -> [RecordSchema] {
        if let to {
            let wanted = try Self.schemas(inFile: to)
            return model.map { model in wanted.filter { $0.storedName == StoredName(model) } } ?? wanted
        }
        var schema = try await store.recordSchema(model ?? "")
        for text in rename {
            let names = text.split(separator: "=").map(String.init)
            try schema.edit(names[0]) { property in
                var property = property
                property.renamedFrom = property.name
                property.name = names[1]
                return property
            }
        }
        for text in add {
            let (path, type) = try Self.typed(text, "--add")
            try schema.add(path, type)
        }
        for text in type {
            let (path, type) = try Self.typed(text, "--type")
            try schema.checkType(text: text, path)
            try schema.edit(path) { property -> RecordSchema.Property? in
                var property = property
                property.kind = .column(type)
                return property
            }
        }
        for path in index { try schema.edit(path) { $0.isIndexed = true } }
        for path in noIndex { try schema.edit(path) { $0.isIndexed = false } }
        for path in unique { try schema.edit(path) { $0.isUnique = true } }
        for path in noUnique { try schema.edit(path) { $0.isUnique = false } }
        for text in searchable { try schema.search(text) }
        for path in noSearchable.flatMap(\.commaSeparated) { try schema.edit(path) { $0.searchWeight = nil } }
        for path in expires { try schema.edit(path) { $0.isExpiry = true } }
        for path in noExpires { try schema.edit(path) { ($0.isExpiry, $0.isIndexed) = (false, false) } }
        for path in drop { try schema.edit(path) { _ in nil } }
        return [schema]
    }

    private static func typed(_ text: String, _ option: String) throws -> (path: String, type: ColumnType) {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, let type = ColumnType(parts[1]) else {
            let hint =
                parts.count == 2 ? SpellingSuggestion.hint(parts[1], among: ColumnType.scalars.map(\.description)) : ""
            throw ToolError("\(option) \(text) is not of the form PROPERTY=TYPE, like born=date\(hint).", .usage)
        }
        return (parts[0], type)
    }

    private static func schemas(inFile path: String) throws -> [RecordSchema] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ToolError("The file \(path) cannot be read.", .noInput)
        }
        do {
            return try JSONDecoder().decode([RecordSchema].self, from: data)
        } catch {
            throw ToolError("The file \(path) is not what storage schema --json prints.", .data)
        }
    }
}

extension Store.SchemaChange {
    fileprivate var json: JSONValue {
        .object([
            "model": .string(model), "change": .string(note), "rows": .count(rows),
            "fails": problem.map { .string($0.message) } ?? .null,
        ])
    }

    /// A description of the step and its place, without control characters.
    fileprivate var line: String {
        let rows = rows > 0 ? ", \(rows.counted("row")) written anew" : ""
        let failure = problem.map { "\n  fails: \($0.message.printable)" } ?? ""
        return Terminal.bold(model.printable) + ": \(note.printable)" + rows + failure
    }
}

extension RecordSchema {
    /// Changes a property of the model or of an owned record.
    mutating func edit(_ path: String, _ change: (inout Property) -> Void) throws {
        try edit(path) { property -> Property? in
            var property = property
            change(&property)
            return property
        }
    }

    /// Puts another property in the place of one; nil for none.
    fileprivate mutating func edit(_ path: String, _ change: (Property) throws -> Property?) throws {
        try edit(path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)[...], path, change)
    }

    /// - Throws: for a property whose type cannot be changed.
    fileprivate func checkType(text: String, _ path: String) throws {
        var schema = self
        try schema.edit(path) { property -> Property? in
            guard case .column = property.kind, !property.isKey, property.reference == nil else {
                throw ToolError("--type \(text): \(path) is a key, a reference or owned; its type cannot be changed.")
            }
            return property
        }
    }

    /// Adds an Optional property, to the model or to what it owns.
    fileprivate mutating func add(_ path: String, _ type: ColumnType) throws {
        let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let property = Property(name: names.last ?? "", kind: .column(type), isOptional: true)
        func added(to schema: RecordSchema) throws -> RecordSchema {
            guard !schema.properties.contains(where: { $0.storedName == property.storedName }) else {
                throw ToolError("\(schema.name) has a property \(property.name) already; --type changes its type.")
            }
            var schema = schema
            schema.properties.append(property)
            return schema
        }
        guard names.count > 1 else { return self = try added(to: self) }
        let owner = names.dropLast().joined(separator: ".")
        try edit(owner) { owner -> Property? in
            var owner = owner
            switch owner.kind {
            case .child(let schema): owner.kind = .child(try added(to: schema))
            case .children(let schema): owner.kind = .children(try added(to: schema))
            case .column, .ancestor: throw ToolError("\(owner.name) owns no records, so there is no \(path).")
            }
            return owner
        }
    }

    private mutating func edit(
        _ names: ArraySlice<String>, _ path: String, _ change: (Property) throws -> Property?
    ) throws {
        // A name may have points itself.
        let whole = names.joined(separator: ".")
        // Of a name that passes from one property to another, that one is meant which has it so far.
        let places = properties.indices.filter { properties[$0].storedName == StoredName(whole) }
        if let place = places.first(where: { properties[$0].renamedFrom == nil }) ?? places.first {
            let changed = try change(properties[place])
            properties.replaceSubrange(place...place, with: changed.map { [$0] } ?? [])
            return
        }
        guard let first = names.first, names.count > 1,
            let place = properties.firstIndex(where: { $0.storedName == StoredName(first) })
        else {
            throw lacks(path)
        }
        switch properties[place].kind {
        case .child(var child):
            try child.edit(names.dropFirst(), path, change)
            properties[place].kind = .child(child)
        case .children(var child):
            try child.edit(names.dropFirst(), path, change)
            properties[place].kind = .children(child)
        case .column, .ancestor: throw ToolError("\(name).\(first) owns no records, so there is no \(path).")
        }
    }
}
