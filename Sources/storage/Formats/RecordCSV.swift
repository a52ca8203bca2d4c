import StorageAPI
import StorageCSV
import StorageDriver

/// Records as comma-separated values, or with another delimiter: a header, then a line a record.
struct RecordCSV: CellWriter {
    private let columns: [RecordSchema.Property]
    private let writer: CSVWriter
    private var isFirst: Bool
    private var cells: [CSVColumn] = []

    init(_ columns: [RecordSchema.Property], delimiter: UInt8 = CSVDialect.comma, hasHeader: Bool = true) {
        self.columns = columns
        writer = CSVWriter(checked: delimiter)
        isFirst = hasHeader
    }

    mutating func write(_ fields: [DynamicRecord.Field], to output: inout Output) throws {
        try writeHeader(&output)
        try output.write { bytes in
            writer.append(columns.count, to: &bytes) { fields.content(columns[$0].name, near: $0) }
        }
    }

    mutating func begin(_ columns: [FlatColumn]) { cells = CSVColumn.named(self.columns.map(\.name), of: columns) }

    mutating func write(_ row: UnsafeBufferPointer<Cell>, to output: inout Output) throws {
        try writeHeader(&output)
        try output.write { writer.append(row, cells, to: &$0) }
    }

    mutating func finish(_ output: inout Output) throws { try writeHeader(&output) }

    private mutating func writeHeader(_ output: inout Output) throws {
        guard isFirst else { return }
        isFirst = false
        try output.write { writer.appendHeader(columns.map(\.name), to: &$0) }
    }
}
