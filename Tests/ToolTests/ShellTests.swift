import Foundation
import StorageKit
import Testing

@Suite("storage shell") struct ShellTests {
    @Test(arguments: Engine.allCases)
    func `each line is a command for the store`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        let input = """
            count Person

            insert Person --quiet name='a "b" c' "age=4" tags=[] pens=[]
              select Person --where "name == \\"a \\\\\\"b\\\\\\" c\\"" --columns age --format csv --no-header
            exit
            count Person
            """
        #expect(try tool.output("shell", Tool.file, input: input) == "3\n4\n")
        #expect(try await tool.people(engine).last?.name == #"a "b" c"#)
    }

    @Test func `the first command that fails ends it with its status, and what is before it is done`() async throws {
        let tool = try await Tool(.sqlite)
        for (line, status, words) in [
            ("count Nobody", 65, "Nobody"), ("get Person 9", 1, "no record"), ("count", 64, "model"),
            ("nose Person", 64, "nose"), ("count 'Person", 64, "quotes"), ("shell", 64, "already"),
        ] as [(String, Int32, String)] {
            let run = try tool.run(["shell", Tool.file], input: "count Person\n\(line)\ncount Person\n")
            #expect(run.status == status && run.output == "3\n", "\(line): \(run.output)")
            #expect(run.error.contains(words), "\(line): \(run.error)")
        }
        #expect(try tool.failure(66, "shell", "none.db").contains("none.db"))
    }

    @Test func `on a terminal it asks again after a failure`() async throws {
        let tool = try await Tool(.sqlite)
        let terminal = try PseudoTerminal(columns: 80)
        let process = tool.process(["shell", Tool.file])
        process.standardInput = terminal.handle
        process.standardError = terminal.handle
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        #expect(terminal.read(until: "storage> ").contains("storage> "))
        terminal.type("count Nobody\n")
        #expect(terminal.read(until: "storage> ").contains("no model Nobody"))
        terminal.type("count Person\nhelp count\nexit\n")
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(text.hasPrefix("3\n") && text.contains("OVERVIEW"), "\(text)")
    }

    @Test(arguments: Engine.allCases)
    func `names are listed for completion, and models are completed by shells`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        let words = try tool.output("shell", Tool.file, "--words").split(separator: "\n")
        for word in ["select", "exit", "Person", "pens", "color", "population"] {
            #expect(words.count { $0 == word } == 1, "\(word)")
        }
        func completed(_ store: String, _ word: String) throws -> [Substring] {
            let place = ["---completion", "select", "--", "positional@1", "3", "\(word.count)"]
            return try tool.run(place + ["storage", "select", store, word]).output.split(separator: "\n")
        }
        #expect(try completed(Tool.file, "P").sorted() == ["Pair", "Person"])
        #expect(try completed(Tool.file, "Pe") == ["Person"])
        #expect(try completed("none.db", "P").isEmpty)
    }
}
