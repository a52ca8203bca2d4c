#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Questions about an array that is stored as JSON text, or about the bytes of a blob.
///
/// Elements are equal as their stored types are: numbers by value, text by bytes, arrays element by element. An element
/// to look for is given as its JSON text, as `ColumnValue` writes it.
public enum ArrayElements {
    /// How many elements a stored array has, or how many bytes a blob; nil where the value is neither.
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

    /// Whether a stored array has an element that equals the given one.
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
        switch (type, value) {
        case (_, .null): json.append("null")
        case (.bool, .int(let value)): json.append(value == 0 ? "false" : "true")
        case (_, .int(let value)): json.append(String(value))
        case (_, .unsigned(let value)): json.append(String(value))
        case (_, .double(let value)): json.append(value)
        case (.array, .text(let text)): json.append(text)
        case (_, .text(let text)): json.appendString(text)
        case (.uuid, .blob(let bytes)): json.appendString(UUID(bytes: bytes)?.uuidString ?? "")
        case (_, .blob(let bytes)): json.appendString(Data(bytes).base64EncodedString())
        }
        return .text(String(decoding: json.bytes, as: UTF8.self))
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
    /// Reads an array, handing each element to the body, until it returns false. True at the array's end.
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

    /// Passes over a value; false where there is none.
    mutating func skipValue() -> Bool { readTree() != nil }

    /// Reads a value of any type but an object, which no stored array has.
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
