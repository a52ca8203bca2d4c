import Foundation
import StorageKit
import TestSupport
import Testing

@Suite struct ExportTests {
    /// A store with values of every type.
    private func tool(_ engine: Engine) async throws -> Tool {
        let tool = try Tool(folder: TemporaryFolder())
        try await tool.with(engine) { store in try await store.insert(Everything.samples) }
        try await tool.with(engine, "new.store") { (store) async throws in
            try await expect(store.select(Everything.self).count(), equals: 0)
        }
        return tool
    }

    @Test(arguments: Engine.each(with: ["json", "ndjson"]))
    func `what is exported and inserted elsewhere is equal`(engine: Engine, format: String) async throws {
        let tool = try await tool(engine)
        let text = try await tool.output("export", Tool.file, "Everything", "--format", format)
        try await tool.output("insert", "new.store", "Everything", "--quiet", input: text)
        try await tool.with(engine, "new.store") { (store) async throws in
            try await expect(store.select(Everything.self).all(), equals: Everything.samples)
        }
        try await expect(tool.output("export", "new.store", "Everything", "--format", format), equals: text)
        try await expect(tool.output("diff", Tool.file, "new.store"), equals: "")
    }

    @Test(arguments: Engine.each(with: ["json", "ndjson", "csv"]))
    func `what is exported and imported elsewhere is equal`(engine: Engine, format: String) async throws {
        let tool = try await tool(engine)
        try await tool.output("export", Tool.file, "Everything", "--output", "all.\(format)")
        try await tool.output("import", "new.store", "--model", "Everything", "all.\(format)")
        try await tool.with(engine, "new.store") { (store) async throws in
            try await expect(store.select(Everything.self).all(), equals: Everything.samples)
        }
    }

    /// Records that are one row each are written from their cells. With `--skip-bad`, records are made of them first.
    @Test(arguments: Engine.each(with: ["json", "ndjson", "csv", "tsv"]))
    func `rows are written as records are, whatever the values`(engine: Engine, format: String) async throws {
        let tool = try await tool(engine)
        let columns =
            "id,flag,small,large,unsigned,float,double,text,bytes,date,url,decimal,wait,vector,waits,nested,dates,names,"
            + "optionalText,optionalDouble,optionalArray"
        for columns in [columns, "text,date,text,double", "decimal"] {
            // A point, a minus and a letter stand in numbers.
            let delimiters = [",", ".", "-", "T", "e", ":", "1"].map { ["--delimiter", $0] }
            for delimiter in format == "csv" ? delimiters : [[]] {
                let options = ["--format", format, "--columns", columns, "--order", "date desc"] + delimiter
                let command = ["export", Tool.file, "Everything"] + options
                let rows = try await tool.run(command)
                let records = try await tool.run(command + ["--skip-bad"])
                expect(rows.status == 0 && records.status == 0, "\(rows.error)\(records.error)")
                expect(rows.output, equals: records.output, "\(delimiter)")
                expect(rows.output.split(separator: "\n").count >= Everything.samples.count, "\(delimiter)")
            }
        }
    }

    @Test func `a file is there whole, and replaces none unless told`() async throws {
        let tool = try await Tool(.sqlite)
        try Data("kept".utf8).write(to: tool.folder.url.appending(path: "out.csv"))
        let before = try tool.folder.contents
        try await expect(tool.failure(74, "export", Tool.file, "Person", "-o", "out.csv").contains("--overwrite"))
        try await expect(tool.failure(65, "export", Tool.file, "Person", "-o", "new.csv", "--where", "nose > 1") != "")
        try await expect(
            tool.failure(74, "export", Tool.file, "Person", "-o", "none/out.csv").contains("none/out.csv"))
        try await expect(tool.failure(74, "export", Tool.file, "Person", "-o", ".").contains("folder"))
        try expect(tool.folder.contents, equals: before)
        try await tool.output("export", Tool.file, "Person", "-o", "out.csv", "--overwrite")
        try expect(
            tool.folder.contents["out.csv"]?.starts(with: "id,name,age,tags,city,pens\n1,Wei".utf8), equals: true)
        try expect(tool.folder.contents.count, equals: before.count)
    }

    @Test func `the ending of the file's name is the format, and none that is not known`() async throws {
        let tool = try await Tool(.sqlite)
        let before = try tool.folder.contents
        for name in ["out.parquet", "out.xlsx", "out.parquet.gz", "out.csv.zst", "out.json.bak"] {
            let message = try await tool.failure(64, "export", Tool.file, "Pair", "-o", name)
            expect(message.contains(name.contains("zst") ? "pipe" : "--format"), "\(message)")
        }
        try await expect(tool.failure(64, "export", Tool.file, "Pair", "--format", "table").contains("ndjson"))
        try expect(tool.folder.contents, equals: before)
        for (name, options, start) in [
            ("out", [], "["), (".hidden", [], "["), ("out.JSONL", [], "{"), ("out.bak", ["--format", "csv"], "first,"),
            ("out.tsv", [], "first\t"),
        ] as [(String, [String], String)] {
            try await expect(tool.run(["export", Tool.file, "Pair", "-o", name] + options).status, equals: 0)
            try expect(tool.folder.contents[name]?.starts(with: start.utf8), equals: true, "\(name)")
        }
    }

    @Test func `a full disk is one sentence`() async throws {
        let tool = try await Tool(.sqlite)
        for format in ["json", "csv", "table"] {
            let run = try await tool.shell("exec \"$TOOL\" select \(Tool.file) Person --format \(format) >/dev/full")
            expect(run.status, equals: 74)
            expect(run.error.hasPrefix("storage: The output cannot be written"))
        }
    }

    @Test func `a reader that goes away ends the tool quietly`() async throws {
        let tool = try await Tool(.sqlite)
        try await tool.with(.sqlite) { (store) async throws in
            try await store.save((10..<20_000).map { Person(id: $0, name: "p", age: 1, tags: [], city: nil, pens: []) })
        }
        let process = tool.process(["select", Tool.file, "Person", "--format", "ndjson"])
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        let end = try process.start()
        var reader = pollfd(fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
        try await eventually { poll(&reader, 1, 0) == 1 }
        try expect(output.fileHandleForReading.read(upToCount: 10)?.count, equals: 10)
        try output.fileHandleForReading.close()
        try await expect(Incoming(errors).takeRest(), equals: "")
        await end.wait()
    }
}
