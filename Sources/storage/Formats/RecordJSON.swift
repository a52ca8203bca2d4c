import StorageAPI
import StorageDriver
import StorageJSON

/// Records as JSON: one array, or one object a line.
struct RecordJSON: CellWriter {
    private let columns: [RecordSchema.Property]
    private let isArray: Bool
    private var isFirst = true
    private var row = JSONRowWriter([], of: [])

    init(_ columns: [RecordSchema.Property], isArray: Bool) {
        self.columns = columns
        self.isArray = isArray
    }

    mutating func write(_ fields: [DynamicRecord.Field], to output: inout Output) throws {
        let columns = columns
        try write(&output) { bytes in
            bytes.append(UInt8(ascii: "{"))
            for place in columns.indices {
                if place > 0 { bytes.append(UInt8(ascii: ",")) }
                let name = columns[place].name
                Self.append(name, fields.content(name, near: place), to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    mutating func begin(_ columns: [FlatColumn]) { row = JSONRowWriter(self.columns.map(\.name), of: columns) }

    mutating func write(_ cells: UnsafeBufferPointer<Cell>, to output: inout Output) throws {
        let row = row
        try write(&output) { row.append(cells, to: &$0) }
    }

    /// Writes an object and what separates it from others.
    private mutating func write(_ output: inout Output, _ object: (inout [UInt8]) -> Void) throws {
        let start = isArray ? (isFirst ? "[\n" : ",\n") : ""
        isFirst = false
        try output.write { bytes in
            bytes += start.utf8
            object(&bytes)
            if !isArray { bytes.append(UInt8(ascii: "\n")) }
        }
    }

    mutating func finish(_ output: inout Output) throws {
        if isArray { try output.line(isFirst ? "[]" : "\n]") }
    }

    private static func append(_ name: String, _ content: DynamicRecord.Content, to bytes: inout [UInt8]) {
        JSONText.append(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        JSONText.append(content, to: &bytes)
    }
}
