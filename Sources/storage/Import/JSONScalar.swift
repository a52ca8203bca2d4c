import Foundation
import StorageAPI
import StorageDriver
import TerminalOutput

/// How a JSON value becomes a stored value of a type, without loss or not at all.
enum JSONScalar {
    /// - Parameter isUntyped: whether a number or a word may be the text that it is written as.
    static func value(
        _ json: JSONValue, _ type: ColumnType, isUntyped: Bool = false
    ) throws(RecordProblem) -> Value {
        switch type {
        case .array:
            // The store checks the elements, and writes them in its own form.
            let json = isUntyped ? unquoted(json) : json
            guard case .array = json else { throw RecordProblem("must be an array; it is \(json.kind).") }
            return .text(json.text)
        case .embedded: return .text((isUntyped ? unquoted(json) : json).text)
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

    /// The JSON that a text holds, where the input has nothing but texts; the text itself where it holds none.
    static func unquoted(_ json: JSONValue) -> JSONValue {
        if case .string(let text) = json { ValueForm.json(text) ?? json } else { json }
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
        case .date: return DateText.seconds(string).map { .double($0) } ?? special(string)
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
}
