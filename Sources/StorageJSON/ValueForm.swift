import StorageAPI
package import StorageDriver

/// The form of scalars in JSON, CSV and tables. Reading gives the same value.
///
/// | type | JSON | text |
/// |---|---|---|
/// | integers, Double, Float | number; NaN and the infinities as the text | as in JSON |
/// | Bool | `true`, `false` | `true`, `false` |
/// | String, URL | text | itself |
/// | Decimal | number with all its digits; NaN as the text | the digits |
/// | Date | ISO 8601 in UTC with the digits that its fraction needs; beyond the years 1 to 9999 the number of seconds since 2001 | as in JSON |
/// | Data | base64 | base64 |
/// | UUID | text | itself |
/// | Duration | number of seconds with all its digits | the digits |
/// | Vector | array of numbers | that JSON |
/// | arrays, embedded values | the JSON that they are | that JSON |
package enum ValueForm {
    /// The value as text, for tables, CSV and arguments; nil for nil.
    package static func text(_ value: Value, _ type: ColumnType) -> String? { type.row.text(of: value) }

    /// The value of an argument; nil if the text is not a value of the type.
    package static func value(text: String, _ type: ColumnType) -> Value? {
        switch type {
        case .array, .embedded: json(text).flatMap { try? JSONScalar.value($0, type) }
        case .bool: type.row.value(of: text)
        default:
            (JSONText.isNumber(text) ? type.row.value(ofNumber: text) : nil) ?? type.row.value(of: text)
        }
    }

    /// The JSON of the text; nil if it is not JSON.
    package static func json(_ text: String) -> JSONValue? {
        var text = text
        return text.withUTF8 { try? JSONParser.parse(UnsafeRawBufferPointer($0)) }
    }

    /// The value as JSON.
    static func json(_ value: Value, _ type: ColumnType) -> JSONValue {
        guard let text = text(value, type) else { return .null }
        return isLiteral(value, type, text: text) ? json(text) ?? .string(text) : .string(text)
    }

    /// Appends the text of a value without making a string of it: an integer, a truth value or a text; false for any other.
    ///
    /// - Parameter appendText: appends a text.
    package static func append(
        _ value: Value, _ type: ColumnType, to bytes: inout [UInt8],
        text appendText: (String, inout [UInt8]) -> Void
    ) -> Bool {
        switch (value, type) {
        case (.int(let number), .bool):
            bytes += number == 0 ? "false".utf8 : "true".utf8
            return true
        case (.int(let number), .int64), (.int(let number), .int32), (.int(let number), .int16),
            (.int(let number), .int8), (.int(let number), .uint8), (.int(let number), .uint16),
            (.int(let number), .uint32):
            append(number, to: &bytes)
            return true
        case (.text(let text), .string):
            appendText(text, &bytes)
            return true
        default: return false
        }
    }

    static func append(_ number: Int64, to bytes: inout [UInt8]) {
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = number.magnitude
        let start = bytes.count
        repeat {
            let (tens, digit) = rest.quotientAndRemainder(dividingBy: 10)
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit))
            rest = tens
        } while rest > 0
        bytes[start...].reverse()
    }

    /// Appends the value as JSON.
    package static func append(_ value: Value, _ type: ColumnType, to bytes: inout [UInt8]) {
        if append(value, type, to: &bytes, text: { JSONText.append($0, to: &$1) }) { return }
        if case .text(let digits) = value, type == .decimal, SmallDecimal(digits) != nil {
            bytes += digits.utf8
            return
        }
        guard let text = text(value, type) else {
            bytes += "null".utf8
            return
        }
        if isLiteral(value, type, text: text) { bytes += text.utf8 } else { JSONText.append(text, to: &bytes) }
    }

    /// Returns whether the text is written in JSON without quotes.
    private static func isLiteral(_ value: Value, _ type: ColumnType, text: String) -> Bool {
        switch (value, type) {
        case (.null, _): false
        case (.int, _), (.unsigned, _): true
        case (.double(let number), _) where type.row.computing != nil: number.isFinite
        case (_, .array), (_, .embedded): JSONText.isValue(text)
        default:
            switch type.row.element {
            case .numbers: JSONText.isValue(text)
            case .double: JSONText.isNumber(text)
            default: type.row.computing != nil && JSONText.isNumber(text)
            }
        }
    }
}
