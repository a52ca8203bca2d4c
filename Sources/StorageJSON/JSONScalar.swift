package import StorageAPI
package import StorageDriver

/// Converts a JSON value to a stored value of a type, without loss or not at all.
package enum JSONScalar {
    /// The forms that are accepted besides the one that the type itself writes.
    package struct Rules: Sendable {
        /// True if a number or a word may be the text that it is written as, since the input knows no types.
        var isUntyped = false
        /// True if a text may stand for the number or the truth value that it spells, and the reverse.
        var isLenient = false
        /// The form of dates; nil for the form that the library writes.
        package var dates: Property.DateForm?
        /// The option that says how numbers of other software are dates; nil where a number counts seconds since 2001.
        var numericDateHint: String?
    }

    package static func value(
        _ json: JSONValue, _ type: ColumnType, rules: Rules = Rules()
    ) throws(RecordProblem) -> Value {
        switch type {
        case .array(let element):
            let json = rules.isUntyped ? unquoted(json) : json
            guard case .array(let elements) = json else {
                throw RecordProblem("must be an array; it is \(json.kind).")
            }
            // The store checks the elements, and normalises them.
            guard rules.dates != nil || rules.isLenient || elements.contains(where: { isOther($0, element) }) else {
                return .text(json.text)
            }
            return .text(JSONValue.array(try self.elements(elements, element, rules: rules)).text)
        case .embedded: return .text((rules.isUntyped ? unquoted(json) : json).text)
        case .date where rules.dates != nil: return try date(json, rules)
        case .date where rules.numericDateHint != nil: try refuseUnclearDate(json, rules)
        default: break
        }
        let row = type.row
        var value = rules.isUntyped ? untyped(json, row) : typed(json, row)
        if value == nil, rules.isLenient { value = lenient(json, row) }
        guard let value else { throw RecordProblem("is \(json.quoted), not a valid \(type).") }
        return value
    }

    /// The value of the type's own form; a number by its value, however it is written.
    private static func typed(_ json: JSONValue, _ row: ColumnTypeRow) -> Value? {
        switch (json, row.element) {
        case (.bool(let flag), .bool): return .int(flag ? 1 : 0)
        case (.number(let digits), _) where row.element != .bool: return number(digits, row)
        // Numbers are written as texts only where JSON has none for them.
        case (.string(let text), _) where row.computing != nil: return special(text, row)
        case (.string(let text), .double), (.string(let text), .text), (.string(let text), .bytes):
            return row.value(of: text)
        case (.array(let elements), .numbers): return row.value(of: JSONValue.array(elements).text)
        default: return nil
        }
    }

    /// Returns the value of a text that stands for no number: NaN and the infinities, of the types that have them.
    private static func special(_ text: String, _ row: ColumnTypeRow) -> Value? {
        ["NaN", "Infinity", "-Infinity"].contains(text) ? row.value(of: text) : nil
    }

    private static func number(_ digits: String, _ row: ColumnTypeRow) -> Value? {
        // 3.0 and 30e-1 are 3.
        row.value(ofNumber: digits) ?? DecimalText.plain(digits).flatMap { row.value(ofNumber: $0) }
    }

    /// The value where numbers and words may as well be texts.
    private static func untyped(_ json: JSONValue, _ row: ColumnTypeRow) -> Value? {
        switch row.element == .numbers ? unquoted(json) : json {
        case .string(let text) where row.element == .bool:
            TruthWord(text).map { .int($0.isTrue ? 1 : 0) }
        case .bool(let flag): row.value(of: "\(flag)")
        case .number(let digits): number(digits, row) ?? row.value(of: digits)
        // Words and arrays are no texts, though a text may have the same characters.
        case .string(let string): row.element == .numbers ? nil : row.value(of: string)
        case .array(let elements) where row.element == .numbers: row.value(of: JSONValue.array(elements).text)
        case .null, .array, .object: nil
        }
    }

    /// Returns whether an element may be written in another form than in a stored array: a date as text, a Decimal or a
    /// Duration as a number, an integer with a point or an exponent.
    private static func isOther(_ json: JSONValue, _ type: ColumnType) -> Bool {
        switch (json, type) {
        case (.array(let elements), .array(let inner)): elements.contains { isOther($0, inner) }
        case (.string, .date), (.number, .decimal), (.number, .duration): true
        case (.number(let digits), _) where type.row.element == .integer:
            digits.utf8.contains { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }
        default: false
        }
    }

    /// Elements as a stored array has them.
    private static func elements(
        _ elements: [JSONValue], _ type: ColumnType, rules: Rules
    ) throws(RecordProblem) -> [JSONValue] {
        var values: [JSONValue] = []
        for (index, element) in elements.enumerated() {
            guard element != .null else {
                values.append(.null)
                continue
            }
            do {
                values.append(try self.element(element, type, rules: rules))
            } catch {
                throw error.inside("[\(index)]")
            }
        }
        return values
    }

    private static func element(
        _ json: JSONValue, _ type: ColumnType, rules: Rules
    ) throws(RecordProblem) -> JSONValue {
        // The texts that a stored array has of them.
        if case .string(let text) = json, type == .decimal || type == .duration, type.row.value(of: text) != nil {
            return json
        }
        let value = try value(json, type, rules: rules)
        switch (value, type) {
        case (.double(let number), .date) where number.isFinite: return .number(JSONFormat.number(number))
        case (_, .decimal), (_, .duration): return .string(type.row.text(of: value) ?? "")
        default: return ValueForm.json(value, type)
        }
    }

    /// A number is a date where it has no text, as the tool exports it: beyond the years 0 to 9999. Any other may count from
    /// 1970 as well as from 2001.
    private static func refuseUnclearDate(_ json: JSONValue, _ rules: Rules) throws(RecordProblem) {
        guard case .number(let digits) = json, let hint = rules.numericDateHint, let seconds = Double(digits),
            DateText.text(seconds) != nil
        else { return }
        throw RecordProblem("is the number \(digits), which may count from 1970 or from 2001; \(hint).")
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
            throw RecordProblem("is \(json.quoted), not a valid date of the form \(form).")
        }
        throw RecordProblem("is \(json.quoted), not a valid date.")
    }

    /// The number or the truth value that a text spells, and the other way round.
    private static func lenient(_ json: JSONValue, _ row: ColumnTypeRow) -> Value? {
        let isText = row === ColumnType.string.row
        switch json {
        case .string(let text):
            if row.element == .bool { return flag(text) }
            return JSONText.isNumber(text) ? number(text, row) : nil
        case .number(let digits):
            if row.element == .bool { return DecimalText.plain(digits).flatMap(flag) }
            return isText ? row.value(of: digits) : nil
        case .bool(let flag):
            return isText ? row.value(of: "\(flag)") : row.value(ofNumber: flag ? "1" : "0")
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

    /// The JSON of a text, if the input has only texts; the text itself if it is not JSON.
    package static func unquoted(_ json: JSONValue) -> JSONValue {
        if case .string(let text) = json { ValueForm.json(text) ?? json } else { json }
    }
}

extension JSONValue {
    /// The input's text, for a message.
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

/// A word that stands for a truth value where all values are texts: true, yes, y or t, and their opposites, in one of three
/// spellings.
package struct TruthWord: Sendable {
    package let isTrue: Bool
    /// The number of its pair of words; 0 for true and false.
    package let pair: Int

    private static let pairs = [("true", "false"), ("yes", "no"), ("y", "n"), ("t", "f")]

    /// - Returns: nil for another word.
    package init?(_ text: String) {
        guard (1...5).contains(text.utf8.count) else { return nil }
        let word = text.lowercased()
        // YES, yes and Yes, but not yEs.
        guard text == word || text == text.uppercased() || text == word.prefix(1).uppercased() + word.dropFirst(),
            let pair = Self.pairs.firstIndex(where: { $0.0 == word || $0.1 == word })
        else { return nil }
        self.pair = pair
        isTrue = Self.pairs[pair].0 == word
    }
}
