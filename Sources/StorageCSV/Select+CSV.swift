public import StorageAPI
public import StorageDriver
import StorageJSON

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Select where Source == Store {
    /// Writes the records of the query to a file of comma-separated values with a header; `save(csvFile:as:)` reads it again, and
    /// so does `storage import`.
    ///
    /// ```swift
    /// let file = URL(fileURLWithPath: "people.csv")
    /// try await store.select(Person.self).where { $0.age > 28 }.export(csvFile: file)
    /// ```
    ///
    /// The form is that of RFC 4180 in UTF-8, with line feeds. Nil is an empty field, and the empty text a pair of quotes. Owned
    /// records and arrays are JSON in their field. Records without types have the names of the first record's properties, so that
    /// the file of none is empty.
    ///
    /// All of one snapshot. The file is there whole or not at all: it has another name until it is complete and on the disk.
    /// Holds 256 records at a time.
    ///
    /// - Parameters:
    ///   - file: where it is written.
    ///   - delimiter: the separator of values, one ASCII character.
    ///   - replacing: whether a file that exists is replaced.
    ///   - progress: called after each 256 records. It costs one more query, which counts the records.
    /// - Returns: the number of written records.
    /// - Throws: `configuration` for another delimiter; `io` if the file exists and is not replaced, or cannot be written; `full`;
    ///   `cancelled`; errors of `all()`.
    @discardableResult
    public nonisolated(nonsending) func export(
        csvFile file: URL, delimiter: Character = ",", replacing: Bool = false, progress: Store.CSVProgress? = nil
    ) async throws(StorageError) -> Int {
        var output = try ExportedCSV<Model>(file.path, delimiter, replacing: replacing)
        let total = progress == nil ? 0 : try await count()
        var part: [Model] = []
        for try await model in stream() {
            part.append(model)
            guard part.count == 256 else { continue }
            try output.write(part)
            part.removeAll(keepingCapacity: true)
            progress?(output.count, Swift.min(Double(output.count) / Double(Swift.max(total, 1)), 1))
        }
        try output.write(part)
        let count = try output.finish()
        progress?(count, 1)
        return count
    }
}

/// A file of comma-separated values that is being written.
private struct ExportedCSV<Model: Storable>: ~Copyable {
    private let file: PublishedFile
    private let writer: CSVWriter
    /// The model's declaration; nil for records without types.
    private let declared: (rows: ModelRows<Model>, builder: RecordBuilder)?
    /// The names of the header, of records without types those of the first record.
    private var names: [StoredName]?
    /// The bytes that are not written yet.
    private var waiting: [UInt8] = []
    private var size: Int64 = 0
    private(set) var count = 0

    init(_ path: String, _ delimiter: Character, replacing: Bool) throws(StorageError) {
        let byte = try CSVDialect.byte(delimiter, model: Model.schema.name)
        let isDeclared = Model.self != DynamicRecord.self
        let declared = isDeclared ? (try ModelRows<Model>(), try RecordBuilder(Model.self, isUntyped: true)) : nil
        file = try PublishedFile(path, over: replacing ? .anyFile : .nothing)
        (writer, self.declared) = (CSVWriter(checked: byte), declared)
        if let builder = declared?.1 { appendHeader(builder.names) }
    }

    private mutating func appendHeader(_ names: [StoredName]) {
        writer.appendHeader(names.map(\.text), to: &waiting)
        self.names = names
    }

    mutating func write(_ models: [Model]) throws(StorageError) {
        for record in try declared?.rows.records(models) ?? models.compactMap({ $0 as? DynamicRecord }) {
            if names == nil { appendHeader(record.fields.map(\.storedName)) }
            let contents = (names ?? []).enumerated().map { content($1, near: $0, in: record) }
            writer.append(contents, to: &waiting)
        }
        try flush()
        count += models.count
    }

    private func content(_ name: StoredName, near place: Int, in record: DynamicRecord) -> DynamicRecord.Content {
        let fields = record.fields
        let isNear = place < fields.count && fields[place].storedName == name
        let field = isNear ? fields[place] : fields.first { $0.storedName == name }
        let content = field?.content ?? .value(.null, .string)
        return declared?.builder.content(content, of: name) ?? content
    }

    private mutating func flush() throws(StorageError) {
        let start = size
        let written = waiting.withUnsafeBytes { bytes in
            Result { () throws(StorageError) in try file.file.write(at: start, bytes) }
        }
        try written.get()
        size += Int64(waiting.count)
        waiting.removeAll(keepingCapacity: true)
    }

    consuming func finish() throws(StorageError) -> Int {
        let count = count
        try file.publish()
        return count
    }
}
