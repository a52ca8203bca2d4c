import ArchiveBackend
import Foundation
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

@Storable private struct Item: Equatable {
    var id: String
    var title: String
    var count = 1
}

@Storable private struct Entry {
    var id: Int?
    var text: String
}

/// `storage sync`.
@Suite struct SyncToolTests {
    private static let (hub, replica) = ("hub.store", "replica.store")

    private func open(_ engine: Engine, _ path: String) async throws -> Store {
        let options = Store.Options(history: .init(records: [Item.self]))
        return switch engine {
        case .sqlite:
            try await Store(SQLiteBackend(path: path, durability: .relaxed), models: [Item.self], options: options)
        case .archive:
            try await Store(ArchiveBackend(path: path, durability: .relaxed), models: [Item.self], options: options)
        }
    }

    private func write(_ tool: Tool, _ engine: Engine, _ name: String, _ items: Item...) async throws {
        let store = try await open(engine, tool.folder.path(name))
        try await store.transaction { tx in
            tx.author = "Ann"
            for item in items { try tx.save(item) }
        }
        try await store.close()
    }

    /// A hub with an item, and a replica on the other engine that has none.
    private func tool(_ engine: Engine) async throws -> (Tool, Engine) {
        let (tool, other) = (Tool(folder: try TemporaryFolder()), engine == .sqlite ? Engine.archive : .sqlite)
        try await write(tool, engine, Self.hub, Item(id: "milk", title: "Milk"))
        try await open(other, tool.folder.path(Self.replica)).close()
        return (tool, other)
    }

    @Test(arguments: Engine.allCases)
    func `two stores exchange, and what is overwritten is told`(engine: Engine) async throws {
        let (tool, other) = try await tool(engine)
        let first = try await tool.output("sync", Self.hub, Self.replica)
        expect(first.hasPrefix("0 patches sent, 1 record taken, 0 values overwritten, 0 refused, in "), "\(first)")
        try await expect(tool.output("diff", Self.hub, Self.replica), equals: "")
        let info = try await tool.output("info", Self.replica)
        expect(info.contains("Replica   0 commits wait for the hub; last exchange 20"), "\(info)")
        try await expect(tool.output("info", Self.hub).contains("Replica"), equals: false)
        let json = try await tool.output("info", Self.replica, "--json")
        expect(json.contains(#""waiting" : 0"#), "\(json)")
        try await write(tool, engine, Self.hub, Item(id: "milk", title: "Oat milk"))
        try await write(
            tool, other, Self.replica, Item(id: "milk", title: "Soy milk", count: 2), Item(id: "tea", title: "Tea"))
        let second = try await tool.output("sync", Self.hub, Self.replica)
        expect(
            second.hasPrefix(
                """
                Patch 1 (by Ann) has overwritten what its author had not seen:
                  Item "milk": title was "Oat milk"
                1 patch sent, 0 records taken, 1 value overwritten, 0 refused, in 1 round trip and 
                """), "\(second)")
        try await expect(tool.output("diff", Self.hub, Self.replica), equals: "")
        let last = try await tool.output("sync", Self.hub, Self.replica, "--json")
        expect(last.hasPrefix(#"{"sent":0,"taken":0,"overwritten":0,"refused":0,"hubWentBack":false,"roundTrips":1,"#))
        try await expect(tool.output("sync", Self.hub, Self.replica, "--quiet"), equals: "")
    }

    @Test(arguments: Engine.one(.sqlite))
    func `a refusal is told with its reason, and is the exit code`(engine: Engine) async throws {
        let (tool, other) = try await tool(engine)
        try await tool.output("sync", Self.hub, Self.replica)
        try await tool.output("delete", Self.replica, "Item", "milk", "--yes")
        try await write(tool, engine, Self.hub, Item(id: "milk", title: "Milk", count: 7))
        let run = try await tool.run(["sync", Self.hub, Self.replica, "--confirm"])
        expect(run.status, equals: 1, "\(run.error)")
        expect(run.output.hasPrefix("Patch 1 is refused: "), "\(run.output)")
        expect(run.output.contains("\n  - Item \"milk\"\n"), "\(run.output)")
        try await expect(tool.output("diff", Self.hub, Self.replica), equals: "")
        try await write(tool, other, Self.replica, Item(id: "milk", title: "Milk", count: 8))
        let json = try await tool.output("sync", Self.hub, Self.replica, "--json", "--keep", "messages")
        expect(json.contains(#""sent":1"#) && json.hasSuffix(#""outcomes":[]}"# + "\n"), "\(json)")
        let question = try await tool.output("sync", "--show", "messages/1-question.sync")
        expect(question.hasPrefix(#"{"kind":"exchange","mark":""#), "\(question)")
        expect(
            question.contains(
                #"{"kind":"updated","model":"Item","key":["milk"],"properties":{"count":{"before":7,"after":8}}}"#),
            "\(question)")
        let answer = try await tool.output("sync", "--show", "messages/1-answer.sync")
        expect(answer.contains(#""decisions":[{"patch":2,"result":"applied"}]"#), "\(answer)")
        for text in [question, answer] { _ = try JSONSerialization.jsonObject(with: Data(text.utf8)) }
    }

    @Test(arguments: Engine.one(.sqlite))
    func `what stands against it is told before anything is sent`(engine: Engine) async throws {
        let (tool, _) = try await tool(engine)
        let store = try await Store(
            SQLiteBackend(path: tool.folder.path("entries.db"), durability: .relaxed), models: [Entry.self])
        try await store.close()
        let before = try tool.folder.contents
        let error = try await tool.failure(65, "sync", "entries.db", Self.replica)
        expect(error.hasPrefix("storage: Nothing is sent. entries.db: the history does not keep"), "\(error)")
        expect(error.contains("the store assigns the keys of Entry"))
        expect(error.contains("replica.store: the store has no model Entry."))
        try await tool.failure(64, "sync", Self.hub, "./\(Self.hub)")
        try await tool.failure(64, "sync", Self.hub)
        try await tool.failure(66, "sync", Self.hub, "missing.store")
        try await tool.failure(66, "sync", "--show", "missing.sync")
        try await tool.failure(65, "sync", "--show", Self.hub)
        try expect(tool.folder.contents[Self.replica], equals: before[Self.replica])
    }

    @Test(arguments: Engine.one(.sqlite))
    func `a copied replica is refused, and begins again`(engine: Engine) async throws {
        let (tool, _) = try await tool(engine)
        try await tool.output("copy", Self.hub, "sqlite:one.db", "--history")
        try await tool.output("sync", Self.hub, "one.db")
        try FileManager.default.copyItem(atPath: tool.folder.path("one.db"), toPath: tool.folder.path("two.db"))
        for (name, title) in [("one.db", "One"), ("two.db", "Two")] {
            try await tool.output(
                "update", name, "Item", "--where", "id == \"milk\"", "--set", "title=\(title)", "--yes")
        }
        try await tool.output("sync", Self.hub, "one.db")
        let refusal = try await tool.failure(1, "sync", Self.hub, "two.db")
        expect(refusal.contains("use --begin-again."), "\(refusal)")
        let report = try await tool.output("sync", Self.hub, "two.db", "--begin-again")
        expect(report.contains("title was \"One\""), "\(report)")
        try await expect(tool.output("diff", Self.hub, "two.db"), equals: "")
    }
}
