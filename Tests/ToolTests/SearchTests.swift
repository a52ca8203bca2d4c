import Foundation
import StorageKit
import TestSupport
import Testing

@Suite("storage search")
struct SearchTests {
    private static let notes = """
        {"id": 1, "title": "Storage engines", "body": "A storage engine keeps records.\\nIt is small.", "tags": ["swift"], "year": 2020}
        {"id": 2, "title": "Straße und Café", "body": "Die STRASSE am Café ist schön.", "tags": [], "year": 2021}
        {"id": 3, "title": "静夜思", "body": "床前明月光，疑是地上霜。舉頭望明月，低頭思故鄉。", "tags": ["李白"], "year": 2021}
        {"id": 4, "title": "البحث", "body": "مُحَرِّك البحث يجد الكلمات في كل مكان", "tags": ["عربي"], "year": 2022}
        {"id": 5, "title": "Engine rooms", "body": "Toys \\u0007and a \\u202Eengine", "tags": ["toy engine", "storage"], "year": 2022}
        """

    /// A tool with a model of notes whose title, body and tags are searched.
    private static func tool(_ engine: Engine, isSearched: Bool = true) async throws -> Tool {
        let tool = Tool(folder: try TemporaryFolder())
        try await tool.output(
            "import", "\(engine.rawValue):\(Tool.file)", "--model", "Note", "--format", "ndjson", "-", input: notes)
        if isSearched {
            let made = try await tool.output(
                "alter", Tool.file, "Note", "--searchable", "title=2, body", "--searchable", "tags")
            expect(
                made,
                equals: """
                    Note: title is searched with the weight 2.0; body is searched with the weight 1.0; tags is searched with the weight 1.0
                    Note: 5 records indexed for searches

                    """)
        }
        return tool
    }

    /// The keys of the records that a search prints, in its order.
    private func keys(_ output: String) -> [Int] {
        output.split(separator: "\n").compactMap { line in
            line.hasPrefix(" ") ? nil : line.split(separator: " ").first.flatMap { Int($0) }
        }
    }

    @Test(arguments: Engine.one(.sqlite))
    func `the best records come first, with the parts that have the words`(_ engine: Engine) async throws {
        let tool = try await Self.tool(engine)
        let found = try await tool.output("search", Tool.file, "Note", "storage", "engine", "--columns", "year")
        expect(keys(found), equals: [1, 5])
        expect(
            found.contains(
                "\n  year   2020\n  title  Storage engines\n  body   A storage engine keeps records. It is small.\n"))
        // Characters that would draw elsewhere are none.
        expect(
            found.contains(
                "\n  title  Engine rooms\n  body   Toys �and a engine\n  tags   toy engine\n  tags   storage\n"))
        let searches: [(words: [String], keys: Set<Int>)] = [
            (["strasse"], [2]), (["CAFE"], [2]), (["明月"], [3]), (["月"], [3]), (["故鄉"], [3]), (["البحث"], [4]),
            (["محرك"], [4]),
            (["\"storage engine\""], [1]), (["engine", "-toy"], [1]), (["-toy", "storage"], [1]),
            (["title:engine"], [5]),
            (["swift", "OR", "toy"], [1, 5]), (["engin*"], [1, 5]), (["--typing", "engi"], [1, 5]), (["engi"], []),
            (["--where", "year > 2020", "engin*"], [5]), (["--offset", "1", "--limit", "1", "engin*"], [1]),
            (["\""], []),
            (["-toy"], []), (["-house", "engines"], [1]),
        ]
        let outputs = try await tool.outputs(of: searches.map { ["search", "Note"] + $0.words })
        for (search, output) in zip(searches, outputs) {
            expect(Set(keys(output)), equals: search.keys, "\(search.words): \(output)")
            expect(search.keys.isEmpty, equals: (output == "No record has these words.\n"), "\(search.words)")
        }
    }

    @Test(arguments: Engine.one(.archive))
    func `counts and JSON are for programs`(_ engine: Engine) async throws {
        let tool = try await Self.tool(engine)
        try await expect(tool.output("search", Tool.file, "Note", "engin*", "--count"), equals: "2\n")
        try await expect(
            tool.output("search", Tool.file, "Note", "engin*", "--count", "--json", "--where", "id < 5")
                == "{\"count\":1}\n")
        try await expect(tool.output("search", Tool.file, "Note", "nothing", "--json"), equals: "[]\n")
        let json = try await tool.output("search", Tool.file, "Note", "明月", "--json", "--columns", "id,year")
        let list = try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
        let hit = try #require(list.first)
        expect(list.count == 1 && hit["record"] as? [String: Int] == ["id": 3, "year": 2021])
        let relevance = try #require(hit["relevance"] as? Double)
        expect(relevance > 0)
        let excerpts = try #require(hit["excerpts"] as? [[String: Any]])
        expect(excerpts.map { $0["property"] as? String }, equals: ["title", "body"])
        // The title has none of the words, and tells which record it is.
        expect(excerpts[0]["highlights"] as? [[Int]] == [])
        let text = Array((excerpts[1]["text"] as? String ?? "").unicodeScalars)
        let ranges = excerpts[1]["highlights"] as? [[Int]] ?? []
        expect(ranges.map { String(String.UnicodeScalarView(text[$0[0]..<$0[1]])) }, equals: ["明月", "明月"])
    }

