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
            // The store checks the elements, and normalises them.
            let json = isUntyped ? unquoted(json) : json
            guard case .array = json else { throw RecordProblem("must be an array; it is \(json.kind).") }
            return .text(json.text)
        case .embedded: return .text((isUntyped ? unquoted(json) : json).text)
        default: break
        }
        let row = type.row
        let value: Value?
        switch isUntyped && row.element == .numbers ? unquoted(json) : json {
        case .bool(let flag): value = row.element == .bool || isUntyped ? row.value(of: "\(flag)") : nil
        case .number(let digits): value = row.value(ofNumber: digits) ?? (isUntyped ? row.value(of: digits) : nil)
        // Words and arrays are no texts, though a text may have the same characters.
        case .string(let string): value = row.element == .bool || row.element == .numbers ? nil : row.value(of: string)
        case .array(let elements) where row.element == .numbers: value = row.value(of: JSONValue.array(elements).text)
        case .null, .array, .object: value = nil
        }
        guard let value else { throw RecordProblem("is \(described(json)), which is no \(type).") }
        return value
    }

    /// The JSON of a text, if the input has only texts; the text itself if it is not JSON.
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
}
