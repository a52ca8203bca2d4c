import ArchiveBackend
import FaultyStorage
import Foundation
import StorageKit
import TestSupport
import Testing

/// A store in a file, closed and opened again.
@Suite struct ArchiveStoreTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("people.karch")
    }

    func open(_ change: (inout ArchiveBackend) -> Void = { _ in }) async throws -> Store {
        var backend = ArchiveBackend(path: path)
        change(&backend)
        return try await Store(backend, models: Person.self, Note.self, Site.self)
    }

    /// Closes the store and opens it again.
    func reopened(_ store: Store) async throws -> Store {
        try await store.close()
        return try await open()
    }

    @Test(arguments: [1, 8, 9, 64, 65, 1000])
    func `graphs are equal after reopening, in single entries and in segments`(
        count: Int
    ) async throws {
        let people = Person.samples(count)
        var store = try await open()
        try await store.insert(people)
        store = try await reopened(store)
        try await expect(store.select(Person.self).all(), equals: people)
        try await store.close()
    }

    @Test func `every kind of change is there after reopening`() async throws {
        var people = Person.samples(300)
        var store = try await open()
        try await store.insert(people)
        people[7].pens = []
        people[8].city = nil
        try await store.save([people[7], people[8]])
        try await store.update(Person.self).where { $0.age < 10 }.set(\.age, to: 10).run()
        try await store.delete(Person.self).where { $0.id >= 100 && $0.id < 200 }.run()
        try await store.delete(Person.self, key: 50)
        let expected = people.filter { $0.id != 50 && !(100..<200).contains($0.id) }.map { person in
            var person = person
            person.age = max(person.age, 10)
            return person
        }
        store = try await reopened(store)
        try await expect(store.select(Person.self).all(), equals: expected)
        try await store.truncate(Person.self)
        try await store.insert(people[0])
        store = try await reopened(store)
        try await expect(store.select(Person.self).all(), equals: [people[0]])
        try await store.close()
    }

    @Test func `an assigned key is not used again, after reopening and compaction neither`() async throws {
        var store = try await open()
        try await store.insert([Note(title: "a"), Note(title: "b"), Note(title: "c")])
        try await store.delete(Note.self, key: 3)
        store = try await reopened(store)
        try await expect(store.insert(Note(title: "d")).id, equals: 4)
        try await store.transaction { tx in
            let note = try tx.insert(Note(title: "gone at once"))
            _ = try tx.delete(note)
        }
        try await store.compact()
        store = try await reopened(store)
        try await expect(store.insert(Note(title: "e")).id, equals: 6)
        try await store.truncate(Note.self)
        store = try await reopened(store)
        try await expect(store.insert(Note(title: "f")).id, equals: 1)
        try await store.close()
    }

    @Test func `a transaction of nothing on a new store is one of nothing`() async throws {
        let store = try await Store(ArchiveBackend(path: path))
        try await store.transaction { _ in }
        try await store.close()
        let again = try await open()
        try await again.insert(Person.sample(1))
        try await again.close()
    }

    @Test func `a record that is too large fails alone`() async throws {
        let store = try await open { $0.durability = .relaxed }
        var large = Person.sample(1)
        large.photo = Data(repeating: 7, count: 40 << 20)
        large.tags = [String(repeating: "é", count: 12 << 20)]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 2..<20 { group.addTask { try await store.save(Person.sample(number)) } }
            group.addTask { [large] in
                let error = await expectError(.limitExceeded) { try await store.save(large) }
                expect(error?.model == "Person" && error?.key == [.int(1)])
            }
            try await group.waitForAll()
        }
        try await expect(store.select(Person.self).count(), equals: 18)
        large.tags = []
        try await store.insert([large] + (100..<200).map(Person.sample))
        try await store.compact()
        try await expect(store.find(Person.self, key: 1), equals: large)
        try await store.close()
    }

    @Test func `unique values are known after reopening`() async throws {
        var store = try await open()
        try await store.insert(Note(title: "a"))
        store = try await reopened(store)
        let error = await expectError(.constraint) { try await store.insert(Note(title: "a")) }
        expect(error?.property, equals: "title")
        try await store.close()
    }

    @Test func `keys of any text have entries of their own`() async throws {
        let texts =
            ["", ".", "..", "../../etc/passwd", "/", "a", "A", "é", "e\u{301}", "\0", "segments", "deleted"]
            + [String(repeating: "k", count: 1024), String(repeating: "k", count: 1025), "👨‍👩‍👧", "1_a", "a_1"]
        let places = texts.flatMap {
            [Site(country: $0, number: 1, text: $0), Site(country: $0, number: -1, text: $0)]
        }
        var store = try await open()
        for place in places { try await store.insert(place) }
        store = try await reopened(store)
        expect(Set(try await store.select(Site.self).all().map(\.text)), equals: Set(texts))
        try await expect(store.select(Site.self).count(), equals: places.count)
        for place in places { try await expect(store.delete(place), equals: 1) }
        store = try await reopened(store)
        try await expect(store.select(Site.self).count(), equals: 0)
        try await store.close()
    }

    @Test(arguments: ArchiveCodec.allCases) func `every codec holds the same`(codec: ArchiveCodec) async throws {
        let people = Person.samples(200)
        var store = try await open { $0.codec = codec }
        try await store.insert(people)
        try await store.save(people[3])
        try await store.close()
        store = try await open()
        try await expect(store.select(Person.self).all(), equals: people)
        try await store.compact()
        store = try await reopened(store)
        try await expect(store.select(Person.self).all(), equals: people)
        try await store.close()
    }

    @Test func `a second writer is locked out by name, a reader is not`() async throws {
        let store = try await open()
        try await store.insert(Person.sample(1))
        let error = await expectError(.locked) { _ = try await open() }
        expect(error?.message.contains(String(ProcessInfo.processInfo.processIdentifier)), equals: true)
        let reader = try await open { $0.access = .readOnly }
        try await store.insert(Person.sample(2))
        try await expect(reader.select(Person.self).all(), equals: [Person.sample(1), Person.sample(2)])
        await expectError(.unsupported) { try await reader.insert(Person.sample(3)) }
        try await reader.close()
        try await store.close()
        try await open().close()
    }

    @Test func `superseded records give their space back by themselves`() async throws {
        let store = try await open { $0.durability = .relaxed }
        var largest = 0
        for round in 0..<30 {
            var people = Person.samples(100)
            for index in people.indices {
                people[index].photo = Data(noiseBytes(2000, seed: UInt64(round * 100 + index)))
            }
            people[0].age = round
            try await store.save(people)
            let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
            largest = max(largest, size ?? 0)
        }
        // 30 rounds write 6 MB of noise; the rule lets superseded records be as many as live ones, or 1,000.
        expect(largest < 4_000_000)
        try await expect(store.select(Person.self).first()?.age, equals: 29)
        try await store.close()
        try expect(folder.names, equals: ["people.karch", "people.karch-lock"])
    }

    @Test func `a file made by hand is refused, and left alone`() async throws {
        for bytes in [Data("hello".utf8), Data(repeating: 0, count: 4096), Data([0x28, 0xB5, 0x2F, 0xFD, 1, 2, 3])] {
            try bytes.write(to: URL(fileURLWithPath: path))
            await expectError(.corrupt) { _ = try await open() }
            try expect(Data(contentsOf: URL(fileURLWithPath: path)), equals: bytes)
        }
    }

    @Test func `options are read from a URL, and others refused by name`() async throws {
        let backend = try ArchiveBackend(
            url: StorageURL("archive:\(path)?compression=zstd&level=2&durability=relaxed&compaction=manual"))
        expect(backend.codec == .zstd && backend.level == 2)
        expect(backend.durability == .relaxed && backend.compaction == .manual)
        for options in ["compression=gzip", "level=99", "compression=none&level=1", "compact=yes"] {
            let error = await expectError(.configuration) {
                _ = try ArchiveBackend(url: StorageURL("archive:\(path)?\(options)"))
            }
            expect(error?.message.isEmpty, equals: false)
        }
        await expectError(.configuration) { _ = try ArchiveBackend(url: StorageURL("archive:")) }
    }

    @Test func `a store that is dropped without being closed is free at once`() async throws {
        let folder = try TemporaryFolder()
        for number in 0..<TestExtent.count(20) {
            let store = try await Store(ArchiveBackend(path: folder.path("a.karch")), models: Note.self)
            try await expect(store.select(Note.self).count(), equals: number)
            try await store.insert(Note(id: number, title: "\(number)"))
        }
    }

    @Test func `at trace, each query and each commit is logged, and no value`() async throws {
        let log = FileLog(.trace)
        let backend = FaultyArchive(backend: ArchiveBackend(path: "/a.karch"), files: MemoryFiles())
        let store = try await Store(backend, models: Note.self, options: .init(logger: log.logger))
        try await store.insert(Note(id: 1, title: "secret"))
        try await expect(store.find(Note.self, key: 1) != nil)
        try await expect(store.select(Note.self).where { $0.title == "secret" }.count(), equals: 1)
        try await store.close()
        let lines = log.taken.filter { $0.hasPrefix("trace") }
        expect(lines.contains("trace: commit 1"))
        expect(lines.contains { $0.contains("Note") && $0.contains("key") })
        expect(lines.contains { $0.contains("Note") && $0.contains("title") })
        expect(!log.taken.contains { $0.contains("secret") })
    }
}
