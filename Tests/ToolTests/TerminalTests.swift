import Foundation
import StorageKit
import TestSupport
import Testing

@Suite struct TerminalTests {
    /// Runs the tool with its output on a terminal.
    private func draw(_ tool: Tool, columns: UInt16, _ arguments: String...) async throws -> String {
        let terminal = try PseudoTerminal(columns: columns)
        let process = tool.process(arguments)
        process.standardOutput = terminal.handle
        let end = try process.start()
        let text = try await terminal.readToEnd()
        await end.wait()
        expect(process.terminationStatus, equals: 0)
        return text
    }

    @Test func `a table is cut to the terminal's width`() async throws {
        let tool = try await Tool(.sqlite)
        try await tool.with(.sqlite) { (store) async throws in
            try await store.save(Pair(first: "b", second: 1, note: String(repeating: "note ", count: 8)))
        }
        let lines = try await draw(tool, columns: 30, "select", Tool.file, "Pair").split(separator: "\n")
        expect(lines.count, equals: 5)
        expect(lines.allSatisfy { $0.count <= 30 })
        expect(lines.last, equals: "b           1  note note note…")
        try await expect(
            draw(tool, columns: 80, "select", Tool.file, "Pair").contains(String(repeating: "note ", count: 7)))
    }

    @Test func `numbers and keys are never cut, and columns without room are named`() async throws {
        let tool = try await Tool(.sqlite)
        let input = """
            id,name,population,latitude,longitude,description
            1796236,Shanghai,24874500,31.22222,121.45806,a city at the mouth of the Yangtze that is long to describe
            """
        try await tool.output("import", Tool.file, "--model", "Town", "--format", "csv", "--quiet", "-", input: input)
        let lines = try await draw(tool, columns: 44, "select", Tool.file, "Town").split(whereSeparator: \.isNewline)
        expect(lines.count == 4 && lines.allSatisfy { $0.count <= 44 || $0.hasPrefix("Left out") }, "\(lines)")
        expect(lines[0], equals: "     id  name      population  latitude")
        expect(lines[2], equals: "1796236  Shanghai    24874500  31.22222")
        expect(lines[3].contains(": longitude, description. --vertical"))
        let vertical = try await tool.output("select", Tool.file, "Town", "--vertical")
        expect(
            vertical.contains(" population = 24874500\n") && vertical.contains("Yangtze that is long to describe\n"))
        try await expect(tool.output("select", Tool.file, "Town", "--format", "vertical"), equals: vertical)
    }

    @Test func `dates are never cut, and have no times where all are midnight`() async throws {
        let tool = try await Tool(.sqlite)
        let input = "id,day,at,name\n1,2026-01-02,2026-01-02T10:00:00.25Z,a name\n2,,2026-01-03,another\n"
        try await tool.output("import", Tool.file, "--model", "Day", "--format", "csv", "--quiet", "-", input: input)
        let table = """
            id  day         at
            ──  ──────────  ───────────────────────
             1  2026-01-02  2026-01-02T10:00:00.25Z
             2  –           2026-01-03T00:00:00Z

            """
        try await expect(draw(tool, columns: 40, "select", Tool.file, "Day").hasPrefix(table))
        try await expect(draw(tool, columns: 30, "select", Tool.file, "Day").hasPrefix("id  day         name\n"))
        try await expect(
            tool.output("select", Tool.file, "Day", "--vertical").contains("day = 2026-01-02T00:00:00Z\n"))
    }

    @Test func `a line feed in a cell is shown as one`() async throws {
        let tool = try await Tool(.sqlite)
        try await tool.with(.sqlite) { (store) async throws in
            try await store.save(Pair(first: "b", second: 1, note: "one\ntwo"))
        }
        try await expect(tool.output("select", Tool.file, "Pair").contains("one↵two"))
    }

    @Test func `style is for terminals and for who wants it`() async throws {
        var tool = try await Tool(.sqlite)
        tool.environment = ["TERM": "xterm", "NO_COLOR": ""]
        try await expect(draw(tool, columns: 80, "schema", Tool.file).contains("\u{1B}[1mPerson\u{1B}[0m"))
        try await expect(!tool.output("schema", Tool.file).contains("\u{1B}"))
        tool.environment["NO_COLOR"] = "1"
        try await expect(!draw(tool, columns: 80, "schema", Tool.file).contains("\u{1B}"))
    }

    /// Starts a deletion that asks.
    private func startDeleting(_ tool: Tool, _ terminal: PseudoTerminal) async throws -> (Process, ProcessEnd) {
        let process = tool.process(["delete", Tool.file, "Person", "--where", "age > 1"])
        process.standardInput = terminal.handle
        process.standardError = terminal.handle
        process.standardOutput = FileHandle.nullDevice
        let end = try process.start()
        try await expect(terminal.read(until: "[y/N]").contains("Delete 3 records of Person? [y/N]"))
        return (process, end)
    }

    @Test(arguments: [("y\n", 0, 0), ("n\n", 1, 3), ("\n", 1, 3), ("\u{4}", 1, 3)] as [(String, Int32, Int)])
    func `deleting many asks first on a terminal`(answer: String, status: Int32, left: Int) async throws {
        let tool = try await Tool(.sqlite)
        let terminal = try PseudoTerminal(columns: 80)
        let (process, end) = try await startDeleting(tool, terminal)
        terminal.type(answer)
        await end.wait()
        expect(process.terminationStatus, equals: status)
        try await expect(tool.people(.sqlite).count, equals: left)
    }

    @Test func `an interrupted question is a no`() async throws {
        let tool = try await Tool(.archive)
        let terminal = try PseudoTerminal(columns: 80)
        let (process, end) = try await startDeleting(tool, terminal)
        process.interrupt()
        await end.wait()
        expect(process.terminationReason == .exit && process.terminationStatus == 130)
        try await expect(tool.people(.archive), equals: Person.samples)
    }

    @Test func `records are not read from a terminal`() async throws {
        let tool = try await Tool(.sqlite)
        let terminal = try PseudoTerminal(columns: 80)
        let process = tool.process(["insert", Tool.file, "Person"])
        process.standardInput = terminal.handle
        process.standardError = FileHandle.nullDevice
        await (try process.start()).wait()
        expect(process.terminationStatus, equals: 64)
    }
}
