import Foundation
import StorageKit
import TestSupport
import Testing

@Suite("Values with names") struct NamedValueTests {
    struct Settings: Codable, Equatable {
        var theme = "light"
        var sizes = [1, 2]
    }

    @Test
    func `a value is saved, read, replaced, listed and removed by its name`() async throws {
        try await withStore(.memory) { store in
            try await expect(store.named.value(Settings.self, "settings") == nil)
            try await store.named.save(Settings(theme: "dark"), as: "settings")
            try await store.named.save(7, as: "count")
            try await expect(store.named.value(Settings.self, "settings"), equals: Settings(theme: "dark"))
            try await store.named.save(Settings(sizes: []), as: "settings")
            try await expect(store.named.value(Settings.self, "settings"), equals: Settings(sizes: []))
            try await expect(store.named.names(), equals: ["count", "settings"])
            try await expect(store.named.remove("count"))
            try await expect(!store.named.remove("count"))
            try await expect(store.named.names(), equals: ["settings"])
            let wrong = await expectError(.typeMismatch) { try await store.named.value(Int.self, "settings") as Any }
            expect(wrong?.key, equals: [.text("settings")])
        }
    }

    @Test
    func `models are kept by their schema, alone or as a list`() async throws {
        try await withStore(.memory) { store in
            try await store.named.save(JSONDecodingTests.ann, as: "me")
            try await store.named.save([Town(id: 1, name: "A"), Town(id: 2, name: "B")], as: "towns")
            try await store.named.save([Town](), as: "none")
            try await expect(store.named.value(Writer.self, "me"), equals: JSONDecodingTests.ann)
            try await expect(store.named.value([Town].self, "towns")?.map(\.name), equals: ["A", "B"])
            try await expect(store.named.value([Town].self, "none"), equals: [])
            try await expect(store.select(Town.self).count(), equals: 0)
        }
    }

    @Test
    func `what has expired is not there, and goes with the next save`() async throws {
        try await withStore(.memory) { store in
            try await store.named.save("old", as: "a", expires: Date(timeIntervalSinceNow: -1))
            try await store.named.save("new", as: "b", expires: .distantFuture)
            try await expect(store.named.value(String.self, "a") == nil)
            try await expect(store.named.value(String.self, "b"), equals: "new")
            try await expect(store.named.names(), equals: ["b"])
            try await expect(store.records("StorageNamedValue").count(), equals: 1)
        }
    }
}

@Suite("Readable records") struct ReadableTests {
    @Test
    func `a record is a tree, and a query a table`() async throws {
        try await withStore(.memory) { store in
            let writer = Writer(
                id: 7, name: "A\"n", quills: [Quill(color: "red"), Quill(color: "blue", price: 2)], editor: 8)
            let tree = """
                Writer
                  id: 7
                  name: "A\\"n"
                  age: 18
                  nickname: nil
                  motto: "none"
                  rank: "junior"
                  born: nil
                  height: 0.0
                  code: nil
                  tags: []
                  editor: 8
                  town: nil
                  quills: 2
                    [0] color: "red"
                        price: 1.5
                    [1] color: "blue"
                        price: 2.0
                  friends: 0
                """
            expect(writer.tree, equals: tree)
            try await store.save(writer)
            try await expect(store.records("Writer").first().map { "\($0)" }, equals: tree)
            try await store.save([Town(id: 1, name: "Ulm"), Town(id: 20, name: String(repeating: "x", count: 50))])
            let table = """
                id  name
                ──  ────────────────────────────────────────
                1   Ulm
                20  \(String(repeating: "x", count: 39))…
                """
            let printed = try await store.select(Town.self).order { $0.id }.table()
            expect(
                printed.split(separator: "\n").map { $0.trimming() }
                    == table.split(separator: "\n").map { $0.trimming() })
            try await expect(store.select(Town.self).where { $0.id > 99 }.table(), equals: "No records.")
        }
    }
}

extension Substring {
    fileprivate func trimming() -> Substring {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
