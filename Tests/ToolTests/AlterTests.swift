import Foundation
import TestSupport
import Testing

@Suite("storage alter")
struct AlterTests {
    @Test(arguments: Engine.one(.sqlite))
    func `properties are renamed, indexed, made unique and dropped in one transaction, after a look`(
        engine: Engine
    ) async throws {
        let tool = try await Tool(engine)
        let before = try await tool.output("schema", Tool.file, "Person")
        let arguments = [
            "alter", Tool.file, "Person", "--rename", "name=fullName", "--no-index", "fullName", "--unique", "age",
            "--drop",
            "city.population", "--rename", "pens=pencils",
        ]
        let plan = try await tool.run(arguments + ["--dry-run"])
        expect(plan.status, equals: 0)
        expect(plan.output.contains("Person: fullName loses its index; name renamed to fullName"))
        expect(plan.output.contains("property population is gone; its values are kept"))
        try await expect(tool.output("schema", Tool.file, "Person"), equals: before)
        try await expect(tool.run(arguments).output, equals: plan.output)
        try await expect(
            tool.output("schema", Tool.file, "Person"),
            equals: """
                Person (assigns keys)
                  Property  Type           Marks
                  ────────  ─────────────  ──────
                  id        int64          key
                  fullName  string
                  age       int64          unique
                  tags      array<string>
                  city      City?
                    name    string         key
                  pencils   [Pen]
                    color   string         key
                    price   double

                """)
        try await expect(
            tool.output("select", Tool.file, "Person", "--columns", "fullName", "--where", "age == 28")
                .contains(
                    "Wei"))
        try await expect(
            tool.run(arguments + ["--dry-run"]).error.contains(
                "Person has no property name; it has id, fullName"))
        try await expect(
            tool.output("alter", Tool.file, "Person", "--unique", "age", "--dry-run")
                == "Nothing to change.\n")
    }

