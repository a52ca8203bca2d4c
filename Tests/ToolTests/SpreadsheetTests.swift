import Foundation
import TestSupport
import Testing

/// Delimited values as spreadsheets write them: their lines, their headers and their encodings.
@Suite struct SpreadsheetTests {
    private let tool: Tool

    init() throws { tool = Tool(folder: try TemporaryFolder()) }

    private func write(_ bytes: some Sequence<UInt8>, _ name: String) throws {
        try Data(bytes).write(to: tool.folder.url.appending(path: name))
    }

    private func importing(_ name: String, _ options: String...) async throws -> Tool.Run {
        try await tool.run(["import", "sqlite:new.db", "--model", "T", "--save", name] + options)
    }

    private func rows() async throws -> String { try await tool.output("select", "new.db", "T", "--format", "csv") }

    /// Imports files into models of their own, and returns the records of each as comma-separated values.
    private func imported(_ inputs: [(bytes: [UInt8], options: [String])]) async throws -> [String] {
        try await tool.output("import", "sqlite:new.db", "--model", "T", "-", input: #"{"id":1}"#)
        var commands: [[String]] = []
        for (number, input) in inputs.enumerated() {
            try write(input.bytes, "\(number).csv")
            commands.append(["import", "--model", "T\(number)", "\(number).csv", "--quiet"] + input.options)
            commands.append(["select", "T\(number)", "--format", "csv"])
        }
        let outputs = try await tool.outputs(of: commands, on: "new.db")
        return inputs.indices.map { outputs[$0 * 2 + 1] }
    }

    @Test func `lines end with a carriage return, a line feed or both`() async throws {
        let rows = ["id,t", "1,\"a\rb\"", "", "2,", "3,c"]
        let texts = [
            rows.joined(separator: "\r"), rows.joined(separator: "\r\n") + "\r\n", rows.joined(separator: "\n") + "\n",
        ]
        let records = try await imported(texts.map { (Array($0.utf8), []) })
        expect(records, equals: texts.map { _ in "id,t\n1,\"a\rb\"\n2,\n3,c\n" })
        try write("id,t\r1,\"a\rb\nc\r\nd\"\r\r4,a,b\r\n5".utf8, "x.csv")
        let bad = try await importing("x.csv")
        expect(
            bad.status == 65 && bad.error.contains("line 7: There are 3") && bad.error.contains("line 8: There is 1"))
    }

    @Test func `the header is the first line that is not blank, after one that declares the delimiter`() async throws {
        let inputs: [(text: String, options: [String])] = [
            ("sep=;\r\nid;t\r\n1;a,b\r\n2;\"c;d\"\r\n", []), ("\n\r\n;;\nid;t\n1;a,b\n\n2;\"c;d\"\n", []),
            ("SEP=|\n\nid;t\n1;a,b\n2;\"c;d\"\n", ["--delimiter", ";"]),
            ("sep=\t\nid\tt\n1\ta,b\n2\tc;d\n", ["--format", "tsv"]),
        ]
        let records = try await imported(inputs.map { (Array($0.text.utf8), $0.options) })
        expect(records, equals: inputs.map { _ in "id,t\n1,\"a,b\"\n2,c;d\n" })
        try write("\n\nid,t\n1\n".utf8, "x.csv")
        try await expect(importing("x.csv").error.contains("x.csv, line 4: There is 1 field"))
    }

    @Test func `columns without a name of their own are named, and can be mapped`() async throws {
        try write("id,a,,a,a_2,a,\n1,x,u,y,z,w,\n2,,,,,,\n".utf8, "x.csv")
        let run = try await importing("x.csv")
        let told =
            "x.csv: columns without a name of their own: column 3 is column3, column 4 is a_3, column 6 is a_4, "
            + "column 7 is column7; --map NAME=COLUMN names them.\n"
        expect(run.status == 0 && run.error.hasPrefix(told), "\(run.error)")
        // The last column has no value, and so is no property.
        try await expect(rows(), equals: "id,a,column3,a_3,a_2,a_4\n1,x,u,y,z,w\n2,,,,,\n")
        let mapped = try await tool.run(
            ["import", "sqlite:b.db", "--model", "T", "x.csv", "--map", "b=a_3", "--map", "=column3", "--map", "=a_4"])
        expect(mapped.status, equals: 0, "\(mapped.error)")
        try await expect(tool.output("select", "b.db", "T", "--format", "csv"), equals: "id,a,a_2,b\n1,x,z,y\n2,,,\n")
        // A line may end with a delimiter where the model is known, and a value there is a bad one.
        try write("id,a,a_2,b,\n3,x,y,z,\n4,x,y,z,more\n".utf8, "y.csv")
        let known = try await tool.run(["import", "b.db", "--model", "T", "y.csv", "--skip-bad", "bad"])
        expect(known.status == 0 && known.output.contains("y.csv, line 3: column5 is no property of T"), "\(known)")
        try await expect(tool.output("count", "b.db", "T"), equals: "3\n")
    }

    @Test func `UTF-16 is recognised, and other encodings are read by name`() async throws {
        let text = "id,t\r\n1,Łódź 👩‍🚀\r\n2,\"é\r\n\"\r\n"
        let units = Array(text.utf16)
        let little = units.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        let big = units.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        let wide: [(bytes: [UInt8], options: [String])] = [
            ([0xFF, 0xFE] + little, []), ([0xFE, 0xFF] + big, []), (little, []), (big, []),
            ([0xFE, 0xFF] + big, ["--encoding", "UTF-16"]),
        ]
        // 0x80 is a euro sign, Ђ, and a control character.
        let narrow = ["windows-1252", "windows-1251", "latin1"].map { encoding in
            (bytes: Array("id,t\n1,".utf8) + [0x80], options: ["--encoding", encoding])
        }
        let records = try await imported(wide + narrow)
        expect(records.prefix(wide.count).allSatisfy { $0 == "id,t\n1,Łódź 👩‍🚀\n2,\"é\r\n\"\n" }, "\(records)")
        expect(Array(records.suffix(3)), equals: ["€", "Ђ", "\u{80}"].map { "id,t\n1,\($0)\n" })
    }

    @Test func `what is no text of its encoding is a bad record, and the advice is --encoding`() async throws {
        try write(Array("id,t\n1,a\n2,".utf8) + [0xE9] + Array("\n3,b\n".utf8), "x.csv")
        let run = try await importing("x.csv")
        expect(
            run.status == 65 && run.error.contains("x.csv, line 3: A text is not UTF-8; --encoding"), "\(run.error)")
        // A half of a pair in line 3, and half a unit at the end.
        let units = [0xFEFF] + Array("id,t\n1,a\n2,".utf16) + [0xD800] + Array("\n3,b\n4,c".utf16)
        try write(units.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] } + [0x41], "y.csv")
        let wide = try await importing("y.csv", "--skip-bad", "bad")
        expect(wide.status == 0 && wide.output.contains("y.csv, line 3: A text is not utf-16."), "\(wide)")
        expect(wide.output.contains("y.csv, line 5: A text is not utf-16."), "\(wide)")
        try await expect(rows(), equals: "id,t\n1,a\n3,b\n")
        try await expect(importing("x.csv", "--encoding", "klingon").error.contains("windows-1252"))
    }

    @Test func `a format that is not read is named`() async throws {
        for (start, name) in [("PAR1\u{15}", "Parquet"), ("PK\u{3}\u{4}\u{14}", "ZIP"), ("SQLite format 3\0", "copy")] {
            try write(start.utf8, "x")
            try await expect(tool.failure(65, "import", "sqlite:new.db", "--model", "T", "x").contains(name))
        }
    }

    /// The file has more bytes than a record may have, which a debug build reads in seconds.
    @Test(.enabled(if: TestExtent.isLarge))
    func `a mark that encloses nothing in a large file spoils its line alone`() async throws {
        let rows = (3...700_000).map { "\($0),\(String(repeating: "x", count: 100))\n" }.joined()
        try write(("id,t\n1,a\n2,\"b\n" + rows).utf8, "x.csv")
        let run = try await importing("x.csv", "--skip-bad", "bad", "--json")
        expect(run.status == 0 && run.output.hasPrefix(#"{"stored":699999,"bad":1,"#), "\(run)")
    }
}
