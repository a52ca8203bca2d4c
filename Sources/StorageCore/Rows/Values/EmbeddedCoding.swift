import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Embedded `Codable` values: JSON text with sorted keys, so that equal values have equal text. The nil of an Optional is null,
/// and a value whose JSON is null is the text of that.
package enum EmbeddedCoding {
    static func encode<T: Encodable>(_ value: T) throws -> Data? {
        if let optional = value as? any OptionalValue, optional.isNothing { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        return try encoder.encode(value)
    }

    package static func decode<T: Decodable>(_: T.Type, from cell: Cell) throws -> T? {
        if cell.isNull { return (T.self as? any OptionalValue.Type)?.nothing as? T }
        guard cell.tag == .text else { return nil }
        let isFirst = !isDecoding
        if isFirst { mark(true) }
        defer { if isFirst { mark(false) } }
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        let data = Data(cell.bytes)
        // A decoder takes null for the nil of an Optional, which has no text.
        func decodeWrapped<O: OptionalValue>(_: O.Type) throws -> T? {
            guard let type = O.Wrapped.self as? any Decodable.Type,
                let wrapped = try decoder.decode(type, from: data) as? O.Wrapped
            else { return nil }
            return O(wrapped) as? T
        }
        if let optional = T.self as? any OptionalValue.Type { return try decodeWrapped(optional) }
        return try decoder.decode(T.self, from: data)
    }

    /// True if the calling thread is inside a decoder, which is the program's code.
    package static var isDecoding: Bool { key.map { pthread_getspecific($0) != nil } ?? false }

    /// The key that marks a thread; nil where the system has no more keys.
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, nil) == 0 ? key : nil
    }()

    private static func mark(_ isDecoding: Bool) {
        // An address that is never read. It identifies a thread.
        if let key { pthread_setspecific(key, isDecoding ? UnsafeRawPointer(bitPattern: 1) : nil) }
    }

    /// A value as a `Value`.
    package static func value<T: Encodable>(of value: T) throws -> Value {
        try encode(value).map { .text(String(decoding: $0, as: UTF8.self)) } ?? .null
    }
}
