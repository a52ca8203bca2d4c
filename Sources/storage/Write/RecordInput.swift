import ArgumentParser
import Foundation
import StorageAPI
import StorageDriver
import StorageJSON
import TerminalOutput

/// The source of the records of a writing command.
struct RecordInput: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "One record, as PROPERTY=VALUE for each property that is not nil; null is nil, and @FILE is the bytes of a file.",
            valueName: "property=value"))
    var fields: [String] = []

    @Option(
        name: .customLong("json"),
        help: ArgumentHelp(
            "The records as JSON: an object, an array, or an object on each line. (default: read from standard input)",
            valueName: "text"))
    var text: String?

    /// The maximum size of one call's input. An import streams.
    private static let limit = 256 << 20

    func validate() throws {
        if text != nil, !fields.isEmpty { throw ValidationError("Give --json or PROPERTY=VALUE, not both.") }
    }

    /// The input of the records, read before a store is opened: waiting for input should not lock the store.
    func read() throws -> Content {
        if !fields.isEmpty { return .fields(fields) }
        if let text { return .json(JSONRecords(name: "--json", bytes: Array(text.utf8))) }
        guard !Terminal.isTerminal(.standardInput) else {
            throw ToolError("Give the records as PROPERTY=VALUE, as --json TEXT, or on standard input.", .usage)
        }
        return .json(JSONRecords(name: "Standard input", bytes: try Self.standardInput()))
    }

    private static func standardInput() throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let block = try FileHandle.standardInput.read(upToCount: 1 << 20), !block.isEmpty {
            bytes += block
            guard bytes.count <= limit else {
                throw ToolError(
                    "Standard input has more than \(limit >> 20) MiB; storage import takes any number of records.")
            }
        }
        return bytes
    }

    /// The content of records.
    enum Content: Sendable {
        case fields([String])
        case json(JSONRecords)

        /// The records, all of them or none.
        func records(of schema: RecordSchema) throws -> [DynamicRecord] {
            switch self {
            case .fields(let fields): [try schema.record(fields)]
            case .json(let json): try json.records(of: schema)
            }
        }
    }
}

/// Records as JSON text: one object, an array of objects, or an object a line.
struct JSONRecords: Sendable {
    /// The name for messages.
    let name: String
    let bytes: [UInt8]

    /// The records, all of them or none.
    ///
    /// - Throws: if the text is not JSON, or if a value is not a record of the model, with its line or number.
    func records(of schema: RecordSchema) throws(ToolError) -> [DynamicRecord] {
        var input = RecordBuilder.Input()
        input.numericDateHint = "write dates as text: 2026-01-02T10:00:00Z"
        let builder = RecordBuilder(schema, input)
        var records: [DynamicRecord] = []
        for (place, value) in try values() {
            guard case .object(let members) = value else {
                throw ToolError("\(name), \(place): a record must be an object; this is \(value.kind).")
            }
            do throws(RecordProblem) {
                records.append(try builder.record(members))
            } catch {
                throw ToolError("\(name), \(place): \(error.sentence)")
            }
        }
        return records
    }

    /// Each value, and its position.
    private func values() throws(ToolError) -> [(place: String, value: JSONValue)] {
        let problem: JSONProblem
        switch Self.parsed(bytes[...]) {
        case .success(.array(let elements)):
            return elements.enumerated().map { ("record \($0 + 1)", $1) }
        case .success(let value): return [("record 1", value)]
        case .failure(let error): problem = error
        }
        if let lines = try lines() { return lines }
        let line = 1 + bytes.prefix(problem.offset).count { $0 == 0x0A }
        throw ToolError("\(name), line \(line): \(problem.message)")
    }

    /// The values of lines; nil if the first line is not a complete value, so that the text is not NDJSON.
    private func lines() throws(ToolError) -> [(place: String, value: JSONValue)]? {
        var values: [(place: String, value: JSONValue)] = []
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated() where !line.allSatisfy(\.isJSONSpace) {
            switch Self.parsed(line) {
            case .success(let value): values.append(("line \(number + 1)", value))
            case .failure where values.isEmpty: return nil
            case .failure(let problem): throw ToolError("\(name), line \(number + 1): \(problem.message)")
            }
        }
        return values.isEmpty ? nil : values
    }

    private static func parsed(_ bytes: ArraySlice<UInt8>) -> Result<JSONValue, JSONProblem> {
        bytes.withUnsafeBytes { bytes in Result { () throws(JSONProblem) in try JSONParser.parse(bytes) } }
    }
}
