import Foundation
import TestSupport

/// The tool's `storage doctor`.
enum Doctor {
    struct Finding: Decodable {
        let check, severity, message: String
        let advice: String?
    }

    /// Runs the tool, and returns what it prints and its exit status.
    static func output(_ url: String, _ options: [String] = []) throws -> (String, Int32) {
        let process = Process()
        process.executableURL = conformanceProgram.deletingLastPathComponent().appending(path: "storage")
        process.arguments = ["doctor", url, "--json"] + options
        let output = Pipe()
        (process.standardOutput, process.standardError) = (output, output)
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (text, process.terminationStatus)
    }

    /// The findings among what the tool prints. libpq writes what a server says to a new connection beside them.
    static func findings(_ output: String) throws -> [Finding] {
        let lines = output.split(separator: "\n").filter { $0.hasPrefix("{") }
        return try lines.map { try JSONDecoder().decode(Finding.self, from: Data($0.utf8)) }
    }

    static func findings(_ url: String, _ options: [String] = []) throws -> ([Finding], Int32) {
        let (text, status) = try output(url, options)
        return (try findings(text), status)
    }

    /// The findings of one check that are more than notes.
    static func complaints(_ check: String, _ url: String, _ options: [String] = []) throws -> [Finding] {
        try findings(url, options).0.filter { $0.check == check && $0.severity != "note" }
    }
}
