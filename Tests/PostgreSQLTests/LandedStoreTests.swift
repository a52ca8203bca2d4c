import ArchiveBackend
import Foundation
import LandedStores
import PostgreSQLBackend
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

/// Its schema has the name that the dumps have, so only one exists at a time.
@Suite("Stores that earlier versions have written", .enabled(if: Server.isThere), .serialized)
struct LandedStoreTests {
    @Test(arguments: ["2026-11-23", "2026-11-24", "2026-11-25", "2026-11-26", "2026-11-28"])
    func `a store of an earlier version is read, verified, written, undone and reopened`(_ date: String) async throws {
        let landed = LandedStore(date, "sql")
        try await Server.psql("DROP SCHEMA IF EXISTS landed CASCADE")
        try await Server.psql(String(decoding: landed.data(), as: UTF8.self))
        let faults = try await landed.faults { clock in
            try await Store(Server.backend("landed"), models: landed.models, options: .init(clock: clock))
        }
        expect(faults, equals: [])
        try await Server.psql("DROP SCHEMA landed CASCADE")
    }

    private static let folder = ProcessInfo.processInfo.environment["STORAGE_LANDED"]

    /// Fixtures/ORIGIN.md has the command.
    @Test(.enabled(if: folder != nil, "writes the fixtures of a new format"))
    func `the stores of this version are written`() async throws {
        let path = try #require(Self.folder) + "/store"
        let landed = LandedStore("9999", "")
        try await Server.psql("DROP SCHEMA IF EXISTS landed CASCADE")
        let backends: [any StorageBackend] = [
            SQLiteBackend(path: path + ".db"), ArchiveBackend(path: path + ".karch"), try Server.backend("landed"),
        ]
        for backend in backends {
            try await landed.write { try await Store(backend, models: landed.models, options: $0) }
        }
    }
}
