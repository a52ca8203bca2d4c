import ArchiveBackend
import Foundation
import StorageKit
import TestSupport
import Testing

/// E3 through the whole store: system calls fail, the disk fills up, and bytes change.
@Suite struct ArchiveFaultTests {
    private static let backend = ArchiveBackend(path: "/a.karch")

    private static func open(_ files: MemoryFiles) async throws -> Store {
        try await Store(FaultyBackend(backend: backend, files: files), models: Person.self)
    }

    /// Saves, changes, deletes and compacts; returns what the store holds after the steps that did not fail, and what it
    /// may hold instead, because a step failed whose bytes may be on the disk.
    private static func work(_ store: Store) async throws -> [[Person]] {
        var states: [[Person]] = [[]]
        func step(_ after: [Person], _ body: () async throws -> Void) async throws {
            do {
                try await body()
                states = [after]
            } catch let error as StorageError {
                try #require([.io, .full].contains(error.code), "\(error)")
                states.append(after)
            }
        }
        let people = Person.samples(5)
        try await step(people) { try await store.insert(people) }
        var changed = states[0]
        if !changed.isEmpty {
            changed[0].pens = [Pen(id: 9, color: "green", price: 0)]
            try await step(changed) { try await store.save(changed[0]) }
        }
        let kept = states[0].filter { $0.id != 3 }
        try await step(kept) { try await store.delete(Person.self, key: 3) }
        try await step(states[0]) { try await store.compact() }
        try await step(states[0] + [Person.sample(70)]) { try await store.insert(Person.sample(70)) }
        return states
    }

    @Test(arguments: [false, true]) func `any call may fail, once or for ever: acknowledged records are there`(
        isSticky: Bool
    ) async throws {
        let clean = MemoryFiles()
        let store = try await Self.open(clean)
        clean.set(nil)
        #expect(try await Self.work(store).count == 1)
        try await store.close()
        let calls = clean.calls
        #expect(calls > 15)
        for call in 0..<calls {
            let files = MemoryFiles()
            let store = try await Self.open(files)
            files.set(MemoryFiles.Fault(call: call, isSticky: isSticky))
            let states = try await Self.work(store)
            try? await store.close()
            files.set(nil)
            let again = try await Self.open(files)
            let people = try await again.select(Person.self).all()
            try #require(states.contains(people), "call \(call)")
            try await again.insert(Person.sample(99))
            try await again.close()
        }
        report("a store's call fails\(isSticky ? " for ever" : "")", ["kept what was acknowledged": calls])
    }

    @Test func `a full disk keeps the store readable, and it is written again once there is space`() async throws {
        let files = MemoryFiles()
        let store = try await Self.open(files)
        try await store.insert(Person.samples(10))
        files.limit(to: files.used + 50)
        let error = await expectError(.full) { try await store.insert(Person.sample(500)) }
        #expect(error?.backend == "archive")
        #expect(try await store.select(Person.self).count() == 10)
        files.limit(to: nil)
        try await store.insert(Person.sample(501))
        try await store.close()
        let again = try await Self.open(files)
        #expect(try await again.select(Person.self).keys() == Array(0..<10) + [501])
        try await again.close()
    }

    @Test func `after a failed sync nothing is written until the store is opened again`() async throws {
        let files = MemoryFiles()
        let store = try await Self.open(files)
        try await store.insert(Person.sample(1))
        files.set(MemoryFiles.Fault(call: 0, names: ["fsync"]))
        await expectError(.io) { try await store.insert(Person.sample(2)) }
        files.set(nil)
        let error = await expectError(.io) { try await store.insert(Person.sample(3)) }
        #expect(error?.message.contains("open it again") == true)
        #expect(try await store.select(Person.self).keys() == [1])
        try? await store.close()
        let again = try await Self.open(files)
        try await again.insert(Person.sample(3))
        #expect(Set([[1, 3], [1, 2, 3]]).contains(try await again.select(Person.self).keys()))
        try await again.close()
    }

    // MARK: Damage

    /// A small store, and what it held after each commit.
    private static func sample() async throws -> (bytes: [UInt8], states: [[Person]]) {
        let files = MemoryFiles()
        let store = try await open(files)
        var states: [[Person]] = [[]]
        for number in 0..<4 {
            try await store.insert(Person.sample(number))
            states.append(try await store.select(Person.self).all())
        }
        try await store.delete(Person.self, key: 2)
        states.append(try await store.select(Person.self).all())
        let bytes = try #require(files["/a.karch"])
        try? await store.close()
        return (bytes, states)
    }

    /// What a store of these bytes holds; nil where it is found to be damaged.
    private static func read(_ bytes: [UInt8]) async throws -> [Person]? {
        let files = MemoryFiles()
        files["/a.karch"] = bytes
        do {
            let store = try await open(files)
            let people = try await store.select(Person.self).all()
            try await store.close()
            return people
        } catch let error as StorageError {
            try #require(error.code == .corrupt || error.code == .schemaNewer, "\(error)")
            return nil
        }
    }

    /// Every seventh place of a store's commits, or all of them, and a few of the room behind them.
    private static func places(_ bytes: [UInt8]) -> [Int] {
        let end = bytes.count - bytes.reversed().prefix { $0 == 0 }.count
        return TestExtent.share(Array(0..<end), oneOf: 7) + stride(from: end, to: bytes.count, by: 100)
    }

    private static func outcome(_ people: [Person]?) -> String {
        people == nil ? "corrupt" : "as after one of its commits"
    }

    @Test func `cut at any length, a store is as after one of its commits`() async throws {
        let (bytes, states) = try await Self.sample()
        var outcomes: [String: Int] = [:]
        for length in Self.places(bytes) {
            let people = try await Self.read(Array(bytes[..<length]))
            let isState = people.map { states.contains($0) } ?? true
            try #require(isState, "\(length) bytes")
            outcomes[Self.outcome(people), default: 0] += 1
        }
        report("a store cut at a length", outcomes)
    }

    @Test func `with any byte changed, a store is as after one of its commits, or corrupt`() async throws {
        let (bytes, states) = try await Self.sample()
        var outcomes: [String: Int] = [:]
        for index in Self.places(bytes) {
            var bytes = bytes
            bytes[index] ^= UInt8.random(in: 1...255)
            let people = try await Self.read(bytes)
            let isState = people.map { states.contains($0) } ?? true
            try #require(isState, "byte \(index)")
            outcomes[Self.outcome(people), default: 0] += 1
        }
        report("a store with a byte changed", outcomes)
    }
}
