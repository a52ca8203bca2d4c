import Foundation
import TestSupport
import Testing

@Suite("storage --with") struct RelatedTests {
    private func library() async throws -> Tool {
        let tool = try Tool(folder: TemporaryFolder())
        let people = #"[{"id":1,"name":"Ann","boss":null},{"id":2,"name":"Bob","boss":1}]"#
        let books = #"[{"id":1,"author":2},{"id":2,"author":null},{"id":3,"author":2}]"#
        try await tool.output(
            "import", "sqlite:new.db", "--model", "Person", "--ref", "boss=Person", "-", input: people)
        try await tool.output("import", "new.db", "--model", "Book", "--ref", "author=Person", "-", input: books)
        return tool
    }

    @Test func `a record is printed with the records that it refers to, at each level`() async throws {
        let tool = try await library()
        try await expect(
            tool.output("get", "new.db", "Book", "1", "--with", "author")
                == #"{"id":1,"author":{"id":2,"name":"Bob","boss":1}}"# + "\n")
        try await expect(
            tool.output("get", "new.db", "Book", "1", "--with", "author.boss")
                == #"{"id":1,"author":{"id":2,"name":"Bob","boss":{"id":1,"name":"Ann","boss":null}}}"# + "\n")
        try await expect(
            tool.output("get", "new.db", "Book", "2", "--with", "author"), equals: #"{"id":2,"author":null}"# + "\n"
        )
    }

    @Test func `records are printed with others in every format`() async throws {
        let tool = try await library()
        let bob = #"{"id":2,"name":"Bob","boss":1}"#
        func selected(_ format: String) async throws -> String {
            try await tool.output(
                "select", "new.db", "Book", "--with", "author", "--where", "id != 1", "--order", "id desc", "--format",
                format)
        }
        try await expect(selected("ndjson"), equals: "{\"id\":3,\"author\":\(bob)}\n{\"id\":2,\"author\":null}\n")
        try await expect(selected("json"), equals: "[\n{\"id\":3,\"author\":\(bob)},\n{\"id\":2,\"author\":null}\n]\n")
        try await expect(
            selected("csv"), equals: "id,author\n3,\"\(bob.replacingOccurrences(of: "\"", with: "\"\""))\"\n2,\n")
        try await expect(selected("table").contains(bob))
        try await expect(selected("markdown").contains(bob))
        try await expect(
            tool.output(
                "select", "new.db", "Book", "--with", "author", "--columns", "author", "--limit", "1", "--format",
                "ndjson"), equals: "{\"author\":\(bob)}\n")
    }

    @Test func `an export has the records of --with, thousands of them`() async throws {
        let tool = try await library()
        let more = (4...3000).map { "{\"id\":\($0),\"author\":\($0 % 3 == 0 ? "null" : "\($0 % 3)")}" }
        try await tool.output("insert", "new.db", "Book", "--quiet", input: more.joined(separator: "\n"))
        try await tool.output("export", "new.db", "Book", "--with", "author.boss", "--output", "books.ndjson")
        let lines = try String(
            decoding: Data(contentsOf: URL(filePath: tool.folder.path("books.ndjson"))), as: UTF8.self
        )
        .split(separator: "\n")
        let ann = #"{"id":1,"name":"Ann","boss":null}"#
        expect(lines.count, equals: 3000)
        expect(lines[2999], equals: #"{"id":3000,"author":null}"#)
        expect(lines[2998], equals: #"{"id":2999,"author":{"id":2,"name":"Bob","boss":\#(ann)}}"#)
        try await tool.failure(64, "export", "new.db", "Book", "--with", "author", "--skip-bad")
    }

    @Test func `a property that refers to nothing is refused with those that do`() async throws {
        let tool = try await library()
        let commands = [
            ["get", "new.db", "Book", "1"], ["select", "new.db", "Book"], ["select", "new.db", "Book", "--page", "2"],
            ["export", "new.db", "Book"],
        ]
        for command in commands {
            let run = try await tool.run(command + ["--with", "id"])
            expect(run.status != 0)
            expect(run.error.contains("Book has no reference id; it has author."), "\(run.error)")
        }
        try await expect(
            tool.run(["select", "new.db", "Book", "--with", "author", "--group", "author"]).status, equals: 64)
    }
}
