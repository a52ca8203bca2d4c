import Foundation
import StorageKit
import TestSupport
import Testing

@Suite("storage import")
struct ImportTests {
    private let tool: Tool

    init() throws { tool = Tool(folder: try TemporaryFolder()) }

    private func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: tool.folder.url.appending(path: name))
    }

    private func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: tool.folder.path(name)) }

    private func rows(_ model: String, _ store: String = "new.db") async throws -> String {
        try await tool.output("select", store, model, "--format", "ndjson")
    }

    @Test(
        arguments: [
            (#"[{"id":1,"name":"a"},{"id":2,"name":null}]"#, "x.json"), (#"{"1":{"name":"a"},"2":{"name":null}}"#, "x"),
            ("{\"id\":1,\"name\":\"a\"}\n\n{\"id\":2}\n", "x"), ("id,name\r\n1,a\r\n2,\r\n", "x.csv"),
            ("\u{FEFF}{\"id\":1,\"name\":\"a\"}\n{\"id\":2}", "x.ndjson"),
        ])
    func `an array, an object by key, lines and comma-separated values are told apart and stored alike`(
        _ text: String, _ name: String
    ) async throws {
        try write(text, name)
        try await tool.output("import", "sqlite:new.db", "--model", "T", name)
        try await expect(rows("T"), equals: "{\"id\":1,\"name\":\"a\"}\n{\"id\":2,\"name\":null}\n")
    }

    @Test
    func `several files are one import, each of its own format, and standard input among them`() async throws {
        try write(#"[{"id":1,"name":"a"}]"#, "a.json")
        try write("id,name,mark\n2,b,2.5\n", "b.csv")
        let run = try await tool.run(
            ["import", "sqlite:new.db", "--model", "T", "--json", "a.json", "b.csv", "-"], input: #"{"id":3,"mark":1}"#)
        expect(run.status == 0 && run.output.hasPrefix(#"{"stored":3,"bad":0,"#), "\(run.error)")
        try await expect(
            rows("T"),
            equals: """
                {"id":1,"name":"a","mark":null}
                {"id":2,"name":"b","mark":2.5}
                {"id":3,"name":null,"mark":1.0}

                """)
        try await expect(tool.failure(64, "import", "new.db", "--model", "T", "-", "-").contains("once"))
    }

    @Test
    func `a bad record is named with its file, and nothing of any file is stored`() async throws {
        try write(#"[{"id":1,"name":"a"}]"#, "a.json")
        try write("{\"id\":2,\"name\":\"b\"}\n{\"id\":1,\"name\":\"c\"}\n", "b.ndjson")
        let run = try await tool.run(["import", "sqlite:new.db", "--model", "T", "a.json", "b.ndjson"])
        expect(run.status, equals: 65)
        let told = "b.ndjson, line 2: The key 1 is there already, in line 1 of a.json."
        expect(run.error.contains(told), "\(run.error)")
        expect(!FileManager.default.fileExists(atPath: tool.folder.path("new.db")))
        try await tool.output("import", "sqlite:new.db", "--model", "T", "--skip-bad", "bad", "a.json", "b.ndjson")
        try await expect(rows("T"), equals: "{\"id\":1,\"name\":\"a\"}\n{\"id\":2,\"name\":\"b\"}\n")
        try await expect(
            tool.failure(66, "import", "new.db", "--model", "T", "--save", "a.json", "none").contains("none"))
    }

    @Test
    func `types are taken from all values, and objects and arrays of objects are owned`() async throws {
        let text = """
            [{"id":"a","n":1,"d":1,"u":0,"w":9007199254740993,"t":["x"],"m":1,"o":{"p":1},"c":[{"q":"é"},{"q":null}]},
             {"id":"b","n":-2,"d":0.5,"u":18446744073709551615,"w":0.5,"t":[],"m":"1","o":{"p":2,"r":true},"c":[]}]
            """
        let run = try await tool.run(["import", "sqlite:new.db", "--model", "T", "-"], input: text)
        expect(run.output.hasPrefix("2 records stored in "))
        let report = run.error
        for line in [
            "id        string         key", "n         int64", "d         double", "u         uint64",
            "w         decimal",
            "t         array<string>", "m         embedded", "  r       bool?",
            "  q       string?",
        ] { expect(report.contains(line), "\(line)\n\(report)") }
        try await expect(
            tool.output("get", "new.db", "T", "a"),
            equals: """
                {"id":"a","n":1,"d":1.0,"u":0,"w":9007199254740993,"t":["x"],"m":1,"o":{"p":1,"r":null},\
                "c":[{"q":"é"},{"q":null}]}

                """)
    }

    @Test
    func `a stored model's key and types may be named again, and no others`() async throws {
        let options = ["import", "sqlite:new.db", "--model", "T", "--save", "-"]
        let text = #"[{"mail":"a","n":1,"m":2}]"#
        let chosen = ["--key", "mail", "--type", "n=double"]
        let first = try await tool.run(["import", "sqlite:new.db", "--model", "T", "-"] + chosen, input: text)
        expect(first.status, equals: 0)
        let same = try await tool.run(options + chosen, input: text)
        expect(same.status == 0 && same.error == "")
        let key = try await tool.failure(65, options + ["--key", "m"], input: Data(text.utf8))
        expect(key.hasSuffix("T is stored with the key mail; leave --key out, or import into a new model.\n"))
        let type = try await tool.failure(65, options + ["--type", "n=string"], input: Data(text.utf8))
        expect(type.contains("T is stored with other types"))
        let unknown = try await tool.failure(65, options + ["--type", "x=string"], input: Data(text.utf8))
        expect(unknown.contains("no record has this property"))
    }

    @Test
    func `paths become properties, keys and types are chosen`() async throws {
        try write(#"[{"mail":"a@b","info":{"age":3,"x":1},"born":"2001-01-01T00:00:01Z","waste":{"y":1}}]"#, "x.json")
        try await tool.output(
            "import", "sqlite:new.db", "--model", "T", "--key", "mail", "--map", "age=info.age", "--map", "=waste",
            "--type",
            "born=date", "x.json")
        let json = #"{"mail":"a@b","info":{"x":1},"born":"2001-01-01T00:00:01Z","age":3}"#
        try await expect(
            tool.output("get", "new.db", "T", "a@b"),
            equals: json.replacing(#""info":{"x":1},"#, with: "")
                .replacing(
                    "}", with: #","info":{"x":1}}"#) + "\n")
    }

    @Test
    func `a model that the store has says what records are`() async throws {
        let tool = try await Tool(.sqlite)
        try Data(#"{"id":50,"name":"New","age":1,"tags":[],"pens":[{"color":"c","price":1}]}"#.utf8)
            .write(to: tool.folder.url.appending(path: "x.ndjson"))
        try await tool.output("import", Tool.file, "--model", "Person", "x.ndjson")
        let person = Person(id: 50, name: "New", age: 1, tags: [], city: nil, pens: [Pen(color: "c", price: 1)])
        try await expect(tool.people(.sqlite).last, equals: person)
        try Data(#"{"id":51,"name":"New","age":"old","tags":[],"pens":[],"more":1}"#.utf8)
            .write(to: tool.folder.url.appending(path: "x.ndjson"))
        let run = try await tool.run(["import", Tool.file, "--model", "Person", "x.ndjson"])
        expect(run.status, equals: 65)
        expect(run.error.contains("x.ndjson, line 1: age is the text \"old\", not a valid int64."))
        try await expect(tool.people(.sqlite).count, equals: 4)
    }

    @Test
    func `bad records are told by line and nothing is stored; or they are kept aside`() async throws {
        let lines = [#"{"id":1}"#, #"{"id":2"#, "[3]", #"{"id":1}"#, #"{"id":"\#u{FFFD}"}"#, #"{"id":6}"#]
        var bytes = Data(lines.joined(separator: "\n").utf8)
        // A byte that is no UTF-8.
        let damaged = try #require(bytes.range(of: Data("\u{FFFD}".utf8)))
        bytes.replaceSubrange(damaged, with: [0xFF])
        try bytes.write(to: tool.folder.url.appending(path: "x.ndjson"))
        let refused = try await tool.run(["import", "sqlite:new.db", "--model", "T", "x.ndjson"])
        expect(refused.status, equals: 65)
        for line in [
            "line 2: There is neither", "line 3: A record must be", "line 5: A text is not UTF-8",
            "3 bad records; nothing is stored",
        ] {
            expect(refused.error.contains(line), "\(refused.error)")
        }
        expect(!exists("new.db"))
        let report = try await tool.output("import", "sqlite:new.db", "--model", "T", "--skip-bad", "bad", "x.ndjson")
        expect(report.contains("line 4: The key 1 is there already, in line 1."))
        try await expect(rows("T"), equals: "{\"id\":1}\n{\"id\":6}\n")
        let kept = try Data(contentsOf: tool.folder.url.appending(path: "bad"))
        expect(kept.count { $0 == 0x0A } == 4 && kept.contains(0xFF))
        try await tool.failure(74, "import", "new.db", "--model", "T", "--skip-bad", "bad", "x.ndjson")
    }

    @Test
    func `repeated keys name both places, also where one is the store`() async throws {
        try write("id,n\n1,1\n2,2\n", "x.csv")
        try await tool.output("import", "sqlite:new.db", "--model", "T", "x.csv")
        try write("id,n\n3,3\n2,4\n3,5\n", "y.csv")
        let run = try await tool.run(["import", "new.db", "--model", "T", "y.csv"])
        expect(run.status, equals: 65)
        expect(run.error.contains("y.csv, line 3: The key 2 is there already, in the store."))
        expect(run.error.contains("y.csv, line 4: The key 3 is there already, in line 2."))
        try await expect(rows("T"), equals: "{\"id\":1,\"n\":1}\n{\"id\":2,\"n\":2}\n")
    }

    @Test func `a property of a new model refers to the records of another, or of its own`() async throws {
        try write(#"[{"id":1,"name":"A"},{"id":2,"name":"B"}]"#, "people.json")
        try write(#"[{"id":1,"author":1,"next":2},{"id":2,"author":2,"next":null}]"#, "books.json")
        let refs = ["--ref", "author=Person,cascade", "--ref", "next=Book,nullify"]
        let importing = ["import", "sqlite:new.db", "--model", "Book", "books.json"]
        try await expect(
            tool.failure(65, importing + refs).contains("the store has no Person; import its records first")
        )
        try await tool.output("import", "sqlite:new.db", "--model", "Person", "people.json")
        try await expect(
            tool.failure(65, importing + ["--ref", "author=Person,nullify"]).contains(
                "it cannot become nil"))
        try await expect(tool.failure(65, importing + ["--ref", "a=Person"]).contains("no record has a property a"))
        try await expect(
            tool.failure(65, importing + ["--ref", "author=Person,drop"]).contains("deny, cascade, nullify")
        )
        try await expect(tool.run(importing + refs).status, equals: 0)
        let schema = try await tool.output("schema", "new.db")
        expect(schema.contains("Person, cascade") && schema.contains("Book, nullify"))
        try await tool.output("delete", "new.db", "Person", "2")
        try await expect(rows("Book"), equals: "{\"id\":1,\"author\":1,\"next\":null}\n")
        try write(#"[{"id":3,"author":9,"next":null}]"#, "books.json")
        try await expect(tool.failure(65, importing).contains("Person 9"))
    }

    @Test func `with --match a record takes the place of the one that has the same values`() async throws {
        try write(#"[{"name":"A","age":1},{"name":"B","age":2}]"#, "people.json")
        try await tool.output("import", "sqlite:new.db", "--model", "Person", "people.json")
        try write(#"[{"name":"C","age":3},{"name":"B","age":4}]"#, "people.json")
        try await tool.output("import", "sqlite:new.db", "--model", "Person", "--match", "name", "people.json")
        try await expect(
            rows("Person")
                == "{\"id\":1,\"name\":\"A\",\"age\":1}\n{\"id\":2,\"name\":\"B\",\"age\":4}\n{\"id\":3,\"name\":\"C\",\"age\":3}\n"
        )
        let wrong = ["import", "sqlite:new.db", "--model", "Person", "--match", "nam", "people.json"]
        try await expect(tool.failure(65, wrong).contains("has no property nam"))
    }

    @Test(arguments: Engine.allCases)
    func `with --save a record takes the place of the one that has its key`(_ engine: Engine) async throws {
        let tool = try await Tool(engine)
        let lines = [
            #"{"id":1,"name":"Wei","age":29,"tags":[],"pens":[]}"#,
            #"{"id":50,"name":"first","age":1,"tags":[],"pens":[]}"#,
            #"{"id":50,"name":"New","age":1,"tags":[],"pens":[{"color":"c","price":1}]}"#,
            #"{"id":null,"name":"Next","age":1,"tags":[],"pens":[]}"#,
        ]
        try Data(lines.joined(separator: "\n").utf8).write(to: tool.folder.url.appending(path: "x.ndjson"))
        try await expect(tool.run(["import", Tool.file, "--model", "Person", "x.ndjson"]).status, equals: 65)
        try await expect(tool.people(engine), equals: Person.samples)
        try await tool.output("import", Tool.file, "--model", "Person", "--save", "x.ndjson")
        try await expect(
            tool.people(engine),
            equals: [
                Person(id: 1, name: "Wei", age: 29, tags: [], city: nil, pens: []), Person.samples[1],
                Person.samples[2],
                Person(id: 50, name: "New", age: 1, tags: [], city: nil, pens: [Pen(color: "c", price: 1)]),
                Person(id: 51, name: "Next", age: 1, tags: [], city: nil, pens: []),
            ])
    }

    @Test
    func `what cannot be read is one sentence, and leaves no store`() async throws {
        try await tool.failure(66, "import", "sqlite:new.db", "--model", "T", "missing.json")
        try await tool.failure(66, "import", "sqlite:new.db", "--model", "T", ".")
        try write(#"[{"id":1},"#, "cut.json")
        try await expect(tool.failure(65, "import", "sqlite:new.db", "--model", "T", "cut.json").contains("line 1"))
        for (name, bytes) in [("database", "SQLite format 3\0"), ("image", "\u{89}PNG\r\n")] {
            try write(bytes, name)
            try await tool.failure(65, "import", "sqlite:new.db", "--model", "T", name)
        }
        try write("plain", "x")
        try await tool.failure(65, "import", "sqlite:new.db", "--model", "T", "x")
        try write("", "empty.csv")
        try await tool.failure(65, "import", "sqlite:new.db", "--model", "T", "empty.csv")
        expect(!exists("new.db"))
    }

    @Test
    func `a text that is not UTF-8 is told by its line, in every format`() async throws {
        for (name, text) in [
            ("x.csv", "id,t\n1,ä\n2,?\n"), ("x.ndjson", "{\"id\":1}\n\n{\"id\":2,\"t\":\"?\"}\n"),
            ("x.json", "[{\"id\":1},\n\n{\"id\":2,\"t\":\"?\"}]"), ("keyed.json", "{\"1\":{},\n\n\"2\":{\"t\":\"?\"}}"),
        ] {
            let bytes = Data(text.utf8).map { $0 == UInt8(ascii: "?") ? 0xC3 : $0 }
            try Data(bytes).write(to: tool.folder.url.appending(path: name))
            let run = try await tool.run(["import", "sqlite:new.db", "--model", "T", name])
            expect(run.status == 65 && run.error.contains("\(name), line 3: A text is not UTF-8"), "\(run.error)")
        }
        expect(!exists("new.db"))
    }

    @Test
    func `a line beyond the limit is refused before it fills the memory`() async throws {
        let path = tool.folder.path("huge.ndjson")
        try write(#"{"id":1,"t":""#, "huge.ndjson")
        // A gigabyte of nothing takes no room on the disk.
        expect(truncate(path, 1 << 30), equals: 0)
        try await expect(
            tool.failure(65, "import", "sqlite:new.db", "--model", "T", "huge.ndjson").contains(
                "more than 64 MiB"))
        expect(!exists("new.db"))
    }

    @Test(arguments: Engine.each(with: ["json", "ndjson", "csv"]))
    func `what was exported and imported again is equal`(_ engine: Engine, _ format: String) async throws {
        let tool = try await Tool(engine)
        try await tool.with(engine) { store in try await store.insert(Everything.samples) }
        try await tool.with(engine, "other.store") { (store) async throws in
            // The other store knows the models, and has no records of them.
            try await store.insert(Everything.samples[0])
            try await store.truncate(Everything.self)
            try await store.insert(Person.samples[0])
            try await store.truncate(Person.self)
        }
        for model in ["Everything", "Person"] {
            try await tool.output("export", Tool.file, model, "--output", "\(model).\(format)")
            try await tool.output("import", "\(engine.rawValue):other.store", "--model", model, "\(model).\(format)")
            try await expect(tool.output("diff", Tool.file, "other.store", "--model", model), equals: "")
        }
    }
}
