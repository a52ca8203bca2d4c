import Foundation
import StorageAPI
import StorageDriver
import StorageJSON

// Records, keys and values as arguments give them. `null` is nil if a property is optional, and is refused if it is not; the text
// `null` is given as JSON.

extension RecordSchema {
    /// The record of `PROPERTY=VALUE` arguments. Arrays, embedded values and owned records are JSON.
    func record(_ fields: [String]) throws(ToolError) -> DynamicRecord {
        var members: [JSONValue.Member] = []
        for field in fields {
            let (property, text) = try assignment(field)
            guard !members.contains(where: { StoredName($0.name) == property.storedName }) else {
                throw ToolError("\(property.name) is given twice.", .usage)
            }
            members.append(JSONValue.Member(name: property.name, value: try Self.json(text, property)))
        }
        do throws(RecordProblem) {
            return try RecordBuilder(self).record(members)
        } catch {
            throw ToolError("The record cannot be stored: \(error.sentence)")
        }
    }

    /// The name and the value of `PROPERTY=VALUE`.
    func setting(_ field: String) throws(ToolError) -> (name: String, value: Value) {
        let (property, text) = try assignment(field)
        guard case .column(let type) = property.kind else {
            throw ToolError("\(property.name) is owned; replace the whole record to change it.")
        }
        if try property.isNil(text, orGive: "--compute '\(property.name) = \"null\"'") { return (property.name, .null) }
        return (property.name, try property.value(of: text, type))
    }

    /// A key, one argument for each of its properties.
    func key(_ texts: [String]) throws(ToolError) -> [Value] {
        let properties = keyProperties
        guard texts.count == properties.count else {
            let names = properties.map(\.name).joined(separator: ", ")
            let count = properties.count == 1 ? "one value" : "\(properties.count) values"
            throw ToolError("A key of \(name) is \(count) (\(names)); \(texts.count) are given.", .usage)
        }
        var key: [Value] = []
        for (property, text) in zip(properties, texts) {
            guard case .column(let type) = property.kind else { throw property.refusal(text) }
            key.append(try property.value(of: text, type))
        }
        return key
    }

    private func assignment(_ field: String) throws(ToolError) -> (Property, String) {
        guard let equals = field.firstIndex(of: "="), equals > field.startIndex else {
            throw ToolError(
                "\(field) is not of the form PROPERTY=VALUE, like age=28; JSON is given by --json.", .usage)
        }
        guard let property = try properties(named: [String(field[..<equals])]).first else {
            throw ToolError("\(field) names no property.", .usage)
        }
        return (property, String(field[field.index(after: equals)...]))
    }

    private static func json(_ text: String, _ property: Property) throws(ToolError) -> JSONValue {
        if try property.isNil(text, orGive: "the record as JSON") { return .null }
        switch property.kind {
        case .column(.array), .column(.embedded), .child, .children, .ancestor:
            guard let value = ValueForm.json(text) else {
                throw ToolError("\(property.name) takes JSON, and \(text) is not JSON.")
            }
            return value
        case .column(let type):
            let value = try property.value(of: text, type)
            var bytes: [UInt8] = []
            ValueForm.append(value, type, to: &bytes)
            guard let json = ValueForm.json(String(decoding: bytes, as: UTF8.self)) else {
                throw property.refusal(text)
            }
            return json
        }
    }
}

extension RecordSchema.Property {
    /// Returns whether an argument is nil.
    ///
    /// - Parameter remedy: the way to give the text `null`.
    /// - Throws: if the property cannot be nil.
    fileprivate func isNil(_ text: String, orGive remedy: String) throws(ToolError) -> Bool {
        guard text == "null" else { return false }
        if isOptional { return true }
        let advice = kind == .column(.string) ? "; for the text null give \(remedy)" : ""
        throw ToolError("\(name) is not optional, so it cannot be nil\(advice).")
    }

    /// The value of an argument.
    ///
    /// - Throws: for a text that is none of the type, and for a number that may be one of two dates.
    fileprivate func value(of text: String, _ type: ColumnType) throws(ToolError) -> Value {
        if type == .date, JSONText.isNumber(text), let seconds = Double(text), let date = DateText.text(seconds) {
            throw ToolError(
                "\(name) is the number \(text), which may count from 1970 or from 2001; write dates as text. From 2001 it "
                    + "is \(date).")
        }
        if type == .data, text.hasPrefix("@") { return try Self.content(ofFile: String(text.dropFirst())) }
        guard let value = ValueForm.value(text: text, type) else { throw refusal(text) }
        return value
    }

    /// The bytes of a file; base64 has no @.
    private static func content(ofFile path: String) throws(ToolError) -> Value {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ToolError("The file \(path) cannot be read.", .noInput)
        }
        return .blob([UInt8](data))
    }

    fileprivate func refusal(_ text: String) -> ToolError {
        guard case .column(let type) = kind else { return ToolError("\(name) is owned, not a value.") }
        return ToolError("\(text.isEmpty ? "An empty text" : text) is not a valid \(type) for \(name).")
    }
}
