import ArgumentParser
import Foundation
import StorageAPI

/// Where a writing command takes its records from.
struct RecordInput: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "One record, as PROPERTY=VALUE for each property that is not nil.", valueName: "property=value"))
    var fields: [String] = []

    @Option(
        name: .customLong("json"),
        help: ArgumentHelp(
            "The records as JSON: an object, an array, or an object a line. (default: read from standard input)",
            valueName: "text"))
    var text: String?

    func validate() throws {
        if text != nil, !fields.isEmpty { throw ValidationError("Give --json or PROPERTY=VALUE, not both.") }
        if text == nil, fields.isEmpty, Terminal.isTerminal(.standardInput) {
            throw ValidationError("Give the records as PROPERTY=VALUE, as --json TEXT, or on standard input.")
        }
    }

    /// The records, all of them or none.
    func records(of schema: RecordSchema) throws -> [Record] {
        if !fields.isEmpty { return [try schema.record(fields)] }
        var bytes = Array(text?.utf8 ?? "".utf8)
        if text == nil { bytes = [UInt8](try FileHandle.standardInput.readToEnd() ?? Data()) }
        let form = RecordForm(schema)
        var records: [Record] = []
        for (number, members) in try Self.objects(bytes).enumerated() {
            do throws(RecordProblem) {
                records.append(try form.record(members))
            } catch {
                throw ToolError("Record \(number + 1): \(error.sentence)")
            }
        }
        return records
    }

    /// The objects of a JSON array, of an object alone, or of lines.
    private static func objects(_ bytes: [UInt8]) throws(ToolError) -> [[JSONValue.Member]] {
        do throws(JSONProblem) {
            switch try parsed(bytes) {
            case .object(let members): return [members]
            case .array(let elements):
                var records: [[JSONValue.Member]] = []
                for element in elements { records.append(try members(element)) }
                return records
            case let other: throw JSONProblem(message: "Records are objects; this is \(other.kind).", offset: 0)
            }
        } catch {
            // What is no single value may be a value a line.
            if let lines = lines(bytes) { return lines }
            throw ToolError("The records are no JSON, at byte \(error.offset): \(error.message)")
        }
    }

    private static func parsed(_ bytes: [UInt8]) throws(JSONProblem) -> JSONValue {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(JSONProblem) in try JSONParser.parse(bytes) }
        }
        return try result.get()
    }

    private static func members(_ value: JSONValue) throws(JSONProblem) -> [JSONValue.Member] {
        guard case .object(let members) = value else {
            throw JSONProblem(message: "Records are objects; this is \(value.kind).", offset: 0)
        }
        return members
    }

    private static func lines(_ bytes: [UInt8]) -> [[JSONValue.Member]]? {
        let lines = bytes.split(separator: 0x0A).filter { !$0.allSatisfy(\.isJSONSpace) }
        guard lines.count > 1 else { return nil }
        var records: [[JSONValue.Member]] = []
        for line in lines {
            let value = line.withUnsafeBytes { try? JSONParser.parse($0) }
            guard case .object(let members)? = value else { return nil }
            records.append(members)
        }
        return records
    }
}

extension RecordSchema {
    /// The record that arguments give. What is owned is JSON.
    func record(_ fields: [String]) throws(ToolError) -> Record {
        var members: [JSONValue.Member] = []
        for field in fields {
            let (property, text) = try assignment(field)
            guard !members.contains(where: { $0.name.utf8.elementsEqual(property.name.utf8) }) else {
                throw ToolError("\(property.name) is given twice.", .usage)
            }
            members.append(JSONValue.Member(name: property.name, value: try Self.json(text, property)))
        }
        do throws(RecordProblem) {
            return try RecordForm(self).record(members)
        } catch {
            throw ToolError("The record cannot be stored: \(error.sentence)")
        }
    }

    /// The property and the text of `PROPERTY=VALUE`.
    func assignment(_ field: String) throws(ToolError) -> (Property, String) {
        guard let equals = field.firstIndex(of: "="), equals > field.startIndex else {
            throw ToolError("\(field) is not of the form PROPERTY=VALUE, like age=28.", .usage)
        }
        guard let property = try properties(named: [String(field[..<equals])]).first else {
            throw ToolError("\(field) names no property.", .usage)
        }
        return (property, String(field[field.index(after: equals)...]))
    }

    private static func json(_ text: String, _ property: Property) throws(ToolError) -> JSONValue {
        if case .column(let type) = property.kind, ![.embedded].contains(type), !type.isArray {
            guard let value = ValueForm.value(text: text, type) else {
                if text == "null" || text == "nil" { return .null }
                throw ToolError("\(property.name)=\(text) is no \(type).")
            }
            var bytes: [UInt8] = []
            ValueForm.append(value, type, to: &bytes)
            return try parsed(String(decoding: bytes, as: UTF8.self), property)
        }
        return try parsed(text, property)
    }

    private static func parsed(_ text: String, _ property: Property) throws(ToolError) -> JSONValue {
        guard let value = ValueForm.json(text) else {
            throw ToolError("\(property.name) takes JSON, and \(text) is none.")
        }
        return value
    }
}

extension ColumnType {
    var isArray: Bool { if case .array = self { true } else { false } }
}
