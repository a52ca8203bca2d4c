/// Text in SQL, for engines with that language.
extension String {
    /// The text as an SQL literal.
    package var quotedText: String { quoted(UInt8(ascii: "'")) }

    /// The text as an SQL name.
    package var quotedName: String { quoted(UInt8(ascii: "\"")) }

    /// Byte by byte: a quotation mark with a combining accent is another Character, but to SQL it is still the mark.
    private func quoted(_ mark: UInt8) -> String {
        var bytes = [mark]
        for byte in utf8 {
            if byte == mark { bytes.append(mark) }
            bytes.append(byte)
        }
        bytes.append(mark)
        return String(decoding: bytes, as: UTF8.self)
    }
}
