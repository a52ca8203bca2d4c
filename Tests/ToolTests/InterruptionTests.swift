import Foundation
import StorageKit
import Testing

@Suite struct InterruptionTests {
    private static let line = #"{"name": "x", "age": 1, "tags": ["some text"], "pens": [{"color": "red", "price": 1}]}"#

    @Test(arguments: Engine.allCases)
    func `interrupted while records come in, nothing is stored`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        let (input, errors) = (Pipe(), Pipe())
        let process = try start(tool, input, errors)
        // More than a pipe holds: when it is written, the tool is reading.
        let lines = Data(String(repeating: Self.line + "\n", count: 5000).utf8)
        try input.fileHandleForWriting.write(contentsOf: lines)
        process.interrupt()
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGINT)
        try input.fileHandleForWriting.close()
        #expect(try await tool.people(engine) == Person.samples)
    }

    /// A signal at any point leaves everything stored or nothing, and the exit status tells which.
    @Test(arguments: Engine.allCases)
    func `interrupted when all records have come, all is stored or nothing`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        let (input, errors) = (Pipe(), Pipe())
        let process = try start(tool, input, errors)
        try input.fileHandleForWriting.write(
            contentsOf: Data(String(repeating: Self.line + "\n", count: 3000).utf8))
        try input.fileHandleForWriting.close()
        process.interrupt()
        process.waitUntilExit()
        let stored = try await tool.people(engine).count - Person.samples.count
        // By the signal where it was still reading, else by its own end.
        let isKilled = process.terminationReason == .uncaughtSignal
        #expect(isKilled ? process.terminationStatus == SIGINT : [0, 130].contains(process.terminationStatus))
        #expect(stored == (!isKilled && process.terminationStatus == 0 ? 3000 : 0))
    }

    @Test(arguments: Engine.allCases)
    func `interrupted while a file is imported, all is stored or nothing`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        try Data(String(repeating: Self.line + "\n", count: 20_000).utf8)
            .write(to: tool.folder.url.appending(path: "people.ndjson"))
        for target in [Tool.file, "\(engine.rawValue):new.store"] {
            let process = tool.process(["import", target, "--model", "Person", "people.ndjson"])
            process.standardOutput = FileHandle.nullDevice
            try process.interrupt(whenItDraws: "Storing")
            #expect(process.terminationReason == .exit && [0, 130].contains(process.terminationStatus))
            if target != Tool.file, process.terminationStatus == 130 {
                #expect(!FileManager.default.fileExists(atPath: tool.folder.path("new.store")))
            }
            if target == Tool.file {
                let stored = try await tool.people(engine).count - Person.samples.count
                #expect(stored == (process.terminationStatus == 0 ? 20_000 : 0))
            }
        }
    }

    private func start(_ tool: Tool, _ input: Pipe, _ errors: Pipe) throws -> Process {
        let process = tool.process(["insert", Tool.file, "Person", "--quiet"])
        process.standardInput = input
        process.standardError = errors
        try process.run()
        return process
    }
}

extension Process {
    /// Runs a command of the tool and interrupts it when its progress line shows a text, or where it has ended before it
    /// drew one; returns when it has ended.
    func interrupt(whenItDraws text: String) throws {
        let terminal = try PseudoTerminal(columns: 80)
        standardError = terminal.handle
        try run()
        try terminal.handle.close()
        _ = terminal.read(until: text)
        if isRunning { interrupt() }
        // What it draws until its end is read, so that it never waits for a reader.
        _ = terminal.read(until: "\0")
        waitUntilExit()
    }
}
