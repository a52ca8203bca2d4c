import ArchiveBackend
import Foundation
import Logging
import MemoryBackend
import SQLiteBackend
import StorageDriver
import StorageKit
import Synchronization
import TestSupport
import Testing

@Suite("T5 A store that is dropped")
struct DroppingTests {
    @Storable struct Item: Equatable {
        var id: Int
        var text = ""
    }

    #if os(Linux)
    @Test(arguments: [Backend.sqlite, .archive])
    func `leaves no open file`(_ backend: Backend) async throws {
        try await withFolder { folder in
            for round in 0..<TestExtent.count(50) {
                let place = folder.appending(path: "\(round % 5)")
                try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
                let store = try await backend.open(in: place)
                try await store.save(Item(id: round))
                _ = try await store.find(Item.self, key: round)
            }
            try expect(openFiles(in: folder), equals: [])
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

    @Test(arguments: [Backend.sqlite, .archive])
    func `is opened again at once`(_ backend: Backend) async throws {
        try await withFolder { folder in
            for round in 0..<50 {
                let store = try await backend.open(in: folder)
                try await store.save(Item(id: round))
            }
            let store = try await backend.open(in: folder)
            try await expect(store.select(Item.self).count(), equals: 50)
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

    @Test(arguments: Backend.allCases)
    func `keeps nothing in memory, whether it was closed or not`(_ backend: Backend) async throws {
        try await withFolder { folder in
            let path = folder.appending(path: "test").path
            let engine =
                switch backend {
                case .memory: WatchedBackend(base: InMemoryBackend())
                case .sqlite: WatchedBackend(base: SQLiteBackend(path: path))
                case .sqliteInMemory: WatchedBackend(base: SQLiteBackend(path: ":memory:"))
                case .archive: WatchedBackend(base: ArchiveBackend(path: path))
                }
            for isClosed in [true, false] {
                do {
                    let store = try await Store(
                        engine, models: Item.self, options: .init(history: .init(records: [Item.self])))
                    try await store.save(Item(id: 1))
                    for try await items in store.select(Item.self).values() {
                        expect(items, equals: [Item(id: 1)])
                        break
                    }
                    if isClosed { try await store.close() }
                }
                // Queues let go of what they have run a little later: on a busy machine minutes.
                let end = ContinuousClock.now + .seconds(300)
                while engine.isThere, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(1)) }
                expect(!engine.isThere)
            }
        }
    }
}

/// A backend that says whether the engine that it opened last is in memory.
private struct WatchedBackend: StorageBackend {
    static let scheme = "watched"

    private final class Last: Sendable {
        private struct Weak: Sendable { weak var engine: (any StorageEngine)? }
        private let state = Mutex(Weak())

        var engine: (any StorageEngine)? {
            get { state.withLock { $0.engine } }
            set { state.withLock { $0.engine = newValue } }
        }
    }

    let base: any StorageBackend
    private let last = Last()

    init(base: any StorageBackend) { self.base = base }
    init(url: StorageURL) throws(StorageError) { throw StorageError(.unsupported, "Made in a test alone.") }

    var isThere: Bool { last.engine != nil }

    func open(logger: Logger) throws(StorageError) -> any StorageEngine {
        let engine = try base.open(logger: logger)
        last.engine = engine
        return engine
    }
}
