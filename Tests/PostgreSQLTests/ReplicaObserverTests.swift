import Foundation
import PostgreSQLBackend
import StorageKit
import Synchronization
import TestSupport
import Testing

@Suite(
    "Observers of a store that was opened on a replica", .enabled(if: Server.isThere, "no server"))
struct ReplicaObserverTests {
    /// A server and its replicas, a store that writes, and an address that leads to one replica at a time.
    private struct Servers {
        let primary: String
        let replicas: [String]
        let proxy: CuttingProxy
        let writer: Store
        let url: String
        fileprivate let link: URL

        /// Lets the replica stay where it is, or go on.
        func pause(_ replica: Int, _ isPaused: Bool) async throws {
            try await Server.pauseReplay(isPaused, at: replicas[replica])
        }

        /// Leads new connections to the replica.
        func lead(to replica: Int) async throws {
            let (folder, port) = try await ReplicaObserverTests.socketAddress(replicas[replica])
            let new = link.appendingPathExtension("new")
            try FileManager.default.createSymbolicLink(
                atPath: new.path, withDestinationPath: "\(folder)/.s.PGSQL.\(port)")
            guard rename(new.path, link.path) == 0 else { throw POSIXError(.EIO) }
        }
    }

    private static func socketAddress(_ address: String) async throws -> (folder: String, port: String) {
        let folder = try await Server.psql(
            "SELECT split_part(current_setting('unix_socket_directories'), ',', 1)", at: address)
        return (folder, try await Server.psql("SELECT current_setting('port')", at: address))
    }

    private static func withServers(
        _ replicas: Int = 1, timeout: Int = 60_000, _ body: (Servers) async throws -> Void
    ) async throws {
        try await OwnServer.with(replicas: replicas) { own in
            // Short, since the path of a socket is.
            let link = URL(filePath: "/tmp/replica-\(UUID().uuidString.prefix(8))")
            defer { try? FileManager.default.removeItem(at: link) }
            let proxy = try CuttingProxy(to: link.path)
            defer { proxy.stop() }
            let writer = try await Store(
                PostgreSQLBackend(url: StorageURL("\(own.addresses[0])&schema=app")), models: Pen.self)
            try await writer.insert(Pen(id: 1))
            let written = try await Server.psql("SELECT pg_current_wal_insert_lsn()", at: own.addresses[0])
            for replica in own.addresses.dropFirst() {
                try await Server.replay(to: written, at: replica)
            }
            let url = "postgresql://storage@127.0.0.1:\(proxy.port)/postgres?schema=app&timeout=\(timeout)"
            let servers = Servers(
                primary: own.addresses[0], replicas: Array(own.addresses.dropFirst()), proxy: proxy, writer: writer,
                url: url, link: link)
            try await servers.lead(to: 0)
            try await body(servers)
            try await writer.close()
        }
    }

    /// The results that an observer has received.
    private final class Received: Sendable {
        let keys = Mutex<[[Int]]>([])
        let error = Mutex<StorageError?>(nil)

        /// Waits until the observer has this result.
        func wait(for last: [Int]) async throws {
            try await eventually { keys.withLock { $0.last } == last || error.withLock { $0 != nil } }
            expect(keys.withLock { $0.last }, equals: last, "\(String(describing: error.withLock { $0 }))")
        }
    }

    /// Observes until the store is closed.
    private static func observe(_ store: Store) -> (Received, Task<Void, Never>) {
        let received = Received()
        let task = Task {
            do throws(StorageError) {
                for try await pens in store.select(Pen.self).values() {
                    received.keys.withLock { $0.append(pens.map(\.id)) }
                }
            } catch {
                received.error.withLock { $0 = error }
            }
        }
        return (received, task)
    }

