import Foundation
import TestSupport
import Testing

@Suite("Results of commands, for scripts")
struct ResultTests {
    private func object(_ text: String) throws -> NSDictionary {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary, "\(text)")
    }

    @Test(arguments: Engine.one(.archive))
    func `with --json a command that changes or moves something prints an object`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        let two = "{\"id\": 71, \"name\": \"Ann\"}\n{\"id\": 72, \"name\": \"Bo\"}\n"
        func json(_ arguments: String..., input: String = "") async throws -> NSDictionary {
            let run = try await tool.run(arguments + ["--json"], input: input)
            expect(run.status == 0 && run.error == "", "\(run.error)")
            return try object(run.output)
        }
        let imported = try await json("import", Tool.file, "--model", "Note", "--format", "ndjson", "-", input: two)
        expect(imported["stored"] as? Int == 2 && imported["bad"] as? Int == 0)
        try await expect(json("delete", Tool.file, "Note", "71"), equals: ["deleted": 1])
        try await expect(json("delete", Tool.file, "Note", "71"), equals: ["deleted": 0])
        try await expect(json("truncate", Tool.file, "Note", "--yes"), equals: ["removed": 1])
        try await expect(
            json("alter", Tool.file, "Note", "--index", "name"),
            equals: [
                "done": true,
                "changes": [["model": "Note", "change": "name gets its index", "rows": 0, "fails": NSNull()]],
                "indexed": [Any](),
            ])
        try await expect(json("backup", Tool.file, "backup"), equals: ["file": "backup", "store": Tool.file])
        try await expect(tool.failure(74, "backup", Tool.file, "backup").contains("--overwrite"))
        try await expect(json("backup", Tool.file, "backup", "--overwrite")["file"] as? String == "backup")
        try await expect(json("compact", Tool.file)["after"] is Int)
        try await expect(json("copy", Tool.file, "archive:copy.karch")["models"] is NSArray)
    }

    @Test func `with --quiet it prints nothing`() async throws {
        let tool = try await Tool(.sqlite)
        let commands = [
            ["import", Tool.file, "--model", "Note", "--format", "ndjson", "-"],
            ["update", Tool.file, "Note", "id=1", "a=2"],
            ["delete", Tool.file, "Note", "1"], ["truncate", Tool.file, "Note", "--yes"],
            ["alter", Tool.file, "Note", "--index", "a"], ["backup", Tool.file, "b"], ["compact", Tool.file],
            ["copy", Tool.file, "archive:c.karch"], ["verify", Tool.file], ["diff", Tool.file, "c.karch"],
        ]
        for command in commands {
            let run = try await tool.run(command + ["--quiet"], input: "{\"id\": 1, \"a\": 1}\n")
            expect(run.status == 0 && run.output == "" && run.error == "", "\(command): \(run)")
        }
        try await expect(tool.failure(64, "compact", Tool.file, "--quiet", "--json").contains("not both"))
    }

    @Test(arguments: Engine.one(.sqlite))
    func `what cannot be printed is an error, and never written into the store`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        try await tool.output("backup", Tool.file, "same")
        for command in [
            ["info", Tool.file], ["select", Tool.file, "Person"], ["verify", Tool.file], ["diff", Tool.file, "same"],
            ["schema", Tool.file, "--json"], ["copy", Tool.file, "archive:copy.karch", "--replace"],
        ] {
            for place in [">&-", "2>/dev/full >/dev/full", ">/dev/full <&-"] {
                let words = command.map { "'\($0)'" }.joined(separator: " ")
                let status = try await tool.shell("exec \"$TOOL\" \(words) \(place)").status
                // Nothing is said of two equal stores.
                expect(status, equals: command[0] == "diff" ? 0 : 74, "\(command) \(place)")
            }
        }
        try await expect(tool.output("verify", Tool.file, "--quiet"), equals: "")
        try await expect(tool.people(engine), equals: Person.samples)
    }

    @Test func `the types that an import would take are the schema that alter takes`() async throws {
        let tool = try await Tool(.sqlite)
        let schema = try await tool.run(
            [
                "import", Tool.file, "--model", "Note", "--format", "csv", "--type", "at=date", "--dry-run", "--json",
                "-",
            ],
            input: "id,at\n1,2026-01-01T00:00:00Z\n")
        try schema.output.write(toFile: tool.folder.path("note.json"), atomically: true, encoding: .utf8)
        try await tool.output("alter", Tool.file, "--to", "note.json")
        try await expect(tool.output("schema", Tool.file, "Note").contains("at        date"))
    }
}
