import StorageAPI

/// Records as JSON: one array, or one object a line.
struct RecordJSON: RecordWriter {
    private let columns: [RecordSchema.Property]
    private let isArray: Bool
    private var isFirst = true

    init(_ columns: [RecordSchema.Property], isArray: Bool) {
        self.columns = columns
        self.isArray = isArray
    }

    mutating func write(_ fields: [Record.Field], to output: inout Output) throws {
        let start = isArray ? (isFirst ? "[\n" : ",\n") : ""
        isFirst = false
        try output.write { bytes in
            bytes += start.utf8
            JSONText.append(columns.enumerated(), "{", "}", to: &bytes) { column, bytes in
                Self.append(column.element.name, fields.content(column.element.name, near: column.offset), to: &bytes)
            }
            if !isArray { bytes.append(UInt8(ascii: "\n")) }
        }
    }

    mutating func finish(_ output: inout Output) throws {
        if isArray { try output.line(isFirst ? "[]" : "\n]") }
    }

    /// Appends a record with all that it owns.
    static func append(_ record: Record, to bytes: inout [UInt8]) {
        JSONText.append(record.fields, "{", "}", to: &bytes) { field, bytes in
            append(field.name, field.content, to: &bytes)
        }
    }

    private static func append(_ name: String, _ content: Record.Content, to bytes: inout [UInt8]) {
        JSONText.append(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        append(content, to: &bytes)
    }

    /// Appends what a property holds.
    static func append(_ content: Record.Content, to bytes: inout [UInt8]) {
        switch content {
        case .value(let value, let type): ValueForm.append(value, type, to: &bytes)
        case .child(let child?): append(child, to: &bytes)
        case .children(let children?): JSONText.append(children, "[", "]", to: &bytes) { append($0, to: &$1) }
        case .child(nil), .children(nil): bytes += "null".utf8
        }
    }
}
