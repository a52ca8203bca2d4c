import ArchiveBackend
import Foundation
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

/// `storage log`, `copy --as-of`, `backup --verify` and `storage restore`.
@Suite struct PastTests {
    /// A store that keeps a history of people, two of whom have been changed and deleted since.
    private func tool(_ engine: Engine) async throws -> Tool {
        let tool = try await Tool(engine)
        let path = tool.folder.path(Tool.file)
        let options = Store.Options(history: .init(records: [Person.self]))
        let store: Store =
            switch engine {
            case .sqlite: try await Store(SQLiteBackend(path: path), models: [], options: options)
            case .archive: try await Store(ArchiveBackend(path: path), models: [], options: options)
            }
        try await store.transaction { transaction in
            transaction.author = "Ann"
            transaction.note = "a birthday"
            try transaction.update(Person.self).where { $0.id == 1 }.set(\.age, to: 29).run()
        }
        try await store.close()
        try await tool.output("delete", Tool.file, "Person", "2", "--yes")
        return tool
    }

    private func objects(_ text: String) throws -> [[String: Any]] {
        try text.split(separator: "\n").map { line in
            try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    @Test(arguments: Engine.one(.sqlite))
    func `log prints each commit with what changed from what to what`(engine: Engine) async throws {
        let tool = try await tool(engine)
        try await tool.output("undo", Tool.file, "1")
        let lines = try await tool.output("log", Tool.file).split(separator: "\n").map(String.init)
        expect(lines.count, equals: 6)
        expect(lines[0].contains(#/^1  20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d\d\dZ  by Ann: a birthday$/#), "\(lines)")
        expect(lines[1], equals: "  ~ Person 1  age: 28 → 29")
        expect(lines[3].hasPrefix("  - Person 2  id: 2; name: \"ليلى\"; age: 31; "), "\(lines)")
        expect(lines[4].contains("  (undo)"))
        expect(lines[5], equals: "  ~ Person 1  age: 29 → 28")
        let commits = try objects(await tool.output("log", Tool.file, "--json"))
        expect(commits.map { $0["commit"] as? Int }, equals: [1, 2, 3])
        expect(commits.map { $0["origin"] as? String }, equals: ["call", "call", "undo"])
        expect(commits[0]["author"] as? String, equals: "Ann")
        let change = try #require((commits[0]["changes"] as? [[String: Any]])?.first)
        expect(change["model"] as? String == "Person" && change["key"] as? [Int] == [1])
        expect(change["properties"] as? [String: [String: Int]], equals: ["age": ["before": 28, "after": 29]])
        let token = try #require(commits[0]["token"] as? String)
        func numbers(_ arguments: String...) async throws -> [Int?] {
            let run = try await tool.run(["log", Tool.file, "--json"] + arguments)
            expect(run.status, equals: 0, "\(run.error)")
            return try objects(run.output).map { $0["commit"] as? Int }
        }
        try await expect(numbers("--since", token), equals: [2, 3])
        try await expect(numbers("--since", token, "--limit", "1"), equals: [2])
        try await expect(numbers("--limit", "2"), equals: [2, 3])
        try await expect(numbers("--model", "Person", "--key", "1"), equals: [1, 3])
        try await expect(tool.failure(64, "log", Tool.file, "--since", "x").contains("not a token"))
        try await tool.failure(64, "log", Tool.file, "--key", "1")
        try await tool.failure(64, "log", Tool.file, "--limit", "0")
        try await expect(tool.failure(65, "log", Tool.file, "--model", "Pair").contains("Pair"))
    }

    @Test(arguments: Engine.allCases)
    func `a copy as of a commit has what was stored then`(engine: Engine) async throws {
        let tool = try await tool(engine)
        let other: Engine = engine == .sqlite ? .archive : .sqlite
        let commits = try objects(await tool.output("log", Tool.file, "--json"))
        let token = try #require(commits[0]["token"] as? String)
        let time = try #require(commits[0]["time"] as? String)
        for (number, moment) in ["0", token, time, time.replacing("Z", with: "+00:00"), "2", "2100-01-01 00:00"]
            .enumerated()
        {
            let name = "then\(number).store"
            let report = try await tool.output(
                "copy", Tool.file, "\(other.rawValue):\(name)", "--as-of", moment, "--model", "Person")
            let commit = [0, 1, 1, 1, 2, 2][number]
            expect(report.contains("As of commit \(commit)"), "\(report)")
            let people = try await tool.with(other, name) { store in try await store.select(Person.self).all() }
            expect(people.map(\.age), equals: [[28, 31, 19], [29, 31, 19], [29, 19]][commit], "\(moment)")
        }
        let copy = ["copy", Tool.file, "\(other.rawValue):copy.store"]
        try await expect(tool.failure(65, copy + ["--as-of", "1"]).contains("Pair"))
        expect(!FileManager.default.fileExists(atPath: tool.folder.path("copy.store")))
        let json = try await tool.output("copy", Tool.file, copy[2], "--as-of", "1", "--unkept-as-now", "--json")
        let report = try #require(objects(json).first)
        expect(report["commit"] as? Int == 1 && report["unkept"] as? [String] == ["Pair"])
        try await expect(tool.failure(65, copy + ["--as-of", "3", "--replace"]).contains("no commit 3 yet"))
        try await expect(tool.failure(65, copy + ["--as-of", "2001-01-01T00:00Z", "--replace"]).contains("time"))
        for wrong in [["--as-of", "yesterday"], ["--as-of", "1", "--history"], ["--unkept-as-now"]] {
            try await tool.failure(64, copy + wrong)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a verified backup is restored, and replaces nothing unasked`(engine: Engine) async throws {
        let tool = try await tool(engine)
        let people = try await tool.people(engine)
        try await expect(
            tool.output("backup", Tool.file, "backup.store", "--verify").hasSuffix(
                "2 models with 4 records: no problems, and all are as in the store.\n"))
        let again = try await tool.output("backup", Tool.file, "backup.store", "--overwrite", "--verify", "--json")
        expect((try objects(again)[0]["verified"] as? [String: Any])?["models"] != nil)
        try await tool.output("delete", Tool.file, "Person", "1", "--yes")
        try await expect(tool.failure(74, "restore", "backup.store", Tool.file).contains("--overwrite"))
        try await tool.with(engine) { _ in
            try await tool.failure(75, "restore", "backup.store", Tool.file, "--overwrite")
        }
        try await expect(tool.people(engine).count, equals: people.count - 1)
        let report = try await tool.output("restore", "backup.store", Tool.file, "--overwrite")
        expect(report.contains("2 models with 4 records, verified. Tokens of its history up to commit 2"), "\(report)")
        try await expect(tool.people(engine), equals: people)
        try await tool.output("restore", "backup.store", "new.store")
        try await expect(tool.output("diff", "backup.store", "new.store"), equals: "")
        let other = engine == .sqlite ? "archive:other.store" : "sqlite:other.store"
        try await expect(tool.output("restore", "backup.store", other).contains("new store"))
        try await expect(tool.output("diff", "backup.store", "other.store"), equals: "")
        try await tool.output("undo", "other.store", "2")
        try await tool.failure(65, "restore", "backup.store", other)
        try await expect(tool.failure(64, "restore", "backup.store", "backup.store", "--overwrite").contains("same"))
        let names = try FileManager.default.contentsOfDirectory(atPath: tool.folder.url.path)
        expect(names.allSatisfy { $0.hasSuffix(".store") || $0.hasSuffix("-lock") }, "\(names)")
    }

    @Test(arguments: Engine.allCases)
    func `a damaged backup replaces nothing`(engine: Engine) async throws {
        let tool = try await tool(engine)
        let people = try await tool.people(engine)
        try await tool.output("backup", Tool.file, "backup.store")
        let url = URL(filePath: tool.folder.path("backup.store"))
        var bytes = try Data(contentsOf: url)
        let place = engine == .archive ? bytes.count / 2 : 4096
        for index in place..<place + 8 { bytes[index] ^= 0xFF }
        try bytes.write(to: url)
        try await tool.failure(65, "restore", "backup.store", Tool.file, "--overwrite")
        try await expect(tool.people(engine), equals: people)
        try await tool.failure(66, "restore", "missing.store", Tool.file, "--overwrite")
    }
}
