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
            for (place, column) in columns.enumerated() {
                if place > 0 { bytes.append(delimiter) }
                if let text = Self.text(fields.content(column.name, near: place)) { append(text, to: &bytes) }
            }
            bytes.append(UInt8(ascii: "\n"))
        }
    }

    mutating func finish(_ output: inout Output) throws { try writeHeader(&output) }

    private mutating func writeHeader(_ output: inout Output) throws {
        guard isFirst else { return }
        isFirst = false
        try output.write { bytes in
            for (place, column) in columns.enumerated() {
                if place > 0 { bytes.append(delimiter) }
                append(column.name, to: &bytes)
            }
            bytes.append(UInt8(ascii: "\n"))
        }
    }

    static func text(_ content: DynamicRecord.Content) -> String? {
        switch content {
        case .value(let value, let type): return ValueForm.text(value, type)
        case .child(nil), .children(nil): return nil
        case .child, .children:
            var bytes: [UInt8] = []
            JSONText.append(content, to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    private func append(_ text: String, to bytes: inout [UInt8]) {
        let needsQuotes = text.utf8.contains { [0x22, delimiter, 0x0A, 0x0D].contains($0) }
        guard needsQuotes || text.isEmpty || text.utf8.first == 0x20 || text.utf8.last == 0x20 else {
            bytes += text.utf8
            return
        }
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            if byte == 0x22 { bytes.append(byte) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
