import Foundation
import StorageAPI

/// How a JSON value becomes a stored value of a type, without loss or not at all.
enum JSONScalar {
    /// - Parameter isUntyped: whether a number or a word may be the text that it is written as.
    static func value(
        _ json: JSONValue, _ type: ColumnType, isUntyped: Bool = false
    ) throws(RecordProblem) -> Value {
        switch type {
        case .array(let element): return try array(json, of: element)
        case .embedded: return .text(json.text)
        default: break
        }
        let value: Value?
        switch json {
        case .bool(let flag): value = type == .bool ? .int(flag ? 1 : 0) : isUntyped ? text("\(flag)", type) : nil
        case .number(let digits): value = number(digits, type) ?? (isUntyped ? text(digits, type) : nil)
        case .string(let string): value = text(string, type)
        case .null, .array, .object: value = nil
        }
        guard let value else { throw RecordProblem("is \(described(json)), which is no \(type).") }
        return value
    }

    private static func described(_ json: JSONValue) -> String {
        switch json {
        case .number(let digits): digits
        case .string(let string): "the text \(Value.text(string))"
        case .bool(let flag): "\(flag)"
        default: json.kind
        }
    }

    private static func number(_ digits: String, _ type: ColumnType) -> Value? {
        switch type {
        case .bool: return digits == "0" ? .int(0) : digits == "1" ? .int(1) : nil
        case .uint64: return UInt64(digits).map { Value($0) }
        case .float: return Float(digits).flatMap { $0.isFinite ? Value($0) : nil }
        case .double, .date: return Double(digits).flatMap { $0.isFinite ? Value($0) : nil }
        case .decimal: return DecimalText.canonical(digits).map { .text($0) }
        default:
            guard let range = type.range, let number = Int64(digits), range.contains(number) else { return nil }
            return .int(number)
        }
    }

    private static func text(_ string: String, _ type: ColumnType) -> Value? {
        switch type {
        case .string, .url: return .text(string)
        case .decimal: return DecimalText.canonical(string).map { .text($0) }
        case .data: return Data(base64Encoded: string).map { Value($0) }
        case .uuid: return UUID(uuidString: string).map { Value($0) }
        case .date: return (try? Date(string, strategy: .iso8601)).map { Value($0) } ?? special(string)
        case .double, .float: return special(string)
        default: return nil
        }
    }

    /// What JSON has no number for.
    private static func special(_ string: String) -> Value? {
        switch string {
        case "NaN": .double(.nan)
        case "Infinity": .double(.infinity)
        case "-Infinity": .double(-.infinity)
        default: nil
        }
    }

    // MARK: Arrays

    /// The stored text of an array, in the form that the typed interface writes.
    private static func array(_ json: JSONValue, of element: ColumnType) throws(RecordProblem) -> Value {
        guard case .array(let elements) = json else { throw RecordProblem("must be an array; it is \(json.kind).") }
        if case .array(let inner) = element { return try nested(elements, of: inner) }
        switch element {
        case .bool: return Value(try list(elements, element) { if case .int(let flag) = $0 { flag == 1 } else { nil } })
        case .uint64: return Value(try list(elements, element, unsigned))
        case .float, .double, .date:
            return Value(try list(elements, element) { if case .double(let number) = $0 { number } else { nil } })
        case .data:
            return Value(try list(elements, element) { if case .blob(let bytes) = $0 { Data(bytes) } else { nil } })
        case .uuid: return Value(try list(elements, element, uuid))
        case .string, .url, .decimal:
            return Value(try list(elements, element) { if case .text(let text) = $0 { text } else { nil } })
        default: return Value(try list(elements, element) { if case .int(let number) = $0 { number } else { nil } })
        }
    }

    private static func nested(_ elements: [JSONValue], of inner: ColumnType) throws(RecordProblem) -> Value {
        var texts: [String] = []
        for (index, element) in elements.enumerated() {
            do {
                if case .text(let text) = try array(element, of: inner) { texts.append(text) }
            } catch {
                throw error.inside("[\(index)]")
            }
        }
        return .text("[" + texts.joined(separator: ",") + "]")
    }

    private static func list<T>(
        _ elements: [JSONValue], _ type: ColumnType, _ convert: (Value) -> T?
    ) throws(RecordProblem) -> [T] {
        var list: [T] = []
        list.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            do throws(RecordProblem) {
                guard let converted = convert(try value(element, type)) else {
                    throw RecordProblem("is \(described(element)), which is no \(type).")
                }
                list.append(converted)
            } catch {
                throw error.inside("[\(index)]")
            }
        }
        return list
    }

    private static func unsigned(_ value: Value) -> UInt64? {
        switch value {
        case .int(let number): UInt64(exactly: number)
        case .unsigned(let number): number
        default: nil
        }
    }

    private static func uuid(_ value: Value) -> UUID? {
        guard case .blob(let bytes) = value, bytes.count == 16 else { return nil }
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
