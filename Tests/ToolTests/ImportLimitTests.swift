import Foundation
import StorageKit
import TestSupport
import Testing

/// Tests the inputs that an import takes, and the changes that it reports.
struct ImportLimitTests {
    private let tool: Tool

    init() throws { tool = Tool(folder: try TemporaryFolder()) }

    private func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: tool.folder.url.appending(path: name))
    }

    private func names(_ count: Int) -> [String] { ["id"] + (1..<count).map { "n\($0)" } }

    private func object(_ names: [String]) -> String {
        "{" + names.map { "\"\($0)\":1" }.joined(separator: ",") + "}"
    }

    @Test func `as many properties as a table has columns are imported, and one more is refused`() async throws {
        let maximum = BackendInfo.Limits().columns
        // A debug build takes seconds to make such a table.
        if TestExtent.isLarge {
            try write(object(names(maximum)), "most.ndjson")
            try await tool.output("import", "sqlite:new.db", "--model", "T", "most.ndjson")
            try await expect(tool.output("get", "new.db", "T", "1").hasPrefix(#"{"id":1,"n1":1,"#))
        }
        try write(object(names(maximum + 1)), "more.ndjson")
        // The limit counts what different objects have together.
        try write(object(names(maximum)) + "\n{\"id\":2,\"other\":1}\n", "together.ndjson")
        let row = names(maximum + 1).map { _ in "1" }.joined(separator: ",")
        try write(names(maximum + 1).joined(separator: ",") + "\n\(row)\n", "more.csv")
        for name in ["more.ndjson", "together.ndjson", "more.csv"] {
            let error = try await tool.failure(65, "import", "sqlite:other.db", "--model", "T", name)
            expect(error.contains("more than 1,900 properties (the limit of columns)"), "\(error)")
        }
        expect(!FileManager.default.fileExists(atPath: tool.folder.path("other.db")))
    }

    /// Ten times as many are refused at the same place, so they cost no more; the whole run has them.
    @Test(.enabled(if: TestExtent.isLarge))
    func `twenty thousand columns are refused`() async throws {
        try write(object(names(20_000)), "wide.ndjson")
        try await tool.failure(65, "import", "sqlite:new.db", "--model", "T", "wide.ndjson")
    }

    /// The record has eight megabytes, which a debug build reads in seconds.
    @Test(.enabled(if: TestExtent.isLarge), arguments: ["1", "{}", "[]"])
    func `a record of more values than an import takes is refused, and names the limit`(value: String) async throws {
        let count = 1 << 22
        try write(
            "{\"id\":1,\"t\":[" + Array(repeating: value, count: count).joined(separator: ",") + "]}", "big.ndjson")
        let run = try await tool.run(["import", "sqlite:new.db", "--model", "T", "big.ndjson"])
        expect(run.status == 65 && run.error.contains("more than 4,194,304 values in one"), "\(run.error)")
        expect(!FileManager.default.fileExists(atPath: tool.folder.path("new.db")))
    }

    @Test func `names in two normal forms are two properties`() async throws {
        let names = ["\u{E9}", "e\u{301}"]
        try write("{\"id\":1,\"\(names[0])\":1,\"\(names[1])\":2}\n", "x.ndjson")
        try write("id,\(names[0]),\(names[1])\n1,1,2\n", "x.csv")
        for (store, name) in [("json.db", "x.ndjson"), ("csv.db", "x.csv")] {
            try await tool.output("import", "sqlite:\(store)", "--model", "T", name)
            let record = try await tool.output("get", store, "T", "1")
            expect(Array(record.utf8), equals: Array("{\"id\":1,\"\(names[0])\":1,\"\(names[1])\":2}\n".utf8))
        }
    }

    @Test func `a number that no decimal holds becomes a double, and that is told`() async throws {
        try write(#"{"id":1,"long":0.1234567890123456789012345678901234567891,"short":0.5}"# + "\n", "x.ndjson")
        let report = try await tool.run(["import", "sqlite:new.db", "--model", "T", "x.ndjson"]).error
        expect(
            report.contains(
                "Note: numbers of long have more digits than a decimal keeps, and are rounded to doubles."), "\(report)"
        )
        let record = try await tool.output("get", "new.db", "T", "1")
        expect(record, equals: "{\"id\":1,\"long\":0.12345678901234568,\"short\":0.5}\n")
    }
}
