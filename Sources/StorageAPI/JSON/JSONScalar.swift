package import StorageDriver

/// How a JSON value becomes a stored value of a type, without loss or not at all.
package enum JSONScalar {
    /// What is accepted besides the value that the type itself writes.
    package struct Rules: Sendable {
        /// Whether a number or a word may be the text that it is written as, since the input knows no types.
        var isUntyped = false
        /// Whether a text may be the number or the truth value that it spells, and the other way round.
        var isLenient = false
        /// How dates are written; nil for the form that the library writes.
        var dates: Property.DateForm?
    }

    package static func value(
        _ json: JSONValue, _ type: ColumnType, _ rules: Rules = Rules()
    ) throws(RecordProblem) -> Value {
        switch type {
        case .array(let element):
            // The store checks the elements, and normalises them.
            let json = rules.isUntyped ? unquoted(json) : json
            guard case .array(let elements) = json else {
                throw RecordProblem("must be an array; it is \(json.kind).")
            }
            guard rules.dates != nil || rules.isLenient || element == .date else { return .text(json.text) }
            return .text(JSONValue.array(try self.elements(elements, element, rules)).text)
        case .embedded: return .text((rules.isUntyped ? unquoted(json) : json).text)
        case .date where rules.dates != nil: return try date(json, rules)
        default: break
        }
        let row = type.row
        var value: Value?
        switch rules.isUntyped && row.element == .numbers ? unquoted(json) : json {
        case .bool(let flag): value = row.element == .bool || rules.isUntyped ? row.value(of: "\(flag)") : nil
        case .number(let digits):
            value = row.value(ofNumber: digits) ?? (rules.isUntyped ? row.value(of: digits) : nil)
        // Words and arrays are no texts, though a text may have the same characters.
        case .string(let string): value = row.element == .bool || row.element == .numbers ? nil : row.value(of: string)
        case .array(let elements) where row.element == .numbers: value = row.value(of: JSONValue.array(elements).text)
        case .null, .array, .object: value = nil
        }
        if value == nil, rules.isLenient { value = lenient(json, row) }
        guard let value else { throw RecordProblem("is \(json.quoted), which is no \(type).") }
        return value
    }

    /// Elements as a stored array has them.
    private static func elements(
        _ elements: [JSONValue], _ type: ColumnType, _ rules: Rules
    ) throws(RecordProblem) -> [JSONValue] {
        var values: [JSONValue] = []
        for (index, element) in elements.enumerated() {
            guard element != .null else {
                values.append(.null)
                continue
            }
            do {
                let value = try value(element, type, rules)
                if case .double(let number) = value, number.isFinite, type == .date {
                    values.append(.number(JSONFormat.number(number)))
                } else {
                    values.append(ValueForm.json(value, type))
                }
            } catch {
                throw error.inside("[\(index)]")
            }
        }
        return values
    }

    private static func date(_ json: JSONValue, _ rules: Rules) throws(RecordProblem) -> Value {
        if let form = rules.dates {
            switch json {
            case .string(let text):
                if let seconds = form.seconds(of: text) { return .double(seconds) }
                if rules.isLenient, JSONText.isNumber(text), let seconds = form.seconds(ofNumber: text) {
                    return .double(seconds)
                }
            case .number(let digits): if let seconds = form.seconds(ofNumber: digits) { return .double(seconds) }
            default: break
            }
            throw RecordProblem("is \(json.quoted), which is no date of the form \(form).")
        }
        throw RecordProblem("is \(json.quoted), which is no date.")
    }

    private static func lenient(_ json: JSONValue, _ row: ColumnTypeRow) -> Value? {
        switch json {
        case .string(let text):
            if row.element == .bool { return flag(text) }
            guard JSONText.isNumber(text) else { return nil }
            return row.value(ofNumber: text) ?? whole(text, row)
        case .number(let digits):
            if row.element == .bool { return flag(digits) }
            return whole(digits, row) ?? row.value(of: digits)
        case .bool(let flag):
            return row.value(ofNumber: flag ? "1" : "0") ?? row.value(of: "\(flag)")
        case .null, .array, .object: return nil
        }
    }

    private static func flag(_ text: String) -> Value? {
        switch text {
        case "true", "1": .int(1)
        case "false", "0": .int(0)
        default: nil
        }
    }

    /// The integer that a number with a point or an exponent is: 3 of 3.0.
    private static func whole(_ digits: String, _ row: ColumnTypeRow) -> Value? {
        guard row.storage == .integer, let number = Double(digits), let integer = Int64(exactly: number) else {
            return nil
        }
        return row.stored(.int(integer))
    }

    /// The JSON of a text, if the input has only texts; the text itself if it is not JSON.
    package static func unquoted(_ json: JSONValue) -> JSONValue {
        if case .string(let text) = json { ValueForm.json(text) ?? json } else { json }
    }
}

extension JSONValue {
    /// What stands in the input, for a message.
    var quoted: String {
        switch self {
        case .number(let digits): digits
        case .string(let string): "the text \(Value.text(string))"
        case .bool(let flag): "\(flag)"
        default: kind
        }
    }

    /// The value of a scalar, for a conversion of the program's own; an array or an object as its JSON text.
    var value: Value {
        switch self {
        case .null: .null
        case .bool(let flag): .int(flag ? 1 : 0)
        case .number(let digits): Int64(digits).map(Value.int) ?? Double(digits).map(Value.double) ?? .text(digits)
        case .string(let text): .text(text)
        case .array, .object: .text(text)
        }
    }
}
