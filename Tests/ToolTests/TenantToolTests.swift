import Foundation
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

@Suite("storage tenants")
struct TenantToolTests {
    @Test func `tenants are placed, listed, moved and migrated`() async throws {
        let tool = Tool(folder: try TemporaryFolder())
        let folder = tool.folder.url.path
        for name in ["first", "second"] {
            try FileManager.default.createDirectory(
                at: tool.folder.url.appending(path: name), withIntermediateDirectories: true)
            try await tool.output(
                "tenants", "server", "sqlite:tenants.db", name, "sqlite:\(folder)/\(name)/{tenant}.db")
        }
        try await expect(
            tool.output("tenants", "add", "tenants.db", "acme", "globex", "initech"),
            equals: "acme: first\nglobex: second\ninitech: first\n")
        for name in ["first/acme.db", "second/globex.db", "first/initech.db"] {
            try await tool.with(.sqlite, name) { (store) async throws in try await store.insert(Person.samples) }
        }
        try await expect(
            tool.output("tenants", "move", "tenants.db", "acme", "--to", "second").hasSuffix(
                "acme: second\n1 tenant moved, 0 failed.\n"))
        let listed = try await tool.output("tenants", "list", "tenants.db")
        expect(listed.contains("/second/acme.db") && listed.contains("/first/initech.db"))
        let lines = try await tool.output("tenants", "list", "tenants.db", "--json").split(separator: "\n")
        expect(lines.count == 5 && lines[2].contains(#""tenant":"acme""#) && lines[2].contains(#""server":"second""#))
        // The old place tells where the store is.
        let refusal = try await tool.failure(75, "truncate", "first/acme.db", "Person", "--yes")
        expect(refusal.contains("second/acme.db"))

        try await tool.output("alter", "second/acme.db", "Person", "--index", "age")
        try await tool.output("schema", "second/acme.db", "--lock", "Schema.lock")
        try Data("this is no store, and of no length of one".utf8).write(
            to: tool.folder.url.appending(path: "first/initech.db"))
        let migrated = try await tool.run(["tenants", "migrate", "tenants.db", "--lock", "Schema.lock"])
        expect(migrated.status == 1 && migrated.output.contains("initech: "), "\(migrated.output)")
        expect(migrated.output.hasSuffix("1 store changed, 1 up to date, 1 failed.\n"), "\(migrated.output)")
        let moved = try await tool.run(["tenants", "move", "tenants.db", "initech", "globex", "--to", "second"])
        expect(moved.status == 1 && moved.output.contains("initech: ") && moved.output.contains("globex: second"))
        expect(moved.output.hasSuffix("1 tenant moved, 1 failed.\n"), "\(moved.output)")
    }
}
