import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Embedded `Codable` values: JSON text with sorted keys, so that equal values have equal text; nil is null.
enum EmbeddedCoding {
    static func encode<T: Encodable>(_ value: T) throws -> Data? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        let data = try encoder.encode(value)
        return T.self is any OptionalValue.Type && data == Data("null".utf8) ? nil : data
    }

    static func decode<T: Decodable>(_: T.Type, from cell: Cell) throws -> T? {
        if cell.isNull { return (T.self as? any OptionalValue.Type)?.nothing as? T }
        guard cell.tag == .text else { return nil }
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        return try decoder.decode(T.self, from: Data(cell.bytes))
    }

    /// A value as a `Value`.
    static func value<T: Encodable>(of value: T) throws -> Value {
        try encode(value).map { .text(String(decoding: $0, as: UTF8.self)) } ?? .null
    }
}
