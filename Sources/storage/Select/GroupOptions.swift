import ArgumentParser
import StorageAPI
import StorageDriver

/// The aggregates that a command computes instead of printing records.
struct GroupOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Print groups of records with equal values of these properties or terms, like month(date), and how many each has.",
            valueName: "terms"))
    var group: String?

    @Option(help: ArgumentHelp("Print the different values of these properties.", valueName: "properties"))
    var distinct: String?

    @Option(
        parsing: .unconditionalSingleValue, help: ArgumentHelp("Print the sum of a property.", valueName: "property"))
    var sum: [String] = []

    @Option(
        parsing: .unconditionalSingleValue, help: ArgumentHelp("Print the mean of a property.", valueName: "property"))
    var avg: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Print the least value of a property.", valueName: "property"))
    var min: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Print the greatest value of a property.", valueName: "property"))
    var max: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "A condition on the columns of the groups to print, as in 'count > 10 and sum > 100'.",
            valueName: "condition"))
    var having: String?

    @Flag(help: "Draw a bar for each group, scaled to the terminal: its length is the last computed number.")
    var chart = false

    func validate() throws {
        if chart, group == nil { throw ValidationError("--chart draws groups; give --group PROPERTIES too.") }
        if having != nil, group == nil {
            throw ValidationError("--having chooses groups; give --group PROPERTIES too.")
        }
        guard distinct != nil else { return }
        guard group == nil, (sum + avg + min + max).isEmpty else {
            throw ValidationError("--distinct prints values alone; use --group to compute of them.")
        }
    }

    /// True if groups are printed, and not records.
    var isWanted: Bool { group != nil || distinct != nil || !(sum + avg + min + max).isEmpty }

    /// The groups; nil if records are to be printed. The titles are the columns'.
    func groups(order: String?, limit: Int?, offset: Int?) throws -> (groups: TextGroups, titles: [String])? {
        guard isWanted else { return nil }
        let keys = Self.names(group ?? distinct)
        var titles = keys
        var outputs: [TextGroups.Term] = []
        func add(_ title: String, _ output: TextGroups.Term) {
            titles.append(title)
            outputs.append(output)
        }
        if group != nil { add("count", .count) }
        for term in sum { add("sum \(term)", .sum(term)) }
        for term in avg { add("avg \(term)", .average(term)) }
        for term in min { add("min \(term)", .min(term)) }
        for term in max { add("max \(term)", .max(term)) }
        var groups = TextGroups(keys: keys, outputs: outputs)
        groups.order = try Self.names(order).map { try Self.column($0, among: titles) }
        if let having { groups.having = (having, Self.names(of: titles)) }
        groups.limit = limit
        groups.offset = offset ?? 0
        return (groups, titles)
    }

    /// The titles and their first words, which are the first ones that have them.
    private static func names(of titles: [String]) -> [StoredName: Int] {
        var names: [StoredName: Int] = [:]
        for (place, title) in titles.enumerated() where names[StoredName(title)] == nil {
            names[StoredName(title)] = place
        }
        for (place, title) in titles.enumerated() {
            let word = StoredName(title.firstWord)
            if names[word] == nil { names[word] = place }
        }
        return names
    }

    private static func names(_ text: String?) -> [String] {
        text.map(SelectColumns.parts) ?? []
    }

    /// The column that a part of an order names, by its title or the title's first word: `sum Freight desc`, `sum desc`.
    private static func column(_ text: String, among titles: [String]) throws -> (column: Int, isDescending: Bool) {
        var words = text.split(separator: " ").map(String.init)
        let isDescending = words.last == "desc"
        if isDescending || words.last == "asc" { words.removeLast() }
        let name = words.joined(separator: " ")
        let found =
            titles.firstIndex { StoredName($0) == StoredName(name) }
            ?? titles.firstIndex { $0.firstWord == name && $0.firstWord != $0 }
        guard let found else {
            throw ToolError("Groups have no \(name) to sort by; they have \(titles.joined(separator: ", ")).")
        }
        return (found, isDescending)
    }
}

extension String {
    /// The first word of a column's title, without the brackets after it: `sum` of `sum Total`, `month` of `month(date)`.
    fileprivate var firstWord: String { String(prefix { $0 != " " && $0 != "(" }) }
}

extension TextGroups {
    /// Prints the groups of a query's records.
    func print(
        _ titles: [String], of records: Select<DynamicRecord, Store>,
        _ writer: ([RecordSchema.Property]) -> any RecordWriter, to output: inout Output
    ) async throws {
        let (types, rows) = try await records.groups(self)
        let columns = zip(titles, types).map { RecordSchema.Property(name: $0, kind: .column($1), isOptional: true) }
        var writer = writer(columns)
        for row in rows {
            let fields = zip(columns, zip(row, types)).map {
                DynamicRecord.Field(name: $0.name, content: .value($1.0, $1.1))
            }
            try writer.write(fields, to: &output)
        }
        try writer.finish(&output)
    }
}
