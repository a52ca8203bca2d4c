import ArgumentParser
import Foundation
import StorageJSON

/// The encoding of an input's text.
enum InputEncoding: String, CaseIterable, ExpressibleByArgument {
    case utf8 = "utf-8"
    /// The order of bytes is that of the byte order mark; without one, the lower byte is first.
    case utf16 = "utf-16"
    /// The higher byte is first.
    case utf16BigEndian = "utf-16be"
    case latin1
    case latin2
    case windows1250 = "windows-1250"
    case windows1251 = "windows-1251"
    case windows1252 = "windows-1252"
    case windows1253 = "windows-1253"
    case windows1254 = "windows-1254"

    init?(argument: String) { self.init(rawValue: argument.lowercased()) }

    /// The encoding that an input's first bytes show: by a byte order mark, or by the zeros of UTF-16. Otherwise it is UTF-8.
    init(of contents: any InputContents) throws {
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

    /// The encodings of one byte a character, as Foundation knows them.
    private var singleBytes: String.Encoding? {
        switch self {
        case .utf8, .utf16, .utf16BigEndian: nil
        case .latin1: .isoLatin1
        case .latin2: .isoLatin2
        case .windows1250: .windowsCP1250
        case .windows1251: .windowsCP1251
        case .windows1252: .windowsCP1252
        case .windows1253: .windowsCP1253
        case .windows1254: .windowsCP1254
        }
    }

    /// The UTF-8 of each byte; nil for an encoding in which a character has several bytes.
    fileprivate var table: [[UInt8]]? {
        guard let encoding = singleBytes else { return nil }
        return (0...255).map {
            String(data: Data([$0]), encoding: encoding).map { Array($0.utf8) } ?? [CharacterDecoder.invalid]
        }
    }
}

extension InputFile {
    /// The contents as UTF-8, which can be read repeatedly from the beginning.
    func contents(in encoding: InputEncoding) throws -> any InputContents {
        encoding == .utf8 ? try contents() : DecodedContents(try contents(), encoding)
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

    init(_ contents: any InputContents, _ encoding: InputEncoding) {
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

/// Decodes bytes to UTF-8. What stands for no character becomes a byte that UTF-8 does not have, so that the record that has it is
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
        // A byte order mark in the other order says what the order is.
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
