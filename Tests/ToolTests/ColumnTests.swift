import Foundation
import TestSupport
import Testing

/// One meaning of `--columns`, in select, search and export; files as values, proposed keys and groups by parts of dates.
@Suite struct ColumnTests {
    /// A store of books, whose titles are searched, and of their authors.
    private func tool() async throws -> Tool {
        let tool = try await Tool(.sqlite)
        let authors = #"[{"AuthorId":1,"Name":"Ann","Photo":"AP8K"},{"AuthorId":2,"Name":"Bob","Photo":null}]"#
        let books = """
            [{"BookId":1,"Title":"Red rock, red sea","AuthorId":1},{"BookId":2,"Title":"A rock","AuthorId":2},
            {"BookId":3,"Title":"Sea","AuthorId":null}]
            """
        try await tool.output(
            "import", "sqlite:books.db", "--model", "Author", "--key", "AuthorId", "--type", "Photo=data", "-",
            input: authors)
        try await tool.output(
            "import", "books.db", "--model", "Book", "--key", "BookId", "--ref", "AuthorId=Author", "-", input: books)
        try await tool.output("alter", "books.db", "Book", "--searchable", "Title", "--quiet")
        return tool
    }

    @Test func `a search prints columns of other records, computed ones and the relevance`() async throws {
        let tool = try await tool()
        let text = try await tool.output(
            "search", "books.db", "Book", "rock", "--columns", "AuthorId.Name as author, BookId * 2, relevance")
        expect(text.contains("author") && text.contains("Ann") && text.contains("Bob") && text.contains("BookId * 2"))
        let json = try await tool.output(
            "search", "books.db", "Book", "red", "--columns", "AuthorId.Name as author", "--json")
        let hits = try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
        expect((hits.first?["record"] as? [String: String]) == ["author": "Ann"], "\(json)")
        let rows = try await tool.output(
            "select", "books.db", "Book", "--where", "matches \"rock\"", "--columns", "relevance, AuthorId.Name",
            "--format", "csv")
        let lines = rows.split(separator: "\n")
        expect(lines.count == 3 && lines[0] == "relevance,AuthorId.Name", "\(rows)")
        expect(lines[1].hasSuffix(",Bob") && lines[2].hasSuffix(",Ann"), "\(rows)")
        try await expect(tool.failure(65, "search", "books.db", "Book", "rock", "--columns", "Titel").contains("Title"))
        try await tool.failure(65, "select", "books.db", "Book", "--columns", "relevance")
    }

    @Test func `an export has the columns that select prints`() async throws {
        let tool = try await tool()
        for columns in ["Title", "AuthorId.Name as author, BookId * 2", "Title, relevance"] {
            let options = ["--where", "matches \"rock\"", "--columns", columns, "--format", "csv"]
            let selected = try await tool.run(["select", "books.db", "Book"] + options)
            let exported = try await tool.run(["export", "books.db", "Book"] + options)
            expect(selected.status == 0 && exported.status == 0, "\(exported.error)")
            expect(exported.output, equals: selected.output)
        }
        try await tool.output(
            "export", "books.db", "Book", "--columns", "AuthorId.Name as author", "--output", "authors.json")
        let file = try Data(contentsOf: URL(fileURLWithPath: tool.folder.path("authors.json")))
        let rows = try #require(JSONSerialization.jsonObject(with: file) as? [[String: Any]])
        expect(rows.count == 3 && rows[0]["author"] as? String == "Ann" && rows[2]["author"] is NSNull)
        try await tool.failure(64, "export", "books.db", "Book", "--columns", "AuthorId.Name", "--with", "AuthorId")
        try await tool.failure(64, "export", "books.db", "Book", "--columns", "AuthorId.Name", "--skip-bad")
        try await tool.failure(65, "export", "books.db", "Book", "--columns", "relevance")
    }

    @Test func `columns of a search come in its order, however many records it finds`() async throws {
        let tool = try await Tool(.sqlite)
        let rows = (1...600).map { "\($0),\(String(repeating: "red ", count: $0 % 7 + 1)) book,\($0 % 3)" }
        try await tool.output(
            "import", "sqlite:many.db", "--model", "Book", "-", "--format", "csv",
            input: "id,title,shelf\n" + rows.joined(separator: "\n") + "\n")
        try await tool.output("alter", "many.db", "Book", "--searchable", "title", "--quiet")
        func printed(_ columns: String) async throws -> [Substring] {
            try await tool.output(
                "select", "many.db", "Book", "--where", "matches \"red\" and shelf == 1", "--columns", columns,
                "--format", "csv"
            ).split(separator: "\n")
        }
        let found = try await printed("id, shelf + 1, relevance")
        expect(found.count, equals: 201)
        let relevances = found.dropFirst().compactMap { Double($0.split(separator: ",").last ?? "") }
        expect(relevances.count == 200 && relevances == relevances.sorted(by: >))
        expect(found.dropFirst().allSatisfy { $0.contains(",2,") })
        let hits = try await tool.output(
            "search", "many.db", "Book", "red", "--where", "shelf == 1", "--limit", "600", "--columns", "id", "--json")
        let records = try #require(JSONSerialization.jsonObject(with: Data(hits.utf8)) as? [[String: Any]])
        expect(
            records.compactMap { ($0["record"] as? [String: Int])?["id"] },
            equals: found.dropFirst().compactMap { Int($0.prefix { $0 != "," }) })
        try await expect(printed("id").count, equals: 201)
    }