    @Test func `the words are highlighted on a terminal alone`() async throws {
        let tool = try await Self.tool(.sqlite)
        for (environment, isHighlighted) in [(["TERM": "xterm", "NO_COLOR": ""], true), (["NO_COLOR": "1"], false)] {
            let terminal = try PseudoTerminal(columns: 80)
            let process = tool.process(["search", Tool.file, "Note", "strasse"])
            process.environment = process.environment?.merging(environment) { $1 }
            process.standardOutput = terminal.handle
            let end = try process.start()
            let drawn = try await terminal.readToEnd()
            await end.wait()
            expect(drawn.contains("\u{1B}[1;33mSTRASSE\u{1B}[0m am"), equals: isHighlighted, "\(drawn)")
            expect(drawn.contains("Die STRASSE am"), equals: !isHighlighted, "\(drawn)")
        }
        try await expect(tool.output("search", Tool.file, "Note", "strasse").contains("\u{1B}"), equals: false)
    }

    @Test(arguments: Engine.one(.sqlite))
    func `a model without searched properties, and wrong options, are told`(_ engine: Engine) async throws {
        let tool = try await Self.tool(engine, isSearched: false)
        let none = try await tool.failure(65, "search", Tool.file, "Note", "engine")
        expect(
            none
                == "storage: Note has no property that is searched; storage alter \(Tool.file) Note --searchable title,body makes an "
                + "index of its texts.\n")
        try await expect(tool.failure(65, "rebuild", Tool.file, "Note"), equals: none)
        try await expect(tool.output("rebuild", Tool.file), equals: "No model is searched.\n")
        try await expect(tool.failure(65, "search", Tool.file, "Nte", "x").contains("Note"))
        try await expect(tool.failure(64, "search", Tool.file, "Note", "x", "--limt", "5").contains("--limt"))
        try await expect(
            tool.failure(64, "search", Tool.file, "Note", "x", "--count", "--limit", "5").contains("--count"))
        for wrong in ["year", "title=x", "title=-1", "nothing", "id"] {
            let status: Int32 = wrong == "nothing" ? 65 : 64
            _ = try await tool.failure(status, "alter", Tool.file, "Note", "--searchable", wrong)
        }
        try await expect(tool.output("verify", Tool.file), equals: "1 model, nothing is wrong.\n")
    }

