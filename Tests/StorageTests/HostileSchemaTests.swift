import Foundation
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

/// A database whose record of its tables was changed by another program.
@Suite("E2 S4 Recorded schemas that do not hold together")
struct HostileSchemaTests {
    @Storable struct Owner: Equatable {
        var id: Int
        var name = ""
        var parts: [Part]? = []
        var top: Node?
    }
    @Storable struct Part: Equatable {
        var id: Int
        var text = ""
    }
    @Storable struct Node: Equatable {
        var id: Int
        var children: [Node] = []
    }

    static let owner = Owner(id: 1, name: "a", parts: [Part(id: 1)], top: Node(id: 1, children: [Node(id: 2)]))

    typealias Change = @Sendable (inout [String: Any]) -> Void

    /// The changes to one table's definition.
    static let changes: [(name: String, change: Change)] = [
        ("no key", { $0["key"] = [Int]() }), ("a key beyond the columns", { $0["key"] = [99] }),
        ("a negative key", { $0["key"] = [-1] }), ("a key twice", { $0["key"] = [0, 0] }),
        ("no path", { $0["path"] = [String]() }), ("no columns", { $0["columns"] = [Any]() }),
        ("no name", { $0["name"] = "" }), ("another path", { $0["path"] = ["Owner", "x", "y", "z"] }),
        ("the root's path", { $0["path"] = ["Owner"] }), ("another model", { $0["model"] = "Owner" }),
        ("many", { $0["isMany"] = true }), ("required", { $0["isRequired"] = true }),
        ("assigned keys", { $0["assignsKeys"] = true }),
        ("the last column gone", { $0["columns"] = ($0["columns"] as? [Any])?.dropLast() ?? [] }),
        ("the first column gone", { $0["columns"] = Array(($0["columns"] as? [Any])?.dropFirst() ?? []) }),
        (
            "a deep type",
            {
                setAll(
                    &$0, "type",
                    to: String(repeating: "array<", count: 40000) + "bool" + String(repeating: ">", count: 40000))
            }
        ),
        ("an unknown type", { setAll(&$0, "type", to: "quaternion") }),
        ("types of text", { setAll(&$0, "type", to: "string") }),
        ("properties alone", { setAll(&$0, "role", to: "property") }),
        ("owners alone", { setAll(&$0, "role", to: "owner") }),
        ("nodes alone", { setAll(&$0, "role", to: "node") }), ("parents alone", { setAll(&$0, "role", to: "parent") }),
        ("positions alone", { setAll(&$0, "role", to: "position") }),
        ("presences alone", { setAll(&$0, "role", to: "presence") }),
        ("removed columns", { setAll(&$0, "isRemoved", to: true) }),
    ]

    private static func setAll(_ table: inout [String: Any], _ name: String, to value: Any) {
        let columns = table["columns"] as? [[String: Any]] ?? []
        table["columns"] = columns.map { $0.merging([name: value]) { $1 } }
    }

    @Test(arguments: changes.indices)
    func `is refused with an error, or read as it is`(_ change: Int) async throws {
        try await withDatabase { path in
            try await Store(SQLiteBackend(path: path), models: Owner.self).thenClose { try await $0.insert(Self.owner) }
            let sound = try sqliteRows(path, "SELECT name, definition FROM storage_tables ORDER BY rowid")
            for table in sound {
                var definition = try #require(
                    try JSONSerialization.jsonObject(with: Data(table[1].utf8)) as? [String: Any])
                Self.changes[change].change(&definition)
                let json = String(decoding: try JSONSerialization.data(withJSONObject: definition), as: UTF8.self)
                try sqliteRun(
                    path, "UPDATE storage_tables SET definition = '\(json)' WHERE name = '\(table[0])'")
                await Self.use(path)
                try sqliteRun(
                    path, "UPDATE storage_tables SET definition = '\(table[1])' WHERE name = '\(table[0])'")
            }
        }
    }

    /// Reads and writes with types and without, in transactions that are undone. Whatever is refused, the process goes on.
    private static func use(_ path: String) async {
        struct Undo: Error {}
        do {
            try await Store(SQLiteBackend(path: path)).thenClose { store in
                let records = store.records("Owner")
                _ = try? await store.recordSchemas()
                _ = try? await records.all()
                _ = try? await records.find(key: [.int(1)])
                _ = try? await records.where(text: "any parts.text == '' or top.children.@count > 0").all()
                try? await store.verify { _ in }
                _ = try? await store.transaction { tx in
                    for record in try tx.records("Owner").all() { try tx.save(record) }
                    try tx.records("Owner").delete()
                    throw Undo()
                }
                _ = try? await store.transaction { tx in
                    try tx.save(owner)
                    _ = try tx.find(Owner.self, key: 1)
                    try tx.delete(owner)
                    throw Undo()
                }
            }
        } catch {
            expect(error is StorageError)
        }
    }
}
