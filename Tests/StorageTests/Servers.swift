import ArchiveBackend
import Foundation
import SQLiteBackend
import StorageKit
import StorageTenants

/// Three servers, each a folder of files, and a directory beside them. Each ``program(_:)`` is one: it shares nothing with others.
struct Servers {
    @Storable struct Visit: Equatable {
        var id: Int?
        @Searchable var text = ""
        @Unique var code: String?
        var pens: [Pen] = []
    }
    @Storable struct Pen: Equatable {
        var color = ""
    }

    let folder: URL
    static let names = ["first", "second", "third"]

    init(_ folder: URL, schemes: [String] = ["sqlite", "sqlite", "sqlite"]) async throws {
        self.folder = folder
        let directory = try await directory()
        for (name, scheme) in zip(Self.names, schemes) {
            let server = folder.appending(path: name)
            try FileManager.default.createDirectory(at: server, withIntermediateDirectories: true)
            try await directory.setServer(name, at: "\(scheme):\(server.path)/{tenant}.store?durability=relaxed")
        }
        try await directory.close()
    }

    func directory() async throws -> TenantDirectory {
        try await TenantDirectory(
            url: "sqlite:\(folder.path)/tenants.db?durability=relaxed", backends: [SQLiteBackend.self])
    }

    static func tenants(
        _ directory: TenantDirectory, history: Bool = false, models: [any Storable.Type] = [Visit.self]
    ) -> Tenants {
        var options = Tenants.Options()
        (options.idleTime, options.timeout) = (.seconds(86_400), .seconds(600))
        options.store = Store.Options(history: history ? .init(records: [Visit.self]) : nil)
        return Tenants(
            directory: directory, backends: [SQLiteBackend.self, ArchiveBackend.self], models: models, options: options)
    }

    /// Runs a body as a program would, whose stores are closed at its end.
    func program<T>(history: Bool = false, _ body: (Tenants) async throws -> T) async throws -> T {
        let directory = try await directory()
        let tenants = Self.tenants(directory, history: history)
        let result: Result<T, any Error>
        do { result = .success(try await body(tenants)) } catch { result = .failure(error) }
        await tenants.close()
        try await directory.close()
        return try result.get()
    }

    /// The store of a tenant on a server, as somebody finds it who knows nothing of the directory.
    func store(_ tenant: String, on server: String, scheme: String = "sqlite") async throws -> Store {
        try await Store(
            url: "\(scheme):\(folder.path)/\(server)/\(tenant).store?durability=relaxed",
            backends: [SQLiteBackend.self, ArchiveBackend.self])
    }
}
