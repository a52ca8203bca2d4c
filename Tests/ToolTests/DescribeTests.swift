import Foundation
import TestSupport
import Testing

/// `storage describe`.
@Suite struct DescribeTests {
    private func tool(_ engine: Engine) async throws -> (Tool, String) {
        let tool = try await Tool(engine)
        let rows = (1...40).map { id in
            let price = id == 7 ? "" : "\(id % 5).\(id % 5)"
            let day = id % 3 == 0 ? "1969-12-\(id % 10 + 10)" : "2024-02-29"
            return "\(id),\(price),\(day),\(id % 2 == 0),\"name \(id % 4)\""
        }
        let text = (["id,price,day,even,name"] + rows).joined(separator: "\n") + "\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: tool.folder.path("in.csv")))
        let store = "\(engine):statistics"
        try await tool.output("import", store, "--model", "Row", "--type", "price=decimal", "in.csv")
        return (tool, store)
    }

    private func properties(_ text: String) throws -> [String: [String: Any]] {
        let object = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let found = try #require(object["properties"] as? [[String: Any]])
        return found.reduce(into: [:]) { $0[$1["name"] as? String ?? ""] = $1 }
    }

    @Test(arguments: Engine.allCases)
    func `counts, extremes, means and the most frequent values are exact`(engine: Engine) async throws {
        let (tool, store) = try await tool(engine)
        let found = try properties(await tool.output("describe", store, "Row", "--json", "--top", "2"))
        let id = try #require(found["id"])
        expect(id["distinct"] as? Int == 40 && id["min"] as? Int == 1 && id["max"] as? Int == 40)
        expect(id["mean"] as? Double == 20.5 && id["sum"] as? Int == 820 && id["frequent"] == nil)
        let price = try #require(found["price"])
        expect(price["values"] as? Int == 39 && price["nil"] as? Int == 1 && price["distinct"] as? Int == 5)
        expect(price["min"] as? Double == 0 && price["max"] as? Double == 4.4)
        // Eight of each but one of 2.2.
        try await expect(tool.output("describe", store, "Row", "--columns", "price").contains("sum 85.8"))
        let counts = (price["frequent"] as? [[String: Any]])?.map { $0["count"] as? Int }
        expect(counts, equals: [8, 8])
        expect((price["frequent"] as? [[String: Any]])?.first?["value"] as? Double, equals: 0)
        let bins = try #require(price["histogram"] as? [[String: Any]])
        expect(bins.compactMap { $0["count"] as? Int }.reduce(0, +), equals: 39)
        let even = try #require(found["even"])
        expect(even["distinct"] as? Int == 2 && even["min"] == nil)
        let name = try #require(found["name"])
        expect(name["length"] as? [Int] == [6, 6] && name["min"] as? String == "name 0")
        let day = try #require(found["day"])
        expect(day["max"] as? String, equals: "2024-02-29T00:00:00Z")
        let days = try #require(day["histogram"] as? [[String: Any]])
        expect(days.compactMap { $0["count"] as? Int }.reduce(0, +), equals: 40)
        expect(days.first?["from"] as? String, equals: "1965-01-01T00:00:00Z")
    }

    @Test(arguments: Engine.one(.sqlite))
    func `describe is for people too, and takes conditions and columns`(engine: Engine) async throws {
        let (tool, store) = try await tool(engine)
        let text = try await tool.output("describe", store, "Row", "--columns", "name, even", "--where", "id > 20")
        expect(
            text,
            equals: """
                Row: 20 records

                name  string
                  20 values, 0 nil, 4 distinct
                  min name 0  max name 3
                  6 characters
                  5 × name 0
                  5 × name 1
                  5 × name 2
                  5 × name 3

                even  bool
                  20 values, 0 nil, 2 distinct
                  10 × false
                  10 × true

                """)
        try await expect(tool.failure(65, "describe", store, "Row", "--columns", "pric").contains("price"))
        try await expect(tool.failure(65, "describe", store, "Rows").contains("Row"))
        try await tool.failure(64, "describe", store, "Row", "--top", "-1")
        // Owned records, arrays, and models without records.
        let people = try properties(await tool.output("describe", Tool.file, "Person", "--json"))
        expect(people["city.name"] != nil && people["tags"]?["length"] != nil)
        expect(people["pens"]?["type"] as? String, equals: "records")
        let none = try await tool.output("describe", Tool.file, "Person", "--where", "id < 0")
        expect(none.contains("Person: 0 records\n") && none.contains("  0 values, 0 nil, 0 distinct\n"))
    }

    @Test func `numbers at the ends of a double's range are described`() async throws {
        let tool = try Tool(folder: TemporaryFolder())
        for (least, greatest) in [
            ("0.0", "5e-324"), ("-1.7976931348623157e+308", "1.7976931348623157e+308"), ("1e+300", "1e+308"),
        ] {
            try? FileManager.default.removeItem(atPath: tool.folder.path("ends.db"))
            try Data("{\"id\":1,\"v\":\(least)}\n{\"id\":2,\"v\":\(greatest)}\n".utf8)
                .write(to: tool.folder.url.appending(path: "ends.ndjson"))
            try await tool.output("import", "sqlite:ends.db", "ends.ndjson", "--model", "Row", "--quiet")
            let text = try await tool.output("describe", "ends.db", "Row", "--top", "1")
            expect(text.contains("min \(least)  max \(greatest)"), "\(text)")
        }
    }
}
