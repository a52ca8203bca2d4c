import ArchiveBackend
import Foundation
import SQLiteBackend
import StorageKit
import StorageTenants
import Synchronization
import TestSupport
import Testing

@Suite("Tenants of a directory")
struct TenantMoveTests {
    typealias Visit = Servers.Visit

    @Test func `new tenants are placed where the fewest are, or by a rule`() async throws {
        try await withFolder { folder in
            let servers = try await Servers(folder)
            try await servers.program { tenants in
                let directory = try #require(tenants.directory)
                for number in 0..<6 { try await directory.add("t\(number)") }
                try await expect(directory.servers().map(\.tenants), equals: [2, 2, 2])
                let entry = try await directory.add("large") { servers in servers.last?.name }
                expect(entry.server, equals: "third")
                expect(entry.address.hasSuffix("/third/large.store?durability=relaxed"))
                await expectError(.duplicateKey) { try await directory.add("large") }
                await expectError(.notFound) { try await directory.add("more") { _ in "fourth" } }
                await expectError(.notFound) { try await tenants.withStore("more") { _ in } }
                await expectError(.invalidValue) { try await directory.add("../more") }
                await expectError(.configuration) {
                    try await directory.setServer("a", at: "postgresql://app:secret@db/people?schema={tenant}")
                }
                await expectError(.configuration) { try await directory.setServer("a", at: "sqlite:/srv/a.db") }
                await expectError(.configuration) { try await directory.add("more", at: "sqlite:a.db?password=secret") }
                let second = try #require(try await directory.servers().first { $0.name == "second" })
                try await directory.setServer("second", at: second.address, takesTenants: false)
                for number in 6..<9 { try await expect(directory.add("t\(number)").server != "second") }
                try await directory.remove("large")
                await expectError(.notFound) { try await tenants.withStore("large") { _ in } }
                try await expect(directory.tenants().map(\.tenant), equals: (0..<9).map { "t\($0)" })
            }
        }
    }

    @Test(arguments: [["sqlite", "sqlite"], ["sqlite", "archive"], ["archive", "sqlite"]])
    func `a moved store has its records, history, tokens and search, and the old place says where it is`(
        schemes: [String]
    ) async throws {
        try await withFolder { folder in
            let servers = try await Servers(folder, schemes: schemes)
            try await servers.program(history: true) { tenants in
                let directory = try #require(tenants.directory)
                try await directory.add("acme") { _ in "first" }
                let token = try await tenants.withStore("acme") { store in
                    try await store.insert(
                        (1...300).map { Visit(text: "visit \($0)", code: "c\($0)", pens: [.init(color: "red")]) })
                    try await store.delete(Visit.self, key: 300)
                    let token = try await store.historyToken()
                    try await store.save(Visit(id: 7, text: "changed", code: "c7"))
                    return token
                }
                let before = try await tenants.withStore("acme") { store in try await store.digest(of: "Visit") }
                let steps = Steps()
                let entry = try await tenants.move("acme", to: "second") { progress in
                    if progress.step != .copying { steps.all.withLock { $0.append(progress.step) } }
                }
                expect(steps.all.withLock { $0 }, equals: Tenants.MoveProgress.Step.allCases.filter { $0 != .copying })
                expect(entry.server == "second" && entry.version == 1 && entry.move == nil)
                try await tenants.withStore("acme") { store in
                    try await expect(store.digest(of: "Visit"), equals: before)
                    var changed: [Int] = []
                    for try await change in store.history(of: Visit.self, since: token) {
                        changed.append(change.key ?? 0)
                    }
                    expect(changed, equals: [7])
                    try await expect(store.select(Visit.self).where { $0.text.matches("changed") }.keys(), equals: [7])
                    try await expect(store.select(Visit.self).where { $0.text.matches("visit") }.count(), equals: 298)
                    await expectError(.constraint) { try await store.insert(Visit(code: "c1")) }
                    // The greatest key is not assigned again.
                    try await expect(store.insert(Visit(text: "new")).id, equals: 301)
                    try await store.undo(store.historyStatus()?.lastCommit ?? 0)
                    try await store.verify { problem in Issue.record("\(problem)") }
                }
                let old = try await servers.store("acme", on: "first", scheme: schemes[0])
                let error = await expectError(.moved) { try await old.truncate("Visit") }
                expect(error?.address, equals: entry.address)
                try await expect(old.digest(of: "Visit"), equals: before)
                try await old.close()
                // Back again, over what the first move has left.
                try await tenants.move("acme", to: "first")
                try await tenants.withStore("acme") { store in
                    try await expect(store.select(Visit.self).count(), equals: 299)
                }
                await expectError(.notFound) { try await tenants.move("acme", to: "fourth") }
            }
        }
    }

