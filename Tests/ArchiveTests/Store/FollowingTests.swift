import ArchiveBackend
import FaultyStorage
import Foundation
import Logging
import StorageDriver
import StorageKit
import Synchronization
import TestSupport
import Testing

/// The same model with a property of another type.
@Storable("Note") private struct OtherNote: Equatable {
    var id: Int?
    @Unique var title: String
    var length: Int = 0
}

@Storable("Note") private struct RenamedNote: Equatable {
    var id: Int?
    @Unique @Field(renamedFrom: "title") var text: String
}

/// The signals between two tasks.
private final class Progress: Sendable {
    let hasEnded = Atomic(false)
    /// The number of the transaction that was seen last.
    let last = Mutex(0)
}

/// T6: a store that is opened read-only follows the one that writes to its file.
@Suite struct FollowingTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.karch")
    }

    private func open<M: Storable>(_ model: M.Type, _ access: ArchiveBackend.Access = .readWrite) async throws -> Store
    {
        try await Store(ArchiveBackend(path: path, access: access), models: model)
    }

    @Test func `each read sees the last commit, also of a rewritten file`() async throws {
        let writer = try await open(Person.self)
        try await writer.insert(Person.samples(3))
        let reader = try await open(Person.self, .readOnly)
        try await expect(reader.select(Person.self).keys(), equals: [0, 1, 2])
        try await writer.insert(Person.sample(7))
        try await writer.delete(Person.self, key: 1)
        try await expect(reader.select(Person.self).all(), equals: [0, 2, 7].map(Person.sample))
        try await writer.compact()
        try await writer.insert(Person.sample(9))
        try await expect(reader.select(Person.self).all(), equals: [0, 2, 7, 9].map(Person.sample))
        try await writer.close()
        try await expect(reader.select(Person.self).count(), equals: 4)
        try await reader.close()
    }

    @Test func `observers are told of the writer's commits, also after the file was rewritten`() async throws {
        let writer = try await open(Person.self)
        try await writer.insert(Person.samples(3))
        let reader = try await open(Person.self, .readOnly)
        var values = reader.select(Person.self).values(.keys).makeAsyncIterator()
        try await expect(values.next(), equals: [0, 1, 2])
        try await writer.insert(Person.sample(7))
        try await expect(values.next(), equals: [0, 1, 2, 7])
        try await writer.delete(Person.self, key: 1)
        // Another read that takes the commit in hides it from no observer.
        try await expect(reader.select(Person.self).count(), equals: 3)
        try await expect(values.next(), equals: [0, 2, 7])
        try await writer.compact()
        try await writer.insert(Person.sample(9))
        try await reader.refresh()
        try await expect(values.next(), equals: [0, 2, 7, 9])
        try await writer.close()
        try await reader.close()
        try await expect(values.next() == nil)
    }

    @Test func `a snapshot stays what it was, and a read after it is of the last commit`() async throws {
        let writer = try await open(Note.self)
        try await writer.insert(Note(id: 1, title: "a"))
        let reader = try await open(Note.self, .readOnly)
        let engine = try ArchiveBackend(path: path, access: .readOnly).open(logger: Logger(label: "test"))
        let snapshot = try engine.reader(.snapshot)
        let table = try #require(try snapshot.tables().first)
        func count(_ session: any StorageReader) throws -> Int64 {
            let plan = QueryPlan(id: nil, query: Query(.count), table: table, tables: [table])
            var cursor = try session.rows(plan, QueryArguments())
            return try cursor.next() ? cursor.cells[0].int : -1
        }
        try await writer.insert(Note(id: 2, title: "b"))
        try expect(count(snapshot), equals: 1)
        try expect(count(engine.reader(.query)), equals: 2)
        try await reader.close()
        try engine.close()
        try await writer.close()
    }

    @Test func `what is being written is not there yet`() async throws {
        let files = MemoryFiles()
        let backend = ArchiveBackend(path: "/a.karch")
        let writer = try await Store(FaultyArchive(backend: backend, files: files), models: Note.self)
        // What the file was before each note, of which the second preallocates space for the third.
        var (states, ends): ([[UInt8]], [Int]) = ([], [])
        for id in 1...3 {
            try await writer.insert(Note(id: id, title: "\(id)"))
            states.append(try #require(files["/a.karch"]))
            ends.append(Int(try openFile("/a.karch", .readOnly, layer: files).file.size))
        }
        try await writer.close()
        expect(states[1].count > states[0].count && states[2].count == states[1].count)
        files["/a.karch"] = states[0]
        let readOnly = ArchiveBackend(path: "/a.karch", access: .readOnly)
        let reader = try await Store(FaultyArchive(backend: readOnly, files: files), models: Note.self)
        for number in 1...2 {
            for end in ends[number - 1]..<ends[number] {
                files["/a.karch"] = Array(states[number].prefix(end) + states[number - 1].dropFirst(end))
                try #require(try await reader.select(Note.self).keys() == Array(1...number))
            }
            files["/a.karch"] = states[number]
            try await expect(reader.select(Note.self).keys(), equals: Array(1...(number + 1)))
        }
        try await reader.close()
    }

    @Test(arguments: [(1, 1), (2, 2)])
    func `without a change, a look costs one system call, or two where there is preallocated space`(
        notes: Int, calls: Int
    ) async throws {
        let files = MemoryFiles()
        let writer = try await Store(
            FaultyArchive(backend: ArchiveBackend(path: "/a.karch"), files: files), models: Note.self)
        for id in 1...notes { try await writer.insert(Note(id: id, title: "\(id)")) }
        let readOnly = ArchiveBackend(path: "/a.karch", access: .readOnly)
        let reader = try await Store(FaultyArchive(backend: readOnly, files: files), models: Note.self)
        for _ in 0..<5 {
            files.set(nil)
            try await expect(reader.find(Note.self, key: 1) != nil)
            expect(files.calls, equals: calls)
        }
        try await reader.close()
        try await writer.close()
    }

    @Test func `a look that fails is an error, and the next one reads on`() async throws {
        let files = MemoryFiles()
        let writer = try await Store(
            FaultyArchive(backend: ArchiveBackend(path: "/a.karch"), files: files), models: Note.self)
        try await writer.insert(Note(id: 1, title: "a"))
        let readOnly = ArchiveBackend(path: "/a.karch", access: .readOnly)
        let reader = try await Store(FaultyArchive(backend: readOnly, files: files), models: Note.self)
        for number in 2..<5 {
            try await writer.insert(Note(id: number, title: "\(number)"))
            files.set(MemoryFiles.Fault(call: number - 2))
            await expectError(.io) { _ = try await reader.select(Note.self).count() }
            files.set(nil)
            try await expect(reader.select(Note.self).keys(), equals: Array(1...number))
        }
        try await reader.close()
        try await writer.close()
    }

    @Test func `S11 what another process has added is no obstacle, and what it has renamed is told of its model alone`()
        async throws
    {
        let first = try await open(Note.self)
        try await first.save(Person.sample(1))
        try await first.close()
        let reader = try await open(Note.self, .readOnly)
        try await expect(reader.find(Person.self, key: 1), equals: Person.sample(1))
        var writer = try await open(OtherNote.self)
        try await writer.insert(OtherNote(id: 1, title: "a", length: 1))
        try await writer.close()
        try await expect(reader.select(Note.self).all(), equals: [Note(id: 1, title: "a")])
        writer = try await open(RenamedNote.self)
        try await writer.close()
        for _ in 0..<2 {
            let error = await expectError(.schemaMismatch) { _ = try await reader.select(Note.self).all() }
            expect(error?.model == "Note" && error?.property == "title")
            try await expect(reader.find(Person.self, key: 1), equals: Person.sample(1))
            try await expect(reader.records("Note").all().map { $0.value("text") }, equals: [.text("a")])
        }
        try await reader.close()
        let again = try await open(RenamedNote.self, .readOnly)
        try await expect(again.select(RenamedNote.self).all(), equals: [RenamedNote(id: 1, text: "a")])
        try await again.close()
    }

    @Test func `a reader beside a writer in another process sees its transactions whole and in order`() async throws {
        let (url, notes) = ("archive:\(path)?durability=relaxed", folder.path("acknowledged"))
        try await Store(url: url, backends: [ArchiveBackend.self], models: Ledger.self).close()
        let progress = Progress()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [url = url as String, notes = notes as String] in
                    try await LedgerWriter(url, notes: notes).run(from: 1, KillSwitch(afterCommits: 200, turns: 0))
                }
                progress.hasEnded.store(true, ordering: .releasing)
            }
            group.addTask { [path] in
                let reader = try await Store(ArchiveBackend(path: path, access: .readOnly), models: Ledger.self)
                var hasEnded = false
                while !hasEnded {
                    // Asked before the read, so that the last read is one of all that the writer has left.
                    hasEnded = progress.hasEnded.load(ordering: .acquiring)
                    let number = try LedgerWriter.check(try await reader.select(Ledger.self).all())
                    try progress.last.withLock { last in
                        try #require(number >= last)
                        last = number
                    }
                }
                try await reader.close()
            }
            try await group.waitForAll()
        }
        expect(progress.last.withLock { $0 } >= 200)
    }
}
