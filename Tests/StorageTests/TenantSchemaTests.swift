import Dispatch
import Foundation
import StorageKit
import StorageTenants
import Synchronization
import TestSupport
import Testing

/// Programs that change a store's tables while another one moves it.
@Suite("Tenants whose schema changes during a move")
struct TenantSchemaTests {
    typealias Visit = Servers.Visit

    private final class OwnThread: TaskExecutor {
        private let queue = DispatchQueue(label: "tests.move")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    private final class Copied: Sendable {
        private let tables = Mutex(0)
        var count: Int { tables.withLock { $0 } }

        func next() -> Int {
            tables.withLock {
                $0 += 1
                return $0
            }
        }
    }

    /// Moves a tenant, and runs a body after the copy of a table. A later table's copy can cancel the move.
    ///
    /// - Returns: the number of tables that were copied beside writers, and whether the move was cancelled.
    private static func move(
        _ name: String, by tenants: Tenants, after table: Int, cancelling last: Int? = nil,
        _ body: () async throws -> Void
    ) async throws -> (copied: Int, wasCancelled: Bool) {
        let (reached, go, copied) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0), Copied())
        let moving = Task(executorPreference: OwnThread()) {
            defer { reached.continuation.finish() }
            try await tenants.move(name, to: "second") { progress in
                guard progress.step == .copying else { return }
                let number = copied.next()
                if number == last { withUnsafeCurrentTask { $0?.cancel() } }
                guard number == table else { return }
                reached.continuation.yield()
                go.wait()
            }
        }
        for await _ in reached.stream {
            do { try await body() } catch {
                go.signal()
                throw error
            }
            go.signal()
        }
        do { _ = try await moving.value } catch {
            expect(error is CancellationError || (error as? StorageError)?.code == .cancelled, "\(name): \(error)")
            return (copied.count, true)
        }
        return (copied.count, false)
    }

    /// The properties that the model loses: the index of its texts, a unique property, and a list with a table of its own.
    @Test(arguments: ["text", "code", "pens"])
    func `a store moves while another program removes a property after the copy of any table`(
        property: String
    ) async throws {
        try await withFolder { folder in
            let servers = try await Servers(folder)
            try await servers.program(history: true) { tenants in
                let directory = try #require(tenants.directory)
                var tables = 10
                var table = 1
                while table <= tables {
                    let name = "t\(table)"
                    try await directory.add(name) { _ in "first" }
                    try await tenants.withStore(name) { store in
                        try await store.insert((1...20).map { Visit(id: $0, text: "a", pens: [.init(color: "red")]) })
                    }
                    let moved = try await Self.move(name, by: tenants, after: table) {
                        try await Self.remove(property, of: name, servers)
                    }
                    tables = min(tables, moved.copied)
                    try await Self.expectMoved(name, without: property, servers)
                    table += 1
                }
                expect(table > 5)
            }
        }
    }

    @Test func `a move that is cancelled after a change of the schema leaves a place that opens, and goes on`()
        async throws
    {
        try await withFolder { folder in
            let servers = try await Servers(folder)
            try await servers.program(history: true) { tenants in
                let directory = try #require(tenants.directory)
                var (wasCancelled, last) = (true, 4)
                while wasCancelled {
                    let name = "t\(last)"
                    try await directory.add(name) { _ in "first" }
                    try await tenants.withStore(name) { store in
                        try await store.insert((1...1_100).map { Visit(id: $0, text: "a") })
                    }
                    wasCancelled = try await Self.move(name, by: tenants, after: 3, cancelling: last) {
                        try await Self.remove("text", of: name, servers)
                    }.wasCancelled
                    if wasCancelled {
                        let place = try await servers.store(name, on: "second")
                        await expectError(.moved) { try await place.truncate("Visit") }
                        try await place.close()
                        try await tenants.move(name, to: "second")
                    }
                    try await Self.expectMoved(name, without: "text", servers)
                    last += TestExtent.step(2)
                }
                expect(last > 10)
            }
        }
    }

    private static func remove(_ property: String, of name: String, _ servers: Servers) async throws {
        let store = try await servers.store(name, on: "first")
        let visit = try #require(try await store.recordSchemas().first { $0.name == "Visit" })
        let rest = visit.properties.filter { $0.name != property }
        try await store.migrate(to: [RecordSchema(name: "Visit", properties: rest)])
        try await store.close()
    }

    private static func expectMoved(_ name: String, without property: String, _ servers: Servers) async throws {
        let old = try await servers.store(name, on: "first")
        let new = try await servers.store(name, on: "second")
        let schemas = try await new.recordSchemas()
        try await expect(schemas, equals: old.recordSchemas(), "\(name)")
        expect(schemas.first?.properties.contains { $0.name == property } == false, "\(name)")
        try await expect(new.digest(of: "Visit"), equals: old.digest(of: "Visit"), "\(name)")
        try await new.verify { problem in Issue.record("\(name): \(problem)") }
        for store in [old, new] { try await store.close() }
    }
}
