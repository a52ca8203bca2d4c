internal import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Reads the JSON text of a stored array, element by element, if it is written exactly as `JSONWriter` writes it.
///
/// Any other text with the same meaning is refused, since decoding the archive gives the text of `JSONWriter`.
struct StoredArrayScanner {
    private var json: JSONScanner

    init(_ text: UnsafeRawBufferPointer) { json = JSONScanner(text) }

    var isAtEnd: Bool { json.isExactlyAtEnd }

    @inline(__always)
    mutating func take(_ byte: UInt8) -> Bool { json.takeExactly(byte) }

    /// The next element as a cell, whose bytes are in the text or in `scratch`; nil if it is not as expected. An inner
    /// array is a text cell with its JSON.
    @inline(__always)
    mutating func element(_ form: ScalarForm, _ scratch: inout OutputBuffer) -> Cell? {
        if json.takeExactly(UInt8(ascii: "n")) { return json.takeExactly("ull") ? .null : nil }
        if form.arrays > 0 { return array() }
        switch form.leaf {
        case .text, .url: return string(&scratch)
        case .bool: return json.takeExactly("true") ? .int(1) : json.takeExactly("false") ? .int(0) : nil
        case .integer: return integer()
        case .double, .float, .date: return double()
        case .data: return data(&scratch)
        case .uuid: return uuid(&scratch)
        case .embedded: return nil
        }
    }

    // MARK: Strings

    @inline(__always)
    private mutating func string(_ scratch: inout OutputBuffer) -> Cell? {
        guard let text = try? json.string() else { return nil }
        return text.hasEscapes ? escapedString(text, &scratch) : .bytes(json.bytes(text.range), .text)
    }

    private func escapedString(_ text: JSONScanner.Text, _ scratch: inout OutputBuffer) -> Cell? {
        scratch.removeAll()
        guard (try? json.unescape(text, { scratch.append($0) })) != nil else { return nil }
        // A text that a writer would escape in another way is refused.
        var rest = json.bytes(text.range)
        var isExact = true
        JSONFormat.escape(scratch.bytes) { part in
            isExact = isExact && rest.starts(with: part)
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(part.count))
        }
        return isExact && rest.isEmpty ? .bytes(scratch.bytes, .text) : nil
    }

    // MARK: Numbers

    private mutating func integer() -> Cell? {
        guard let digits = try? json.number(), !digits.elementsEqual("-0".utf8) else { return nil }
        if let value: Int64 = JSONScanner.integer(digits) { return .int(value) }
        return JSONScanner.integer(digits).map { Cell.unsigned($0) }
    }

    private mutating func double() -> Cell? {
        if json.takeExactly(UInt8(ascii: "\"")) {
            if json.takeExactly("NaN\"") { return .double(.nan) }
            if json.takeExactly("Infinity\"") { return .double(.infinity) }
            return json.takeExactly("-Infinity\"") ? .double(-.infinity) : nil
        }
        guard let digits = try? json.number() else { return nil }
        let text = String(decoding: digits, as: UTF8.self)
        guard let value = Double(text), JSONFormat.number(value) == text else { return nil }
        return .double(value)
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

    /// Returns the text unchecked; its consumer detects malformed arrays.
    private mutating func array() -> Cell? {
        let start = json.position
        guard json.startsArray, (try? json.passValue()) != nil else { return nil }
        return .bytes(json.bytes(from: start), .text)
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