    @Test func `values have each commit of the primary, and none before the replica shows it`() async throws {
        try await Self.withServers { servers in
            let store = try await Store(PostgreSQLBackend(url: StorageURL(servers.url)), models: Pen.self)
            expect(store.info.lacking[.foreignCommits] == nil && store.info.lacking[.writing] != nil)
            let (received, task) = Self.observe(store)
            try await received.wait(for: [1])
            for id in 2...6 {
                try await servers.writer.insert(Pen(id: id))
                try await received.wait(for: Array(1...id))
            }
            try await servers.writer.delete(Pen.self, key: 6)
            try await received.wait(for: Array(1...5))
            try await servers.pause(0, true)
            let before = received.keys.withLock { $0.count }
            try await servers.writer.insert(Pen(id: 7))
            for _ in 0..<3 { try await store.refresh() }
            expect(received.keys.withLock { $0.count }, equals: before)
            try await expect(store.find(Pen.self, key: 7) == nil)
            try await servers.pause(0, false)
            try await received.wait(for: Array(1...5) + [7])
            // Each element differs from the one before, whatever else the log has.
            let all = received.keys.withLock { $0 }
            expect(zip(all, all.dropFirst()).allSatisfy { $0 != $1 })
            try await store.close()
            await task.value
        }
    }

    @Test func `the feed of changes says that others have committed, and a refresh returns when it has`() async throws {
        try await Self.withServers { servers in
            let store = try await Store(PostgreSQLBackend(url: StorageURL(servers.url)), models: Pen.self)
            var changes = store.changes().makeAsyncIterator()
            var values = store.select(Pen.self).values().makeAsyncIterator()
            try await expect(values.next()?.count, equals: 1)
            for id in 2...4 {
                try await servers.writer.insert(Pen(id: id))
                try await eventually { try await store.find(Pen.self, key: id) != nil }
                try await store.refresh()
                try await expect(values.next()?.count, equals: id)
            }
            guard case .gap? = try await changes.next() else {
                Issue.record("a commit of another process without a gap")
                return
            }
            try await store.close()
        }
    }

    @Test func `an observer survives that its replica is away, and has what was committed meanwhile`() async throws {
        try await Self.withServers { servers in
            let store = try await Store(PostgreSQLBackend(url: StorageURL(servers.url)), models: Pen.self)
            let (received, task) = Self.observe(store)
            try await received.wait(for: [1])
            servers.proxy.refuse(true)
            // Both connections end: the one that looks at the log and the one that reads.
            let end =
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
            try await Server.psql(end, at: servers.replicas[0])
            try await servers.writer.insert(Pen(id: 2))
            try await eventually { servers.proxy.refused > 0 }
            expect(received.error.withLock { $0 } == nil)
            servers.proxy.refuse(false)
            try await received.wait(for: [1, 2])
            try await servers.writer.insert(Pen(id: 3))
            try await received.wait(for: [1, 2, 3])
            try await store.close()
            await task.value
        }
    }

    @Test func `behind a balancer an observer reads until the replica that answers has what the other has shown`()
        async throws
    {
        try await Self.withServers(2) { servers in
            // The one connection that reads is to the first replica, and the one that looks to the second.
            let url = servers.url + "&connections=1"
            let store = try await Store(PostgreSQLBackend(url: StorageURL(url)), models: Pen.self)
            try await expect(store.select(Pen.self).keys(), equals: [1])
            try await servers.lead(to: 1)
            let (received, task) = Self.observe(store)
            try await received.wait(for: [1])
            try await servers.pause(0, true)
            try await servers.writer.insert(Pen(id: 2))
            let shown = "SELECT count(*) FROM app.\"Pen\""
            try await eventually { try await Server.psql(shown, at: servers.replicas[1]) == "2" }
            // It has looked at the second, and has read from the first.
            for _ in 0..<3 { try await store.refresh() }
            expect(received.keys.withLock { $0 }, equals: [[1]])
            try await servers.pause(0, false)
            try await received.wait(for: [1, 2])
            try await store.close()
            await task.value
        }
    }

    @Test func `an observer of a store with replicas survives that its replica goes away`() async throws {
        try await Self.withServers { servers in
            let url = "\(servers.primary)&schema=app&replicas=127.0.0.1:\(servers.proxy.port)"
            let store = try await Store(PostgreSQLBackend(url: StorageURL(url)), models: Pen.self)
            let (received, task) = Self.observe(store)
            try await received.wait(for: [1])
            expect(servers.proxy.connections > 0)
            try await servers.writer.insert(Pen(id: 2))
            try await received.wait(for: [1, 2])
            servers.proxy.refuse(true)
            servers.proxy.cut(.afterAnswer(1))
            for id in 3...5 {
                try await servers.writer.insert(Pen(id: id))
                try await received.wait(for: Array(1...id))
            }
            expect(servers.proxy.count, equals: 1)
            try await store.close()
            await task.value
        }
    }
}
