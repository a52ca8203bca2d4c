import Foundation
import TestSupport
import Testing

@Suite struct ReadingTests {
    @Test func `the version is the changelog's first`() async throws {
        let version = try await Tool(folder: TemporaryFolder()).output("--version")
        let changelog = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("CHANGELOG.md")
        let first = try String(contentsOf: changelog, encoding: .utf8).split(separator: "\n").filter {
            $0.hasPrefix("## ") && $0.dropFirst(3).first?.isNumber == true
        }.first
        expect(first?.dropFirst(3).prefix { $0 != " " }, equals: version.dropLast())
    }

    @Test(arguments: Engine.allCases)
    func `info shows the backend, the size and the models`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        let size = try #require(try tool.folder.contents[Tool.file]?.count)
        let text = try await tool.output("info", Tool.file)
        expect(text.hasPrefix("Backend   \(engine.rawValue)\n"))
        expect(text.contains("\nPerson        3       3\nPair          2       1\n"))
        let json = try await tool.json("info", Tool.file, "--json")
        expect(json["backend"] as? String == engine.rawValue)
        expect(json["bytes"] as? Int == size)
        let models = try #require(json["models"] as? [[String: Any]])
        expect(models.map { $0["name"] as? String }, equals: ["Person", "Pair"])
        expect(models.map { $0["records"] as? Int }, equals: [3, 2])
    }

    @Test func `a database of other software has no schema record, and is shown as it is`() async throws {
        let tool = try Tool(folder: TemporaryFolder())
        try FileManager.default.copyItem(atPath: Sample.chinook, toPath: tool.folder.path("chinook.db"))
        let before = try tool.folder.contents
        let info = try await tool.output("info", "chinook.db")
        expect(info.contains("Format    SQLite 3") && !info.contains("schema record"))
        expect(info.contains("\nTrack            3,503       1\n"))
        try await expect(tool.output("verify", "chinook.db"), equals: "11 models, nothing is wrong.\n")
        try expect(tool.folder.contents, equals: before)
        let refusal = try await tool.failure(65, "delete", "chinook.db", "Artist", "1")
        expect(refusal.contains("2 records still refer to Artist 1 by Album.ArtistId: 1; 4."))
    }

    @Test(arguments: Engine.one(.archive))
    func `schema shows properties, types and marks`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        try await expect(
            tool.output("schema", Tool.file, "Person"),
            equals: """
                Person (assigns keys)
                  Property      Type           Marks
                  ────────────  ─────────────  ───────
                  id            int64          key
                  name          string         indexed
                  age           int64
                  tags          array<string>
                  city          City?
                    name        string         key
                    population  int64?
                  pens          [Pen]
                    color       string         key
                    price       double

                """)
        let all = try await tool.output("schema", Tool.file)
        expect(all.hasPrefix("Person (assigns keys)\n") && all.contains("\n\nPair\n"))
    }

    @Test(arguments: Engine.one(.sqlite))
    func `a table aligns Chinese, Arabic and emoji`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        try await expect(
            tool.output("select", Tool.file, "Person", "--columns", "name,age,tags,city,pens"),
            equals: """
                name    age  tags             city                                   pens
                ──────  ───  ───────────────  ─────────────────────────────────────  ─────────
                Wei      28  ["a","b"]        {"name":"成都","population":20937757}  2 records
                ليلى     31  []               –                                      0 records
                Zoë 👩‍🚀   19  ["x,y","\\"z\\""]  {"name":"Łódź","population":null}      0 records

                """)
    }

    @Test func `a long table cuts no key that is wider than those before`() async throws {
        let tool = try await Tool(.sqlite)
        try await tool.with(.sqlite) { (store) async throws in
            let ids = Array(1...1000) + [12_345_678]
            try await store.save(ids.map { Person(id: $0, name: "p", age: 1, tags: [], city: nil, pens: []) })
        }
        let lines = try await tool.output("select", Tool.file, "Person", "--columns", "id,name").split(separator: "\n")
        expect(lines.prefix(3), equals: ["  id  name", "────  ────", "   1  p"])
        expect(lines.suffix(2), equals: ["1000  p", "12345678  p"])
    }

    @Test(arguments: Engine.one(.archive))
    func `records are printed as JSON, NDJSON and CSV`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        let lines = [
            #"{"id":1,"name":"Wei","age":28,"tags":["a","b"],"city":{"name":"成都","population":20937757},"#
                + #""pens":[{"color":"red","price":1.5},{"color":"blue","price":2.0}]}"#,
            #"{"id":2,"name":"ليلى","age":31,"tags":[],"city":null,"pens":[]}"#,
            #"{"id":7,"name":"Zoë 👩‍🚀","age":19,"tags":["x,y","\"z\""],"city":{"name":"Łódź","population":null},"#
                + #""pens":[]}"#,
        ]
        try await expect(
            tool.output("select", Tool.file, "Person", "--format", "ndjson")
                == lines.map { $0 + "\n" }.joined())
        try await expect(
            tool.output("select", Tool.file, "Person", "--json"),
            equals: "[\n" + lines.joined(separator: ",\n")
                + "\n]\n"
        )
        try await expect(tool.output("select", Tool.file, "Person", "--json", "--limit", "0"), equals: "[]\n")
        try await expect(
            tool.output("select", Tool.file, "Person", "--format", "csv", "--columns", "id,name,tags,city")
                == #"""
                id,name,tags,city
                1,Wei,"[""a"",""b""]","{""name"":""成都"",""population"":20937757}"
                2,ليلى,[],
                7,Zoë 👩‍🚀,"[""x,y"",""\""z\""""]","{""name"":""Łódź"",""population"":null}"

                """#)
        // Nil is nothing, an empty text stands in quotes.
        try await expect(
            tool.output("select", Tool.file, "Pair", "--format", "csv"),
            equals: #"""
                first,second,note
                a,1,""
                "a,b",-5,

                """#)
    }

    @Test(arguments: Engine.one(.sqlite))
    func `conditions, order, limit and offset choose the records`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        let queries: [(options: [String], ids: String)] = [
            (["--where", "age >= 28"], "12"), (["--where", #"city.name == "成都""#], "1"),
            (["--order", "age desc, name"], "217"), (["--order", "age", "--limit", "1", "--offset", "1"], "1"),
        ]
        let select = ["select", "Person", "--format", "ndjson", "--columns", "id"]
        let found = try await tool.outputs(of: queries.map { select + $0.options })
        for (query, output) in zip(queries, found) {
            expect(output, equals: query.ids.map { "{\"id\":\($0)}\n" }.joined(), "\(query.options)")
        }
        let others = try await tool.outputs(of: [
            ["count", "Person"], ["count", "Person", "--where", "age < 20", "--json"],
            ["select", "Person", "--where", "name == \"Wei\"", "--explain"],
        ])
        expect(others.prefix(2), equals: ["3\n", "{\"count\":1}\n"])
        expect(others[2].contains("name"))
    }

    @Test(
        arguments: Engine.each(with: [
            [], ["--where", "age > 20"], ["--order", "age desc, name"], ["--order", "name", "--limit", "2"],
        ]))
    func `chosen columns are what whole records have`(engine: Engine, query: [String]) async throws {
        let tool = try await Tool(engine)
        let select = ["select", "Person", "--json"] + query
        let columns = [["id"], ["age"], ["tags"], ["city"], ["pens"], ["pens", "id"], ["city", "name", "pens"]]
        let commands = [select] + columns.map { select + ["--columns", $0.joined(separator: ",")] }
        let records = try await tool.outputs(of: commands).map { output in
            try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [NSDictionary])
        }
        expect(!records[0].isEmpty)
        for (names, found) in zip(columns, records.dropFirst()) {
            let chosen = records[0].map { record in
                NSDictionary(
                    objects: names.map { record[$0] ?? "missing" }, forKeys: names.map { NSString(string: $0) })
            }
            expect(found, equals: chosen, "\(names)")
        }
    }

    @Test(arguments: Engine.one(.archive))
    func `get prints one whole record`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        let person = try await tool.json("get", Tool.file, "Person", "1")
        expect((person["pens"] as? [[String: Any]])?.map { $0["color"] as? String } == ["red", "blue"])
        try await expect(
            tool.output("get", Tool.file, "Pair", "a,b", "--", "-5")
                == #"{"first":"a,b","second":-5,"note":null}"#
                + "\n")
        try await expect(
            tool.failure(1, "get", Tool.file, "Person", "3").contains("Person has no record with the key 3"))
        try await expect(tool.failure(65, "get", Tool.file, "Person", "x").contains("x is not a valid int64 for id"))
        try await expect(tool.failure(64, "get", Tool.file, "Pair", "a").contains("first, second"))
    }

    @Test(arguments: Engine.allCases)
    func `reading changes no file and makes none`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        let before = try tool.folder.contents
        for arguments in [
            ["info", Tool.file], ["schema", Tool.file], ["select", Tool.file, "Person"],
            ["count", Tool.file, "Person"],
            ["get", Tool.file, "Person", "1"], ["export", Tool.file, "Person"], ["verify", Tool.file],
            ["diff", Tool.file, Tool.file],
        ] {
            let run = try await tool.run(arguments)
            expect(run.status, equals: 0, "\(arguments): \(run.error)")
            try expect(tool.folder.contents, equals: before, "\(arguments)")
        }
    }

    @Test(arguments: Engine.allCases)
    func `a store is named by its path, by a URL, and by a path with question marks`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        let odd = "a?b%20:c#é.store"
        try FileManager.default.copyItem(atPath: tool.folder.path(Tool.file), toPath: tool.folder.path(odd))
        for name in [Tool.file, odd, tool.folder.path(odd), "\(engine.rawValue):\(Tool.file)"] {
            try await expect(tool.output("count", name, "Person"), equals: "3\n")
        }
    }
}

extension Tool {
    /// Returns the tool's output as a JSON object.
    func json(_ arguments: String...) async throws -> [String: Any] {
        let run = try await run(arguments)
        expect(run.status, equals: 0, "\(run.error)")
        let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
        return try #require(object as? [String: Any])
    }
}
