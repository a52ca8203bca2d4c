import Dispatch
import Foundation
import SQLiteBackend
import StorageKit
import StorageTenants
import Synchronization
import TestSupport
import Testing

/// Programs that move, remove and look up the same tenants at once.
@Suite("Tenants of a directory that several programs change")
struct TenantProgramTests {
    typealias Visit = Servers.Visit
    typealias Step = Tenants.MoveProgress.Step

    /// Runs the jobs of a task that blocks on a thread that no other task needs.
    private final class OwnThread: TaskExecutor {
        private let queue = DispatchQueue(label: "tests.move")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    @Test func `a move that another program takes over goes on no further`() async throws {
        try await withFolder { folder in
            let servers = try await Servers(folder)
            try await servers.program { tenants in
                try await tenants.directory?.add("acme") { _ in "first" }
                try await tenants.withStore("acme") { store in
                    try await store.insert((1...20).map { Visit(id: $0) })
                }
                for step in [
                    Tenants.MoveProgress.Step.prepared, .copied, .closed, .compared, .switching, .opened, .switched,
                ] {
                    let target = try await tenants.directory?.entry(of: "acme").server == "first" ? "second" : "first"
                    let (reached, go) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
                    let slow = Task(executorPreference: OwnThread()) {
                        try await servers.program { tenants in
                            try await tenants.move("acme", to: target) { progress in
                                guard progress.step == step else { return }
                                reached.continuation.finish()
                                go.wait()
                            }
                        }
                    }
                    for await _ in reached.stream {}
                    try await tenants.move("acme", to: target)
                    try await tenants.withStore("acme") { store in try await store.save(Visit(id: 1, text: "\(step)")) }
                    go.signal()
                    let error = await #expect(throws: StorageError.self) { try await slow.value }
                    expect(error?.code, equals: .conflict, "\(step)")
                    try await tenants.withStore("acme") { store in
                        try await expect(store.select(Visit.self).count(), equals: 20)
                        try await expect(store.find(Visit.self, key: 1)?.text, equals: "\(step)")
                        try await store.save(Visit(id: 2, text: "writable"))
                    }
                }
            }
        }
    }

    @Test(arguments: [Step.switching, .opened, .switched])
    func `a program whose move was finished and followed by another one is told, and opens no place`(
        step: Step
    ) async throws {
        try await withFolder { folder in
            let servers = try await Servers(folder)
            try await servers.program { tenants in
                try await tenants.directory?.add("acme") { _ in "first" }
                try await tenants.withStore("acme") { store in try await store.insert(Visit(id: 1)) }
                let (reached, go) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
                let slow = Task(executorPreference: OwnThread()) {
                    try await servers.program { tenants in
                        try await tenants.move("acme", to: "second") { progress in
                            guard progress.step == step else { return }
                            reached.continuation.finish()
                            go.wait()
                        }
                    }
                }
                for await _ in reached.stream {}
                for target in ["second", "third", "first"] { try await tenants.move("acme", to: target) }
                go.signal()
                let error = await #expect(throws: StorageError.self) { try await slow.value }
                expect(error?.code, equals: .conflict)
                try await tenants.withStore("acme") { store in try await store.insert(Visit(id: 2)) }
                try await expect(tenants.directory?.entry(of: "acme").server, equals: "first")
                for name in ["second", "third"] {
                    let left = try await servers.store("acme", on: name)
                    await expectError(.moved) { try await left.truncate("Visit") }
                    try await left.close()
                }
            }
        }
    }

