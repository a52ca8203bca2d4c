import ArchiveBackend
import Foundation
import MemoryBackend
import SQLiteBackend
import StorageKit
import StorageTenants
import Synchronization
import TestSupport
import Testing

enum GuestsBefore {
    @Storable("Guest") struct Guest: Equatable {
        var id: Int
        var name = ""
    }
}

enum GuestsNow {
    @Storable("Guest") struct Guest: Equatable {
        var id: Int
        var name = ""
        var nights = 1
    }
}

@Suite("Tenants")
struct TenantsTests {
    enum Engine: String, CaseIterable, Sendable {
        case sqlite, archive

        func backend(_ folder: URL, _ tenant: String) -> any StorageBackend {
            switch self {
            case .sqlite: SQLiteBackend(path: folder.appending(path: "\(tenant).db").path, durability: .relaxed)
            case .archive: ArchiveBackend(path: folder.appending(path: "\(tenant).karch").path)
            }
        }
    }

    /// Tenants whose stores a busy machine does not find idle, and who wait longer than it takes, unless a test says less.
    private static func tenants(
        _ engine: Engine, _ folder: URL, model: any Storable.Type, open: Int = 100, idle: Duration = .seconds(86_400),
        timeout: Duration = .seconds(600)
    ) -> Tenants {
        var options = Tenants.Options()
        (options.maximumOpen, options.idleTime, options.timeout) = (open, idle, timeout)
        return Tenants(models: [model], options: options) { tenant in engine.backend(folder, tenant) }
    }

