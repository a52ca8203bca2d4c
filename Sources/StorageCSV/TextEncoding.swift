public import StorageAPI
package import StorageJSON

extension Store {
    /// The encoding of a text that is read.
    public enum TextEncoding: String, CaseIterable, Hashable, Sendable {
        case utf8 = "utf-8"
        /// The order of bytes is that of the byte order mark; without one, the lower byte is first.
        case utf16 = "utf-16"
        /// The higher byte is first.
        case utf16BigEndian = "utf-16be"
        /// ISO 8859-1.
        case latin1
        /// ISO 8859-2.
        case latin2
        case windows1250 = "windows-1250"
        case windows1251 = "windows-1251"
        case windows1252 = "windows-1252"
        case windows1253 = "windows-1253"
        case windows1254 = "windows-1254"
    }
}

extension Store.TextEncoding {
    /// The encoding that an input's first bytes show: by a byte order mark, or by the zeros of UTF-16. Otherwise it is UTF-8.
    package init(of contents: any InputContents) throws {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 4, alignment: 1)
        defer { bytes.deallocate() }
        var count = 0
        while count < bytes.count {
            let more = try contents.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[count...]))
            if more == 0 { break }
            count += more
        }
        let start = bytes.prefix(count)
        let isZero = start.map { $0 == 0 }
        if start.starts(with: [0xFE, 0xFF]) || isZero == [true, false, true, false] {
            self = .utf16BigEndian
        } else if start.starts(with: [0xFF, 0xFE]) || isZero == [false, true, false, true] {
            self = .utf16
        } else {
            self = .utf8
        }
    }

    /// The characters of the bytes from 128 on, in encodings of one byte a character, whose lower half is ASCII; U+FFFD stands for
    /// none. From the mappings of the Unicode Consortium (https://www.unicode.org/Public/MAPPINGS/).
    private var upperHalf: String? {
        switch self {
        case .utf8, .utf16, .utf16BigEndian: nil
        case .latin1: String(String.UnicodeScalarView((0x80...0xFF).compactMap(Unicode.Scalar.init)))
        case .latin2:
            "\u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\u{88}\u{89}\u{8A}\u{8B}\u{8C}\u{8D}"
                + "\u{8E}\u{8F}\u{90}\u{91}\u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\u{98}\u{99}\u{9A}\u{9B}"
                + "\u{9C}\u{9D}\u{9E}\u{9F}\u{A0}Ą˘Ł¤ĽŚ§¨ŠŞŤŹ\u{AD}ŽŻ°ą˛ł´ľśˇ¸šşťź˝žżŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐ"
                + "Ö×ŘŮÚŰÜÝŢßŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙"
        case .windows1250:
            "€�‚�„…†‡�‰Š‹ŚŤŽŹ�‘’“”•–—�™š›śťžź\u{A0}ˇ˘Ł¤Ą¦§¨©Ş«¬\u{AD}®Ż°±˛ł´µ¶·¸ąş»Ľ˝ľżŔÁÂĂÄĹĆÇČÉĘËĚÍ"
                + "ÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢßŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙"
        case .windows1251:
            "ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—�™љ›њќћџ\u{A0}ЎўЈ¤Ґ¦§Ё©Є«¬\u{AD}®Ї°±Ііґµ¶·ё№є»јЅѕїАБВГДЕЖЗИЙКЛМН"
                + "ОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя"
        case .windows1252:
            "€�‚ƒ„…†‡ˆ‰Š‹Œ�Ž��‘’“”•–—˜™š›œ�žŸ\u{A0}¡¢£¤¥¦§¨©ª«¬\u{AD}®¯°±²³´µ¶·¸¹º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍ"
                + "ÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ"
        case .windows1253:
            "€�‚ƒ„…†‡�‰�‹�����‘’“”•–—�™�›����\u{A0}΅Ά£¤¥¦§¨©�«¬\u{AD}®―°±²³΄µ¶·ΈΉΊ»Ό½ΎΏΐΑΒΓΔΕΖΗΘΙΚΛΜΝ"
                + "ΞΟΠΡ�ΣΤΥΦΧΨΩΪΫάέήίΰαβγδεζηθικλμνξοπρςστυφχψωϊϋόύώ�"
        case .windows1254:
            "€�‚ƒ„…†‡ˆ‰Š‹Œ����‘’“”•–—˜™š›œ��Ÿ\u{A0}¡¢£¤¥¦§¨©ª«¬\u{AD}®¯°±²³´µ¶·¸¹º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍ"
                + "ÎÏĞÑÒÓÔÕÖ×ØÙÚÛÜİŞßàáâãäåæçèéêëìíîïğñòóôõö÷øùúûüışÿ"
        }
    }

    /// The UTF-8 of each byte; nil for an encoding in which a character has several bytes.
    fileprivate var table: [[UInt8]]? {
        guard let upperHalf else { return nil }
        let upper = upperHalf.unicodeScalars.map { $0 == "\u{FFFD}" ? [CharacterDecoder.invalid] : Array($0.utf8) }
        return (0..<0x80).map { [$0] } + upper
    }

    /// The contents of an input in this encoding, as UTF-8.
    package func decoded(_ contents: any InputContents) -> any InputContents {
        self == .utf8 ? contents : DecodedContents(contents, self)
    }
}

