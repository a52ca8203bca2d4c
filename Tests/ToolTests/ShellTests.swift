import Foundation
import StorageKit
import TestSupport
import Testing

@Suite("storage shell") struct ShellTests {
    @Test(arguments: Engine.one(.archive))
    func `each line is a command for the store`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        let input = """
            count Person

            insert Person --quiet name='a "b" c' "age=4" tags=[] pens=[]
              select Person --where "name == \\"a \\\\\\"b\\\\\\" c\\"" --columns age --format csv --no-header
            exit
            count Person
            """
        try await expect(tool.output("shell", Tool.file, input: input), equals: "3\n4\n")
        try await expect(tool.people(engine).last?.name, equals: #"a "b" c"#)
    }

    @Test func `the first command that fails ends it with its status, and what is before it is done`() async throws {
        let tool = try await Tool(.sqlite)
        for (line, status, words) in [
            ("count Nobody", 65, "Nobody"), ("get Person 9", 1, "no record"), ("count", 64, "model"),
            ("nose Person", 64, "no command nose;"), ("count 'Person", 64, "quotes"), ("shell", 64, "already"),
        ] as [(String, Int32, String)] {
            let run = try await tool.run(["shell", Tool.file], input: "count Person\n\(line)\ncount Person\n")
            expect(run.status == status && run.output == "3\n", "\(line): \(run.output)")
            expect(run.error.contains(words), "\(line): \(run.error)")
        }
        try await expect(tool.failure(66, "shell", "none.db").contains("none.db"))
    }

    @Test(arguments: ["help", "help count", "count --help"])
    func `help is an answer, after which the shell goes on`(line: String) async throws {
        let tool = try await Tool(.sqlite)
        let run = try await tool.run(["shell", Tool.file], input: "\(line)\ncount Person\n")
        expect(run.status == 0 && run.output.contains("USAGE") && run.output.hasSuffix("\n3\n"), "\(run.output)")
    }

    @Test func `a misspelt command is told the nearest one`() async throws {
        let tool = try await Tool(.sqlite)
        try await expect(tool.failure(64, "selct", Tool.file, "Person").contains("did you mean select?"))
        try await expect(tool.failure(64, "xyzzy").contains("no command xyzzy;"))
        let run = try await tool.run(["shell", Tool.file], input: "cuont Person\n")
        expect(run.status == 64 && run.error.contains("did you mean count?"))
    }

    @Test func `on a terminal it asks again after a failure`() async throws {
        var tool = try await Tool(.sqlite)
        tool.environment = ["TERM": "dumb", "STORAGE_HISTORY": ""]
        let shell = try TerminalShell(tool)
        try await expect(shell.terminal.read(until: "storage> ").contains("storage> "))
        shell.terminal.type("count Nobody\n")
        try await expect(shell.terminal.read(until: "storage> ").contains("no model Nobody"))
        // One line for each question: what is typed before it, a terminal may drop.
        for line in ["count Person\n", "help count\n"] {
            shell.terminal.type(line)
            _ = try await shell.terminal.read(until: "storage> ")
        }
        shell.terminal.type("exit\n")
        let text = try await shell.end()
        expect(text.hasPrefix("3\n") && text.contains("OVERVIEW"), "\(text)")
    }

    /// Types lines into a shell that edits them, the last of which ends it; what it prints.
    ///
    /// Whole lines, since the terminal itself may be what takes a key before the shell does.
    private func type(_ keys: String..., into tool: Tool) async throws -> String {
        let shell = try TerminalShell(tool)
        for line in keys {
            _ = try await shell.terminal.read(until: "storage> ")
            shell.terminal.type(line)
        }
        return try await shell.end()
    }

    @Test func `on a terminal Tab completes names, and the next session finds the lines of this one`() async throws {
        var tool = try await Tool(.sqlite)
        let history = tool.folder.path("history")
        tool.environment = ["TERM": "xterm", "STORAGE_HISTORY": history]
        let up = "\u{1B}[A"
        try await expect(type("cou\tPai\t\n", "cou\tPer\t--whe\t'ag\t> 0'\n", "exit\n", into: tool), equals: "2\n3\n")
        let kept = try String(contentsOfFile: history, encoding: .utf8)
        expect(kept, equals: "count Pair\ncount Person --where 'age > 0'\nexit\n")
        let mode = try FileManager.default.attributesOfItem(atPath: history)[.posixPermissions] as? Int
        expect(mode, equals: 0o600)
        try await expect(type("\(up)\(up)\n", "exit\n", into: tool), equals: "3\n")
        tool.environment["STORAGE_HISTORY"] = ""
        try await expect(type("\(up)count Pair\n", "exit\n", into: tool), equals: "2\n")
        try expect(
            String(contentsOfFile: history, encoding: .utf8).hasSuffix(
                "exit\ncount Person --where 'age > 0'\nexit\n"))
    }

    @Test(arguments: Engine.one(.sqlite))
    func `shells complete the names of models`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        func completed(_ command: String, store: String, place: String, _ words: String...) async throws
            -> [Substring]
        {
            let asked = ["---completion", command, "--", place, "\(words.count + 2)", "\(words.last?.count ?? 0)"]
            return try await tool.run(asked + ["storage", command, store] + words).output.split(separator: "\n")
        }
        try await expect(
            completed("select", store: Tool.file, place: "positional@1", "P").sorted(), equals: ["Pair", "Person"])
        try await expect(completed("schema", store: Tool.file, place: "positional@1", "Pe"), equals: ["Person"])
        try await expect(completed("history", store: Tool.file, place: "positional@1", "Pe"), equals: ["Person"])
        try await expect(completed("import", store: Tool.file, place: "--model", "--model", "Pe"), equals: ["Person"])
        try await expect(completed("select", store: "none.db", place: "positional@1", "P").isEmpty)
    }
}

/// The shell of a tool's store on a terminal, which has its input and what it asks; what it answers goes to a pipe.
private struct TerminalShell {
    let terminal: PseudoTerminal
    private let process: Process
    private let ended: ProcessEnd
    private let output: Incoming

    init(_ tool: Tool) throws {
        terminal = try PseudoTerminal(columns: 80)
        process = tool.process(["shell", Tool.file])
        process.standardInput = terminal.handle
        process.standardError = terminal.handle
        let pipe = Pipe()
        process.standardOutput = pipe
        ended = try process.start()
        output = Incoming(pipe)
    }

    /// Waits until the shell has ended with 0, as it was asked to, and returns its output.
    func end(fileID: String = #fileID, line: Int = #line) async throws -> String {
        let text = try await output.takeRest(fileID: fileID, line: line)
        await ended.wait()
        expect(process.terminationStatus, equals: 0)
        return text
    }
}