    @Test(arguments: [["second", "second"], ["second", "third"]])
    func `of two programs that move a tenant at once one wins, and the other is told or comes after it`(
        targets: [String]
    ) async throws {
        try await withFolder { folder in
            let servers = try await Servers(folder)
            try await servers.program { tenants in
                let directory = try #require(tenants.directory)
                for round in 0..<6 {
                    let name = "t\(round)"
                    try await directory.add(name) { _ in "first" }
                    try await tenants.withStore(name) { store in
                        try await store.insert((1...20).map { (number: Int) in Visit(id: number, code: "c\(number)") })
                    }
                    let results = await withTaskGroup(of: Result<String, any Error>.self) { group in
                        for target in targets {
                            group.addTask {
                                do {
                                    return .success(
                                        try await servers.program { try await $0.move(name, to: target) }.server ?? "")
                                } catch {
                                    return .failure(error)
                                }
                            }
                        }
                        return await group.reduce(into: []) { $0.append($1) }
                    }
                    let places = results.compactMap { try? $0.get() }
                    for case .failure(let error) in results {
                        expect((error as? StorageError)?.code == .conflict, "\(error)")
                    }
                    // Both can be told if one has taken the move over just before the other one did.
                    let entry =
                        try await places.isEmpty
                        ? tenants.move(name, to: targets[0]) : #require(directory.tenants().first { $0.tenant == name })
                    expect(places.isEmpty || places.contains(entry.server ?? ""))
                    expect(entry.move == nil, "\(entry)")
                    try await tenants.withStore(name, repeating: true) { store in
                        try await expect(store.select(Visit.self).count(), equals: 20)
                        try await store.insert(Visit(id: 100))
                    }
                    for place in Servers.names where place != entry.server {
                        guard FileManager.default.fileExists(atPath: "\(folder.path)/\(place)/\(name).store") else {
                            continue
                        }
                        let left = try await servers.store(name, on: place)
                        await expectError(.moved) { try await left.truncate("Visit") }
                        try await left.close()
                    }
                }
            }
        }
    }

    // MARK: Lookups

    @Test func `another program's open store follows a move when the directory tells`() async throws {
        try await withFolder { folder in
            let servers = try await Servers(folder)
            let (first, second) = (try await servers.directory(), try await servers.directory())
            let (mover, reader) = (Servers.tenants(first), Servers.tenants(second))
            try await first.add("acme") { _ in "first" }
            try await mover.withStore("acme") { store in try await store.insert(Visit(id: 1)) }
            try await reader.withStore("acme") { store in try await expect(store.find(Visit.self, key: 1) != nil) }
            try await mover.move("acme", to: "second")
            try await mover.withStore("acme") { store in try await store.insert(Visit(id: 2)) }
            try await eventually {
                try await reader.withStore("acme") { store in try await store.find(Visit.self, key: 2) != nil }
            }
            for tenants in [mover, reader] { await tenants.close() }
            for directory in [first, second] { try await directory.close() }
        }
    }

    /// Counts the calls of a store that read.
    private final class Reads: Store.Instrument {
        let count = Mutex(0)

        func begin(_ call: Store.Call) -> (@Sendable (Store.Call.End) -> Void)? {
            if !call.isWriting { count.withLock { $0 += 1 } }
            return nil
        }
    }

    @Test func `a tenant that another program removes and adds again is found at its new place, and remembered`()
        async throws
    {
        try await withFolder { folder in
            let servers = try await Servers(folder)
            let reads = Reads()
            let store = try await Store(
                SQLiteBackend(path: folder.appending(path: "tenants.db").path), options: .init(instruments: [reads]))
            let reader = try await TenantDirectory(store)
            await expectError(.notFound) { try await reader.entry(of: "acme") }
            try await servers.program { tenants in
                let directory = try #require(tenants.directory)
                try await directory.add("acme") { _ in "first" }
                for target in ["second", "third"] { try await tenants.move("acme", to: target) }
                try await eventually { try await reader.entry(of: "acme").version == 2 }
                try await directory.remove("acme")
                // The entry that is known has a greater version.
                try await directory.add("acme") { _ in "first" }
                try await eventually { try await reader.entry(of: "acme").server == "first" }
            }
            try await eventually {
                let before = reads.count.withLock { $0 }
                for _ in 0..<20 { try await expect(reader.entry(of: "acme").server, equals: "first") }
                return reads.count.withLock { $0 } == before
            }
            try await store.close()
        }
    }
}
