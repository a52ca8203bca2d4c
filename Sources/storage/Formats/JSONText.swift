/// Writes JSON text as bytes.
enum JSONText {
    /// Appends a text in quotes.
    static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0x0A: bytes += "\\n".utf8
            case 0x0D: bytes += "\\r".utf8
            case 0x09: bytes += "\\t".utf8
            case 0..<0x20, 0x7F: bytes += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends a list with what stands around it.
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