    @Test(arguments: Engine.allCases)
    func `tasks of many tenants have stores of their own, of which few are open`(engine: Engine) async throws {
        try await withFolder { folder in
            let tenants = Self.tenants(engine, folder, model: GuestsBefore.Guest.self, open: 3)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<24 {
                    group.addTask {
                        let name = "t\(task % 8)"
                        try await tenants.withStore(name) { store in
                            expect(tenants.open.count <= 3 && tenants.open.contains(name))
                            try await store.insert(GuestsBefore.Guest(id: task, name: name))
                        }
                    }
                }
                try await group.waitForAll()
            }
            for name in 0..<8 {
                let guests = try await tenants.withStore("t\(name)") { store in
                    try await store.select(GuestsBefore.Guest.self).all()
                }
                expect(guests.map(\.id) == [name, name + 8, name + 16] && guests.allSatisfy { $0.name == "t\(name)" })
            }
            await tenants.close()
            let closed = await #expect(throws: StorageError.self) { try await tenants.withStore("t1") { _ in } }
            expect(closed?.code == .closed && tenants.open.isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `an unused store is closed, and opened again at its next use`(engine: Engine) async throws {
        try await withFolder { folder in
            let tenants = Self.tenants(engine, folder, model: GuestsBefore.Guest.self, idle: .milliseconds(1))
            try await tenants.withStore("a") { store in
                try await store.insert(GuestsBefore.Guest(id: 1))
                // It is in use, however long that takes.
                try await Task.sleep(for: .milliseconds(50))
                expect(tenants.open, equals: ["a"])
                try await store.insert(GuestsBefore.Guest(id: 2))
            }
            try await eventually { tenants.open.isEmpty }
            try await expect(
                tenants.withStore("a") { store in try await store.select(GuestsBefore.Guest.self).keys() }
                    == [1, 2])
            await tenants.close()
        }
    }

    @Test func `names that could lead out of a folder are refused`() async throws {
        try await withFolder { folder in
            let tenants = Self.tenants(.sqlite, folder, model: GuestsBefore.Guest.self)
            for name in ["", "../a", "a/b", "A", "ä", "a b", "a.db", "a\0", String(repeating: "a", count: 49)] {
                let error = await #expect(throws: StorageError.self) { try await tenants.withStore(name) { _ in } }
                expect(error?.code, equals: .invalidValue)
            }
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            expect(files.isEmpty)
        }
    }

    @Test func `where all stores are in use a call waits, and is busy in the end`() async throws {
        try await withFolder { folder in
            let tenants = Self.tenants(
                .sqlite, folder, model: GuestsBefore.Guest.self, open: 1, timeout: .milliseconds(20))
            try await tenants.withStore("a") { _ in
                let error = await #expect(throws: StorageError.self) { try await tenants.withStore("b") { _ in } }
                expect(error?.code, equals: .busy)
                // The same store is no other one.
                try await tenants.withStore("a") { store in try await store.insert(GuestsBefore.Guest(id: 1)) }
            }
            try await tenants.withStore("b") { store in try await store.insert(GuestsBefore.Guest(id: 1)) }
            expect(tenants.open, equals: ["b"])
            await tenants.close()
        }
    }

    @Test func `many more stores than a program has threads are closed at once`() async throws {
        var options = Tenants.Options()
        (options.maximumOpen, options.idleTime) = (600, .seconds(86_400))
        let tenants = Tenants(models: [GuestsBefore.Guest.self], options: options) { _ in InMemoryBackend() }
        for name in 0..<600 { try await tenants.withStore("t\(name)") { _ in } }
        expect(tenants.open.count, equals: 600)
        await tenants.close()
        expect(tenants.open.isEmpty)
    }

    @Test(arguments: Engine.allCases)
    func `a tenant whose file is replaced is opened again`(engine: Engine) async throws {
        try await withFolder { folder in
            let tenants = Self.tenants(engine, folder, model: GuestsBefore.Guest.self)
            for name in ["a", "b"] {
                try await tenants.withStore(name) { store in
                    try await store.insert(GuestsBefore.Guest(id: 1, name: name))
                }
            }
            await tenants.close("a")
            await tenants.close("b")
            let end = engine == .sqlite ? "db" : "karch"
            let (old, new) = (folder.appending(path: "a.\(end)"), folder.appending(path: "b.\(end)"))
            try FileManager.default.removeItem(at: old)
            try FileManager.default.moveItem(at: new, to: old)
            let guest = try await tenants.withStore("a") { store in
                try await store.find(GuestsBefore.Guest.self, key: 1)
            }
            expect(guest?.name, equals: "b")
            await tenants.close()
        }
    }

    private final class Told: Sendable { let counts = Mutex<[String]>([]) }

    @Test(arguments: Engine.allCases)
    func `a migration goes on past a store that fails, and from where it was ended`(engine: Engine) async throws {
        try await withFolder { folder in
            let names = (0..<12).map { "t\($0)" }
            let old = Self.tenants(engine, folder, model: GuestsBefore.Guest.self)
            for name in names {
                try await old.withStore(name) { store in try await store.insert(GuestsBefore.Guest(id: 1, name: name)) }
            }
            await old.close()
            let damaged = folder.appending(path: "t2.\(engine == .sqlite ? "db" : "karch")")
            let whole = try Data(contentsOf: damaged)
            try Data("this is no store, and of no length of one".utf8).write(to: damaged)

            let new = Self.tenants(engine, folder, model: GuestsNow.Guest.self, open: 2)
            let told = Told()
            let first = Task {
                await new.migrate(names, atOnce: 1) { migration in
                    told.counts.withLock { $0.append("\(migration.count)+\(migration.failures.count)") }
                    // As if the program were ended.
                    if migration.count == 4 { withUnsafeCurrentTask { $0?.cancel() } }
                }
            }
            let ended = await first.value
            expect(ended.count == 4 && ended.failures.map(\.tenant) == ["t2"] && ended.remaining == Array(names[5...]))
            expect(told.counts.withLock { $0 }, equals: ["1+0", "2+0", "2+1", "3+1", "4+1"])
            expect(!ended.isComplete && new.open.isEmpty)

            let rest = await new.migrate(ended.remaining)
            expect(rest.isComplete && rest.count == 7)
            try whole.write(to: damaged)
            // All again, of which one is not as it is declared.
            let again = await new.migrate(names)
            expect(again.isComplete && again.count == 12)
            for name in names {
                let guest = try await new.withStore(name) { store in try await store.find(GuestsNow.Guest.self, key: 1)
                }
                expect(guest, equals: GuestsNow.Guest(id: 1, name: name, nights: 1))
            }
            await new.close()
        }
    }
}
