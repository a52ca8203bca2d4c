import ArchiveBackend
import FaultyStorage
import Foundation
import StorageKit
import TestSupport
import Testing

/// E3 through the whole store: system calls fail, the disk fills up, and bytes change.
@Suite(.repeatable) struct ArchiveFaultTests {
    private static let backend = ArchiveBackend(path: "/a.karch")

    private static func open(_ files: MemoryFiles) async throws -> Store {
        try await Store(FaultyArchive(backend: backend, files: files), models: Person.self)
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
        try await expect(Self.work(store).count, equals: 1)
        try await store.close()
        let calls = clean.calls
        expect(calls > 15)
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

    // MARK: Nothing of a call that failed

    /// The contents of a store.
    private struct Contents: Equatable {
        var people: [Person] = []
        var notes: [Note] = []
        var sites: [Site] = []

        init() {}

        init(_ store: Store) async throws {
            people = try await store.select(Person.self).all()
            notes = try await store.select(Note.self).all()
            sites = try await store.select(Site.self).all()
        }
    }

    /// Every verb, one after the other, each of which fails or does what it says; what the store then holds.
    private static func everyVerb(
        _ files: MemoryFiles, _ durability: ArchiveBackend.Durability, isKilled: Bool = false
    ) async throws -> Contents {
        var contents = Contents()
        let backend = ArchiveBackend(path: "/a.karch", durability: durability)
        let faulty = FaultyArchive(backend: backend, files: files)
        guard let store = try? await Store(faulty, models: Person.self, Note.self, Site.self) else { return contents }
        func step(_ body: () async throws -> Void) async throws {
            do {
                try await body()
                contents = try await Contents(store)
            } catch let error as StorageError {
                try #require([.io, .full, .notFound].contains(error.code), "\(error)")
                try #require(try await Contents(store) == contents, "\(error)")
            }
        }
        try await step { try await store.insert(Person.samples(12)) }
        try await step { try await store.insert(Note(title: "a")) }
        try await step { try await store.save(Person.sample(40)) }
        try await step {
            try await store.update(Person(id: 1, name: "other", pens: [Pen(id: 1, color: "red", price: 1)]))
        }
        try await step { try await store.update(Person.self).where { $0.id < 4 }.set(\.age, to: 7).run() }
        try await step { try await store.delete(Person.self, key: 2) }
        try await step { try await store.delete(Person.self).where { $0.id == 5 }.run() }
        try await step {
            try await store.transaction { transaction in
                try transaction.insert(Note(title: "b"))
                try transaction.insert(Site(country: "FR", number: 1, text: "x"))
                _ = try transaction.delete(Person.self, key: 7)
            }
        }
        try await step { try await store.compact() }
        // More than the preallocated space, and more than a frame.
        try await step { try await store.insert(Person(id: 90, name: "large", photo: Data(noiseBytes(300 << 10)))) }
        try await step { try await store.truncate(Note.self) }
        try await step { try await store.insert(Note(title: "c")) }
        if isKilled { files.kill() }
        try? await store.close()
        return contents
    }

    @Test(arguments: ["pwrite", "fsync", "ftruncate", "rename"], ArchiveBackend.Durability.allCases)
    func `nothing of a call that failed is stored, whichever of its system calls fails`(
        name: String, durability: ArchiveBackend.Durability
    ) async throws {
        var (failed, rounds) = (0, 0)
        let whole = try await Self.everyVerb(MemoryFiles(), durability)
        expect(whole.people.count == 11 && whole.notes.count == 1 && whole.sites.count == 1)
        for (isSticky, isKilled) in [(false, false), (false, true), (true, false), (true, true)] {
            let step = TestExtent.step(21)
            for call in stride(from: TestExtent.seed % step, to: 1000, by: step) {
                let files = MemoryFiles(fault: MemoryFiles.Fault(call: call, names: [name], isSticky: isSticky))
                let contents = try await Self.everyVerb(files, durability, isKilled: isKilled)
                let hasMet = files.hasMetFault
                files.set(nil)
                let backend = FaultyArchive(backend: Self.backend, files: files)
                let again = try await Store(backend, models: Person.self, Note.self, Site.self)
                try #require(try await Contents(again) == contents, "\(name) \(call), \(isSticky), \(isKilled)")
                try await again.insert(Person.sample(99))
                try await again.close()
                rounds += 1
                if contents != whole { failed += 1 }
                if !hasMet { break }
            }
        }
        report("\(name) fails, \(durability)", ["as acknowledged": rounds, "of these with calls that failed": failed])
    }

    @Test func `a full disk keeps the store readable, and it is written again once there is space`() async throws {
        let files = MemoryFiles()
        let store = try await Self.open(files)
        try await store.insert(Person.samples(10))
        files.limit(to: files.used + 50)
        let error = await expectError(.full) { try await store.insert(Person.sample(500)) }
        expect(error?.backend, equals: "archive")
        try await expect(store.select(Person.self).count(), equals: 10)
        files.limit(to: nil)
        try await store.insert(Person.sample(501))
        try await store.close()
        let again = try await Self.open(files)
        try await expect(again.select(Person.self).keys(), equals: Array(0..<10) + [501])
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
        expect(error?.message.contains("open it again"), equals: true)
        try await expect(store.select(Person.self).keys(), equals: [1])
        try? await store.close()
        let again = try await Self.open(files)
        try await again.insert(Person.sample(3))
        expect(Set([[1, 3], [1, 2, 3]]).contains(try await again.select(Person.self).keys()))
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

    /// Returns the contents of a store of these bytes; nil where it is found to be damaged.
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

    /// Every 39th place of a store's commits, with `--all` every 4th, and a few of the space after them.
    private static func places(_ bytes: [UInt8]) -> [Int] {
        let end = bytes.count - bytes.reversed().prefix { $0 == 0 }.count
        return TestExtent.share(Array(0..<end), oneOf: 39) + stride(from: end, to: bytes.count, by: 100)
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
