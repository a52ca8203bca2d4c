import ArchiveBackend
import Foundation
import PostgreSQLBackend
import SQLiteBackend
import StorageAPI
import StorageTenants

/// The record of a newer version of the program, with an index and a property more.
private struct ItemNow: Storable {
    var before: Item
    var nights: Int

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "Item",
            [
                Property("id", Int.self, .key), Property("name", String.self, .indexed), Property("age", Int.self),
                Property("height", Double.self), Property("city", String?.self),
                Property("nights", Int.self, default: { 1 }),
            ])
    }

    init(reading row: inout RowReader) throws(StorageError) {
        before = try Item(reading: &row)
        nights = try row.read(Int.self)
    }

    func write(into row: inout RowWriter) {
        before.write(into: &row)
        row.write(nights)
    }

    func writeKey(into row: inout RowWriter) { before.writeKey(into: &row) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
    }
}

/// The stores of so many tenants: made, opened where they are up to date, migrated by a newer version of the program.
func measureTenants(_ count: Int) async throws {
    let prefix = "tenant_\(getpid())"
    let folder = FileManager.default.temporaryDirectory.appending(path: prefix)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let database = try backend(url: "\(server)&durability=relaxed&timeout=60000").sharingConnections()
    print("\(count) tenants, a store each; milliseconds for one, and the memory of this program afterwards\n")
    print("| engine | made | opened, up to date | migrated | opened again | memory |\n|---|---|---|---|---|---|")
    try await measure(count, "PostgreSQL, a schema each") { tenant in
        var backend = database
        backend.schema = "\(prefix)_\(tenant)"
        return backend
    }
    try await measure(count, "SQLite, a file each") { tenant in
        SQLiteBackend(path: folder.appending(path: "\(tenant).sqlite").path, durability: .relaxed)
    }
    try await measure(count, "archive, a file each") { tenant in
        ArchiveBackend(path: folder.appending(path: "\(tenant).karch").path, durability: .relaxed)
    }
    // A transaction has a lock for each table that it drops.
    for first in stride(from: 0, to: count, by: 20) {
        let schemas = (first..<min(first + 20, count)).map { "\(prefix)_t\($0)" }.joined(separator: ", ")
        try run("psql", server, "-qc", "SET client_min_messages = warning; DROP SCHEMA \(schemas) CASCADE")
    }
}

private func measure(
    _ count: Int, _ engine: String, _ backend: @escaping @Sendable (String) throws -> any StorageBackend
) async throws {
    let names = (0..<count).map { "t\($0)" }
    var results: [String] = []
    func note(_ seconds: Double) { results.append(String(format: "%.2f", seconds * 1000 / Double(count))) }
    func migrate(_ model: any Storable.Type) async throws {
        let tenants = Tenants(models: [model], backend: backend)
        let time = try await seconds {
            let migration = await tenants.migrate(names) { migration in
                guard migration.count.isMultiple(of: 1000) else { return }
                FileHandle.standardError.write(Data("\(engine): \(migration.count) of \(count)\n".utf8))
            }
            guard migration.isComplete else {
                throw Failure(text: migration.failures.first?.error.description ?? "not complete")
            }
        }
        note(time)
        await tenants.close()
    }
    func open(_ model: any Storable.Type) async throws {
        let tenants = Tenants(models: [model], backend: backend)
        note(try await seconds { for name in names { try await tenants.withStore(name) { _ in } } })
        await tenants.close()
    }
    try await migrate(Item.self)
    let filled = Tenants(models: [Item.self], backend: backend)
    for name in names.prefix(100) {
        try await filled.withStore(name) { store in try await store.insert((1...10).map(Item.init(number:))) }
    }
    await filled.close()
    try await open(Item.self)
    try await migrate(ItemNow.self)
    try await open(ItemNow.self)
    let memory = String(format: "%.1f MiB", Double(greatestMemory()) / 1024)
    print("| \(engine) | \(results.joined(separator: " | ")) | \(memory) |")
    fflush(nil)
}
