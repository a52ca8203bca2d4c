import Foundation
import TestSupport
import Testing

/// JSON objects of scalars are stored as rows, and their types found, without making records of them. What is mapped is made
/// records of, so the two ways are compared.
@Suite struct JSONRowsTests {
    private let tool: Tool

    init() throws { tool = Tool(folder: try TemporaryFolder()) }

    private static let texts = [
        #""plain""#, #""é""#, #""a\"b\\c""#, #""\u0041\ud83d\ude00""#, #""two\nlines""#, #""""#, "null", #""成都 👩‍🚀""#,
        #""2026-01-02""#,
    ]
    private static let numbers = [
        "0", "-1", "42", "3.0", "null", "9007199254740993", "-9223372036854775808", "1e2", "30e-1", "-0",
    ]
    private static let doubles = [
        "0.5", "-0", "-0.0", "1e-300", "3", "null", "0.1", "123456789.123456789", "1.7976931348623157e308", #""NaN""#,
        "4.9e-324", "0.12345678901234567",
    ]
    private static let dates = [
        #""2026-01-02""#, #""2026-01-02T10:00:00.25Z""#, "null", #""2026-01-02 10:00+01:00""#, #""2026\u002d01-02""#,
    ]
    private static let decimals = ["1.10", "null", "12345678901234567890.5", "7", #""NaN""#]

    private func row(_ number: Int) -> String {
        func of(_ values: [String], _ step: Int) -> String { values[(number / step) % values.count] }
        var members = [
            ("id", "\(number)"), ("t", of(Self.texts, 1)), ("n", of(Self.numbers, 2)), ("d", of(Self.doubles, 1)),
            ("at", of(Self.dates, 3)), ("f", of(["true", "false", "null"], 1)), ("m", of(Self.decimals, 1)),
            ("p", "\"\(String(repeating: "x", count: 300))\""),
        ]
        if number.isMultiple(of: 5) { members.reverse() }
        if number.isMultiple(of: 7) { members.removeAll { $0.0 == "n" || $0.0 == "at" } }
        let space = number.isMultiple(of: 3) ? " " : ""
        return space + "{"
            + members.map { "\"\($0)\"\(space):\(space)\($1)" }.joined(separator: space + "," + space) + "\(space)}"
    }

    private static let types = [
        "--type", "t=string", "--type", "n=int64", "--type", "d=double", "--type", "at=date", "--type", "f=bool",
        "--type",
        "m=decimal",
    ]

    @Test(arguments: [true, false], ["\n", "\r\n\n"])
    func `rows are what records would be, whatever the values and their order`(
        _ isArray: Bool, _ newline: String
    ) async throws {
        let rows = (1...5000).map(row)
        let text = isArray ? "[\(rows.joined(separator: ",\(newline)"))]" : rows.joined(separator: newline)
        let file = isArray ? "x.json" : "x.ndjson"
        try Data(text.utf8).write(to: tool.folder.url.appending(path: file))
        for (store, mapping) in zip(["sqlite:rows.db", "sqlite:records.db"], [[], ["--map", "=nothing"]]) {
            let run = try await tool.run(["import", store, "--model", "T", file, "--quiet"] + Self.types + mapping)
            expect(run.status, equals: 0, "\(run.error.prefix(500))")
        }
        try await expect(tool.output("diff", "rows.db", "records.db"), equals: "")
        try await expect(tool.output("count", "rows.db", "T"), equals: "5000\n")
    }

    private static let columns = [
        ["1", "-2", "3"], ["1", "2.5"], ["9007199254740993", "1.5"], ["18446744073709551615"], ["1e400"],
        ["true", "false"],
        ["true", #""no""#], [#""2026-01-02""#, "null"], [#""2026-01-02""#, #""x""#], ["0.12345678901234567"],
        ["1.234567890123456789012"], ["123456789012345", "0.1"], [#""\u0032026-01-02""#], ["null"], ["1", #""1""#],
        ["{\"a\":1}", "2"], ["[1,2]"], ["-0"], ["1e2"],
    ]

    @Test
    func `the types are those of records`() async throws {
        for column in Self.columns {
            let rows = column.enumerated().map { "{\"id\":\($0),\"v\":\($1)}" } + ["{\"id\":9}", "{\"w\":1,\"id\":10}"]
            try Data(rows.joined(separator: "\n").utf8).write(to: tool.folder.url.appending(path: "x.ndjson"))
            let command = ["import", "sqlite:x.db", "--model", "T", "x.ndjson", "--dry-run", "--json"]
            let (plain, mapped) = (try await tool.run(command), try await tool.run(command + ["--map", "=nothing"]))
            expect(plain.status, equals: mapped.status)
            expect(plain.output, equals: mapped.output, "\(column)")
        }
    }

    @Test
    func `what no record can be is refused by its line`() async throws {
        let good = #"{"id":1,"t":"a","n":1}"#
        for (bad, problem) in [
            (#"{"id":2,"t":"a","n":1,"n":2}"#, "n"), (#"{"id":2,"t":"a","n":"x"}"#, "n is"),
            (#"{"id":2,"t":null,"n":1}"#, "t is"),
            (#"{"id":2,"n":1}"#, "t is missing"), (#"{"id":2,"t":"a","n":1,"z":1}"#, "z is no property"),
            (#"{"id":2,"t":"a","n":01}"#, "number"), (#"{"id":2,"t":"\x","n":1}"#, "escape"),
            (#"{"id":2,"t":"a","n":1} x"#, "text after"),
            (#"{"id":2,"t":"a","n":9223372036854775808}"#, "n is"), (#"{"id":1,"t":"a","n":1}"#, "already"),
            ("[1]", "object"),
        ] {
            try? FileManager.default.removeItem(at: tool.folder.url.appending(path: "x.db"))
            try Data("\(good)\n".utf8).write(to: tool.folder.url.appending(path: "good.ndjson"))
            try await tool.output("import", "sqlite:x.db", "--model", "T", "good.ndjson", "--quiet")
            try await tool.output("truncate", "x.db", "T", "--yes")
            try Data("\(good)\n\(bad)\n".utf8).write(to: tool.folder.url.appending(path: "x.ndjson"))
            let run = try await tool.run(["import", "x.db", "--model", "T", "x.ndjson", "--quiet"])
            expect(run.status, equals: 65, "\(bad)")
            expect(run.error.contains("x.ndjson, line 2: ") && run.error.contains(problem), "\(bad): \(run.error)")
        }
    }
}
