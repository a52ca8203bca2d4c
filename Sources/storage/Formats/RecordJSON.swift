import StorageAPI
import StorageDriver

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
    static func append(_ record: DynamicRecord, to bytes: inout [UInt8]) {
        JSONText.append(record.fields, "{", "}", to: &bytes) { field, bytes in
            append(field.name, field.content, to: &bytes)
        }
    }

    private static func append(_ name: String, _ content: DynamicRecord.Content, to bytes: inout [UInt8]) {
        JSONText.append(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        append(content, to: &bytes)
    }

    /// Appends what a property holds.
    static func append(_ content: DynamicRecord.Content, to bytes: inout [UInt8]) {
        switch content {
        case .value(let value, let type): ValueForm.append(value, type, to: &bytes)
        case .child(let child?): append(child, to: &bytes)
        case .children(let children?): JSONText.append(children, "[", "]", to: &bytes) { append($0, to: &$1) }
        case .child(nil), .children(nil): bytes += "null".utf8
        }
    }
}

/// Writes JSON text as bytes.
enum JSONText {
    /// Appends a text in quotes.
    static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { text in
            JSONFormat.escape(UnsafeRawBufferPointer(text), escapesDelete: true) { bytes.append(contentsOf: $0) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends a list with its brackets and separators.
    static func append<C: Collection>(
        _ list: C, _ open: Unicode.Scalar, _ close: Unicode.Scalar, to bytes: inout [UInt8],
        _ element: (C.Element, inout [UInt8]) -> Void
    ) {
        bytes.append(UInt8(ascii: open))
        var isFirst = true
        for item in list {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            element(item, &bytes)
        }
        bytes.append(UInt8(ascii: close))
    }

    /// Whether the text is a number as JSON writes one.
    static func isNumber(_ text: String) -> Bool {
        guard let last = text.utf8.last, last != UInt8(ascii: "N") else { return false }
        return isValue(text)
    }

    /// Whether the text is JSON.
    static func isValue(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in (try? JSONParser.parse(UnsafeRawBufferPointer(bytes))) != nil }
    }
}
