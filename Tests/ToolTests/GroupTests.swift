import Foundation
import TestSupport
import Testing

@Suite("storage select of groups") struct GroupTests {
    private func shop() async throws -> Tool {
        let tool = try Tool(folder: TemporaryFolder())
        let lines = [
            #"{"id": 1, "city": "Ulm", "price": 2.5, "size": -4}"#, #"{"id": 2, "city": "Ulm", "price": 4, "size": 1}"#,
            #"{"id": 3, "city": "a|b", "price": 1, "size": 2}"#, #"{"id": 4, "city": null, "price": null, "size": 2}"#,
        ]
        try await tool.output("import", "sqlite:shop.db", "--model", "Sale", "-", input: lines.joined(separator: "\n"))
        return tool
    }

    @Test func `groups have their keys, counts and what is computed of them`() async throws {
        let tool = try await shop()
        try await expect(
            tool.output(
                "select", "shop.db", "Sale", "--group", "city", "--sum", "price", "--max", "size", "--order",
                "sum desc",
                "--format", "csv"),
            equals: """
                city,count,sum price,max size
                Ulm,2,6.5,1
                a|b,1,1.0,2
                ,1,0.0,2

                """)
        try await expect(
            tool.output(
                "select", "shop.db", "Sale", "--group", "city,size", "--where", "-size < 0", "--order",
                "count, size desc",
                "--limit", "1", "--format", "ndjson"), equals: "{\"city\":null,\"size\":2,\"count\":1}\n")
    }

    @Test func `groups are drawn as bars that fit the line`() async throws {
        let tool = try await shop()
        let chart = try await tool.output(
            "select", "shop.db", "Sale", "--group", "city", "--sum", "price", "--chart", "--order", "sum desc")
        let lines = chart.split(separator: "\n").map(String.init)
        // 80 cells, without the cells of the name, the number and the spaces between.
        expect(lines[0], equals: "Ulm  6.5  " + String(repeating: "█", count: 70))
        expect(lines[1], equals: "a|b  1.0  " + String(repeating: "█", count: 10) + "▊")
        expect(lines[2], equals: "–    0.0  ")
        let negative = try await tool.output(
            "select", "shop.db", "Sale", "--group", "city", "--min", "size", "--chart", "--where", "size < 0")
        expect(negative, equals: "Ulm  -4  " + String(repeating: "░", count: 71) + "\n")
        try await expect(tool.failure(64, "select", "shop.db", "Sale", "--chart").contains("--group"))
    }

    @Test func `a whole model is one group without a key`() async throws {
        let tool = try await shop()
        try await expect(
            tool.output("select", "shop.db", "Sale", "--avg", "price", "--min", "size", "--json")
                == "[\n{\"avg price\":2.5,\"min size\":-4}\n]\n")
        try await expect(
            tool.output(
                "select", "shop.db", "Sale", "--sum", "-size", "--where", "size > 100", "--format", "ndjson")
                == "{\"sum -size\":0}\n")
    }

    @Test func `different values, tabs, delimiters and Markdown`() async throws {
        let tool = try await shop()
        try await expect(
            tool.output("select", "shop.db", "Sale", "--distinct", "city", "--format", "markdown")
                == "| city |\n|---|\n|  |\n| Ulm |\n| a\\|b |\n")
        try await expect(
            tool.output(
                "select", "shop.db", "Sale", "--limit", "1", "--format", "tsv", "--columns", "id,city")
                == "id\tcity\n1\tUlm\n")
        try await expect(
            tool.output(
                "export", "shop.db", "Sale", "--limit", "2", "--format", "csv", "--delimiter", ";", "--no-header")
                == "1;Ulm;2.5;-4\n2;Ulm;4.0;1\n")
    }

    @Test func `what is exported with tabs or another delimiter is imported again`() async throws {
        let tool = try await shop()
        try await tool.output("export", "shop.db", "Sale", "--output", "a.tsv")
        try await tool.output("import", "sqlite:a.db", "--model", "Sale", "a.tsv")
        try await tool.output("diff", "shop.db", "a.db")
        try await tool.output("export", "shop.db", "Sale", "--output", "b.csv", "--delimiter", "|")
        try await tool.output("import", "sqlite:b.db", "--model", "Sale", "--delimiter", "|", "b.csv")
        try await tool.output("diff", "shop.db", "b.db")
        try await tool.failure(64, "import", "sqlite:c.db", "--model", "Sale", "--delimiter", "\"", "b.csv")
    }

    @Test func `what groups do not have is refused`() async throws {
        let tool = try await shop()
        try await expect(
            tool.failure(65, "select", "shop.db", "Sale", "--group", "city", "--order", "price")
                .contains("Groups have no price to sort by; they have city, count."))
        try await expect(tool.failure(65, "select", "shop.db", "Sale", "--sum", "nothing").contains("nothing"))
        try await tool.failure(64, "select", "shop.db", "Sale", "--distinct", "city", "--sum", "price")
        try await tool.failure(64, "select", "shop.db", "Sale", "--group", "city", "--columns", "city")
        try await tool.failure(64, "select", "shop.db", "Sale", "--delimiter", "ab")
    }
}
