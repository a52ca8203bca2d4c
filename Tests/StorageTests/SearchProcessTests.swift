import ArchiveBackend
import CSQLite
import Foundation
import SQLiteBackend
import StorageKit
import Synchronization
import TestSupport
import Testing

/// Processes that write an index and are killed, or write the same one; and indexes that are damaged, or of another analyzer.
@Suite("F8 Full text, processes and damage", .repeatable) struct SearchProcessTests {
    @Storable struct Message: Equatable {
        var id: Int
        @Searchable var text: String
    }

    /// The same before it had the mark.
    @Storable("Message") struct PlainMessage {
        var id: Int
        var text: String
    }

    /// A text with words of its own, one that each message has, and some that many have.
    static func text(_ number: Int) -> String {
        "all number\(number) " + (0..<40).map { "word\((number * 31 + $0 * $0) % 997)" }.joined(separator: " ")
    }

    private static func open(_ address: String, _ options: Store.Options = .init()) async throws -> Store {
        try await Store(
            url: address, backends: [SQLiteBackend.self, ArchiveBackend.self], models: Message.self, options: options)
    }

    /// Everything that is stored is found, by its own word and by that of all, and nothing else is.
    private static func check(_ store: Store, has count: Int) async throws {
        try await expect(store.select(Message.self).count(), equals: count)
        try await expect(store.select(Message.self).where { $0.matches("all") }.count(), equals: count)
        for number in Set([0, count / 2, count - 1]) where count > 0 {
            try await expect(
                store.select(Message.self).where { $0.matches("number\(number)") }.keys(), equals: [number])
        }
        try await expect(store.select(Message.self).where { $0.matches("number\(count)") }.count(), equals: 0)
        try await store.verify { Issue.record("\($0)") }
    }

    // MARK: Kills

