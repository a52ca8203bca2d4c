import Foundation
import PostgreSQLBackend
import SQLiteBackend
import StorageKit
import StorageTenants
import Synchronization
import TestSupport
import Testing

@Suite(
    "Tenants of a directory on PostgreSQL", .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql")
)
struct TenantDirectoryTests {
    typealias Guest = GuestsBefore.Guest

    /// Runs a body with a program: three servers, each a prefix of schemas, and the directory in one more.
    private static func program<T>(
        _ prefix: String, _ body: (Tenants, TenantDirectory) async throws -> T
    ) async throws -> T {
        let url = "\(Server.url ?? "")&durability=relaxed&timeout=60000"
        let directory = try await TenantDirectory(
            url: "\(url)&schema=\(prefix)_dir", backends: [PostgreSQLBackend.self])
        for name in ["a", "b", "c"] {
            try await directory.setServer(name, at: "\(url)&schema=\(prefix)_\(name)_{tenant}")
        }
        var options = Tenants.Options()
        (options.idleTime, options.timeout) = (.seconds(86_400), .seconds(600))
        options.store = Store.Options(history: .init(records: [Guest.self]))
        let databases = PostgreSQLDatabases()
        let tenants = Tenants(directory: directory, models: [Guest.self], options: options) { entry in
            if entry.address.hasPrefix("sqlite:") { return try SQLiteBackend(url: StorageURL(entry.address)) }
            return try databases.backend(entry.address)
        }
        let result: Result<T, any Error>
        do { result = .success(try await body(tenants, directory)) } catch { result = .failure(error) }
        await tenants.close()
        try await directory.close()
        return try result.get()
    }

    private final class Work: Sendable {
        let isOver = Mutex(false)
        let written = Mutex(0)
        let longest = Mutex(Duration.zero)
    }
    private final class Times: Sendable { let all = Mutex<[ContinuousClock.Instant]>([]) }

    @Test func `a tenant moves between servers while two programs write, and nothing acknowledged is lost`()
        async throws
    {
        try await TenantTests.withPrefix { prefix in
            try await Self.program(prefix) { first, directory in
                try await directory.add("acme") { _ in "a" }
                let count = TestExtent.isLarge ? 100_000 : 3_000
                try await first.withStore("acme") { store in
                    try await store.insert((0..<count).map { Guest(name: "g\($0)") })
                }
                try await Self.program(prefix) { second, _ in
                    let work = Work()
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for tenants in [first, second] {
                            group.addTask {
                                while !work.isOver.withLock({ $0 }) {
                                    let start = ContinuousClock.now
                                    try await tenants.withStore("acme", repeating: true) { store in
                                        try await store.insert(Guest(name: "new", pens: [Pen(id: 1)]))
                                    }
                                    work.written.withLock { $0 += 1 }
                                    work.longest.withLock { $0 = max($0, ContinuousClock.now - start) }
                                }
                            }
                        }
                        for target in ["b", "c"] {
                            let before = work.written.withLock { $0 }
                            try await eventually { work.written.withLock { $0 } > before + 5 }
                            let times = Times()
                            try await first.move("acme", to: target) { progress in
                                if [.closed, .switched].contains(progress.step) {
                                    times.all.withLock { $0.append(.now) }
                                }
                            }
                            let closed = times.all.withLock { $0.count == 2 ? $0[1] - $0[0] : .zero }
                            print("\(count) records moved; closed to writers for \(closed)")
                        }
                        work.isOver.withLock { $0 = true }
                        try await group.waitForAll()
                    }
                    print("the longest write took \(work.longest.withLock { $0 })")
                    for tenants in [first, second] {
                        try await tenants.withStore("acme") { store in
                            let expected = count + work.written.withLock { $0 }
                            try await expect(store.select(Guest.self).count(), equals: expected)
                            try await store.verify { problem in Issue.record("\(problem)") }
                        }
                    }
                }
            }
        }
    }

    @Test func `a tenant moves from a file to a server, with the tokens of its history`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "storage-tenants-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await TenantTests.withPrefix { prefix in
            try await Self.program(prefix) { tenants, directory in
                try await directory.add("acme", at: "sqlite:\(folder.path)/acme.db?durability=relaxed")
                let token = try await tenants.withStore("acme") { store in
                    let token = try await store.historyToken()
                    try await store.insert((1...100).map { Guest(name: "g\($0)", pens: [Pen(id: $0)]) })
                    try await store.delete(Guest.self, key: 100)
                    return token
                }
                let digest = try await tenants.withStore("acme") { store in try await store.digest(of: "Guest") }
                try await tenants.move("acme", to: "b")
                try await tenants.withStore("acme") { store in
                    expect(store.info.name, equals: PostgreSQLBackend.scheme)
                    try await expect(store.digest(of: "Guest"), equals: digest)
                    var entries = 0
                    for try await _ in store.history(since: token) { entries += 1 }
                    expect(entries, equals: 101)
                    try await expect(store.insert(Guest(name: "next")).id, equals: 101)
                }
            }
        }
    }

    @Test func `a move to a server that is cancelled after the copy of any table goes on`() async throws {
        try await TenantTests.withPrefix { prefix in
            try await Self.program(prefix) { tenants, directory in
                var (wasCancelled, table) = (true, 1)
                while wasCancelled {
                    let name = "t\(table)"
                    try await directory.add(name) { _ in "a" }
                    try await tenants.withStore(name) { store in
                        try await store.insert((1...20).map { Guest(name: "g\($0)", pens: [Pen(id: $0)]) })
                        try await store.delete(Guest.self, key: 20)
                    }
                    let copied = Counter()
                    let moving = Task { [table] in
                        try await tenants.move(name, to: "b") { progress in
                            guard progress.step == .copying else { return }
                            copied.add()
                            if copied.value == table { withUnsafeCurrentTask { $0?.cancel() } }
                        }
                    }
                    do {
                        _ = try await moving.value
                        wasCancelled = false
                    } catch {
                        expect(copied.value >= table, "\(error)")
                        try await tenants.move(name, to: "b")
                    }
                    try await tenants.withStore(name) { store in
                        try await expect(store.select(Guest.self).count(), equals: 19)
                        try await expect(store.insert(Guest(name: "next")).id, equals: 21)
                        try await store.verify { problem in Issue.record("\(problem)") }
                    }
                    table += 1
                }
                expect(table > 5)
            }
        }
    }

    @Test func `many tenants on three servers are opened and migrated`() async throws {
        try await TenantTests.withPrefix { prefix in
            let count = TestExtent.isLarge ? 2_000 : 30
            try await Self.program(prefix) { tenants, directory in
                for number in 0..<count { try await directory.add("t\(number)") }
                let made = try await tenants.migrate()
                expect(made.isComplete && made.count == count)
                try await expect(Set(directory.servers().map(\.tenants)).count <= 2)
            }
            try await Self.program(prefix) { tenants, directory in
                for name in ["t0", "t1", "t2"] { try await tenants.withStore(name) { _ in } }
                let start = ContinuousClock.now
                for number in 3..<count { try await tenants.withStore("t\(number)") { _ in } }
                print("\(count) tenants: a store opened in \((ContinuousClock.now - start) / (count - 3))")
            }
        }
    }
}
