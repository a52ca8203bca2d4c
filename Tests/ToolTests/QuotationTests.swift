import Foundation
import TestSupport
import Testing

/// Quotation marks in delimited values, where they enclose fields and where they are characters.
@Suite(.repeatable) struct QuotationTests {
    private let tool: Tool

    init() throws { tool = Tool(folder: try TemporaryFolder()) }

    private func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: tool.folder.url.appending(path: name))
    }

    private func kept(_ name: String) throws -> String {
        try String(contentsOfFile: tool.folder.path(name), encoding: .utf8)
    }

    @Test func `a mark inside of an unquoted field is a character`() async throws {
        try write("size\n5\" pipe\nsmall\n6\" pipe\ntiny\n", "a.csv")
        let disks = (1...2003).map { [1, 2002].contains($0) ? "\($0)\" disk" : "disk \($0)" }
        try write("name\n" + disks.joined(separator: "\n"), "b.csv")
        try write("id,size,d\n1,5\" pipe,x\n2,small,y\n3,6\" pipe,z\n4,tiny,w\n5,7\",\"a \"\"b\"\"\"\n", "c.csv")
        try write("id;size;d\n1;5\";a,b\n2;6\";\"c;\"\"d\"\n3;\"x\ny\";e\"", "d.csv")
        try await tool.output("import", "sqlite:new.db", "--model", "A", "a.csv")
        let outputs = try await tool.outputs(
            of: [
                ["import", "--model", "B", "b.csv", "--quiet"], ["import", "--model", "C", "c.csv", "--quiet"],
                ["import", "--model", "D", "d.csv", "--quiet"],
                ["select", "A", "--columns", "size", "--format", "ndjson"], ["count", "B"],
                ["select", "B", "--where", "name contains '\"'", "--format", "ndjson"],
                ["select", "C", "--format", "ndjson"], ["select", "D", "--format", "ndjson"],
            ], on: "new.db")
        let expected = [
            #"{"size":"5\" pipe"}|{"size":"small"}|{"size":"6\" pipe"}|{"size":"tiny"}|"#, "2003|",
            #"{"id":1,"name":"1\" disk"}|{"id":2002,"name":"2002\" disk"}|"#,
            #"{"id":1,"size":"5\" pipe","d":"x"}|{"id":2,"size":"small","d":"y"}|{"id":3,"size":"6\" pipe","d":"z"}|"#
                + #"{"id":4,"size":"tiny","d":"w"}|{"id":5,"size":"7\"","d":"a \"b\""}|"#,
            #"{"id":1,"size":"5\"","d":"a,b"}|{"id":2,"size":"6\"","d":"c;\"d"}|{"id":3,"size":"x\ny","d":"e\""}|"#,
        ]
        expect(outputs.suffix(5), equals: expected.map { $0.replacing("|", with: "\n") })
    }

    @Test func `a field whose mark encloses nothing spoils its line alone`() async throws {
        let lines = [
            "id,name,note", "1,a,x", "2,\"open,x", "3,c,\"two\nlines\"", "4,\"d\" d,x", "5,e,\"x\"", "6,f", "7,\"g\",x",
            "8,\"h,x",
        ]
        try write(lines.joined(separator: "\n"), "x.csv")
        let refused = try await tool.run(["import", "sqlite:new.db", "--model", "T", "x.csv"])
        expect(refused.status == 65 && refused.error.contains("4 bad records"))
        let problem = "A quoted field does not end as it should; --quote none"
        for told in ["3: \(problem)", "6: \(problem)", "8: There are 2 fields", "10: \(problem)"] {
            expect(refused.error.contains("x.csv, line \(told)"), "\(refused.error)")
        }
        try await tool.output("import", "sqlite:new.db", "--model", "T", "x.csv", "--skip-bad", "bad.csv")
        try expect(kept("bad.csv"), equals: [lines[2], lines[4], lines[6], lines[8]].map { $0 + "\n" }.joined())
        try await expect(tool.output("count", "new.db", "T", "--where", "id in {1, 3, 5, 7}"), equals: "4\n")
    }

    @Test func `in tab-separated values marks are characters, unless all of them enclose fields`() async throws {
        let films = "id\ttitle\tyear\ntt1\t\"Rome\" (2005)\t2005\ntt2\t\"Weird Al\t2022\ntt3\t\"Rome\"\t\\N\n"
        try write(films, "a.tsv")
        let first = try await tool.run(["import", "sqlite:new.db", "--model", "A", "a.tsv"])
        expect(first.status == 0 && !first.error.contains("--quote"), "\(first.error)")
        try write("id\ttext\n1\t\"tab\tand\nline\"\n2\t\"\"\n3\t\"a \"\"b\"\"\"\n4\t\n", "b.tsv")
        let second = try await tool.run(["import", "new.db", "--model", "B", "b.tsv"])
        expect(second.status == 0 && second.error.hasPrefix("b.tsv: fields are enclosed in quotation marks; --quote"))
        let outputs = try await tool.outputs(
            of: [
                ["select", "A", "--columns", "title", "--format", "ndjson"],
                ["select", "B", "--columns", "text", "--format", "ndjson"],
                ["export", "B", "--output", "c.tsv", "--no-progress"],
                ["import", "--model", "C", "c.tsv", "--quiet"],
                ["select", "C", "--columns", "text", "--format", "ndjson"],
                ["import", "--model", "D", "b.tsv", "--quote", "none", "--skip-bad", "bad", "--quiet"], ["count", "D"],
            ], on: "new.db")
        expect(
            outputs[0]
                == #"{"title":"\"Rome\" (2005)"}|{"title":"\"Weird Al"}|{"title":"\"Rome\""}|"#
                .replacing("|", with: "\n"))
        expect(
            outputs[1]
                == #"{"text":"tab\tand\nline"}|{"text":""}|{"text":"a \"b\""}|{"text":null}|"#
                .replacing("|", with: "\n"))
        expect(outputs[4], equals: outputs[1])
        expect(outputs[6], equals: "3\n")
        try expect(kept("bad"), equals: "1\t\"tab\tand\nline\"\n")
    }

    @Test func `with --quote none marks are characters in comma-separated values too`() async throws {
        try write("id,t\n1,\"a\"\n2,\"b\n3,\"c\" d\n", "x.csv")
        try await tool.output("import", "sqlite:new.db", "--model", "T", "x.csv", "--quote", "none")
        try await expect(
            tool.output("select", "new.db", "T", "--format", "csv")
                == "id,t\n1,\"\"\"a\"\"\"\n2,\"\"\"b\"\n3,\"\"\"c\"\" d\"\n")
        try await expect(
            tool.failure(64, "import", "new.db", "--model", "T", "x.csv", "--quote", "x").contains("none"))
    }

    @Test(arguments: [[], ["--quote", "none"]])
    func `generated values are read as a plain reader reads them`(_ options: [String]) async throws {
        var generator = SeededGenerator(seed: UInt64(TestExtent.seed + options.count))
        let parts = ["a", "b ", "\"", "\"", "\"\"", ",", ",", "\n", "\r\n", "\r", ";", "é"]
        let text = (0..<TestExtent.count(4000)).map { _ in parts.randomElement(using: &generator) ?? "" }.joined()
        // Records of the header's width are common enough, and so are the others.
        let expected = PlainReader(text: Array("n,m\n".utf8) + text.utf8, hasQuotes: options.isEmpty).records
            .dropFirst()
        try write("n,m\n" + text, "x.csv")
        let run = try await tool.run(
            [
                "import", "sqlite:new.db", "--model", "T", "x.csv", "--type", "n=string", "--type", "m=string",
                "--delimiter", ",", "--skip-bad", "bad", "--json",
            ] + options)
        expect(run.status, equals: 0, "\(run.error)")
        let good = expected.filter { $0.isGood && $0.fields.count == 2 }
        expect(!good.isEmpty && good.count < expected.count)
        let lines = try await tool.output("select", "new.db", "T", "--columns", "n,m", "--format", "ndjson")
        let stored = try lines.split(separator: "\n").map {
            try JSONDecoder().decode([String: String?].self, from: Data($0.utf8))
        }
        expect(stored, equals: good.map { ["n": $0.fields[0], "m": $0.fields[1]] })
        let bad = expected.filter { !$0.isGood || $0.fields.count != 2 }
        try expect(kept("bad"), equals: bad.map { $0.text.utf8.last == 0x0A ? $0.text : $0.text + "\n" }.joined())
    }
}