    @Test func `files become blobs, and blobs files`() async throws {
        let tool = try await tool()
        let bytes = Data((0...255).map { UInt8($0) } + [0xFF, 0x00])
        try bytes.write(to: URL(fileURLWithPath: tool.folder.path("in.bin")))
        try await tool.output("insert", "books.db", "Author", "AuthorId=3", "Name=Mei", "Photo=@in.bin")
        try await tool.output("get", "books.db", "Author", "3", "--raw", "Photo", "--output", "out.bin")
        try expect(Data(contentsOf: URL(fileURLWithPath: tool.folder.path("out.bin"))), equals: bytes)
        try await tool.output("update", "books.db", "Author", "--where", "AuthorId == 3", "--set", "Photo=@out.bin")
        try await tool.failure(74, "get", "books.db", "Author", "3", "--raw", "Photo", "--output", "out.bin")
        try await tool.output("get", "books.db", "Author", "1", "--raw", "Photo", "--output", "out.bin", "--overwrite")
        try expect(Data(contentsOf: URL(fileURLWithPath: tool.folder.path("out.bin"))), equals: Data([0, 0xFF, 0x0A]))
        try await expect(tool.output("get", "books.db", "Author", "3", "--raw", "Name"), equals: "Mei")
        try await tool.failure(1, "get", "books.db", "Author", "2", "--raw", "Photo")
        try await tool.failure(66, "insert", "books.db", "Author", "AuthorId=4", "Name=@in.bin", "Photo=@none.bin")
        try await tool.failure(64, "get", "books.db", "Author", "3", "--output", "x")
        try await tool.failure(65, "get", "books.db", "Author", "3", "--raw", "Foto")
    }

    @Test(arguments: ["ID", "Id", "_id"])
    func `an import takes another spelling of id as the key`(_ name: String) async throws {
        let tool = try await Tool(.sqlite)
        try Data("\(name),name\n5,a\n7,b\n".utf8).write(to: URL(fileURLWithPath: tool.folder.path("in.csv")))
        try await tool.output("import", "sqlite:keys.db", "--model", "Row", "in.csv")
        try await expect(
            tool.output("select", "keys.db", "Row", "--format", "csv"), equals: "\(name),name\n5,a\n7,b\n")
        try await expect(tool.output("get", "keys.db", "Row", "7").contains("\"b\""))
        // Without a value everywhere it is no key.
        try Data("\(name),name\n5,a\n,b\n".utf8).write(to: URL(fileURLWithPath: tool.folder.path("in.csv")))
        try await tool.output("import", "sqlite:none.db", "--model", "Row", "in.csv")
        try await expect(tool.output("get", "none.db", "Row", "2").contains("\"b\""))
    }

    @Test func `groups are by the elements of arrays`() async throws {
        let tool = try await Tool(.sqlite)
        let books = [
            #"{"id":1,"title":"A","tags":["sea","red","sea"],"notes":[{"by":"x","stars":2}]}"#,
            #"{"id":2,"title":"B","tags":["red"],"notes":[{"by":"x","stars":3},{"by":"y","stars":4}]}"#,
            #"{"id":3,"title":"C","tags":[],"notes":[]}"#,
        ]
        try await tool.output(
            "import", "sqlite:books.db", "--model", "Book", "-", "--format", "ndjson",
            input: books.joined(separator: "\n"))
        func groups(_ options: String...) async throws -> String {
            let run = try await tool.run(["select", "books.db", "Book"] + options + ["--format", "csv"])
            expect(run.status == 0, "\(run.error)")
            return run.output
        }
        try await expect(
            groups("--group", "tags", "--order", "count desc"), equals: "tags,count\nred,2\nsea,2\n")
        try await expect(groups("--group", "tags", "--where", "id == 1"), equals: "tags,count\nred,1\nsea,2\n")
        try await expect(groups("--distinct", "tags"), equals: "tags\nred\nsea\n")
        try await expect(
            groups("--group", "notes.by", "--sum", "notes.stars"),
            equals: "notes.by,count,sum notes.stars\nx,2,5\ny,1,4\n")
        try await expect(tool.failure(65, "select", "books.db", "Book", "--group", "notes").contains("pens.color"))
        try await expect(
            tool.failure(65, "select", "books.db", "Book", "--group", "tags, notes.by").contains("one array"))
    }

    @Test func `groups are by parts of dates`() async throws {
        let tool = try await Tool(.sqlite)
        let text = "id,at,n\n1,2024-02-29T23:30:00Z,1\n2,2024-03-01T10:00:00Z,2\n3,1969-03-05T00:00:00Z,4\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: tool.folder.path("in.csv")))
        try await tool.output("import", "sqlite:dates.db", "--model", "Row", "in.csv")
        try await expect(
            tool.output(
                "select", "dates.db", "Row", "--group", "year(at), month(at)", "--sum", "n", "--order", "sum desc",
                "--format", "csv"),
            equals: "year(at),month(at),count,sum n\n1969,3,1,4\n2024,3,1,2\n2024,2,1,1\n")
        try await expect(
            tool.output(
                "select", "dates.db", "Row", "--group", "month(at, \"Europe/Berlin\")", "--order", "month",
                "--having", "count > 2", "--format", "csv"),
            equals: "\"month(at, \"\"Europe/Berlin\"\")\",count\n3,3\n")
        try await expect(
            tool.failure(65, "select", "dates.db", "Row", "--group", "month(n)").contains("asks about a date"))
    }
}
