package import StorageAPI
import StorageDriver

/// Writes JSON text as bytes.
package enum JSONText {
    /// Appends a text in quotes.
    package static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { text in
            JSONFormat.escape(UnsafeRawBufferPointer(text), escapesDelete: true) { bytes.append(contentsOf: $0) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends a list with its brackets and separators.
    package static func append<C: Collection>(
        _ list: C, open: Unicode.Scalar, close: Unicode.Scalar, to bytes: inout [UInt8],
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

    /// Returns whether the text is a number as JSON writes one.
    package static func isNumber(_ text: String) -> Bool {
        // A number ends with a digit.
        guard let last = text.utf8.last, last &- UInt8(ascii: "0") < 10 else { return false }
        return isValue(text)
    }

    /// Returns whether the text is JSON.
    package static func isValue(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in (try? JSONParser.parse(UnsafeRawBufferPointer(bytes))) != nil }
    }

    // MARK: Records

    /// Appends a record with everything that it owns, under the stored names.
    package static func append(_ record: DynamicRecord, to bytes: inout [UInt8]) {
        append(record.fields, open: "{", close: "}", to: &bytes) { field, bytes in
            append(field.name, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            append(field.content, to: &bytes)
        }
    }

    /// A record with everything that it owns, under the stored names.
    static func text(_ record: DynamicRecord) -> String {
        var bytes: [UInt8] = []
        append(record, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends a property's value.
    package static func append(_ content: DynamicRecord.Content, to bytes: inout [UInt8]) {
        switch content {
        case .value(let value, let type): ValueForm.append(value, type, to: &bytes)
        case .child(let child?): append(child, to: &bytes)
        case .children(let children?): append(children, open: "[", close: "]", to: &bytes) { append($0, to: &$1) }
        case .child(nil), .children(nil): bytes += "null".utf8
        }
    }
}
