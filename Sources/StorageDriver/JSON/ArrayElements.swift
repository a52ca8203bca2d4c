#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Tests of an array that is stored as JSON text, or of the bytes of a blob.
///
/// Elements are equal as their stored types are: numbers by value, text by bytes, arrays element by element. An element
/// to look for is given as its JSON text, as `ColumnValue` writes it.
public enum ArrayElements {
    /// The elements of a stored array that are texts.
    package static func texts(_ array: String) -> [String] {
        var array = array
        return array.withUTF8 { bytes in
            var json = JSONReader(UnsafeRawBufferPointer(bytes))
            var texts: [String] = []
            _ = json.readElements { reader in
                guard let text = reader.readString() else { return reader.skipValue() }
                texts.append(text)
                return true
            }
            return texts
        }
    }

    /// The number of elements of a stored array, or of bytes of a blob; nil if the value is neither.
    public static func count(_ value: Value) -> Int? {
        switch value {
        case .blob(let bytes): return bytes.count
        case .text(var text):
            return text.withUTF8 { bytes in
                var json = JSONReader(UnsafeRawBufferPointer(bytes))
                var count = 0
                return json.readElements { reader in
                    count += 1
                    return reader.skipValue()
                } && json.isAtEnd ? count : nil
            }
        default: return nil
        }
    }

    /// Returns whether a stored array has an element that equals the given one.
    public static func contains(_ value: Value, _ element: Value) -> Bool {
        switch (value, element) {
        case (.blob(let bytes), .int(let byte)): return UInt8(exactly: byte).map(bytes.contains) ?? false
        case (.text(var text), .text(var element)):
            return element.withUTF8 { element in
                var wanted = JSONReader(UnsafeRawBufferPointer(element))
                guard let wanted = wanted.readTree() else { return false }
                return text.withUTF8 { bytes in
                    var json = JSONReader(UnsafeRawBufferPointer(bytes))
                    var isFound = false
                    _ = json.readElements { reader in
                        guard let tree = reader.readTree() else { return false }
                        isFound = tree == wanted
                        return !isFound
                    }
                    return isFound
                }
            }
        default: return false
        }
    }
}

extension ArrayElements {
    /// An element of an array of the type, to look for; the value fits the type.
    package static func element(_ value: Value, of type: ColumnType) -> Value {
        var json = JSONWriter()
        write(value, of: type, to: &json)
        return .text(String(decoding: json.bytes, as: UTF8.self))
    }

    /// The elements of a stored array, null among them; nil if it is not an array whose elements are of the type, or null.
    package static func values(_ array: String, of type: ColumnType) -> [Value]? {
        var array = array
        return array.withUTF8 { bytes in
            var json = JSONReader(UnsafeRawBufferPointer(bytes))
            var values: [Value] = []
            let isWhole = json.readElements { json in
                if json.readNull() {
                    values.append(.null)
                } else if case .array(let inner) = type {
                    var written = JSONWriter()
                    let isWhole = copyArray(of: inner, from: &json, to: &written) { json, type in
                        read(&json, as: type.row).flatMap(type.row.stored)
                    }
                    guard isWhole else { return false }
                    values.append(.text(String(decoding: written.bytes, as: UTF8.self)))
                } else {
                    guard let value = read(&json, as: type.row).flatMap(type.row.stored) else { return false }
                    values.append(value)
                }
                return true
            }
            return isWhole && json.isAtEnd ? values : nil
        }
    }

    /// The text of a stored array in canonical form; nil if it is not an array whose elements are of the type, or null.
    static func rewritten(_ text: String, of type: ColumnType) -> String? {
        var text = text
        return text.withUTF8 { bytes in
            var json = JSONReader(UnsafeRawBufferPointer(bytes))
            var written = JSONWriter()
            let isWhole = copyArray(of: type, from: &json, to: &written) { json, type in
                read(&json, as: type.row).flatMap(type.row.stored)
            }
            guard isWhole, json.isAtEnd else { return nil }
            return String(decoding: written.bytes, as: UTF8.self)
        }
    }