    @Test func `a store that no move has closed is not written over`() async throws {
        try await withFolder { folder in
            let servers = try await Servers(folder)
            let other = try await servers.store("acme", on: "second")
            try await other.prepare([
                RecordSchema(name: "Other", properties: [.init(name: "id", kind: .column(.int64))])
            ])
            try await servers.program { tenants in
                try await tenants.directory?.add("acme") { _ in "first" }
                try await tenants.withStore("acme") { store in try await store.insert(Visit(id: 1)) }
                await expectError(.constraint) { try await tenants.move("acme", to: "second") }
                try await tenants.cancelMove(of: "acme")
                try await tenants.move("acme", to: "third")
            }
            try await expect(other.recordSchemas().map(\.name), equals: ["Other"])
            try await other.close()
        }
    }

    @Storable fileprivate struct Later {
        var id: Int
    }

    private final class Work: Sendable {
        let isOver = Mutex(false)
        let written = Mutex(0)
    }
    private final class Steps: Sendable { let all = Mutex<[Tenants.MoveProgress.Step]>([]) }
    private final class Copied: Sendable {
        let tables = Mutex(0)

        func next() -> Int {
            tables.withLock {
                $0 += 1
                return $0
            }
        }
    }
    private struct Stop: Error {}

    /// The places that take a write now, which is stored.
    private static func writable(_ servers: Servers, _ id: Int) async throws -> [String] {
        var places: [String] = []
        for name in ["first", "second"] {
            // A place that the move has not made yet takes no part.
            guard FileManager.default.fileExists(atPath: servers.folder.path + "/\(name)/acme.store") else { continue }
            let store = try await servers.store("acme", on: name)
            let (isEmpty, fence) = (try await store.schema().isEmpty, try await store.fence())
            if isEmpty, fence == nil { continue }
            do {
                let fields =
                    [DynamicRecord.Field(name: "id", content: .value(.int(Int64(id)), .int64))]
                    + ["text", "code"].map { .init(name: $0, content: .value(.text("\(name) \(id)"), .string)) }
                try await store.save(DynamicRecord(model: "Visit", fields: fields))
                places.append(name)
            } catch {
                expect(error.code == .moved, "\(error)")
            }
            try await store.close()
        }
        return places
    }