/// The contents of an input in another encoding, as UTF-8.
private final class DecodedContents: InputContents {
    private let contents: any InputContents
    private var decoder: CharacterDecoder
    private let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    private var decoded: [UInt8] = []
    /// The number of decoded bytes that have been read.
    private var taken = 0

    init(_ contents: any InputContents, _ encoding: Store.TextEncoding) {
        self.contents = contents
        decoder = CharacterDecoder(table: encoding.table, isBigEndian: encoding == .utf16BigEndian)
    }

    deinit { block.deallocate() }

    var name: String { contents.name }
    var size: Int { contents.size }
    var position: Int { contents.position }

    func read(into bytes: UnsafeMutableRawBufferPointer) throws -> Int {
        while taken == decoded.count {
            decoded.removeAll(keepingCapacity: true)
            taken = 0
            let count = try contents.read(into: block)
            for byte in block.prefix(count) { decoder.add(byte, to: &decoded) }
            if count == 0 { decoder.finish(&decoded) }
            if count == 0, decoded.isEmpty { return 0 }
        }
        let count = min(bytes.count, decoded.count - taken)
        bytes.copyBytes(from: decoded[taken..<taken + count])
        taken += count
        return count
    }
}

/// Decodes bytes to UTF-8. Bytes that stand for no character become a byte that UTF-8 does not have, so that their record is
/// a bad one.
private struct CharacterDecoder {
    /// The UTF-8 of each byte; nil for UTF-16.
    let table: [[UInt8]]?
    var isBigEndian: Bool
    private var first: UInt8?
    private var lead: UInt16?
    private var isAtStart = true

    static let invalid: UInt8 = 0xFF

    init(table: [[UInt8]]?, isBigEndian: Bool) { (self.table, self.isBigEndian) = (table, isBigEndian) }

    mutating func add(_ byte: UInt8, to bytes: inout [UInt8]) {
        if let table { return bytes += table[Int(byte)] }
        guard let other = first else { return first = byte }
        first = nil
        let unit = isBigEndian ? UInt16(other) << 8 | UInt16(byte) : UInt16(byte) << 8 | UInt16(other)
        // A byte order mark in the other order changes the order.
        if isAtStart, unit == 0xFFFE {
            isBigEndian.toggle()
            return decode(0xFEFF, to: &bytes)
        }
        decode(unit, to: &bytes)
    }

    private mutating func decode(_ unit: UInt16, to bytes: inout [UInt8]) {
        isAtStart = false
        if let high = lead {
            lead = nil
            if UTF16.isTrailSurrogate(unit) {
                return append(0x10000 + (UInt32(high & 0x3FF) << 10) + UInt32(unit & 0x3FF), to: &bytes)
            }
            bytes.append(Self.invalid)
        }
        if UTF16.isLeadSurrogate(unit) { lead = unit } else { append(UInt32(unit), to: &bytes) }
    }

    private func append(_ value: UInt32, to bytes: inout [UInt8]) {
        if let scalar = Unicode.Scalar(value) { bytes += scalar.utf8 } else { bytes.append(Self.invalid) }
    }

    /// Tells of half a character at the end.
    mutating func finish(_ bytes: inout [UInt8]) {
        if first != nil || lead != nil { bytes.append(Self.invalid) }
        (first, lead) = (nil, nil)
    }
}
