internal import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Takes a stored array's JSON text apart, element by element, as long as it is written exactly as `JSONWriter` writes.
///
/// Any other text of the same meaning is refused, since an archive gives back the former only.
struct JSONScanner {
    private let text: UnsafeRawBufferPointer
    private var position = 0

    init(_ text: UnsafeRawBufferPointer) { self.text = text }

    var isAtEnd: Bool { position == text.count }

    @inline(__always)
    mutating func take(_ byte: UInt8) -> Bool {
        guard position < text.count, text[position] == byte else { return false }
        position &+= 1
        return true
    }

    /// The next element as a cell, whose bytes are in the text or in `scratch`; nil where it is not as expected. An
    /// inner array is a text cell with its JSON.
    @inline(__always)
    mutating func element(_ form: ScalarForm, _ scratch: inout OutputBuffer) -> Cell? {
        guard position < text.count else { return nil }
        if text[position] == UInt8(ascii: "n") { return takeWord("null") ? .null : nil }
        if form.arrays > 0 { return array() }
        switch form.leaf {
        case .text, .url, .decimal: return string(&scratch)
        case .bool: return takeWord("true") ? .int(1) : takeWord("false") ? .int(0) : nil
        case .integer: return integer()
        case .double, .float, .date: return double()
        case .data: return data(&scratch)
        case .uuid: return uuid(&scratch)
        case .embedded: return nil
        }
    }

    private mutating func takeWord(_ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard count <= text.count - position else { return false }
        let isSame = word.withUTF8Buffer { equal(UnsafeRawBufferPointer($0), slice(position..<position + count)) }
        if isSame { position += count }
        return isSame
    }

    private func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: text[range]) }

    private func cell(_ range: Range<Int>) -> Cell { .bytes(slice(range), .text) }

    // MARK: Strings

    @inline(__always)
    private mutating func string(_ scratch: inout OutputBuffer) -> Cell? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        let start = position
        while position < text.count {
            let byte = text[position]
            if byte == UInt8(ascii: "\"") {
                position &+= 1
                return cell(start..<position &- 1)
            }
            if byte == UInt8(ascii: "\\") { return escapedString(from: start, &scratch) }
            if byte < 0x20 { return nil }
            position &+= 1
        }
        return nil
    }

    private mutating func escapedString(from start: Int, _ scratch: inout OutputBuffer) -> Cell? {
        scratch.removeAll()
        scratch.append(slice(start..<position))
        while position < text.count {
            let byte = text[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return .bytes(scratch.bytes, .text)
            case UInt8(ascii: "\\"):
                guard let escaped = escape() else { return nil }
                scratch.append(escaped)
            case 0..<0x20: return nil
            default: scratch.append(byte)
            }
        }
        return nil
    }

    private mutating func escape() -> UInt8? {
        for (letter, byte) in [("\"", 0x22), ("\\", 0x5C), ("n", 0x0A), ("r", 0x0D), ("t", 0x09)]
            as [(Unicode.Scalar, UInt8)]
        where take(UInt8(ascii: letter)) {
            return byte
        }
        guard takeWord("u00"), text.count - position >= 2 else { return nil }
        guard let high = Self.digit(text[position]), let low = Self.digit(text[position + 1]) else { return nil }
        position += 2
        let byte = high << 4 | low
        return byte < 0x20 && ![0x0A, 0x0D, 0x09].contains(byte) ? byte : nil
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    // MARK: Numbers

    private mutating func token() -> String? {
        let start = position
        while position < text.count, text[position] != UInt8(ascii: ","), text[position] != UInt8(ascii: "]") {
            position += 1
        }
        // No number that JSONWriter writes is longer than 24 characters.
        return position - start <= 32 ? String(decoding: slice(start..<position), as: UTF8.self) : nil
    }

    private mutating func integer() -> Cell? {
        guard let token = token() else { return nil }
        if let value = Int64(token), String(value) == token { return .int(value) }
        if let value = UInt64(token), String(value) == token { return .unsigned(value) }
        return nil
    }

    private mutating func double() -> Cell? {
        if position < text.count, text[position] == UInt8(ascii: "\"") {
            if takeWord("\"NaN\"") { return .double(.nan) }
            if takeWord("\"Infinity\"") { return .double(.infinity) }
            return takeWord("\"-Infinity\"") ? .double(-.infinity) : nil
        }
        guard let token = token(), let value = Double(token), value.isFinite, value.description == token else {
            return nil
        }
        return value == 0 && value.sign == .minus ? nil : .double(value)
    }

    // MARK: Bytes

    private mutating func data(_ scratch: inout OutputBuffer) -> Cell? {
        guard let cell = string(&scratch) else { return nil }
        let text = String(decoding: cell.bytes, as: UTF8.self)
        guard let data = Data(base64Encoded: text), data.base64EncodedString() == text else { return nil }
        scratch.removeAll()
        data.withUnsafeBytes { scratch.append($0) }
        return .bytes(scratch.bytes, .blob)
    }

    private mutating func uuid(_ scratch: inout OutputBuffer) -> Cell? {
        guard let cell = string(&scratch) else { return nil }
        let text = String(decoding: cell.bytes, as: UTF8.self)
        guard let uuid = UUID(uuidString: text), uuid.uuidString == text else { return nil }
        scratch.removeAll()
        withUnsafeBytes(of: uuid.uuid) { scratch.append($0) }
        return .bytes(scratch.bytes, .blob)
    }

    // MARK: Arrays

    private mutating func array() -> Cell? {
        let start = position
        var depth = 0
        var isText = false
        while position < text.count {
            let byte = text[position]
            position += 1
            if isText {
                if byte == UInt8(ascii: "\\") { position += 1 }
                isText = byte != UInt8(ascii: "\"")
            } else {
                switch byte {
                case UInt8(ascii: "\""): isText = true
                case UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "]"): depth -= 1
                default: break
                }
                if depth <= 0 { return depth == 0 && text[start] == UInt8(ascii: "[") ? cell(start..<position) : nil }
            }
        }
        return nil
    }
}

extension Cell {
    /// A text or blob cell for bytes that outlive it.
    @inline(__always)
    static func bytes(_ bytes: UnsafeRawBufferPointer, _ tag: Tag) -> Cell {
        Cell(
            bits: UInt64(UInt(bitPattern: bytes.baseAddress)), length: UInt32(truncatingIfNeeded: bytes.count), tag: tag
        )
    }
}