    @Test(arguments: Engine.one(.archive))
    func `a copy, and records that are imported, are searched as the source is`(_ engine: Engine) async throws {
        let tool = try await Self.tool(engine)
        for target in ["sqlite:copy.db", "archive:copy.karch"] {
            try await tool.output("copy", Tool.file, target, "--quiet")
            try await tool.output(
                "import", target, "--model", "Note", "--quiet", "--format", "ndjson", "-",
                input: #"{"id": 7, "title": "Neue Maschinen", "body": "Größe und Straße", "tags": [], "year": 1}"#)
            try await expect(tool.output("verify", target), equals: "1 model, 1 search index, nothing is wrong.\n")
            expect(Set(keys(try await tool.output("search", target, "Note", "strasse"))), equals: [2, 7])
            expect(keys(try await tool.output("search", target, "Note", "明月")), equals: [3])
        }
    }

    @Test func `a table of other software is told`() async throws {
        let tool = Tool(folder: try TemporaryFolder())
        let told = try await tool.failure(65, "search", Sample.chinook, "Album", "rock")
        expect(told.contains("table of other software") && told.contains("storage copy"), "\(told)")
        try await tool.output(
            "copy", Sample.chinook, "sqlite:mine.db", "--model", "Artist", "--model", "Album", "--quiet")
        _ = try await tool.run(["alter", "mine.db", "Album", "--searchable", "Title"])
        try await expect(tool.output("search", "mine.db", "Album", "acustico", "--count"), equals: "3\n")
        let found = try await tool.output(
            "select", "mine.db", "Album", "--where", "matches 'rock' and AlbumId < 100", "--order", "relevance desc")
        expect(found.contains("Let There Be Rock"))
    }

    @Test(arguments: Engine.one(.sqlite))
    func `the index follows what is written, is rebuilt, and is removed`(_ engine: Engine) async throws {
        let tool = try await Self.tool(engine)
        try await expect(tool.output("verify", Tool.file), equals: "1 model, 1 search index, nothing is wrong.\n")
        try await expect(tool.output("schema", Tool.file, "Note").contains("searched with the weight 2"))
        try await tool.output("update", Tool.file, "Note", "--where", "id == 1", "--set", "title=Quite another")
        try await tool.output("insert", Tool.file, "Note", "id=9", "title=another", "body=", "tags=[]", "year=1")
        try await tool.output("delete", Tool.file, "Note", "5")
        expect(Set(keys(try await tool.output("search", Tool.file, "Note", "another"))), equals: [1, 9])
        expect(keys(try await tool.output("search", Tool.file, "Note", "engine")), equals: [1])
        try await expect(tool.output("rebuild", Tool.file), equals: "Note: 5 records indexed for searches\n")
        try await expect(
            tool.output("rebuild", Tool.file, "Note", "--json")
                == "{\"indexed\":[{\"model\":\"Note\",\"records\":5}]}\n")
        expect(Set(keys(try await tool.output("search", Tool.file, "Note", "another"))), equals: [1, 9])
        let less = ["alter", Tool.file, "Note", "--no-searchable", "title,tags"]
        try await expect(tool.run(less + ["--dry-run"]).output.contains("title is no longer searched"))
        expect(keys(try await tool.output("search", Tool.file, "Note", "another")).count, equals: 2)
        _ = try await tool.run(less)
        expect(keys(try await tool.output("search", Tool.file, "Note", "another")), equals: [])
        expect(keys(try await tool.output("search", Tool.file, "Note", "engine")), equals: [1])
        _ = try await tool.run(["alter", Tool.file, "Note", "--no-searchable", "body"])
        try await tool.failure(65, "search", Tool.file, "Note", "engine")
        try await expect(tool.output("verify", Tool.file), equals: "1 model, nothing is wrong.\n")
        try await expect(tool.output("info", Tool.file).contains("storage_search"), equals: false)
    }

    @Test(arguments: Engine.one(.sqlite))
    func `an index whose making was killed is continued`(_ engine: Engine) async throws {
        let tool = Tool(folder: try TemporaryFolder())
        // The index of so many is made in three steps.
        let count = TestExtent.isLarge ? 60_000 : 9000
        let texts = (1...count).map { "\($0),text \($0) of Straße \($0 % 97) 明月 word\($0 % 1009)" }
        try Data(("id,body\n" + texts.joined(separator: "\n")).utf8).write(
            to: tool.folder.url.appending(path: "texts.csv"))
        try await tool.output("import", "\(engine.rawValue):\(Tool.file)", "--model", "Text", "texts.csv")
        let arguments = ["alter", Tool.file, "Text", "--searchable", "body"]
        let process = tool.process(arguments)
        process.standardOutput = FileHandle.nullDevice
        let terminal = try PseudoTerminal(columns: 80)
        process.standardError = terminal.handle
        let end = try process.start()
        try terminal.handle.close()
        // The first step is committed when the line tells of it.
        try await expect(terminal.read(until: "Indexing").contains("Indexing"))
        kill(process.processIdentifier, SIGKILL)
        await end.wait()
        // By the signal, or else at its own end.
        let isKilled = process.terminationReason == .uncaughtSignal
        let unfinished = try await tool.run(["search", Tool.file, "Text", "word5"])
        expect(unfinished.status, equals: isKilled ? 75 : 0, "\(unfinished.error)")
        expect(unfinished.error.contains("storage rebuild"), equals: isKilled, "\(unfinished.error)")
        let told = try await tool.run(["verify", Tool.file])
        expect(
            told.status == (isKilled ? 1 : 0) && told.output.contains("storage rebuild") == isKilled, "\(told.output)")
        // What is written in between is found too.
        try await tool.output("insert", Tool.file, "Text", "id=0", "body=word5 and more")
        try await tool.output("delete", Tool.file, "Text", "5")
        let indexed = "Text: \(count / 1000),000 records indexed for searches\n"
        try await expect(tool.run(arguments).output, equals: isKilled ? indexed : "Nothing to change.\n")
        try await expect(tool.output("verify", Tool.file), equals: "1 model, 1 search index, nothing is wrong.\n")
        let expected = (1...count).count { $0 % 1009 == 5 }
        try await expect(tool.output("search", Tool.file, "Text", "word5", "--count"), equals: "\(expected)\n")
        try await expect(tool.output("search", Tool.file, "Text", "strasse", "月", "--count"), equals: "\(count - 1)\n")
        try await expect(tool.run(arguments).output, equals: "Nothing to change.\n")
    }
}
