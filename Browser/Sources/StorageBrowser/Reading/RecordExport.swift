import StorageAPI
import StorageCSV
import StorageDriver
import StorageJSON

/// The form in which records are downloaded.
enum ExportFormat: String, CaseIterable, Sendable {
    case csv, json

    var title: String { rawValue.uppercased() }

    var mediaType: String {
        switch self {
        case .csv: "text/csv; charset=utf-8"
        case .json: "application/json"
        }
    }
}

/// Writes records one after the other, as the tool's export does.
struct RecordExport {
    private let format: ExportFormat
    private let names: [String]
    private let writer = CSVWriter()
    /// The position of each property among the fields, which is the same for all records.
    private var places: [Int]?
    private var count = 0
    private var bytes: [UInt8] = []

    /// - Parameter names: the properties, in their order.
    init(_ format: ExportFormat, _ names: [String]) {
        (self.format, self.names) = (format, names)
        if format == .csv { writer.appendHeader(names, to: &bytes) }
    }

    mutating func add(_ fields: [DynamicRecord.Field]) {
        let places = places ?? names.compactMap { name in fields.firstIndex { $0.name == name } }
        self.places = places
        let ordered = places.map { fields[$0] }
        switch format {
        case .csv: writer.append(ordered.lazy.map(\.content), to: &bytes)
        case .json:
            bytes += (count == 0 ? "[\n" : ",\n").utf8
            RecordText.appendObject(ordered, to: &bytes)
        }
        count += 1
    }

    mutating func finish() {
        guard format == .json else { return }
        bytes += (count == 0 ? "[]\n" : "\n]\n").utf8
    }

    /// Takes the written bytes if they are at least so many.
    mutating func take(_ least: Int) -> [UInt8]? {
        guard bytes.count >= least else { return nil }
        let taken = bytes
        bytes.removeAll(keepingCapacity: true)
        return taken
    }
}

extension RecordRequest {
    /// The properties that a page shows: the key, which leads to the record, and then the chosen ones.
    func shown(_ schema: RecordSchema) -> [RecordSchema.Property] {
        let keys = schema.keyProperties
        let others = schema.properties.filter { property in !keys.contains { $0.name == property.name } }
        return keys + others.filter { columns?.contains($0.name) ?? true }
    }

    /// All records that meet the condition and the search, in the order of the pages.
    func sorted(_ store: Store, _ schema: RecordSchema) -> Select<DynamicRecord, Store> {
        let order = search == nil ? sortColumns(schema).map(\.order).joined(separator: ", ") : "relevance desc"
        return all(store).order(text: order)
    }
}
