import Foundation
import Testing

@Suite("storage --with") struct RelatedTests {
    private func library() throws -> Tool {
        let tool = try Tool(folder: TemporaryFolder())
        let people = #"[{"id":1,"name":"Ann","boss":null},{"id":2,"name":"Bob","boss":1}]"#
        let books = #"[{"id":1,"author":2},{"id":2,"author":null},{"id":3,"author":2}]"#
        try tool.output(
            "import", "sqlite:new.db", "--model", "Person", "--ref", "boss=Person", "-", input: people)
        try tool.output("import", "new.db", "--model", "Book", "--ref", "author=Person", "-", input: books)
        return tool
    }

    @Test func `a record is printed with the records that it refers to, at each level`() throws {
        let tool = try library()
        #expect(
            try tool.output("get", "new.db", "Book", "1", "--with", "author")
                == #"{"id":1,"author":{"id":2,"name":"Bob","boss":1}}"# + "\n")
        #expect(
            try tool.output("get", "new.db", "Book", "1", "--with", "author.boss")
                == #"{"id":1,"author":{"id":2,"name":"Bob","boss":{"id":1,"name":"Ann","boss":null}}}"# + "\n")
        #expect(try tool.output("get", "new.db", "Book", "2", "--with", "author") == #"{"id":2,"author":null}"# + "\n")
    }

    @Test func `records are printed with others in every format`() throws {
        let tool = try library()
        let bob = #"{"id":2,"name":"Bob","boss":1}"#
        func selected(_ format: String) throws -> String {
            try tool.output(
                "select", "new.db", "Book", "--with", "author", "--where", "id != 1", "--order", "id desc", "--format",
                format)
        }
        #expect(try selected("ndjson") == "{\"id\":3,\"author\":\(bob)}\n{\"id\":2,\"author\":null}\n")
        #expect(try selected("json") == "[\n{\"id\":3,\"author\":\(bob)},\n{\"id\":2,\"author\":null}\n]\n")
        #expect(
            try selected("csv") == "id,author\n3,\"\(bob.replacingOccurrences(of: "\"", with: "\"\""))\"\n2,\n")
        #expect(try selected("table").contains(bob))
        #expect(try selected("markdown").contains(bob))
        #expect(
            try tool.output(
                "select", "new.db", "Book", "--with", "author", "--columns", "author", "--limit", "1", "--format",
                "ndjson") == "{\"author\":\(bob)}\n")
    }

    @Test func `a property that refers to nothing is refused with those that do`() throws {
        let tool = try library()
        for command in [["get", "new.db", "Book", "1"], ["select", "new.db", "Book"]] {
            let run = try tool.run(command + ["--with", "id"])
            #expect(run.status != 0)
            #expect(run.error.contains("Book has no reference id; it has author."), "\(run.error)")
        }
        #expect(try tool.run(["select", "new.db", "Book", "--with", "author", "--group", "author"]).status == 64)
    }
}
