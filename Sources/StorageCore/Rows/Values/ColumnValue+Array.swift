public import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension Array: ColumnValue where Element: ColumnValue {}

// An array is one column of JSON text; [UInt8] is bytes, and as an element of another array base64 like Data.
extension Array: ScalarValue where Element: ColumnValue {
    @inlinable public static var columnType: ColumnType {
        Element.self == UInt8.self ? .data : .array(of: Element.columnType)
    }

    @inlinable
    public static func decode(_ cell: Cell) -> [Element]? {
        if Element.self == UInt8.self {
            return cell.tag == .blob ? elements(of: [UInt8](cell.bytes)) : nil
        }
        return decodeText(cell)
    }

    @usableFromInline
    static func decodeText(_ cell: Cell) -> [Element]? {
        guard cell.tag == .text else { return nil }
        var json = JSONReader(cell.bytes)
        guard let elements = decode(&json), json.isAtEnd else { return nil }
        return elements
    }

    @inlinable
    public func encode(into row: inout RowWriter) {
        if Element.self == UInt8.self {
            withUnsafeBytes { row.put($0, as: .blob) }
        } else {
            encodeText(into: &row)
        }
    }

    @usableFromInline
    func encodeText(into row: inout RowWriter) {
        // Strings by dedicated code, as they are read. The cast is between a type and itself.
        if Element.self == String.self, row.putJSON(unsafeBitCast(self, to: [String].self)) { return }
        var json = JSONWriter()
        encode(into: &json)
        if let problem = json.failure { row.fail(.invalidValue, problem) }
        json.bytes.withUnsafeBytes { row.put($0, as: .text) }
    }

    public static func decode(_ json: inout JSONReader) -> [Element]? {
        if Element.self == UInt8.self {
            return Data.decode(&json).map { elements(of: [UInt8]($0)) }
        }
        // The usual types by dedicated code: through their conformance an element costs several times as much.
        if Element.self == String.self {
            guard let values = json.readArray({ String.decode(&$0) }) else { return nil }
            return elements(of: values)
        }
        if Element.self == Int.self {
            guard let values = json.readArray({ Int.decode(&$0) }) else { return nil }
            return elements(of: values)
        }
        if Element.self == Double.self {
            guard let values = json.readArray({ Double.decode(&$0) }) else { return nil }
            return elements(of: values)
        }
        return json.readArray { Element.decode(&$0) }
    }

    public func encode(into json: inout JSONWriter) {
        if Element.self == UInt8.self { return withUnsafeBytes { Data($0).encode(into: &json) } }
        json.appendArray(self) { $0.encode(into: &$1) }
    }

    public var value: Value {
        if Element.self == UInt8.self { return withUnsafeBytes { .blob(Array<UInt8>($0)) } }
        var json = JSONWriter()
        encode(into: &json)
        return json.failure == nil ? .text(String(decoding: json.bytes, as: UTF8.self)) : .null
    }

    // Sound where Element is T, which every caller has just tested: the two types are one.
    @inlinable
    static func elements<T>(of values: [T]) -> [Element] {
        unsafeBitCast(values, to: [Element].self)
    }
}

extension JSONReader {
    /// Reads an array; nil without one, or if an element is invalid.
    fileprivate mutating func readArray<E>(_ element: (inout JSONReader) -> E?) -> [E]? {
        guard enterArray() else { return nil }
        var elements: [E] = []
        while let hasNext = hasNext(isFirst: elements.isEmpty) {
            guard hasNext else { return elements }
            guard let next = element(&self) else { return nil }
            // Most arrays are short and their elements of one length: one allocation for them, not one for 1, 2 and 4.
            if elements.isEmpty { elements.reserveCapacity(min(likelyCount, 16)) }
            elements.append(next)
        }
        return nil
    }
}

extension RowWriter {
    /// Writes strings as the JSON text that a `JSONWriter` makes of them, without a copy. Returns false without writing
    /// if a character must be escaped or if the text is larger than a value may be.
    mutating func putJSON(_ strings: [String]) -> Bool {
        // A bracket, and each string with its quotes and the comma or bracket after it.
        let size = strings.isEmpty ? 2 : strings.reduce(1) { $0 + $1.utf8.count + 3 }
        guard size <= arena.pointee.limit else { return false }
        let text = arena.pointee.allocate(size)
        text.storeBytes(of: UInt8(ascii: "["), as: UInt8.self)
        var end = text + 1
        for string in strings {
            // As many bytes as were counted: a string's contiguous storage is its UTF-8.
            let isPlain = string.utf8.withContiguousStorageIfAvailable { bytes in
                guard !bytes.contains(where: JSONFormat.isEscaped) else { return false }
                end.storeBytes(of: UInt8(ascii: "\""), as: UInt8.self)
                if let start = bytes.baseAddress { (end + 1).copyMemory(from: start, byteCount: bytes.count) }
                end += bytes.count + 3
                (end - 2).storeBytes(of: UInt8(ascii: "\""), as: UInt8.self)
                (end - 1).storeBytes(of: UInt8(ascii: ","), as: UInt8.self)
                return true
            }
            guard isPlain == true else { return false }
        }
        (text + size - 1).storeBytes(of: UInt8(ascii: "]"), as: UInt8.self)
        put(Cell(bits: UInt64(UInt(bitPattern: text)), length: UInt32(truncatingIfNeeded: size), tag: .text))
        return true
    }
}
