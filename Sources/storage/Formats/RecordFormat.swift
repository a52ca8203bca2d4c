import ArgumentParser
import StorageAPI
import StorageDriver

/// The formats in which records are printed.
enum RecordFormat: String, CaseIterable, ExpressibleByArgument {
    case table, vertical, json, ndjson, csv, tsv, markdown

    /// A writer of records of a model.
    ///
    /// - Parameter columns: the properties to print, in order.
    func writer(
        _ columns: [RecordSchema.Property], _ form: DelimitedOptions = DelimitedOptions()
    ) -> any RecordWriter {
        switch self {
        case .table: RecordTable(columns)
        case .vertical: RecordVertical(columns)
        case .json: RecordJSON(columns, isArray: true)
        case .ndjson: RecordJSON(columns, isArray: false)
        case .csv: RecordCSV(columns, delimiter: form.byte ?? UInt8(ascii: ","), hasHeader: !form.noHeader)
        case .tsv: RecordCSV(columns, delimiter: form.byte ?? UInt8(ascii: "\t"), hasHeader: !form.noHeader)
        case .markdown: RecordMarkdown(columns)
        }
    }
}

/// The options for delimited values.
struct DelimitedOptions: ParsableArguments, Sendable {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The separator of values in csv, instead of a comma.", valueName: "character"))
    var delimiter: String?

    @Flag(help: "Write csv and tsv without the line of names.")
    var noHeader = false

    func validate() throws { try Self.check(delimiter) }

    static func check(_ delimiter: String?) throws {
        guard let delimiter else { return }
        guard delimiter == "\\t" || delimiter.utf8.count == 1,
            byte(delimiter).map({ ![0x22, 0x0A, 0x0D].contains($0) }) == true
        else { throw ValidationError("--delimiter is one character, like ';', and no quote; \\t is a tab.") }
    }

    /// The byte between two values; nil for the format's own.
    var byte: UInt8? { Self.byte(delimiter) }

    static func byte(_ delimiter: String?) -> UInt8? { delimiter == "\\t" ? 0x09 : delimiter?.utf8.first }
}

/// Writes records one after the other.
protocol RecordWriter {
    mutating func write(_ fields: [DynamicRecord.Field], to output: inout Output) throws
    /// Writes what follows the last record.
    mutating func finish(_ output: inout Output) throws
}

/// A writer that can also write rows that are whole records, without values made of their cells.
protocol CellWriter: RecordWriter {
    /// Takes the columns of the rows, before the first.
    mutating func begin(_ columns: [FlatColumn])
    mutating func write(_ row: UnsafeBufferPointer<Cell>, to output: inout Output) throws
}

extension RecordSchema {
    /// The properties that are shown if none are named: all but the number of records that have no key, for which the backend
    /// would have to count the records before those of a condition.
    var shownProperties: [Property] { isReadOnly ? properties.filter { !$0.isKey } : properties }

    /// The properties with the names, or all.
    ///
    /// - Throws: if there is no property with a name.
    func properties(named names: [String]?) throws(ToolError) -> [Property] {
        guard let names else { return properties }
        var found: [Property] = []
        for name in names {
            guard let property = properties.first(where: { $0.storedName == StoredName(name) }) else {
                throw lacks(name)
            }
            found.append(property)
        }
        return found
    }

    /// The refusal of a name that no property has.
    func lacks(_ name: String) -> ToolError {
        let names = properties.map(\.name)
        return ToolError(
            "\(self.name) has no property \(name)\(SpellingSuggestion.hint(name, among: names)); it has "
                + "\(names.joined(separator: ", ")).")
    }
}

extension [DynamicRecord.Field] {
    /// The content of a property, which usually has the same index as among the printed ones.
    func content(_ name: String, near place: Int) -> DynamicRecord.Content {
        // Names of one origin are equal at once.
        if place < count, self[place].name == name { return self[place].content }
        return first { $0.storedName == StoredName(name) }?.content ?? .value(.null, .string)
    }
}
