import ArgumentParser
import StorageAPI

/// How records are printed.
enum RecordFormat: String, CaseIterable, ExpressibleByArgument {
    case table, json, ndjson, csv

    /// A writer of records of a model.
    ///
    /// - Parameter columns: the properties to print, in order.
    func writer(_ columns: [RecordSchema.Property]) -> any RecordWriter {
        switch self {
        case .table: RecordTable(columns)
        case .json: RecordJSON(columns, isArray: true)
        case .ndjson: RecordJSON(columns, isArray: false)
        case .csv: RecordCSV(columns)
        }
    }
}

/// Writes records one after the other.
protocol RecordWriter {
    mutating func write(_ fields: [DynamicRecord.Field], to output: inout Output) throws
    /// Writes what follows the last record.
    mutating func finish(_ output: inout Output) throws
}

extension RecordSchema {
    /// The properties with the names, or all.
    ///
    /// - Throws: if there is no property with a name.
    func properties(named names: [String]?) throws(ToolError) -> [Property] {
        guard let names else { return properties }
        var found: [Property] = []
        for name in names {
            guard let property = properties.first(where: { $0.name.isSame(as: name) }) else {
                let known = properties.map(\.name).joined(separator: ", ")
                throw ToolError("\(self.name) has no property \(name); it has \(known).")
            }
            found.append(property)
        }
        return found
    }
}

extension [DynamicRecord.Field] {
    /// The content of a property, which usually has the same index as among the printed ones.
    func content(_ name: String, near place: Int) -> DynamicRecord.Content {
        if place < count, self[place].name.isSame(as: name) { return self[place].content }
        return first { $0.name.isSame(as: name) }?.content ?? .value(.null, .string)
    }
}
