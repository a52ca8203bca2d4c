import Foundation
import TestSupport
import Testing

/// Delimited values are stored as rows without making records of them. What is mapped is made records of, so the two ways
/// are compared.
@Suite struct DelimitedRowsTests {
    private let tool: Tool

    init() throws { tool = Tool(folder: try TemporaryFolder()) }

    private static let texts = [
        "plain", "é", "\"a,b\"", "\"say \"\"x\"\"\"", "\"two\nlines\"", "\"\"", "", "true", "1.50", "007", "-0", "1e3",
        "成都 👩‍🚀", " space ", "\"end\r\"", "null", "2026-01-02", "+1",
        "mid\"mark",
    ]
    private static let numbers = [
        "0", "-1", "42", "3.0", "", "9007199254740993", "-9223372036854775808", "1e2", "\"5\"",
    ]
    private static let doubles = [
        "0.5", "-0", "-0.0", "1e-300", "3", "", "0.1", "123456789.123456789", "1.7976931348623157e308", "\"NaN\"",
        "Infinity", "4.9e-324",
    ]
    private static let dates = ["2026-01-02", "2026-01-02T10:00:00.25Z", "", "2026-01-02 10:00+01:00", "1e300"]
    private static let flags = ["true", "false", "", "YES", "n", "T"]

    private func row(_ number: Int) -> String {
        func of(_ values: [String], _ step: Int) -> String { values[(number / step) % values.count] }
        return [
            "\(number)", of(Self.texts, 1), of(Self.numbers, 2), of(Self.doubles, 1), of(Self.dates, 3),
            of(Self.flags, 1),
            of(["1.10", "", "12345678901234567890.5"], 1),
        ].joined(separator: ",")
    }

    private static let types = [
        "--type", "t=string", "--type", "n=int64", "--type", "d=double", "--type", "at=date", "--type", "f=bool",
        "--type",
        "m=decimal",
    ]

    @Test(arguments: Engine.each(with: ["\n", "\r\n"]))
    func `rows are what records would be, whatever the values and wherever the input is cut`(
        _ engine: Engine, _ newline: String
    ) async throws {
        // Several times the input's buffer, so that it ends inside of records.
        let count = TestExtent.isLarge ? 3000 : 1000
        let padding = String(repeating: "x", count: 400)
        let rows = (1...count).map { row($0) + "," + padding + ($0.isMultiple(of: 7) ? newline : "") }
        let text = (["id,t,n,d,at,f,m,p"] + rows).joined(separator: newline)
        try Data(text.utf8).write(to: tool.folder.url.appending(path: "x.csv"))
        // Every property may be nil.
        let stores = ["\(engine.rawValue):rows.store", "\(engine.rawValue):records.store"]
        for (store, mapping) in zip(stores, [[], ["--map", "=nothing"]]) {
            let run = try await tool.run(["import", store, "--model", "T", "x.csv", "--quiet"] + Self.types + mapping)
            expect(run.status, equals: 0, "\(run.error.prefix(500))")
        }
        try await expect(tool.output("diff", "rows.store", "records.store"), equals: "")
        try await expect(tool.output("count", "rows.store", "T"), equals: "\(count)\n")
    }

    @Test func `a bad record is told by its line, and the others of its part are stored as they are`() async throws {
        var lines = (1...2000).map { "\($0),n\($0)" }
        lines[700] = "701,\"n\" 701"
        lines[900] = "901"
        lines[1500] = "x,n"
        try Data(("id,name\n" + lines.joined(separator: "\n")).utf8).write(to: tool.folder.url.appending(path: "x.csv"))
        let options = ["import", "sqlite:new.db", "--model", "T", "x.csv", "--type", "id=int64", "--json"]
        let refused = try await tool.run(options)
        expect(refused.status, equals: 65)
        for problem in ["line 702: A quoted field", "line 902: There is 1 field, and the header has 2."] {
            expect(refused.error.contains("x.csv, \(problem)"), "\(refused.error)")
        }
        let run = try await tool.run(options + ["--skip-bad", "bad.csv"])
        expect(run.status == 0 && run.output.hasPrefix(#"{"stored":1997,"bad":3,"#), "\(run.output) \(run.error)")
        let kept = try String(contentsOfFile: tool.folder.path("bad.csv"), encoding: .utf8)
        expect(kept, equals: lines[700] + "\n" + lines[900] + "\n" + lines[1500] + "\n")
        try await expect(tool.output("get", "new.db", "T", "1500").contains("n1500"))
    }

    @Test func `keys that the file lacks are assigned in its order, after the greatest that there was`() async throws {
        let names = (1...1000).map { "n\($0)" }
        try Data(("name\n" + names.joined(separator: "\n")).utf8).write(to: tool.folder.url.appending(path: "x.csv"))
        for _ in 0..<2 { try await tool.output("import", "sqlite:new.db", "--model", "T", "x.csv") }
        let text = try await tool.output(
            "select", "new.db", "T", "--where", "id in {1, 1000, 1001, 2000}", "--format", "ndjson")
        expect(
            text
                == [(1, "n1"), (1000, "n1000"), (1001, "n1"), (2000, "n1000")].map {
                    "{\"id\":\($0),\"name\":\"\($1)\"}\n"
                }.joined())
    }

    @Test(arguments: Engine.allCases)
    func `rows replace records of their keys with --save, and the last of a key is kept`(_ engine: Engine) async throws
    {
        try Data("id,t,n\n1,a,1\n2,b,2\n".utf8).write(to: tool.folder.url.appending(path: "x.csv"))
        try await tool.output("import", "\(engine.rawValue):new.store", "--model", "T", "x.csv")
        try Data("t,id,n\nc,2,3\nd,3,4\ne,2,5\n".utf8).write(to: tool.folder.url.appending(path: "x.csv"))
        try await expect(tool.run(["import", "new.store", "--model", "T", "x.csv"]).status, equals: 65)
        try await tool.output("import", "new.store", "--model", "T", "--save", "x.csv")
        try await expect(
            tool.output("select", "new.store", "T", "--format", "csv"), equals: "id,t,n\n1,a,1\n2,e,5\n3,d,4\n")
    }

    @Test func `rows that refer to records are checked as records are`() async throws {
        try Data("id,name\n1,a\n".utf8).write(to: tool.folder.url.appending(path: "p.csv"))
        try await tool.output("import", "sqlite:new.db", "--model", "Person", "p.csv")
        try Data("id,author\n1,1\n2,1\n".utf8).write(to: tool.folder.url.appending(path: "b.csv"))
        try await tool.output("import", "sqlite:new.db", "--model", "Book", "b.csv", "--ref", "author=Person")
        try Data("id,author\n3,1\n4,9\n".utf8).write(to: tool.folder.url.appending(path: "b.csv"))
        try await expect(tool.failure(65, "import", "new.db", "--model", "Book", "b.csv").contains("Person 9"))
        try await expect(tool.output("count", "new.db", "Book"), equals: "2\n")
    }
}