    /// The text of a stored array whose elements become values of another type; nil where one of them cannot. Only numbers and
    /// truth values change, so the text of any other array stays.
    ///
    /// - Parameter convert: makes a value of a type, or nil where it would be another value.
    package static func converted(
        _ text: String, to type: ColumnType, _ convert: @escaping (Value, ColumnType) -> Value?
    ) -> String? {
        var scalar = type
        while case .array(let inner) = scalar { scalar = inner }
        switch scalar.row.computing {
        case .integer, .double, .float: break
        case .decimal, .duration: return text
        case nil: guard scalar == .bool else { return text }
        }
        var text = text
        return text.withUTF8 { bytes in
            var json = JSONReader(UnsafeRawBufferPointer(bytes))
            var written = JSONWriter()
            let isWhole = copyArray(of: type, from: &json, to: &written) { json, type in
                readNumber(&json).flatMap { convert($0, type) }.flatMap(type.row.stored)
            }
            guard isWhole, json.isAtEnd else { return nil }
            return String(decoding: written.bytes, as: UTF8.self)
        }
    }

    /// A number or a truth value of whatever type.
    private static func readNumber(_ json: inout JSONReader) -> Value? {
        if let flag = json.readBool() { return .int(flag ? 1 : 0) }
        if let number = json.readNumber() { return number }
        // NaN and the infinities are texts.
        return json.readDouble().map(Value.double)
    }

    private static func copyArray(
        of type: ColumnType, from json: inout JSONReader, to written: inout JSONWriter,
        by read: (inout JSONReader, ColumnType) -> Value?
    ) -> Bool {
        var isFirst = true
        written.append("[")
        let isArray = json.readElements { json in
            if !isFirst { written.append(",") }
            isFirst = false
            if json.readNull() {
                written.append("null")
                return true
            }
            if case .array(let inner) = type { return copyArray(of: inner, from: &json, to: &written, by: read) }
            guard let value = read(&json, type) else { return false }
            write(value, of: type, to: &written)
            return true
        }
        written.append("]")
        return isArray
    }

    private static func read(_ json: inout JSONReader, as row: ColumnTypeRow) -> Value? {
        switch row.element {
        case .bool: json.readBool().map { .int($0 ? 1 : 0) }
        case .integer: json.readNumber()
        case .double: json.readDouble().map(Value.double)
        case .text: json.readString().map(Value.text)
        case .bytes: json.readString().flatMap(row.value(of:))
        case .numbers: VectorBytes.read(&json).map { .blob(VectorBytes.bytes($0)) }
        }
    }

    private static func write(_ value: Value, of type: ColumnType, to json: inout JSONWriter) {
        switch (type.row.element, value) {
        case (_, .null): json.append("null")
        case (.double, .double(let number)): json.append(number)
        case (.text, .text(let text)): if case .array = type { json.append(text) } else { json.appendString(text) }
        case (.bytes, _): json.appendString(type.row.text(of: value) ?? "")
        default: json.append(type.row.text(of: value) ?? "null")
        }
    }
}

/// One value of JSON text.
indirect enum JSONTree: Equatable {
    case null
    case bool(Bool)
    case number(Value)
    case string([UInt8])
    case array([JSONTree])
}

extension JSONReader {
    /// Reads an array and passes each element to the body, until the body returns false. Returns true at the array's
    /// end.
    mutating func readElements(_ body: (inout JSONReader) -> Bool) -> Bool {
        guard enterArray() else { return false }
        var isFirst = true
        while let hasNext = hasNext(isFirst: isFirst) {
            guard hasNext else { return true }
            guard body(&self) else { return false }
            isFirst = false
        }
        return false
    }

    /// Skips a value; returns false without one.
    mutating func skipValue() -> Bool { readTree() != nil }

    /// Reads a value of any type except an object, which no stored array has.
    mutating func readTree() -> JSONTree? {
        if readNull() { return .null }
        if let bool = readBool() { return .bool(bool) }
        if let string = readString() { return .string(Array(string.utf8)) }
        if let number = readNumber() { return .number(number) }
        var elements: [JSONTree] = []
        let isArray = readElements { json in
            guard let element = json.readTree() else { return false }
            elements.append(element)
            return true
        }
        return isArray ? .array(elements) : nil
    }
}

extension UUID {
    /// The UUID of 16 bytes.
    init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
