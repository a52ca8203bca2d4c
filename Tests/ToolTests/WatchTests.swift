import Foundation
import StorageKit
import TestSupport
import Testing

/// `storage watch`, while other processes write.
@Suite struct WatchTests {
    @Test(arguments: Engine.allCases)
    func `each change of another process is a line`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        let watch = try Watch(tool, ["watch", Tool.file, "Person", "--present", "--where", "age < 100"])
        for _ in Person.samples { try await expect(watch.line().hasPrefix("+ {")) }
        try await tool.output(
            "insert", Tool.file, "Person", "--json", #"{"name": "Watched", "age": 41, "tags": [], "pens": []}"#)
        let new = try await watch.line()
        expect(new.hasPrefix("+ {") && new.contains(#""name":"Watched""#))
        try await tool.output(
            "update", Tool.file, "Person", "--where", "name == \"Watched\"", "--set", "age=42", "--yes")
        let changed = try await watch.line()
        expect(changed.hasPrefix("~ {") && changed.contains(#""age":42"#))
        try await tool.output(
            "update", Tool.file, "Person", "--where", "name == \"Watched\"", "--set", "age=200", "--yes")
        try await expect(watch.line().hasPrefix("- {"))
        await expect(watch.interrupt(), equals: 0)
    }

    @Test(arguments: Engine.one(.archive))
    func `with --json each change is an object`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        let watch = try Watch(tool, ["watch", Tool.file, "Person", "--present", "--limit", "1", "--json"])
        let line = try await watch.line()
        expect(line.hasPrefix(#"{"change":"inserted","record":{"#) && line.hasSuffix("}}"))
        try await tool.output("truncate", Tool.file, "Person", "--yes")
        try await expect(watch.line().hasPrefix(#"{"change":"removed","record":{"#))
        await expect(watch.interrupt(), equals: 0)
    }

    @Test(arguments: Engine.one(.sqlite))
    func `a model or a condition that is not there is an error`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        let run = try await tool.run(["watch", Tool.file, "Persn"])
        expect(run.status != 0 && run.error.contains("Persn"))
        let other = try await tool.run(["watch", Tool.file, "Person", "--where", "agee > 3"])
        expect(other.status != 0 && other.error.contains("agee"))
    }
}

/// A running `storage watch`.
private final class Watch {
    private let process: Process
    private let end: ProcessEnd
    private let output: Incoming

    init(_ tool: Tool, _ arguments: [String]) throws {
        process = tool.process(arguments)
        let pipe = Pipe()
        process.standardOutput = pipe
        end = try process.start()
        output = Incoming(pipe)
    }

    /// The next line that it prints; waits for it.
    func line(_ line: Int = #line) async throws -> String { try await output.takeLine(line: line) }

    /// Interrupts it, and returns the status with which it ends.
    func interrupt() async -> Int32 {
        process.interrupt()
        await end.wait()
        return process.terminationReason == .exit ? process.terminationStatus : -1
    }

    deinit { if process.isRunning { process.terminate() } }
}
