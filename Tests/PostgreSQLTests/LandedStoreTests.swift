import Foundation
import LandedStores
import PostgreSQLBackend
import StorageKit
import Testing

/// Its schema has the name that the dumps have, so only one of them is there at a time.
@Suite("Stores that earlier versions have written", .enabled(if: Server.isThere), .serialized)
struct LandedStoreTests {
    @Test(arguments: ["2026-11-23", "2026-11-24", "2026-11-25"])
    func `a store of an earlier version is read, verified, written, undone and reopened`(_ date: String) async throws {
        let landed = LandedStore(date, "sql")
        try Server.psql("DROP SCHEMA IF EXISTS landed CASCADE")
        try Server.psql(String(decoding: landed.data(), as: UTF8.self))
        let faults = try await landed.faults { clock in
            try await Store(Server.backend("landed"), models: landed.models, options: .init(clock: clock))
        }
        #expect(faults == [])
        try Server.psql("DROP SCHEMA landed CASCADE")
    }
}
