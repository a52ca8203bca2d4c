import ArgumentParser
import Foundation
import StorageAPI
import TerminalOutput

/// Where a writing command takes its records from.
struct RecordInput: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "One record, as PROPERTY=VALUE for each property that is not nil; null is nil.",
            valueName: "property=value"))
    var fields: [String] = []

    @Option(
        name: .customLong("json"),
        help: ArgumentHelp(
            "The records as JSON: an object, an array, or an object a line. (default: read from standard input)",
            valueName: "text"))
    var text: String?

    /// What one call takes; an import streams.
    private static let limit = 256 << 20

    func validate() throws {
        if text != nil, !fields.isEmpty { throw ValidationError("Give --json or PROPERTY=VALUE, not both.") }
    }

    /// What the records are made of, read before a store is opened: who waits for input should keep nobody waiting.
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

    /// What records are made of.
    enum Content: Sendable {
        case fields([String])
        case json(JSONRecords)

        /// The records, all of them or none.
        func records(of schema: RecordSchema) throws -> [Record] {
            switch self {
            case .fields(let fields): [try schema.record(fields)]
            case .json(let json): try json.records(of: schema)
            }
        }
    }
}
