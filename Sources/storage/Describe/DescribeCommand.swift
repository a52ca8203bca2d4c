import ArgumentParser
import StorageAPI
import StorageDriver
import StorageJSON
import TerminalOutput

/// `storage describe`.
struct DescribeCommand: AsyncParsableCommand, ModelCommand {
    static let configuration = CommandConfiguration(
        commandName: "describe",
        abstract:
            "Print statistics of a model's properties: how many values, which ones, and how they are distributed.",
        discussion: """
            For each property: the numbers of values, of nils and of distinct values, the least and the greatest value, sum and mean \
            of numbers, the lengths of texts in characters, the most frequent values, and a histogram of numbers and dates \
            with more than a few values. References have no sum, mean and histogram. The properties of owned records have points: \
            city.name. For an array of owned records they are its numbers of records.

            All numbers are exact, and of one snapshot: the engine groups each property's values and counts the groups, and no more \
            than a few of them are held in memory here. That sorts the records once for each property, so name properties \
            of large models with --columns. Keys and unique properties are not grouped: every value is distinct.

            Examples:
              storage describe music.db Track
              storage describe music.db Invoice --columns BillingCountry,Total --top 5
              storage describe music.db Invoice --where 'Total > 5' --json
            """)

    @OptionGroup var target: ModelTarget

    @Option(
        name: .customLong("where"), parsing: .unconditional,
        help: ArgumentHelp("The condition that the records meet, as in 'age >= 28'.", valueName: "condition"))
    var condition: String?

    @Option(
        help: ArgumentHelp("The properties, joined by commas. (default: all properties)", valueName: "properties"))
    var columns: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("The number of most frequent values.", valueName: "count"))
    var top = 8

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        if !(0...1000).contains(top) { throw ValidationError("--top is a number from 0 to 1000.") }
    }

    func run() async throws {
        let command = self
        try await Interruption.cancelling {
            try await command.store.with(.reading) { store in
                let schema = try await store.recordSchema(command.model)
                let chosen = try DescribedProperty.all(of: schema, named: command.columns?.commaSeparated)
                try await store.read { snapshot in
                    var records = snapshot.records(command.model)
                    if let condition = command.condition { records = records.where(text: condition) }
                    try command.describe(records, chosen)
                }
            }
        }
    }

    private func describe(_ records: Select<DynamicRecord, Store.Session>, _ chosen: [DescribedProperty]) throws {
        let count = try records.count()
        var output = Output()
        if json {
            try output.write { bytes in
                bytes += "{\"model\":".utf8
                JSONText.append(model, to: &bytes)
                bytes += ",\"records\":\(count),\"properties\":[".utf8
            }
        } else {
            try output.line(Terminal.bold(model.printable) + ": \(count.counted("record"))")
        }
        for (place, property) in chosen.enumerated() {
            try Task.checkCancellation()
            let statistics = try PropertyStatistics(property, of: records, count: count, top: top)
            if json {
                try output.write { bytes in
                    if place > 0 { bytes += ",".utf8 }
                    bytes += "\n".utf8
                    statistics.appendObject(to: &bytes)
                }
            } else {
                try output.line("")
                for line in statistics.lines { try output.line(line) }
            }
            try output.flush()
        }
        if json { try output.line(chosen.isEmpty ? "]}" : "\n]}") }
        try output.flush()
    }
}

/// A property whose statistics are computed, perhaps of an owned record.
struct DescribedProperty: Sendable {
    /// The names on the way to it.
    let path: [String]
    /// The type of its values; nil for an array of owned records.
    let type: ColumnType?
    /// True if its values are keys of other records, of which sums and a histogram say nothing.
    let isReference: Bool
    /// True if no two records have the same value.
    let isDistinct: Bool

    /// The path as text in a query.
    var term: String {
        let path = path.map { name in
            let isPlain = name.first?.isNumber != true && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
            return isPlain ? name : "`\(name.replacing("`", with: "``"))`"
        }
        return path.joined(separator: ".") + (type == nil ? ".@count" : "")
    }

    var title: String { path.joined(separator: ".") }

    /// The properties of a model, or the named ones: each of them stands for all that it owns.
    static func all(of schema: RecordSchema, named names: [String]?) throws -> [DescribedProperty] {
        let found = all(of: schema, below: [])
        guard let names else {
            let shown = Set(schema.shownProperties.map(\.name))
            return found.filter { $0.path.first.map(shown.contains) ?? false }
        }
        return try names.flatMap { name in
            let chosen = found.filter { property in
                property.path.indices.contains { part in
                    StoredName(property.path[...part].joined(separator: ".")) == StoredName(name)
                }
            }
            guard !chosen.isEmpty else { throw schema.lacks(name) }
            return chosen
        }
    }

    private static func all(of schema: RecordSchema, below path: [String]) -> [DescribedProperty] {
        let isSingleKey = path.isEmpty && schema.keyProperties.count == 1
        return schema.properties.flatMap { property -> [DescribedProperty] in
            let path = path + [property.name]
            switch property.kind {
            case .column(let type):
                let isDistinct = path.count == 1 && (property.isUnique || property.isKey && isSingleKey)
                return [
                    DescribedProperty(
                        path: path, type: type, isReference: property.reference != nil, isDistinct: isDistinct)
                ]
            case .child(let child): return all(of: child, below: path)
            case .children: return [DescribedProperty(path: path, type: nil, isReference: false, isDistinct: false)]
            case .ancestor: return []
            }
        }
    }
}
