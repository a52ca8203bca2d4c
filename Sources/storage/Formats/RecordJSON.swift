import StorageAPI
import StorageDriver
import StorageJSON

/// Records as JSON: one array, or one object a line.
struct RecordJSON: RecordWriter {
    private let columns: [RecordSchema.Property]
    private let isArray: Bool
    private var isFirst = true

    init(_ columns: [RecordSchema.Property], isArray: Bool) {
        self.columns = columns
        self.isArray = isArray
    }

    mutating func write(_ fields: [DynamicRecord.Field], to output: inout Output) throws {
        let start = isArray ? (isFirst ? "[\n" : ",\n") : ""
        isFirst = false
        try output.write { bytes in
            bytes += start.utf8
            bytes.append(UInt8(ascii: "{"))
            for place in columns.indices {
                if place > 0 { bytes.append(UInt8(ascii: ",")) }
                let name = columns[place].name
                Self.append(name, fields.content(name, near: place), to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
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
