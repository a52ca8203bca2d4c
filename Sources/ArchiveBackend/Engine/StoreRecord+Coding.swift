internal import StorageAPI

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

// The schema is JSON text, as the SQLite backend records it too.
extension StoreRecord {
    func encoded() throws(StorageError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            return try Array(encoder.encode(self))
        } catch {
            throw StorageError(.invalidValue, "The store's schema cannot be written.", underlying: error)
        }
    }

    init(_ contents: UnsafeRawBufferPointer) throws(StorageError) {
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(contents))
        } catch {
            throw StorageError(.corrupt, "The store's own entry cannot be read.", underlying: error)
        }
    }
}

/// A value as the store's entry has it.
enum RecordedValue: Codable {
    case null
    case int(Int64)
    case unsigned(UInt64)
    /// The bits, for JSON knows no NaN.
    case double(UInt64)
    case text(String)
    case blob([UInt8])

    init(_ value: Value) {
        self =
            switch value {
            case .null: .null
            case .int(let number): .int(number)
            case .unsigned(let number): .unsigned(number)
            case .double(let number): .double(number.bitPattern)
            case .text(let text): .text(text)
            case .blob(let bytes): .blob(bytes)
            }
    }

    var value: Value {
        switch self {
        case .null: .null
        case .int(let number): .int(number)
        case .unsigned(let number): .unsigned(number)
        case .double(let bits): .double(Double(bitPattern: bits))
        case .text(let text): .text(text)
        case .blob(let bytes): .blob(bytes)
        }
    }
}
