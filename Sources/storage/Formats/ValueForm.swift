import Foundation
import StorageAPI
import StorageDriver

/// How scalars stand in JSON, CSV and tables. What is written is read back as the same value.
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
/// | arrays, embedded values | the JSON that they are | that JSON |
enum ValueForm {
    /// The value as text, for tables, CSV and arguments; nil for nil.
    static func text(_ value: Value, _ type: ColumnType) -> String? {
        switch (value, type) {
        case (.null, _): nil
        case (.int(let number), .bool) where number == 0 || number == 1: number == 1 ? "true" : "false"
        case (.int(let number), _): String(number)
        case (.unsigned(let number), _): String(number)
        case (.double(let seconds), .date): DateText.text(seconds) ?? text(seconds, type)
        case (.double(let number), _): text(number, type)
        case (.text(let text), _): text
        case (.blob(let bytes), .uuid) where bytes.count == 16: uuid(bytes)
        case (.blob(let bytes), _): Data(bytes).base64EncodedString()
        }
    }

    /// The value that an argument gives; nil where the text is no value of the type.
    static func value(text: String, _ type: ColumnType) -> Value? {
        switch type {
        case .string, .url, .data, .uuid: value(.string(text), type)
        case .bool: text == "true" ? .int(1) : text == "false" ? .int(0) : nil
        case .array, .embedded: json(text).flatMap { value($0, type) }
        default: JSONText.isNumber(text) ? value(.number(text), type) : value(.string(text), type)
        }
    }

    private static func value(_ json: JSONValue, _ type: ColumnType) -> Value? {
        try? JSONScalar.value(json, type)
    }

    /// The JSON that the text is; nil where it is none.
    static func json(_ text: String) -> JSONValue? {
        var text = text
        return text.withUTF8 { try? JSONParser.parse(UnsafeRawBufferPointer($0)) }
    }

    private static func text(_ number: Double, _ type: ColumnType) -> String {
        if number.isNaN { return "NaN" }
        if number.isInfinite { return number < 0 ? "-Infinity" : "Infinity" }
        return type == .float ? Float(number).description : number.description
    }

    private static func uuid(_ bytes: [UInt8]) -> String {
        bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)).uuidString }
    }

    /// Appends the value as JSON.
    static func append(_ value: Value, _ type: ColumnType, to bytes: inout [UInt8]) {
        guard let text = text(value, type) else {
            bytes += "null".utf8
            return
        }
        if isLiteral(value, type, text) { bytes += text.utf8 } else { JSONText.append(text, to: &bytes) }
    }

    /// Whether the text stands in JSON without quotes.
    private static func isLiteral(_ value: Value, _ type: ColumnType, _ text: String) -> Bool {
        switch value {
        case .int, .unsigned: true
        case .double(let number): number.isFinite && (type != .date || DateText.text(number) == nil)
        case .text:
            switch type {
            case .decimal: JSONText.isNumber(text)
            case .array, .embedded: JSONText.isValue(text)
            default: false
            }
        case .null, .blob: false
        }
    }
}
