import Foundation
import TestSupport
import Testing

/// Tests what imports infer from inputs that say less than a store has to know.
@Suite struct InferenceTests {
    private let tool: Tool

    init() throws { tool = Tool(folder: try TemporaryFolder()) }

    private func importing(_ text: String, named name: String, _ options: String...) async throws -> Tool.Run {
        try Data(text.utf8).write(to: tool.folder.url.appending(path: name))
        return try await tool.run(["import", "sqlite:new.db", "--model", "T", name] + options)
    }

    private func rows() async throws -> String { try await tool.output("select", "new.db", "T", "--format", "ndjson") }

    @Test func `texts that are all dates become dates, in every format`() async throws {
        let expected = "{\"id\":1,\"at\":\"2026-01-02T00:00:00Z\"}\n{\"id\":2,\"at\":\"2026-01-03T09:00:00.5Z\"}\n"
        for (name, text) in [
            ("x.csv", "id,at\n1,2026-01-02\n2,2026-01-03T10:00:00.5+01:00\n"),
            ("x.json", #"[{"id":1,"at":"2026-01-02"},{"id":2,"at":"2026-01-03 09:00:00.5"}]"#),
        ] {
            let run = try await importing(text, named: name, "--save")
            expect(run.status == 0 && (name == "x.json" || run.error.contains("at        date")), "\(run.error)")
            try await expect(rows(), equals: expected)
        }
    }

    @Test func `a text among dates, more digits than a date keeps, a key and a list stay texts`() async throws {
        let run = try await importing(
            "id,a,b,c\n2026-01-02,2026-01-02,2026-01-02T10:00:00.123456789Z,2026-02-30\n2026-01-03,none,2026-01-02,\n",
            named: "x.csv")
        for line in ["id        string   key", "a         string", "b         string", "c         string?"] {
            expect(run.error.contains(line.prefix { $0 != "?" }), "\(run.error)")
        }
        try await expect(
            rows().hasPrefix(#"{"id":"2026-01-02","a":"2026-01-02","b":"2026-01-02T10:00:00.123456789Z""#))
        let list = try await tool.run(
            ["import", "sqlite:list.db", "--model", "T", "-"], input: #"{"id":1,"days":["2026-01-02"]}"#)
        expect(list.error.contains("array<string>"))
    }

    @Test func `--dates says how dates are written`() async throws {
        for (form, written) in [
            ("seconds", "1767348000"), ("milliseconds", "1767348000000"), ("reference", "789040800"),
            ("dd.MM.yyyy HH:mm", "\"02.01.2026 10:00\""),
        ] {
            let run = try await importing(
                "[{\"id\":1,\"at\":\(written)}]", named: "x.json", "--type", "at=date", "--dates", form)
            expect(run.status, equals: 0, "\(run.error)")
            try await expect(rows(), equals: "{\"id\":1,\"at\":\"2026-01-02T10:00:00Z\"}\n")
            try FileManager.default.removeItem(atPath: tool.folder.path("new.db"))
        }
        let guessed = try await importing("id,at\n1,02.01.2026\n", named: "x.csv", "--dates", "dd.MM.yyyy")
        expect(guessed.status == 0 && guessed.error.contains("at        date"))
        let wrong = try await importing("id,at\n1,2\n", named: "x.csv", "--dates", "second")
        expect(wrong.status == 64 && wrong.error.contains("did you mean seconds?"))
    }

    @Test func `a number that may count from 1970 or from 2001 is no date until it is said which`() async throws {
        let run = try await importing(#"[{"id":1,"at":1767225600}]"#, named: "x.json", "--type", "at=date")
        expect(run.status == 65 && run.error.contains("x.json, line 1: at is the number 1767225600, which may count"))
        expect(run.error.contains("--dates seconds"))
        // What export writes as a number has no text.
        let far = try await importing(#"[{"id":1,"at":1e300}]"#, named: "x.json", "--type", "at=date")
        expect(far.status, equals: 0, "\(far.error)")
        try await expect(rows(), equals: "{\"id\":1,\"at\":1e+300}\n")
    }

    @Test func `numbers that no double has are not made doubles`() async throws {
        let codes = try await importing("id,code,small\n1,1E5,1E-5\n2,3E400,1E-400\n", named: "codes.csv")
        expect(codes.status, equals: 0, "\(codes.error)")
        try await expect(
            rows(),
            equals: """
                {"id":1,"code":"1E5","small":"1E-5"}
                {"id":2,"code":"3E400","small":"1E-400"}

                """)
        let json = try await tool.run(
            ["import", "sqlite:json.db", "--model", "T", "-"],
            input: #"[{"id":1,"x":1e400,"y":[1e400],"z":1},{"id":2,"x":1,"y":[],"z":0e500}]"#)
        expect(json.status, equals: 0, "\(json.error)")
        try await expect(
            tool.output("select", "json.db", "T", "--format", "ndjson"),
            equals: """
                {"id":1,"x":1e400,"y":[1e400],"z":1.0}
                {"id":2,"x":1,"y":[],"z":0.0}

                """)
    }

    @Test func `a number that no decimal has makes doubles of its column`() async throws {
        let run = try await importing("id,x\n1,1e200\n2,12345678901234567890.5\n", named: "x.csv")
        expect(run.status == 0 && run.error.contains("x         double"), "\(run.error)")
    }

    @Test func `words are truth values where both of a pair are there`() async throws {
        let run = try await importing("id,a,b,c,d\n1,yes,T,NO,true\n2,No,F,NO,yes\n", named: "x.csv")
        for line in ["a         bool", "b         bool", "c         string", "d         string"] {
            expect(run.error.contains(line), "\(run.error)")
        }
        try await expect(
            rows(),
            equals: """
                {"id":1,"a":true,"b":true,"c":"NO","d":"true"}
                {"id":2,"a":false,"b":false,"c":"NO","d":"yes"}

                """)
        let json = try await tool.run(
            ["import", "sqlite:json.db", "--model", "T", "-"], input: #"[{"a":"yes"},{"a":"no"}]"#)
        expect(json.error.contains("a         string"))
    }

    @Test(arguments: [(";", "';'"), ("\t", "tabs"), ("|", "'|'")])
    func `another delimiter is found in the first lines, and told`(_ delimiter: String, _ shown: String) async throws {
        let text = "id,x\n1,\"a,b\"\n2,c\n".replacing(",x", with: "\(delimiter)x").replacing(
            "1,", with: "1\(delimiter)"
        )
        .replacing("2,", with: "2\(delimiter)")
        let run = try await importing(text, named: "x.csv")
        expect(run.error.hasPrefix("x.csv: values are separated by \(shown); --delimiter says otherwise.\n"))
        try await expect(rows(), equals: "{\"id\":1,\"x\":\"a,b\"}\n{\"id\":2,\"x\":\"c\"}\n")
    }

    @Test func `a comma stays a comma, and a delimiter that is given is not looked for`() async throws {
        let run = try await importing("id,x\n1,a;b\n2,c;d\n", named: "x.csv")
        expect(!run.error.contains("separated") && run.status == 0)
        try await expect(rows(), equals: "{\"id\":1,\"x\":\"a;b\"}\n{\"id\":2,\"x\":\"c;d\"}\n")
        let given = try await tool.run(
            ["import", "sqlite:b.db", "--model", "T", "--format", "csv", "--delimiter", ",", "-"], input: "a;b\n1;2\n")
        expect(given.error.contains("a;b       string") && !given.error.contains("separated"))
    }

    @Test func `--at leads to the records inside of an answer`() async throws {
        let text = #"{"page":1,"data":{"items":[{"id":1,"x":"a"},{"id":2,"x":"b"}],"more":[1]}}"#
        try await expect(importing(text, named: "x.json", "--at", "data.items").status, equals: 0)
        try await expect(rows(), equals: "{\"id\":1,\"x\":\"a\"}\n{\"id\":2,\"x\":\"b\"}\n")
        let wrong = try await importing(text, named: "x.json", "--at", "data.itms")
        expect(wrong.status == 65 && wrong.error.contains("there is no data.itms"))
        let csv = try await importing("a\n1\n", named: "x.csv", "--at", "data")
        expect(csv.status == 64 && csv.error.contains("--at leads to records in JSON"))
    }

    @Test func `an answer that has its records inside is not stored as one record without a word`() async throws {
        let keyed = try await importing(#"{"data":{"items":[{"id":1},{"id":2}]}}"#, named: "x.json")
        expect(keyed.status == 65 && keyed.error.contains("--at data.items"))
        expect(!FileManager.default.fileExists(atPath: tool.folder.path("new.db")))
        let said = try await importing(#"{"data":{"items":[{"id":1},{"id":2}]}}"#, named: "x.json", "--format", "json")
        expect(said.status, equals: 0)
        try await expect(rows(), equals: "{\"id\":\"data\",\"items\":[{\"id\":1},{\"id\":2}]}\n")
        let single = try await tool.run(
            ["import", "sqlite:b.db", "--model", "T", "-"], input: #"{"items":[{"id":1},{"id":2}],"next":null}"#)
        expect(single.status == 0 && single.error.contains("--at items"))
        let own = try await tool.run(
            ["import", "sqlite:c.db", "--model", "T", "-"], input: #"{"id":1,"pens":[{"c":1}]}"#)
        expect(own.status == 0 && !own.error.contains("--at"))
    }

    @Test func `--match needs no keys of records that are stored`() async throws {
        try await expect(importing("id,name,age\n1,Ann,3\n2,Bob,4\n", named: "x.csv").status, equals: 0)
        let run = try await importing("name,age\nAnn,9\n", named: "y.csv", "--match", "name")
        expect(run.status, equals: 0, "\(run.error)")
        try await expect(
            rows(), equals: "{\"id\":1,\"name\":\"Ann\",\"age\":9}\n{\"id\":2,\"name\":\"Bob\",\"age\":4}\n")
        let new = try await importing("name,age\nBob,5\nZoe,6\n", named: "y.csv", "--match", "name")
        expect(new.status, equals: 65)
        expect(
            new.error.contains("y.csv, line 3: No stored record has the same name, and a new one needs its key: id."))
        try await expect(rows().contains("\"age\":4"))
    }

    @Test func `a number is no date of an argument and of JSON either`() async throws {
        try await expect(importing("id,at\n1,2026-01-02\n", named: "x.csv").status, equals: 0)
        for arguments in [
            ["insert", "new.db", "T", "id=2", "at=1767225600"],
            ["save", "new.db", "T", "--json", #"{"id":2,"at":1767225600}"#],
            ["update", "new.db", "T", "--set", "at=1767225600", "--yes"],
        ] {
            let message = try await tool.failure(65, arguments)
            expect(
                message.contains("at is the number 1767225600, which may count from 1970 or from 2001"), "\(message)")
        }
        try await expect(rows(), equals: "{\"id\":1,\"at\":\"2026-01-02T00:00:00Z\"}\n")
        try await tool.output("insert", "new.db", "T", "id=2", "at=1e300")
    }
}