    @Test(arguments: Engine.one(.sqlite))
    func `properties exchange their names whenever it is asked for`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        try await tool.output("alter", Tool.file, "Person", "--add", "nickname=string")
        try await tool.output("update", Tool.file, "Person", "--set", "nickname=known", "--yes")
        let exchange = [
            "alter", Tool.file, "Person", "--rename", "name=nickname", "--rename", "nickname=name", "--json",
        ]
        let select = [
            "select", Tool.file, "Person", "--columns", "nickname", "--where", "age == 28", "--format", "csv",
        ]
        for expected in ["Wei", "known"] {
            let run = try await tool.run(exchange)
            expect(run.status, equals: 0, "\(run.error)")
            try await expect(tool.run(select).output.contains(expected))
        }
    }

    @Test(arguments: Engine.one(.archive))
    func `what stored values do not allow is said before, and changes nothing`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        try await tool.output("update", Tool.file, "Person", "--set", "age=30", "--yes")
        let before = try await tool.output("schema", Tool.file)
        let plan = try await tool.run(["alter", Tool.file, "Person", "--unique", "age", "--dry-run"])
        expect(plan.status, equals: 1)
        expect(plan.output.contains("fails: The property must be unique"))
        try await expect(tool.failure(65, "alter", Tool.file, "Person", "--unique", "age").contains("must be unique"))
        try await expect(tool.output("schema", Tool.file), equals: before)
    }

    @Test(arguments: Engine.one(.sqlite))
    func `a store takes the schema of another`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        let wanted = try await tool.output("schema", Tool.file, "Pair", "--json")
            .replacing("\"isIndexed\" : false", with: "\"isIndexed\" : true")
        try Data(wanted.utf8).write(to: URL(filePath: tool.folder.path("new.json")))
        try await tool.output("alter", Tool.file, "--to", "new.json")
        try await expect(tool.output("schema", Tool.file, "Pair").contains("indexed"))
        try await expect(
            tool.output("alter", Tool.file, "--to", "new.json", "--dry-run"), equals: "Nothing to change.\n")
        try Data("[]x".utf8).write(to: URL(filePath: tool.folder.path("bad.json")))
        try await expect(tool.failure(65, "alter", Tool.file, "--to", "bad.json").contains("storage schema --json"))
        try await expect(tool.failure(64, "alter", Tool.file, "Pair").contains("Say what to change"))
    }

    @Test(arguments: Engine.one(.archive))
    func `properties are added, and types changed where each value stays the same`(_ engine: Engine) async throws {
        let tool = try await Tool(engine)
        let options = [
            "alter", Tool.file, "Person", "--add", "nick=string", "--add", "city.mayor=string", "--type", "age=double",
        ]
        let plan = try await tool.run(options + ["--dry-run"])
        expect(plan.output.contains("type of age changed from int64 to double"), "\(plan.error)")
        try await expect(tool.run(options).output, equals: plan.output)
        let schema = try await tool.output("schema", Tool.file, "Person")
        for line in ["age           double", "nick          string?", "  mayor       string?"] {
            expect(schema.contains(line), "\(schema)")
        }
        try await expect(
            tool.output(
                "select", Tool.file, "Person", "--where", "id == 1", "--columns", "age,nick", "--json")
                == "[\n{\"age\":28.0,\"nick\":null}\n]\n")
        try await expect(
            tool.run(["update", Tool.file, "Person", "--set", "age=28.5", "--where", "id == 1"]).status, equals: 0)
        let back = try await tool.failure(65, "alter", Tool.file, "Person", "--type", "age=int64")
        expect(back.contains("age"), "\(back)")
        try await expect(tool.failure(65, "alter", Tool.file, "Person", "--add", "age=string").contains("already"))
        try await expect(tool.failure(65, "alter", Tool.file, "Person", "--type", "id=string").contains("is a key"))
        try await expect(
            tool.failure(64, "alter", Tool.file, "Person", "--add", "x=strin").contains(
                "did you mean string?"))
    }

    @Test(arguments: Engine.one(.sqlite))
    func `texts become numbers where all are, and what was is kept`(_ engine: Engine) async throws {
        let tool = try await Tool(engine)
        let rows = (1...600).map { "\($0),n\($0),\($0).0" } + ["601,x,"]
        try Data(("id,name,n\n" + rows.joined(separator: "\n")).utf8).write(
            to: tool.folder.url.appending(path: "x.csv"))
        try await tool.output("import", Tool.file, "--model", "T", "--type", "n=string", "x.csv")
        let before = try await tool.output("select", Tool.file, "T", "--json")
        let wrong = try await tool.failure(65, "alter", Tool.file, "T", "--type", "name=int64")
        expect(
            wrong.contains("T, key 1: name is the text \"n1\", not a valid int64. So are 600 other values."), "\(wrong)"
        )
        try await tool.failure(64, "alter", Tool.file, "T", "--type", "n=int64", "--index", "name")
        let plan = try await tool.output("alter", Tool.file, "T", "--type", "n=int64", "--dry-run")
        expect(plan, equals: "T: values of n converted from string to int64, 601 rows written anew\n")
        try await expect(tool.output("select", Tool.file, "T", "--json"), equals: before)
        try await expect(tool.output("alter", Tool.file, "T", "--type", "n=int64"), equals: plan)
        try await expect(
            tool.output(
                "select", Tool.file, "T", "--where", "id in {1, 600, 601}", "--columns", "id,n", "--format", "csv")
                == "id,n\n1,1\n600,600\n601,\n")
        try await expect(tool.output("schema", Tool.file, "T").contains("n         int64?"))
        try await tool.output("alter", Tool.file, "T", "--add", "n_string=string")
        try await expect(
            tool.output("select", Tool.file, "T", "--where", "id == 2", "--json").contains(
                "\"n_string\":\"2.0\""))
        try await expect(tool.output("verify", Tool.file).contains("nothing is wrong"))
    }
}