    /// 64 commits become a segment and 8 segments a greater one, in steps that are parts of later commits.
    @Test(arguments: ["sqlite:NAME.db?durability=relaxed", "archive:NAME.karch?durability=relaxed"])
    func `a writer is killed while it commits and merges, and the index has what the records have`(
        _ kind: String
    ) async throws {
        try await withFolder { folder in
            let address = kind.replacing("NAME", with: folder.appending(path: "messages").path)
            var stored = 0
            for _ in 0..<TestExtent.count(3) {
                let (commits, turns) = (Int.random(in: 60...140), Int.random(in: 0...2_000_000))
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [
                        address = address as String, stored = stored as Int, commits = commits as Int,
                        turns = turns as Int
                    ] in
                    let killing = KillSwitch(afterCommits: commits, turns: turns)
                    let store = try await SearchProcessTests.open(address)
                    for number in stored... {
                        try await store.insert(Message(id: number, text: SearchProcessTests.text(number)))
                        killing.committed()
                    }
                }
                let store = try await Self.open(address)
                let count = try await store.select(Message.self).count()
                expect(count >= stored + commits)
                try await Self.check(store, has: count)
                stored = count
                try await store.close()
            }
        }
    }

    @Test func `a build is killed again and again, and ends complete`() async throws {
        try await withFolder { folder in
            let path = folder.appending(path: "messages.db").path
            // Three steps of 4,096, of which each kill leaves at least one more.
            let count = TestExtent.isLarge ? 30_000 : 12_000
            let plain = try await Store(SQLiteBackend(path: path, durability: .relaxed), models: PlainMessage.self)
            try await plain.insert((0..<count).map { PlainMessage(id: $0, text: Self.text($0)) })
            try await plain.close()
            for _ in 0..<3 {
                let turns = Int.random(in: 0...20_000_000)
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [path = path as String, turns = turns as Int] in
                    let killing = KillSwitch(afterCommits: 1, turns: turns)
                    _ = try await SearchProcessTests.open(
                        "sqlite:\(path)?durability=relaxed", .init(indexing: { _ in killing.committed() }))
                    // The build may end before the kill comes.
                    while true { await Task.yield() }
                }
            }
            let first = Mutex<Int?>(nil)
            let store = try await Self.open(
                "sqlite:\(path)",
                .init(indexing: { progress in first.withLock { $0 = $0 ?? progress.indexed } }))
            if let first = first.withLock(\.self) { expect(first > 4096, "it begins where the killed ones ended") }
            try await Self.check(store, has: count)
            try await store.close()
        }
    }

    // MARK: Several processes

    @Test func `two processes write one file, and both are found`() async throws {
        try await withFolder { folder in
            let address = "sqlite:\(folder.appending(path: "messages.db").path)?durability=relaxed&timeout=60000"
            try await Self.open(address).close()
            let count = TestExtent.count(150)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for process in 0..<2 {
                    group.addTask {
                        await #expect(processExitsWith: .success) {
                            [address = address as String, process = process as Int, count = count as Int] in
                            let store = try await SearchProcessTests.open(address)
                            for turn in 0..<count {
                                let number = turn * 2 + process
                                try await store.insert(Message(id: number, text: SearchProcessTests.text(number)))
                                let found = try await store.select(Message.self)
                                    .where { $0.matches("number\(number)") }.keys()
                                expect(found, equals: [number])
                            }
                            try await store.close()
                        }
                    }
                }
                try await group.waitForAll()
            }
            let store = try await Self.open(address)
            try await Self.check(store, has: count * 2)
            try await store.close()
        }
    }

    // MARK: Damage, and other programs

    /// A store with 2,000 messages, changed by SQL while it is closed.
    private func withChanged(_ statements: String, _ body: (Store) async throws -> Void) async throws {
        try await withFolder { folder in
            let path = folder.appending(path: "messages.db").path
            let store = try await Self.open("sqlite:\(path)")
            try await store.insert((0..<2000).map { Message(id: $0, text: Self.text($0)) })
            try await store.close()
            try otherProgram(path) { run(statements, $0) }
            let changed = try await Self.open("sqlite:\(path)")
            try await body(changed)
            try await changed.close()
        }
    }

    private static let damages = [
        "UPDATE storage_search_1_blocks SET bytes = zeroblob(length(bytes)) WHERE number % 3 = 0",
        "DELETE FROM storage_search_1_blocks WHERE number % 5 = 0",
        "UPDATE storage_search_1_segments SET bytes = substr(bytes, 1, 4)",
        "DELETE FROM storage_search_1_segments",
        "UPDATE storage_search_1_blocks SET bytes = zeroblob(length(bytes)) WHERE (number >> 21) & 7 = 2",
        "DELETE FROM storage_search_1_blocks WHERE (number >> 21) & 7 = 3",
    ]

    @Test(arguments: TestExtent.share(damages, oneOf: 3))
    func `a damaged index is found by verify, never answers with a record that is not stored, and is rebuilt`(
        _ damage: String
    ) async throws {
        try await withChanged(damage) { store in
            for query in ["all", "number7", "word5*", "\"word31 word62\""] {
                do {
                    let keys = try await store.select(Message.self).where { $0.matches(query) }.keys()
                    expect(keys.allSatisfy { 0..<2000 ~= $0 })
                } catch let error as StorageError {
                    expect(error.code == .corrupt && error.message.contains("rebuildSearch"), "\(error)")
                }
            }
            let problems = Mutex(0)
            do {
                try await store.verify { _ in problems.withLock { $0 += 1 } }
                expect(problems.withLock(\.self) > 0)
            } catch let error as StorageError {
                expect(error.code, equals: .corrupt)
            }
            try await store.rebuildSearch(of: Message.self)
            try await Self.check(store, has: 2000)
        }
    }

    @Test func `an index of an unknown analyzer is not searched, and its records cannot be changed by this version`()
        async throws
    {
        try await withChanged(
            "UPDATE storage_search SET settings = replace(settings, 'words.2', 'words.9')"
        ) { store in
            let search = await #expect(throws: StorageError.self) {
                try await store.select(Message.self).where { $0.matches("all") }.count()
            }
            let write = await #expect(throws: StorageError.self) {
                _ = try await store.delete(Message.self, key: 1)
            }
            expect(search?.code == .schemaNewer && write?.code == .schemaNewer)
            expect(search?.message.contains("words.9"), equals: true)
            let count = try await store.select(Message.self).count()
            expect(count, equals: 2000)
        }
    }

    @Test func `texts of 16 MiB are found by their words`() async throws {
        try await withFolder { folder in
            let store = try await Self.open("sqlite:\(folder.appending(path: "messages.db").path)")
            let size = TestExtent.isLarge ? 16 << 20 : 1 << 20
            let words = String(repeating: "the same few words again ", count: size / 25)
            let word = String(repeating: "w", count: size)
            try await store.insert([
                Message(id: 0, text: words + "needle"), Message(id: 1, text: word), Message(id: 2, text: "needle"),
                Message(id: 3, text: String(repeating: "月", count: size / 3)),
            ])
            let query = store.select(Message.self)
            try await expect(query.where { $0.matches("needle") }.keys(), equals: [0, 2])
            try await expect(query.where { $0.matches("\"again needle\"") }.keys(), equals: [0])
            try await expect(query.where { $0.matches(word) }.keys(), equals: [1])
            try await expect(query.where { $0.matches("月月月") }.keys(), equals: [3])
            try await expect(
                query.where { $0.matches("needle") }.order { $0.relevance.descending }.all().map(\.id),
                equals: [
                    2, 0,
                ])
            try await store.delete(Message.self, key: 0)
            try await expect(query.where { $0.matches("same") }.keys(), equals: [])
            try await store.verify { Issue.record("\($0)") }
            try await store.close()
        }
    }
}
