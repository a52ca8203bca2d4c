import Foundation
import StorageKit
import TestSupport
import Testing

@Suite("T5 A store that is dropped")
struct DroppingTests {
    @Storable struct Item: Equatable {
        var id: Int
        var text = ""
    }

    #if os(Linux)
    @Test(arguments: Backend.allCases)
    func `leaves no open file behind`(_ backend: Backend) async throws {
        try await withFolder { folder in
            for round in 0..<TestExtent.count(50) {
                let place = folder.appending(path: "\(round % 5)")
                try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
                let store = try await backend.open(in: place)
                try await store.save(Item(id: round))
                _ = try await store.find(Item.self, key: round)
            }
            #expect(try openFiles(in: folder) == [])
        }
    }

    /// The paths of this process's open files below a folder.
    private func openFiles(in folder: URL) throws -> [String] {
        let manager = FileManager.default
        let folder = folder.resolvingSymlinksInPath().path
        return try manager.contentsOfDirectory(atPath: "/proc/self/fd")
            .compactMap { try? manager.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0) }
            .filter { $0.hasPrefix(folder) }
    }
    #endif

    @Test(arguments: Backend.allCases)
    func `is opened again at once`(_ backend: Backend) async throws {
        try await withFolder { folder in
            for round in 0..<50 {
                let store = try await backend.open(in: folder)
                try await store.save(Item(id: round))
            }
            guard backend == .sqlite || backend == .archive else { return }
            let store = try await backend.open(in: folder)
            #expect(try await store.select(Item.self).count() == 50)
        }
    }

    @Test(arguments: Backend.allCases)
    func `by its last transaction's body is closed all the same`(_ backend: Backend) async throws {
        try await withFolder { folder in
            for round in 0..<20 {
                var store: Store? = try await backend.open(in: folder)
                try await store?.save(Item(id: round))
                let waiting = Task { [store] in try await store?.transaction { tx in try tx.save(Item(id: -round)) } }
                store = nil
                _ = try await waiting.value
            }
        }
    }
}
