import StorageAPI
import StorageJSON

/// Records as comma-separated values (RFC 4180, with line feeds), or with another delimiter: a header, then a line a record.
///
/// Nil is an empty field, and empty text is a pair of quotes. Owned records are JSON in their cell.
struct RecordCSV: RecordWriter {
    private let columns: [RecordSchema.Property]
    private let delimiter: UInt8
    private var isFirst: Bool

    init(_ columns: [RecordSchema.Property], delimiter: UInt8 = UInt8(ascii: ","), hasHeader: Bool = true) {
        self.columns = columns
        self.delimiter = delimiter
        isFirst = hasHeader
    }

    mutating func write(_ fields: [DynamicRecord.Field], to output: inout Output) throws {
        try writeHeader(&output)
        try output.write { bytes in
            let values = columns.enumerated().lazy.map { place, column in
                RecordText.text(fields.content(column.name, near: place))
            }
            RecordText.appendLine(values, delimiter: delimiter, to: &bytes)
        }
    }

    mutating func finish(_ output: inout Output) throws { try writeHeader(&output) }

    private mutating func writeHeader(_ output: inout Output) throws {
        guard isFirst else { return }
        isFirst = false
        try output.write { bytes in
            RecordText.appendLine(columns.lazy.map { $0.name }, delimiter: delimiter, to: &bytes)
        }
    }
}
