import Foundation
import TestSupport
import Testing

/// Records that other software has written so that they cannot be read.
@Suite struct UnreadableTests {
    private func damaged() async throws -> Tool {
        let tool = try Tool(folder: TemporaryFolder())
        let rows = (1...600).map { "\($0),n\($0),\($0).5" }
        try Data(("id,name,price\n" + rows.joined(separator: "\n")).utf8).write(
            to: tool.folder.url.appending(path: "p.csv"))
        try await tool.output("import", "sqlite:p.db", "--model", "P", "--type", "price=decimal", "p.csv")
        let process = tool.process(["p.db", "UPDATE P SET price = 'abc' WHERE id IN (2, 300)"])
        process.executableURL = URL(filePath: "/usr/bin/sqlite3")
        try await expect(process.result().isSuccess)
        return tool
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3")))
    func `with --skip-bad the others are printed and exported, in order, and those are named`() async throws {
        let tool = try await damaged()
        for command in ["select", "export"] {
            let error = try await tool.failure(65, command, "p.db", "P")
            expect(error.contains("key 2, price") && error.contains("Add --skip-bad"), "\(error)")
        }
        let run = try await tool.run([
            "select", "p.db", "P", "--skip-bad", "--format", "csv", "--where", "id < 5", "--order", "id desc",
        ])
        expect(run.status == 0 && run.output == "id,name,price\n4,n4,4.5\n3,n3,3.5\n1,n1,1.5\n", "\(run.error)")
        expect(run.error.contains("storage: record 3: P, key 2, price: The stored value is not of type decimal."))
        expect(run.error.hasSuffix("storage: 1 record is left out.\n"))
        let columns = try await tool.run([
            "select", "p.db", "P", "--skip-bad", "--columns", "name", "--limit", "3", "--json",
        ])
        expect(columns.output, equals: "[\n{\"name\":\"n1\"},\n{\"name\":\"n3\"}\n]\n")
        let export = try await tool.run(["export", "p.db", "P", "--skip-bad", "--output", "p.ndjson"])
        expect(export.status == 0 && export.error.contains("record 300: P, key 300"), "\(export.error)")
        expect(export.error.contains("2 records are left out."))
        let lines = try String(contentsOfFile: tool.folder.path("p.ndjson"), encoding: .utf8).split(separator: "\n")
        expect(lines.count, equals: 598)
        try await tool.failure(64, "select", "p.db", "P", "--skip-bad", "--sum", "id")
        try await expect(tool.failure(65, "copy", "p.db", "sqlite:q.db").contains("Export with --skip-bad"))
    }

    @Test func `a misspelt model or property is answered by what was probably meant`() async throws {
        let tool = try await Tool(.sqlite)
        for command in [["select"], ["count"], ["export"], ["schema"], ["get"], ["watch"]] {
            let rest = command[0] == "get" ? ["1"] : []
            let message = try await tool.failure(65, command + [Tool.file, "Persn"] + rest)
            expect(message.contains("has no model Persn (did you mean Person?); it has"), "\(message)")
        }
        for options in [["--columns", "nme"], ["--where", "nme == 'x'"], ["--order", "nme"], ["--group", "nme"]] {
            let message = try await tool.failure(65, ["select", Tool.file, "Person"] + options)
            expect(message.contains("Person has no property nme (did you mean name?); it has"), "\(message)")
        }
        try await expect(tool.failure(65, "insert", Tool.file, "Person", "agee=1").contains("did you mean age?"))
        try await expect(
            tool.failure(65, "update", Tool.file, "Person", "--set", "agee=1", "--yes").contains("mean age?"))
    }

    @Test func `a pattern with the wildcards of SQL is told of`() async throws {
        let tool = try await Tool(.sqlite)
        for (condition, isTold) in [
            ("name like '%e%'", true), ("name LIKE[cd] \"%e\"", true), ("name like '*e*'", false),
            ("name like '1%*'", false),
            ("name contains '%'", false),
        ] {
            let run = try await tool.run(["count", Tool.file, "Person", "--where", condition])
            expect(run.status == 0 && run.error.contains("like takes * and ?") == isTold, "\(condition): \(run.error)")
        }
        try await expect(tool.failure(65, "get", Tool.file, "Person", "x").contains("x is not a valid int64 for id."))
    }
}
