import ArchiveBackend
import Foundation
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

/// `storage history` and `storage undo`.
@Suite struct HistoryTests {
    /// A store that keeps a history of people, and what has been done to them.
    private func tool(_ engine: Engine) async throws -> Tool {
        let tool = try await Tool(engine)
        let path = tool.folder.path(Tool.file)
        let options = Store.HistoryOptions(records: [Person.self])
        let store: Store =
            switch engine {
            case .sqlite:
                try await Store(
                    SQLiteBackend(path: path, durability: .relaxed), models: [], options: .init(history: options))
            case .archive:
                try await Store(
                    ArchiveBackend(path: path, durability: .relaxed), models: [], options: .init(history: options))
            }
        try await store.close()
        return tool
    }

    @Test(arguments: Engine.one(.sqlite))
    func `what the tool changes is in the history, and can be undone and done again`(engine: Engine) async throws {
        let tool = try await tool(engine)
        let before = try await tool.people(engine)
        let start = try await tool.output("history", Tool.file, "--token").trimmingCharacters(in: .newlines)
        try await tool.output("update", Tool.file, "Person", "--where", "id == 1", "--set", "age=99", "--yes")
        try await tool.output("delete", Tool.file, "Person", "2", "--yes")
        let lines = try await tool.output("history", Tool.file).split(separator: "\n")
        expect(lines.count, equals: 2)
        expect(lines[0].hasPrefix("1  ") && lines[0].hasSuffix("~ Person 1"))
        expect(lines[1].hasPrefix("2  ") && lines[1].hasSuffix("- Person 2"))
        // The time has its date.
        expect(lines.allSatisfy { $0.contains(#/  20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d\d\dZ  /#) }, "\(lines)")
        try await expect(
            tool.output("undo", Tool.file, "2", "--author", "Ann", "--note", "why")
                == "Commit 2 is undone by commit 3.\n")
        try await tool.output("undo", Tool.file, "1")
        try await expect(tool.people(engine), equals: before)
        try await expect(tool.output("history", Tool.file, "Person").contains("+ Person 2  by Ann: why"))
        try await tool.output("undo", Tool.file, "4")
        try await expect(tool.people(engine)[0].age, equals: 99)
        let objects = try await tool.output("history", Tool.file, "--json", "--since", start).split(separator: "\n")
        expect(objects.count, equals: 5)
        for object in objects { _ = try JSONSerialization.jsonObject(with: Data(object.utf8)) }
        let entry = try #require(JSONSerialization.jsonObject(with: Data(objects[1].utf8)) as? [String: Any])
        expect(entry["kind"] as? String == "deleted" && entry["key"] as? [Int] == [2])
        expect(lines[1].contains("  \(entry["time"] as? String ?? "")  "))
        expect((entry["before"] as? [String: Any])?["name"] as? String == before[1].name)
        let undone = try #require(JSONSerialization.jsonObject(with: Data(objects[2].utf8)) as? [String: Any])
        expect(entry["origin"] == nil && undone["origin"] as? String == "undo")
        let token = try #require(entry["token"] as? String)
        let rest = try await tool.output("history", Tool.file, "--json", "--since", token)
        expect(rest, equals: objects[2...].joined(separator: "\n") + "\n")
        let info = try await tool.output("info", Tool.file)
        expect(info.contains("History   of the records of Person; commits 1 to 5"))
        try await expect(tool.output("history", Tool.file, "Person").contains("+ Person 2  by Ann: why  (undo)\n"))
        try await tool.output("verify", Tool.file)
    }

    @Test(arguments: Engine.one(.archive))
    func `a history is read and undone through what alter has renamed`(engine: Engine) async throws {
        let tool = try await tool(engine)
        let before = try await tool.people(engine)
        try await tool.output("update", Tool.file, "Person", "--where", "id == 1", "--set", "name=\"new\"", "--yes")
        try await tool.output("delete", Tool.file, "Person", "2", "--yes")
        try await tool.output("alter", Tool.file, "Person", "--rename", "name=fullName", "--rename", "pens=pencils")
        let objects = try await tool.output("history", Tool.file, "--json").split(separator: "\n")
        for (object, person) in zip(objects, before) {
            let entry = try #require(JSONSerialization.jsonObject(with: Data(object.utf8)) as? [String: Any])
            let record = try #require(entry["before"] as? [String: Any])
            expect(record["fullName"] as? String == person.name)
            expect((record["pencils"] as? [Any])?.count == person.pens.count)
        }
        try await tool.output("undo", Tool.file, "2")
        try await tool.output("undo", Tool.file, "1")
        try await tool.output("alter", Tool.file, "Person", "--rename", "fullName=name", "--rename", "pencils=pens")
        try await expect(tool.people(engine), equals: before)
    }

    @Test(arguments: Engine.one(.sqlite))
    func `what cannot be undone or read is an error that says why`(engine: Engine) async throws {
        let tool = try await tool(engine)
        try await tool.output("update", Tool.file, "Person", "--where", "id == 1", "--set", "age=99", "--yes")
        try await tool.output("update", Tool.file, "Person", "--where", "id == 1", "--set", "age=98", "--yes")
        try await expect(tool.failure(1, "undo", Tool.file, "1").contains("Person 1"))
        try await expect(tool.failure(65, "undo", Tool.file, "9").contains("no commit 9 yet"))
        try await expect(tool.failure(1, "undo", Tool.file, "0").contains("no commit 0"))
        try await tool.failure(64, "undo", Tool.file, "x")
        try await expect(tool.failure(64, "history", Tool.file, "--since", "x").contains("not a token"))
        let other = "00000000-0000-0000-0000-000000000000:1"
        try await expect(tool.failure(65, "history", Tool.file, "--since", other).contains("another store"))
        try await expect(tool.failure(65, "history", Tool.file, "Pair").contains("no history of Pair"))
        let plain = try await Tool(engine)
        try await expect(plain.failure(65, "history", Tool.file).contains("no history"))
        try await expect(plain.failure(65, "undo", Tool.file, "1").contains("no history"))
        try await expect(!plain.output("info", Tool.file).contains("History"))
    }

    @Test(arguments: Engine.allCases)
    func `alter turns a history on, and undo goes back from the last commit by anyone`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        let before = try await tool.people(engine)
        try await expect(tool.failure(65, "log", Tool.file).contains("storage alter STORE MODEL --history records"))
        try await expect(
            tool.output("alter", Tool.file, "Person", "--history", "records", "--keeping", "30d")
                == "Person: records are kept as they were before each change; the store keeps 30 days\n")
        try await tool.output("delete", Tool.file, "Person", "1", "--yes")
        try await tool.output("delete", Tool.file, "Person", "2", "--yes")
        try await expect(
            tool.output("undo", Tool.file, "--last", "--author", "Ann") == "The last commit is undone by commit 3.\n")
        try await tool.failure(1, "undo", Tool.file, "--last", "--by", "Bob")
        try await expect(tool.output("undo", Tool.file, "--last", "--json") == #"{"undone":null,"commit":4}"# + "\n")
        try await expect(tool.people(engine), equals: before)
        try await expect(tool.failure(1, "undo", Tool.file, "--last").contains("no commit that can be undone"))
        let last = try await tool.output("log", Tool.file, "--limit", "1")
        expect(last.hasPrefix("4  ") && last.contains("+ Person 1"), "\(last)")
        try await expect(
            tool.output("alter", Tool.file, "Person", "--history", "off", "--keeping", "all", "--json")
                == #"{"model":"Person","history":"off","commits":null,"seconds":null}"# + "\n")
        try await tool.output("delete", Tool.file, "Person", "1", "--yes")
        // What the commit has left is not known any more, since nothing is kept of the deletion after it.
        try await expect(tool.output("log", Tool.file, "--limit", "1").hasSuffix("  (undo)\n  + Person 1\n"))
        try await tool.failure(64, "alter", Tool.file, "Person", "--history", "all")
        try await tool.failure(64, "alter", Tool.file, "Person", "--keeping", "30d")
        try await tool.failure(64, "alter", Tool.file, "Person", "--history", "keys", "--index", "age")
        try await expect(tool.failure(65, "alter", Tool.file, "Persons", "--history", "keys").contains("Person"))
        try await tool.failure(64, "undo", Tool.file)
        try await tool.failure(64, "undo", Tool.file, "1", "--last")
    }

    @Test(arguments: Engine.one(.sqlite))
    func `the tool shows who holds a history, and lets go`(engine: Engine) async throws {
        let tool = try await tool(engine)
        try await tool.output("delete", Tool.file, "Person", "2", "--yes")
        let store = try await engine.open(tool.folder.path(Tool.file))
        try await store.holdHistory("out box", after: store.historyToken())
        try await store.transaction(as: .taken(from: "hub")) { tx in
            _ = try tx.records("Person").delete(keys: [[.int(1)]])
        }
        try await store.close()
        try await expect(tool.output("history", Tool.file).contains("- Person 1  (taken from hub)\n"))
        try await expect(tool.output("history", Tool.file, "--holds").hasPrefix("out box  after commit 1  since 20"))
        try await expect(tool.output("info", Tool.file).contains("; held by out box after commit 1\n"))
        let object = try await tool.output("history", Tool.file, "--holds", "--json")
        let hold = try #require(JSONSerialization.jsonObject(with: Data(object.utf8)) as? [String: Any])
        expect(hold["name"] as? String == "out box" && hold["commit"] as? Int == 1)
        try await expect(tool.failure(65, "history", Tool.file, "--release", "x").contains("No hold is named"))
        try await expect(
            tool.output("history", Tool.file, "--release", "out box") == "The history is no longer held by out box.\n")
        try await expect(tool.output("history", Tool.file, "--holds"), equals: "")
    }

    @Test(arguments: Engine.allCases)
    func `a copy takes the history along if it is asked to`(engine: Engine) async throws {
        let tool = try await tool(engine)
        try await tool.output("delete", Tool.file, "Person", "2", "--yes")
        try await tool.output("copy", Tool.file, "sqlite:plain.db")
        try await expect(tool.failure(65, "history", "plain.db").contains("no history"))
        try await tool.output("copy", Tool.file, "sqlite:whole.db", "--history")
        try await tool.output("undo", "whole.db", "1")
        try await expect(tool.output("count", "whole.db", "Person"), equals: "\(Person.samples.count)\n")
    }
}
