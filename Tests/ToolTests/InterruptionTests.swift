import Foundation
import StorageKit
import TestSupport
import Testing

@Suite struct InterruptionTests {
    private static let line = #"{"name": "x", "age": 1, "tags": ["some text"], "pens": [{"color": "red", "price": 1}]}"#

    @Test(arguments: Engine.allCases)
    func `interrupted while records come in, nothing is stored`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        let (input, errors) = (Pipe(), Pipe())
        let (process, end) = try start(tool, input: input, errors: errors)
        // More than a pipe holds: when it is written, the tool is reading.
        try await input.write(String(repeating: Self.line + "\n", count: 5000))
        process.interrupt()
        await end.wait()
        expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGINT)
        try input.fileHandleForWriting.close()
        try await expect(tool.people(engine), equals: Person.samples)
    }

    /// A signal at any point leaves everything stored or nothing, and the exit status tells which.
    @Test(arguments: Engine.allCases)
    func `interrupted when all records have come, all is stored or nothing`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        let (input, errors) = (Pipe(), Pipe())
        let (process, end) = try start(tool, input: input, errors: errors)
        try await input.write(String(repeating: Self.line + "\n", count: 3000))
        try input.fileHandleForWriting.close()
        process.interrupt()
        await end.wait()
        let stored = try await tool.people(engine).count - Person.samples.count
        // By the signal where it was still reading, else by its own end.
        let isKilled = process.terminationReason == .uncaughtSignal
        expect(isKilled ? process.terminationStatus == SIGINT : [0, 130].contains(process.terminationStatus))
        expect(stored, equals: !isKilled && process.terminationStatus == 0 ? 3000 : 0)
    }

    @Test(arguments: Engine.allCases)
    func `interrupted while a file is imported, all is stored or nothing`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        try Data(String(repeating: Self.line + "\n", count: 20_000).utf8)
            .write(to: tool.folder.url.appending(path: "people.ndjson"))
        for target in [Tool.file, "\(engine.rawValue):new.store"] {
            let process = tool.process(["import", target, "--model", "Person", "people.ndjson"])
            process.standardOutput = FileHandle.nullDevice
            try await process.interrupt(whenItDraws: "Storing")
            expect(process.terminationReason == .exit && [0, 130].contains(process.terminationStatus))
            if target != Tool.file, process.terminationStatus == 130 {
                expect(!FileManager.default.fileExists(atPath: tool.folder.path("new.store")))
            }
            if target == Tool.file {
                let stored = try await tool.people(engine).count - Person.samples.count
                expect(stored, equals: process.terminationStatus == 0 ? 20_000 : 0)
            }
        }
    }

    private func start(_ tool: Tool, input: Pipe, errors: Pipe) throws -> (process: Process, end: ProcessEnd) {
        let process = tool.process(["insert", Tool.file, "Person", "--quiet"])
        process.standardInput = input
        process.standardError = errors
        return (process, try process.start())
    }
}

extension Pipe {
    /// Writes a text that is longer than what the pipe holds, without a thread of the tests that waits for the reader.
    fileprivate func write(_ text: String) async throws {
        let handle = fileHandleForWriting
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Thread.detachNewThread {
                continuation.resume(with: Result { try handle.write(contentsOf: Data(text.utf8)) })
            }
        }
    }
}

extension Process {
    /// Runs a command of the tool and interrupts it when its progress line shows a text, or where it has ended before it
    /// drew one; returns when it has ended.
    func interrupt(whenItDraws text: String) async throws {
        let terminal = try PseudoTerminal(columns: 80)
        standardError = terminal.handle
        let end = try start()
        try terminal.handle.close()
        _ = try await terminal.read(until: text)
        if isRunning { interrupt() }
        await end.wait()
    }
}
