import ArgumentParser
import Foundation
import StorageAPI
import StorageDriver
import TerminalOutput

/// `storage view`.
struct ViewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "view", abstract: "Save a select under a name, and run it by that name.",
        discussion: """
            Without a name it lists the views. They are records of the model \(StoredView.model), which the store gets with its \
            first view. Options after a name are added to the saved ones.

            Examples:
              storage view people.db adults --save Person --where 'age >= 18' --columns name,age
              storage view people.db adults
              storage view people.db adults --limit 5 --json
              storage view people.db adults --delete
              storage view people.db
            """)

    @Argument(help: StoreLocation.help)
    var store: StoreLocation

    @Argument(help: ArgumentHelp("The view's name. (default: list all)", valueName: "name"))
    var name: String?

    @Flag(help: "Delete the view.")
    var delete = false

    @Option(
        parsing: .remaining,
        help: ArgumentHelp("Save a view: all that follows is what select takes after the store.", valueName: "model …"))
    var save: [String] = []

    @Argument(parsing: .allUnrecognized, help: ArgumentHelp("Options of select.", valueName: "options"))
    var options: [String] = []

    func validate() throws {
        guard name != nil || !delete && save.isEmpty && options.isEmpty else {
            throw ValidationError("Name the view first: storage view STORE NAME.")
        }
        if delete, !save.isEmpty || !options.isEmpty { throw ValidationError("--delete goes alone.") }
    }

    func run() async throws {
        guard let name else { return try await list() }
        if delete { return try await remove(name) }
        guard save.isEmpty else { return try await keep(StoredView(name: name, words: save)) }
        let view = try await store.with(.reading) { try await StoredView.named(name, in: $0) }
        try await select(view.words + options).run()
    }

    private func select(_ words: [String]) throws -> SelectCommand {
        try SelectCommand.parse([store.text] + words)
    }

    /// Saves a view that can be printed.
    private func keep(_ view: StoredView) async throws {
        let command = try select(view.words)
        try await store.with(.writing) { store in
            try await command.check(in: store)
            try await store.prepare([StoredView.schema])
            try await store.save(view.record)
        }
        print("\(view.name): \(view.shown)".printable)
    }

    private func remove(_ name: String) async throws {
        try await store.with(.writing) { store in
            _ = try await StoredView.named(name, in: store)
            try await store.records(StoredView.model).delete(keys: [[.text(name)]])
        }
        print("\(name) deleted.".printable)
    }

    private func list() async throws {
        let views = try await store.with(.reading) { try await StoredView.all(in: $0) }
        var table = TextTable("View", TextTable.Column("Select", isWhole: true))
        for view in views { table.add(view.name, view.shown) }
        var output = Output()
        if views.isEmpty { try output.line("The store has no views; --save makes one.") }
        for line in table.lines where !views.isEmpty { try output.line(line) }
        try output.flush()
    }
}

/// The options of a select command, saved under a name.
private struct StoredView: Sendable {
    let name: String
    /// The words of the command line behind the store.
    let words: [String]

    static let model = "StorageView"
    static let schema = RecordSchema(
        name: model,
        properties: [
            .init(name: "name", kind: .column(.string), isKey: true), .init(name: "words", kind: .column(.embedded)),
        ])

    init(name: String, words: [String]) { (self.name, self.words) = (name, words) }

    private init?(_ record: DynamicRecord) {
        guard case .text(let name)? = record.value("name"), case .text(let json)? = record.value("words"),
            let words = try? JSONDecoder().decode([String].self, from: Data(json.utf8))
        else { return nil }
        (self.name, self.words) = (name, words)
    }

    var record: DynamicRecord {
        get throws {
            let json = String(decoding: try JSONEncoder().encode(words), as: UTF8.self)
            return DynamicRecord(
                model: Self.model,
                fields: [
                    .init(name: "name", content: .value(.text(name), .string)),
                    .init(name: "words", content: .value(.text(json), .embedded)),
                ])
        }
    }

    /// The words as a shell takes them.
    var shown: String {
        words.map { word in
            let isPlain = !word.isEmpty && word.allSatisfy { $0.isLetter || $0.isNumber || "-_.,:=/".contains($0) }
            return isPlain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
        }.joined(separator: " ")
    }

    static func all(in store: Store) async throws -> [Self] {
        guard try await store.recordSchemas().contains(where: { $0.name == model }) else { return [] }
        return try await store.records(model).all().compactMap(Self.init)
    }

    /// - Throws: if there is no view of the name, with the one that was probably meant.
    static func named(_ name: String, in store: Store) async throws -> Self {
        let views = try await all(in: store)
        if let view = views.first(where: { StoredName($0.name) == StoredName(name) }) { return view }
        let known = views.isEmpty ? "none" : views.map(\.name).joined(separator: ", ")
        throw ToolError(
            "There is no view \(name)\(SpellingSuggestion.hint(name, among: views.map(\.name))); the store has \(known).",
            .negative)
    }
}
