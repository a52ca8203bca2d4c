public import StorageDriver

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

extension String: ScalarValue, SortableValue {
    @inlinable public static var columnType: ColumnType { .string }

    @inlinable @inline(__always)
    public static func decode(_ cell: Cell) -> String? {
        guard cell.tag == .text else { return nil }
        let bytes = cell.bytes
        let text = String(decoding: bytes, as: UTF8.self)
        return isASCII(bytes) || isExact(text, cell) ? text : nil
    }

    /// Text of ASCII alone needs no repair, which most of it is and which a few words tell.
    @inlinable @inline(__always)
    static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var (place, found) = (0, UInt64(0))
        while place &+ 8 <= bytes.count {
            found |= bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            place &+= 8
        }
        while place < bytes.count {
            found |= UInt64(bytes[place])
            place &+= 1
        }
        return found & 0x8080_8080_8080_8080 == 0
    }

    /// Decoding repairs ill-formed UTF-8 by replacement characters, and repaired text is not the stored text. A native
    /// string's bytes are contiguous, so comparing them is one memcmp.
    @usableFromInline
    static func isExact(_ text: String, _ cell: Cell) -> Bool {
        let bytes = cell.bytes
        let isSame = text.utf8.withContiguousStorageIfAvailable { decoded in
            guard decoded.count == bytes.count else { return false }
            guard let left = decoded.baseAddress, let right = bytes.baseAddress else { return true }
            return memcmp(left, right, bytes.count) == 0
        }
        return isSame ?? text.utf8.elementsEqual(bytes)
    }

    @inlinable @inline(__always)
    public func encode(into row: inout RowWriter) {
        let done: Void? = utf8.withContiguousStorageIfAvailable { row.put(UnsafeRawBufferPointer($0), as: .text) }
        if done == nil {
            var native = self
            native.withUTF8 { row.put(UnsafeRawBufferPointer($0), as: .text) }
        }
    }

    public static func decode(_ json: inout JSONReader) -> String? { json.readString() }
    public func encode(into json: inout JSONWriter) { json.appendString(self) }
    public var value: Value { .text(self) }
}

/// What is said of a value whose text would not give it back.
enum TextForm {
    static func refusal(of value: String) -> String {
        "\(value) cannot be kept exactly: a relative URL needs its base, use absoluteURL."
    }
}

/// A value that is kept as text which only some strings are.
protocol TextRepresented: ScalarValue {
    var storedText: String? { get }
    init?(storedText: String)
}

extension TextRepresented {
    public static func decode(_ cell: Cell) -> Self? { String.decode(cell).flatMap(Self.init(storedText:)) }

    public func encode(into row: inout RowWriter) {
        if let storedText {
            storedText.encode(into: &row)
        } else {
            row.fail(.invalidValue, TextForm.refusal(of: "\(self)"))
        }
    }

    public static func decode(_ json: inout JSONReader) -> Self? {
        json.readString().flatMap(Self.init(storedText:))
    }

    public func encode(into json: inout JSONWriter) {
        if let storedText { json.appendString(storedText) } else { json.fail(TextForm.refusal(of: "\(self)")) }
    }

    public var value: Value { storedText.map(Value.text) ?? .null }
}

extension URL: ScalarValue, SortableValue, TextRepresented {
    @inlinable public static var columnType: ColumnType { .url }

    var storedText: String? { baseURL == nil ? relativeString : nil }

    init?(storedText: String) {
        // Without the second argument Foundation percent-encodes what it does not like: another URL than was stored.
        self.init(string: storedText, encodingInvalidCharacters: false)
    }
}

extension Decimal: ScalarValue, SortableValue, TextRepresented {
    @inlinable public static var columnType: ColumnType { .decimal }
}