    @Test(arguments: Tenants.MoveProgress.Step.allCases)
    func `a move that ends at any step leaves at most one place that takes writes, and goes on`(
        step: Tenants.MoveProgress.Step
    ) async throws {
        try await withFolder { folder in
            let servers = try await Servers(folder)
            try await servers.program { tenants in
                try await tenants.directory?.add("acme") { _ in "first" }
                try await tenants.withStore("acme") { store in
                    try await store.insert((1...50).map { (id: Int) in Visit(id: id, text: "a", code: "c\(id)") })
                }
            }
            await #expect(throws: Stop.self) {
                try await servers.program { tenants in
                    try await tenants.move("acme", to: "second") { if $0.step == step { throw Stop() } }
                }
            }
            let places = try await Self.writable(servers, 1_000)
            let expected: [String] =
                switch step {
                case .began, .prepared, .copying, .copied: ["first"]
                case .closed, .compared, .switching: []
                case .opened, .switched, .finished: ["second"]
                }
            expect(places, equals: expected)
            try await servers.program { tenants in
                // A program that knows of no move reads the one place that the directory names.
                try await tenants.withStore("acme") { store in
                    try await expect(store.select(Visit.self).where { $0.id <= 50 }.count(), equals: 50)
                }
                let entry = try await tenants.move("acme", to: "second")
                expect(entry.server == "second" && entry.version == 1 && entry.move == nil)
                try await tenants.withStore("acme") { store in
                    try await expect(store.select(Visit.self).count(), equals: 50 + places.count)
                    try await store.insert(Visit(id: 2_000))
                }
            }
            try await expect(Self.writable(servers, 3_000), equals: ["second"])
        }
    }

    @Test(arguments: [["sqlite", "sqlite"], ["sqlite", "archive"], ["archive", "sqlite"]])
    func `a move that is cancelled after any table of the copy leaves a place that opens, and goes on`(
        schemes: [String]
    ) async throws {
        try await withFolder { folder in
            let servers = try await Servers(folder, schemes: schemes)
            try await servers.program(history: true) { tenants in
                let directory = try #require(tenants.directory)
                var wasCancelled = true
                var table = 1
                while wasCancelled {
                    let name = "t\(table)"
                    try await directory.add(name) { _ in "first" }
                    try await tenants.withStore(name) { store in
                        try await store.insert((1...20).map { Visit(id: $0, text: "a") })
                    }
                    let copied = Copied()
                    let moving = Task { [table] in
                        try await tenants.move(name, to: "second") { progress in
                            guard progress.step == .copying, copied.next() == table else { return }
                            withUnsafeCurrentTask { $0?.cancel() }
                        }
                    }
                    do {
                        _ = try await moving.value
                        wasCancelled = false
                    } catch {
                        expect(copied.tables.withLock { $0 } >= table, "\(error)")
                        let place = try await servers.store(name, on: "second", scheme: schemes[1])
                        await expectError(.moved) { try await place.truncate("Visit") }
                        try await place.close()
                        try await tenants.move(name, to: "second")
                    }
                    try await tenants.withStore(name) { store in
                        try await expect(store.select(Visit.self).where { $0.text.matches("a") }.count(), equals: 20)
                        try await store.insert(Visit(id: 100))
                    }
                    table += 1
                }
                expect(table > 10)
            }
        }
    }

    @Test(arguments: Tenants.MoveProgress.Step.allCases)
    func `a move is given up until the new place takes over`(step: Tenants.MoveProgress.Step) async throws {
        try await withFolder { folder in
            let servers = try await Servers(folder)
            try await servers.program { tenants in
                try await tenants.directory?.add("acme") { _ in "first" }
                try await tenants.withStore("acme") { store in try await store.insert(Visit(id: 1)) }
                _ = try? await tenants.move("acme", to: "second") { if $0.step == step { throw Stop() } }
            }
            try await servers.program { tenants in
                switch step {
                case .switching, .opened, .switched:
                    await expectError(.conflict) { try await tenants.cancelMove(of: "acme") }
                    await expectError(.conflict) { try await tenants.move("acme", to: "third") }
                case .finished: try await expect(Self.writable(servers, 2), equals: ["second"])
                default:
                    await expectError(.conflict) { try await tenants.move("acme", to: "third") }
                    await expectError(.conflict) { try await tenants.directory?.remove("acme") }
                    try await tenants.cancelMove(of: "acme")
                    try await expect(Self.writable(servers, 2), equals: ["first"])
                    try await expect(tenants.move("acme", to: "third").server, equals: "third")
                }
            }
        }
    }

    @Test func `a move is given up by a program whose models the closed place does not have yet`() async throws {
        try await withFolder { folder in
            let servers = try await Servers(folder)
            try await servers.program { tenants in
                try await tenants.directory?.add("acme") { _ in "first" }
                try await tenants.withStore("acme") { store in try await store.insert(Visit(id: 1)) }
                _ = try? await tenants.move("acme", to: "second") { if $0.step == .closed { throw Stop() } }
            }
            let directory = try await servers.directory()
            let newer = Servers.tenants(directory, models: [Visit.self, Later.self])
            try await newer.cancelMove(of: "acme")
            try await newer.withStore("acme") { store in
                try await store.insert(Later(id: 1))
                try await store.insert(Visit(id: 2))
            }
            await newer.close()
            try await directory.close()
            try await expect(Self.writable(servers, 3), equals: ["first"])
        }
    }

    @Test func `giving up where no move is opens a closed place, and leaves no move`() async throws {
        try await withFolder { folder in
            let servers = try await Servers(folder)
            try await servers.program { tenants in
                try await tenants.directory?.add("acme") { _ in "first" }
                try await tenants.withStore("acme") { store in
                    try await store.insert(Visit(id: 1))
                    try await store.setFence(.init(move: "a program that has ended"))
                }
                try await tenants.cancelMove(of: "acme")
                try await expect(tenants.directory?.entry(of: "acme").move, equals: nil)
            }
            try await expect(Self.writable(servers, 2), equals: ["first"])
        }
    }

    @Test func `programs that write during a move lose nothing that they were told is stored`() async throws {
        try await withFolder { folder in
            let servers = try await Servers(folder)
            let (first, second) = (try await servers.directory(), try await servers.directory())
            try await first.add("acme") { _ in "first" }
            let programs = [Servers.tenants(first), Servers.tenants(second)]
            try await programs[0].withStore("acme") { store in
                try await store.insert((0..<2_000).map { Visit(id: 100_000 + $0, text: "old") })
            }
            let work = Work()
            try await withThrowingTaskGroup(of: Int.self) { group in
                for (place, tenants) in programs.enumerated() {
                    for task in 0..<2 {
                        group.addTask {
                            var count = 0
                            while !work.isOver.withLock({ $0 }) {
                                let id = place * 50_000 + task * 25_000 + count
                                try await tenants.withStore("acme", repeating: true) { store in
                                    try await store.insert(Visit(id: id, text: "new", code: "n\(id)"))
                                }
                                count += 1
                                work.written.withLock { $0 += 1 }
                            }
                            return count
                        }
                    }
                }
                for target in ["second", "third", "first"] {
                    let before = work.written.withLock { $0 }
                    try await eventually { work.written.withLock { $0 } > before + 20 }
                    try await programs[0].move("acme", to: target)
                }
                let before = work.written.withLock { $0 }
                try await eventually { work.written.withLock { $0 } > before + 20 }
                work.isOver.withLock { $0 = true }
                let count = try await group.reduce(0, +)
                for tenants in programs {
                    try await tenants.withStore("acme") { store in
                        try await expect(store.select(Visit.self).count(), equals: 2_000 + count)
                    }
                }
            }
            for tenants in programs { await tenants.close() }
            for directory in [first, second] { try await directory.close() }
        }
    }

    @Test func `a server that is away stops its own tenants alone`() async throws {
        try await withFolder { folder in
            let servers = try await Servers(folder)
            try await servers.program { tenants in
                let directory = try #require(tenants.directory)
                for number in 0..<6 { try await directory.add("t\(number)") }
                for number in 0..<6 {
                    try await tenants.withStore("t\(number)") { store in try await store.insert(Visit(id: number)) }
                }
            }
            try FileManager.default.removeItem(at: folder.appending(path: "second"))
            try await servers.program { tenants in
                let migration = try await tenants.migrate(stoppingAfter: 100)
                expect(migration.failures.map(\.tenant).sorted(), equals: ["t1", "t4"])
                expect(migration.count == 4 && migration.remaining.isEmpty)
                for number in [0, 2, 3, 5] {
                    try await tenants.withStore("t\(number)") { store in try await store.insert(Visit(id: 10)) }
                }
                await #expect(throws: StorageError.self) { try await tenants.move("t1", to: "first") }
                try await tenants.move("t0", to: "third")
            }
        }
    }
}
