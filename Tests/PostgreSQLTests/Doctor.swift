import Foundation
import TestSupport

/// The tool's `storage doctor`.
enum Doctor {
    struct Finding: Decodable {
        let check, severity, message: String
        let advice: String?
    }

    /// Runs the tool, and returns its output and its exit status.
    static func output(_ url: String, _ options: [String] = []) async throws -> (String, Int32) {
        let tool = conformanceProgram.deletingLastPathComponent().appending(path: "storage")
        let result = try await Server.process(tool, ["doctor", url, "--json"] + options).result()
        return (result.output + result.error, result.status)
    }

    /// The findings in the tool's output. libpq writes a server's messages to a new connection beside them.
    static func findings(_ output: String) throws -> [Finding] {
        let lines = output.split(separator: "\n").filter { $0.hasPrefix("{") }
        return try lines.map { try JSONDecoder().decode(Finding.self, from: Data($0.utf8)) }
    }

    static func findings(_ url: String, _ options: [String] = []) async throws -> ([Finding], Int32) {
        let (text, status) = try await output(url, options)
        return (try findings(text), status)
    }

    /// The findings of one check that are more than notes.
    static func complaints(_ check: String, _ url: String, options: [String] = []) async throws -> [Finding] {
        try await findings(url, options).0.filter { $0.check == check && $0.severity != "note" }
    }
}
