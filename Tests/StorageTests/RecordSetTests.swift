import Foundation
import MemoryBackend
import SQLiteBackend
import StorageKit
import Synchronization
import TestSupport
import Testing

@Suite("Sets of records beside layers, times, history and undeclared data")
struct RecordSetTests {
    @Storable struct Desk: Equatable {
        var id: Int
        @Unique var name: String
        var owner: Ref<Desk>?
        @Created var made: Date = .distantPast
    }

    @Storable("Room") struct RoomOfBefore: Equatable {
        var id: Int
        @Unique var door: Int
        var color: String?
        var shelves: [ShelfOfBefore] = []
    }
    @Storable("Shelf") struct ShelfOfBefore: Equatable {
        var id: Int
        var wood: String?
    }
    @Storable("Room") struct Room: Equatable {
        var id: Int
        @Unique var door: Int
        var shelves: [Shelf] = []
    }
    @Storable("Shelf") struct Shelf: Equatable {
        var id: Int
    }

    private final class Clock: Sendable {
        let time = Mutex(Date(timeIntervalSinceReferenceDate: 100))
    }

    /// Keeps the records whose deletion it is asked about, and notes their keys.
    private final class Keeping: Store.DeletionLayer {
        let asked = Mutex<[[Value]]>([])

        func willDelete(
            _ record: Store.RecordChange, in transaction: borrowing Store.Transaction
        ) throws(StorageError) -> Store.DeletionDecision {
            asked.withLock { $0.append(record.key) }
            return record.key == [.int(1)] ? .keep : .delete
        }
    }

    @Test func `records that swap unique values keep their times, and have one entry each that can be undone`()
        async throws
    {
        let clock = Clock()
        let store = try await Store(
            InMemoryBackend(), models: Desk.self,
            options: .init(history: .init(records: [Desk.self]), clock: { clock.time.withLock { $0 } }))
        try await store.insert([Desk(id: 1, name: "a"), Desk(id: 2, name: "b"), Desk(id: 3, name: "c")])
        let before = try await store.select(Desk.self).all()
        clock.time.withLock { $0 += 1000 }
        var set = Store.RecordSet()
        set.save([Desk(id: 1, name: "b", owner: 2), Desk(id: 2, name: "c"), Desk(id: 3, name: "a")])
        expect(set.count, equals: 3)
        try await store.replace(set)
        let after = try await store.select(Desk.self).all()
        expect(after.map(\.name), equals: ["b", "c", "a"])
        expect(after.map(\.made), equals: before.map(\.made))
        var entries: [Store.HistoryEntry<Int, Desk>] = []
        for try await entry in store.history(of: Desk.self) where entry.commit == 2 { entries.append(entry) }
        expect(entries.map(\.kind), equals: [.updated, .updated, .updated])
        try expect(Set(entries.compactMap { try $0.before?.name }), equals: ["a", "b", "c"])
        try await store.undo(2)
        try await expect(store.select(Desk.self).all(), equals: before)
        try await store.close()
    }

    @Test func `a layer that keeps records keeps them from a set too`() async throws {
        let layer = Keeping()
        let store = try await Store(InMemoryBackend(), models: Desk.self, options: .init(layers: [layer]))
        try await store.insert([
            Desk(id: 1, name: "a"), Desk(id: 2, name: "b", owner: 1), Desk(id: 3, name: "c", owner: 1),
        ])
        var set = Store.RecordSet()
        set.delete(Desk.self, keys: [1, 2, 9])
        try await store.replace(set)
        expect(layer.asked.withLock { $0 }, equals: [[.int(1)], [.int(2)]])
        try await expect(store.select(Desk.self).keys(), equals: [1, 3])
        try await expect(store.find(Desk.self, key: 3)?.owner, equals: 1)
        try await store.close()
    }

    @Test func `records that swap unique values keep data that no program declares any more`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "record-sets-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let backend = SQLiteBackend(path: folder.appending(path: "rooms.db").path)
        let former = try await Store(backend, models: RoomOfBefore.self)
        let rooms = [
            RoomOfBefore(id: 1, door: 1, color: "red", shelves: [.init(id: 5, wood: "oak"), .init(id: 6, wood: nil)]),
            RoomOfBefore(id: 2, door: 2, color: "blue", shelves: [.init(id: 7, wood: "ash")]),
        ]
        try await former.insert(rooms)
        try await former.close()
        let store = try await Store(backend, models: Room.self)
        var set = Store.RecordSet()
        set.save(Room(id: 1, door: 2, shelves: [.init(id: 6), .init(id: 5)]))
        set.save(Room(id: 2, door: 1, shelves: [.init(id: 7)]))
        try await store.replace(set)
        try await store.close()
        let again = try await Store(backend, models: RoomOfBefore.self)
        var expected = rooms
        (expected[0].door, expected[1].door) = (2, 1)
        expected[0].shelves.reverse()
        try await expect(again.select(RoomOfBefore.self).all(), equals: expected)
        try await again.close()
    }
}
