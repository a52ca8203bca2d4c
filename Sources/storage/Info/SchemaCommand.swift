import ArgumentParser
import Foundation
import StorageAPI
import StorageDriver
import StorageJSON
import TerminalOutput

/// `storage schema`.
struct SchemaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Show the properties of a store's models.",
        discussion: """
            Owned records are shown below their property. RecordSchema decodes the output of --json.

            --swift prints structs that open the store without a change, for a table of other software too. What a struct \
            cannot say is a comment.

            --lock writes the schema to a file that is reviewed with a program's source. If the file is there and has another \
            schema, it shows what opening the store with that schema would change, and the exit status is 1; --overwrite \
            replaces the file.

            Examples:
              storage schema people.db
              storage schema people.db Person --json
              storage schema people.db --swift > Models.swift
              storage schema people.db --lock Schema.lock
            """)

    @Argument(help: StoreLocation.help)
    var store: StoreLocation

    @Argument(
        help: ArgumentHelp("The model's stored name. (default: all)", valueName: "model"),
        completion: ModelCompletion.kind)
    var model: String?

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Print Swift structs for the models.")
    var swift = false

    @Option(help: ArgumentHelp("Write the schema to a file, or compare it with the file.", valueName: "file"))
    var lock: String?

    @Flag(help: "Replace a file of another schema.")
    var overwrite = false

    func validate() throws {
        if swift, json { throw ValidationError("Give --json or --swift, not both.") }
        if lock != nil, model != nil || json || swift {
            throw ValidationError("A lock has all models; give --lock FILE alone.")
        }
        if overwrite, lock == nil { throw ValidationError("--overwrite is for --lock FILE.") }
    }

    func run() async throws {
        try await store.with(.reading) { store in
            if let lock { return try await writeLock(lock, of: store) }
            let schemas: [RecordSchema]
            if let model {
                schemas = [try await store.recordSchema(model)]
            } else {
                schemas = try await store.recordSchemas()
            }
            var output = Output()
            if swift {
                var declarations = SwiftDeclarations(schemas)
                try output.write { $0 += declarations.source().utf8 }
            } else if json {
                try output.line(Self.json(schemas))
            } else {
                try printText(schemas, &output)
            }
            try output.flush()
        }
    }

    private func writeLock(_ path: String, of store: Store) async throws {
        let recorded = try await store.schemaLock()
        var output = Output()
        if overwrite || !FileManager.default.fileExists(atPath: path) {
            try recorded.write(to: path)
            try output.line("\(path.printable) has the schema of \(recorded.models.count.counted("model")).")
            return try output.flush()
        }
        let lock = try Store.SchemaLock(contentsOf: path)
        guard lock != recorded else {
            try output.line("\(path.printable) is the schema of the store.")
            return try output.flush()
        }
        for change in try await store.plan(for: lock.models) { try output.line(change.description.printable) }
        for model in recorded.models where !lock.models.contains(where: { $0.storedName == model.storedName }) {
            try output.line("\(model.name.printable): the store has it, and the file has not")
        }
        try output.flush()
        throw ToolError(
            "\(path) has another schema than the store. Opening the store with it would change what is listed; --overwrite "
                + "writes the store's schema.", .negative)
    }

    static func json(_ schemas: [RecordSchema]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(schemas), as: UTF8.self)
    }

    private func printText(_ schemas: [RecordSchema], _ output: inout Output) throws {
        for (place, schema) in schemas.enumerated() {
            if place > 0 { try output.line("") }
            try output.line(Terminal.bold(schema.name.printable) + schema.keyNote)
            for line in schema.table.lines { try output.line("  " + line) }
        }
        if schemas.isEmpty { try output.line("The store has no models.") }
    }
}

extension RecordSchema {
    /// The note after the name in a title.
    var keyNote: String { isReadOnly ? " (without a key, can only be read)" : assignsKeys ? " (assigns keys)" : "" }

    /// The properties, with those of owned records below their own.
    var table: TextTable {
        var table = TextTable("Property", "Type", "Marks")
        add(to: &table, level: 0)
        return table
    }

    private func add(to table: inout TextTable, level: Int) {
        for property in properties {
            let name = String(repeating: "  ", count: level) + property.name
            table.add(name, property.typeText, property.marks)
            switch property.kind {
            case .child(let child), .children(let child): child.add(to: &table, level: level + 1)
            case .column, .ancestor: break
            }
        }
    }
}

extension RecordSchema.Property {
    /// The property's type as a declaration would have it.
    fileprivate var typeText: String {
        let optional = isOptional ? "?" : ""
        return switch kind {
        case .column(let type): type.description + optional
        case .child(let child): child.name + optional
        case .children(let child): "[\(child.name)]" + optional
        case .ancestor(let name, let isMany): (isMany ? "[\(name)]" : name) + optional
        }
    }

    fileprivate var marks: String {
        let target = reference.map { "→ \($0.model.printable), \($0.onDelete.rawValue)" }
        return [
            target, isKey ? "key" : nil, isIndexed ? "indexed" : nil, isUnique ? "unique" : nil,
            isExpiry ? "expires" : nil, searchWeight.map { $0 == 1 ? "searched" : "searched with the weight \($0)" },
        ]
        .compactMap { $0 }.joined(separator: ", ")
    }
}

extension Store {
    /// A recorded model as a tree of properties.
    ///
    /// - Throws: if the store has no model with the name, with the one that was probably meant.
    func recordSchema(_ name: String) async throws -> RecordSchema {
        let schemas = try await recordSchemas()
        if let schema = schemas.first(where: { $0.storedName == StoredName(name) }) { return schema }
        throw ToolError(StorageError.unknownModel(name, among: schemas.map(\.name)).message)
    }
}
