public import StorageAPI
import StorageDriver

/// Writes records without types in the form of the tool's exports, which its imports read again.
public enum RecordText {
    /// The content of a property as text; nil for nil. Owned records are their JSON.
    public static func text(_ content: DynamicRecord.Content) -> String? {
        switch content {
        case .value(let value, let type): return ValueForm.text(value, type)
        case .child(nil), .children(nil): return nil
        case .child, .children:
            var bytes: [UInt8] = []
            JSONText.append(content, to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Appends a line of comma-separated values (RFC 4180, with a line feed). Nil is an empty field, and empty text a pair of
    /// quotes.
    ///
    /// - Parameters:
    ///   - values: the values of the line.
    ///   - delimiter: the byte between two values.
    ///   - bytes: the bytes that the line is appended to.
    public static func appendLine(
        _ values: some Sequence<String?>, delimiter: UInt8 = UInt8(ascii: ","), to bytes: inout [UInt8]
    ) {
        var isFirst = true
        for value in values {
            if !isFirst { bytes.append(delimiter) }
            isFirst = false
            if let value { append(value, delimiter: delimiter, to: &bytes) }
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Appends a JSON object with a member for each field, owned records included.
    public static func appendObject(_ fields: [DynamicRecord.Field], to bytes: inout [UInt8]) {
        JSONText.append(DynamicRecord(model: "", fields: fields), to: &bytes)
    }

    private static func append(_ text: String, delimiter: UInt8, to bytes: inout [UInt8]) {
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
