import CSQLite
import Foundation
import TestSupport
import Testing

/// Views of other software under the commands that read.
@Suite struct ViewModelTests {
    private func tool() throws -> Tool {
        let tool = Tool(folder: try TemporaryFolder())
        let path = tool.folder.path("music.db")
        try FileManager.default.copyItem(atPath: Sample.chinook, toPath: path)
        var database: OpaquePointer?
        try #require(sqlite3_open(path, &database) == SQLITE_OK)
        defer { sqlite3_close(database) }
        let views = """
            CREATE VIEW sales AS SELECT i.InvoiceId, i.InvoiceDate AS day, c.Country AS country, l.UnitPrice * l.Quantity AS amount
            FROM Invoice AS i JOIN Customer AS c USING (CustomerId) JOIN InvoiceLine AS l USING (InvoiceId);
            CREATE VIEW countries AS SELECT Country AS country, count(*) AS customers FROM Customer GROUP BY Country
            ORDER BY customers DESC, Country;
            """
        try #require(sqlite3_exec(database, views, nil, nil, nil) == SQLITE_OK)
        return tool
    }

    @Test func `a view is selected, counted, grouped, described and exported without its number`() async throws {
        let tool = try tool()
        try await expect(
            tool.output("select", "music.db", "countries", "--limit", "2", "--format", "csv"),
            equals: "country,customers\nUSA,13\nCanada,8\n")
        try await expect(
            tool.output(
                "select", "music.db", "countries", "--where", "customers >= 5 and country contains 'a'", "--order",
                "country desc", "--json"),
            equals: "[\n" + #"{"country":"France","customers":5},"# + "\n" + #"{"country":"Canada","customers":8},"#
                + "\n"
                + #"{"country":"Brazil","customers":5}"# + "\n]\n")
        try await expect(tool.output("count", "music.db", "sales", "--where", "country == 'USA'"), equals: "494\n")
        try await expect(
            tool.output(
                "select", "music.db", "sales", "--group", "country", "--sum", "amount", "--order", "sum desc",
                "--limit", "1", "--format", "csv"), equals: "country,count,sum amount\nUSA,494,523.06\n")
        let described = try await tool.output("describe", "music.db", "countries")
        expect(described.hasPrefix("countries: 24 records") && !described.contains("rowid"))
        expect(described.contains("mean 2.45"), "\(described)")
        try await expect(
            tool.output(
                "export", "music.db", "sales", "--format", "ndjson", "--where", "InvoiceId == 1", "--no-progress"),
            equals: """
                {"InvoiceId":1,"day":"2021-01-01T00:00:00Z","country":"Germany","amount":0.99}
                {"InvoiceId":1,"day":"2021-01-01T00:00:00Z","country":"Germany","amount":0.99}

                """)
        let page = try await tool.output("select", "music.db", "countries", "--page", "2")
        expect(page.contains("Canada") && page.contains("Next page: --after"))
    }

    @Test func `a record of a view is named by its number, and a column of the number is printed if it is asked for`()
        async throws
    {
        let tool = try tool()
        try await expect(
            tool.output("get", "music.db", "countries", "2"),
            equals: #"{"rowid":2,"country":"Canada","customers":8}"# + "\n")
        try await expect(
            tool.output(
                "select", "music.db", "countries", "--columns", "rowid,country", "--where", "country == 'Brazil'",
                "--format", "csv"), equals: "rowid,country\n3,Brazil\n")
    }

    @Test func `info and schema mark a view, and writing it is refused`() async throws {
        let tool = try tool()
        let info = try await tool.output("info", "music.db")
        expect(info.contains(/sales +2,240 +none, can only be read/) && info.contains(/countries +24 +none/), "\(info)")
        try await expect(
            tool.output("schema", "music.db", "countries").hasPrefix("countries (without a key, can only be read)\n"))
        let swift = try await tool.output("schema", "music.db", "countries", "--swift")
        expect(swift.contains("// Can only be read.") && swift.contains("@Key var rowid: Int"), "\(swift)")
        let refused = try await tool.failure(64, "delete", "music.db", "countries", "1")
        expect(refused.contains("can only be read"), "\(refused)")
        let search = try await tool.failure(65, "search", "music.db", "countries", "usa")
        expect(search.contains("select --where"), "\(search)")
        try await tool.output("copy", "music.db", "sqlite:copy.db", "--quiet", "--no-progress")
        try await expect(tool.output("diff", "music.db", "copy.db", "--quiet"), equals: "")
    }
}
