import Foundation

/// The cluster that `scripts/with-cluster` has started around the tests.
enum Cluster {
    private static let environment = ProcessInfo.processInfo.environment
    static let url = environment["STORAGE_CLUSTER"]
    static var isThere: Bool { url != nil }
    /// `STORAGE_FAILOVERS` says how often the primary is replaced.
    static let failovers = environment["STORAGE_FAILOVERS"].flatMap(Int.init) ?? 3
    /// True if acknowledged commits are on one server alone.
    static let isAsynchronous = environment["STORAGE_CLUSTER_ASYNCHRONOUS"] != nil

    /// `STORAGE_FAULTS` says which happen, in turn; all by default.
    static let faults: [Fault] = {
        let names = environment["STORAGE_FAULTS"]?.split(separator: ",") ?? []
        return names.isEmpty ? Fault.allCases : names.compactMap { Fault(rawValue: String($0)) }
    }()

    /// The fault of the primary, as the script describes it.
    enum Fault: String, CaseIterable {
        case kill, cut, `switch`, pause, crash, freeze
    }

    /// Does something to the primary.
    ///
    /// - Returns: its node.
    static func harm(_ fault: Fault) async throws -> String { try await run(fault.rawValue) }

    /// Undoes the harm to nodes, and returns when both others follow a primary.
    static func mend() async throws {
        _ = try await run("mend")
        _ = try await run("wait")
    }

    /// The first time, in seconds since 1970, after another at which a server became a primary.
    static func promotion(after time: Double) async throws -> Double? {
        try await run("log").split(separator: "\n").compactMap { Double($0) }.first { $0 > time }
    }

    private static func run(_ action: String) async throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let script = root.deletingLastPathComponent().appending(path: "scripts/with-cluster")
        let result = try await Server.process(script, ["do", action]).result()
        guard result.isSuccess else {
            throw Server.ShellError(text: "with-cluster do \(action): \(result.output)\(result.error)")
        }
        return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
