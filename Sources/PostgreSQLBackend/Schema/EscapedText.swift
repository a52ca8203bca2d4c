/// Text in PostgreSQL, which has no U+0000: U+0000 is stored as 01 01, U+0001 as 01 02 and U+0002 as 02 02.
///
/// Different texts stay different and keep their order. A text contains another, or begins or ends with it, exactly if that
/// holds for the escaped ones, because the bytes 01 and 02 occur in escapes alone. Only the length in scalars differs.
enum EscapedText {
    /// Returns whether the bytes must be escaped.
    static func isNeeded(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.contains { $0 <= 2 } }

    /// Appends the escaped bytes.
    static func append(_ bytes: UnsafeRawBufferPointer, to escaped: inout [UInt8]) {
        for byte in bytes {
            switch byte {
            case 0: escaped += [1, 1]
            case 1: escaped += [1, 2]
            case 2: escaped += [2, 2]
            default: escaped.append(byte)
            }
        }
    }

    static func escaped(_ text: String) -> String {
        var text = text
        return text.withUTF8 { bytes in
            var escaped: [UInt8] = []
            append(UnsafeRawBufferPointer(bytes), to: &escaped)
            return String(decoding: escaped, as: UTF8.self)
        }
    }

    /// The text of escaped bytes; nil for an invalid escape.
    static func unescaped(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            switch (byte, byte <= 2 ? rest.popFirst() : byte) {
            case (1, 1): text.append(0)
            case (1, 2): text.append(1)
            case (2, 2): text.append(2)
            case (3..., _): text.append(byte)
            default: return nil
            }
        }
        return text
    }
}