/// Reads delimited values one byte after the other, as RFC 4180 and the tool's page describe them.
private struct PlainReader {
    struct Record {
        var text = ""
        var fields: [String?] = []
        var isGood = true
    }

    private let bytes: [UInt8]
    private let hasQuotes: Bool
    private var place = 0
    private(set) var records: [Record] = []

    init(text: [UInt8], hasQuotes: Bool) {
        (bytes, self.hasQuotes) = (text, hasQuotes)
        while place < bytes.count { readRecord() }
    }

    private func byte(_ place: Int) -> Character? {
        place < bytes.count ? Character(Unicode.Scalar(bytes[place])) : nil
    }

    private func isEnd(_ place: Int) -> Bool { [nil, ",", "\n", "\r"].contains(byte(place)) }

    private mutating func readRecord() {
        var record = Record()
        let start = place
        while true {
            record.fields.append(readField(&record.isGood))
            if byte(place) == "," { place += 1 } else { break }
        }
        if byte(place) == "\r", byte(place + 1) == "\n" { place += 1 }
        place = min(place + 1, bytes.count)
        record.text = text(start..<place)
        // A line without anything is no record.
        if record.fields != [nil] { records.append(record) }
    }

    private mutating func readField(_ isGood: inout Bool) -> String? {
        if hasQuotes, byte(place) == "\"" {
            // Marks in pairs are characters; the first single one closes the field.
            var close = place + 1
            while let next = byte(close), next != "\"" || byte(close + 1) == "\"" { close += next == "\"" ? 2 : 1 }
            if byte(close) == "\"", isEnd(close + 1) {
                defer { place = close + 1 }
                return text(place + 1..<close).replacing("\"\"", with: "\"")
            }
            isGood = false
        }
        let start = place
        while !isEnd(place) { place += 1 }
        return start == place ? nil : text(start..<place)
    }

    private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}
