import Foundation
import StorageKit
import Testing

/// `storage watch`, while other processes write.
@Suite struct WatchTests {
    @Test(arguments: Engine.allCases)
    func `each change of another process is a line`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        let watch = try Watch(tool, ["watch", Tool.file, "Person", "--present", "--where", "age < 100"])
        for _ in Person.samples { #expect(try watch.line().hasPrefix("+ {")) }
        try tool.output(
            "insert", Tool.file, "Person", "--json", #"{"name": "Watched", "age": 41, "tags": [], "pens": []}"#)
        let new = try watch.line()
        #expect(new.hasPrefix("+ {") && new.contains(#""name":"Watched""#))
        try tool.output("update", Tool.file, "Person", "--where", "name == \"Watched\"", "--set", "age=42", "--yes")
        let changed = try watch.line()
        #expect(changed.hasPrefix("~ {") && changed.contains(#""age":42"#))
        try tool.output("update", Tool.file, "Person", "--where", "name == \"Watched\"", "--set", "age=200", "--yes")
        #expect(try watch.line().hasPrefix("- {"))
        #expect(watch.interrupt() == 0)
    }

    @Test(arguments: Engine.allCases)
    func `with --json each change is an object`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        let watch = try Watch(tool, ["watch", Tool.file, "Person", "--present", "--limit", "1", "--json"])
        let line = try watch.line()
        #expect(line.hasPrefix(#"{"change":"inserted","record":{"#) && line.hasSuffix("}}"))
        try tool.output("truncate", Tool.file, "Person", "--yes")
        #expect(try watch.line().hasPrefix(#"{"change":"removed","record":{"#))
        #expect(watch.interrupt() == 0)
    }

    @Test(arguments: Engine.allCases)
    func `a model or a condition that is not there is an error`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        let run = try tool.run(["watch", Tool.file, "Persn"])
        #expect(run.status != 0 && run.error.contains("Persn"))
        let other = try tool.run(["watch", Tool.file, "Person", "--where", "agee > 3"])
        #expect(other.status != 0 && other.error.contains("agee"))
    }
}

/// A running `storage watch`.
private final class Watch {
    private let process: Process
    private let pipe = Pipe()
    private var rest = Data()

    init(_ tool: Tool, _ arguments: [String]) throws {
        process = tool.process(arguments)
        process.standardOutput = pipe
        try process.run()
    }

    /// The next line that it prints; waits for it.
    func line() throws -> String {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest = rest[rest.index(after: end)...] }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            let data = pipe.fileHandleForReading.availableData
            if data.isEmpty { return "The tool has ended." }
            rest += data
        }
    }

    /// Interrupts it, and returns the status with which it ends.
    func interrupt() -> Int32 {
        process.interrupt()
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : -1
    }

    deinit { if process.isRunning { process.terminate() } }
}
