import ArchiveBackend
import Foundation
import LandedStores
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

@Suite("Stores that earlier versions have written")
struct LandedStoreTests {
    private static let all = ["2026-11-21", "2026-11-23", "2026-11-24", "2026-11-25", "2026-11-26", "2026-11-28"]
        .flatMap { date in
            ["db", "karch"].map { LandedStore(date, $0) }
        }

    @Test(arguments: all)
    func `a store of an earlier version is read, verified, written, undone and reopened`(_ landed: LandedStore)
        async throws
    {
        try await withFolder { folder in
            let path = folder.appending(path: "\(landed)").path
            try landed.data().write(to: URL(fileURLWithPath: path))
            let faults = try await landed.faults { clock in
                landed.kind == "db"
                    ? try await Store(SQLiteBackend(path: path), models: landed.models, options: .init(clock: clock))
                    : try await Store(ArchiveBackend(path: path), models: landed.models, options: .init(clock: clock))
            }
            expect(faults, equals: [])
        }
    }
}
