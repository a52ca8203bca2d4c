import ArchiveBackend
import Foundation
import MemoryBackend
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

@Storable("LockedAuthor")
private struct LockedAuthor {
    var id: Int
    var name: String
}

@Storable("LockedBook")
private struct LockedBook {
    @Key var shelf: String
    @Key var number: Int
    @Indexed var title: String
    var author: Ref<LockedAuthor>
    var tags: [Ref<LockedAuthor>]
    var chapters: [LockedChapter]
    var cover: LockedChapter?
}

@Storable
private struct LockedChapter {
    var heading: String
    var parts: [LockedChapter]
    var pages: Int?
}

/// The same as LockedAuthor, in another order and with one property more.
@Storable("LockedAuthor")
private struct LaterAuthor {
    var name: String
    var email: String?
    var id: Int
}

@Suite("Schema locks")
struct SchemaLockTests {
    private let types: [any Storable.Type] = [LockedBook.self, LockedAuthor.self]

    @Test func `a lock of types is that of a store that was opened with them`() async throws {
        let lock = try await Store.SchemaLock(of: types, in: InMemoryBackend())
        try await withFolder { folder in
            for url in ["sqlite:\(folder.path)/a.db", "archive:\(folder.path)/a.karch"] {
                let store = try await Store(
                    url: url, backends: [SQLiteBackend.self, ArchiveBackend.self], models: types)
                try await expect(store.schemaLock(), equals: lock)
                try await expect(lock.plan(for: types, in: InMemoryBackend()).isEmpty)
                try await store.close()
            }
        }
        try expect(Store.SchemaLock(text: lock.text), equals: lock)
        try expect(Store.SchemaLock(text: lock.text.replacing("\n", with: "\r\n")), equals: lock)
        expect(lock.text.contains("\n    author int64 indexed refers LockedAuthor deny\n"))
        expect(lock.text.contains("\n        parts again many LockedChapter\n"))
        expect(lock.text.contains("\n    shelf string key\n    number int64 key\n    author"))
    }

    @Test func `names that are no words come back`() throws {
        let names = ["a b", "\"", "\\", "é", "model", "one", "\n", "\u{202E}", "a\"b c\"", ""]
        let properties = names.dropLast().map { RecordSchema.Property(name: $0, kind: .column(.array(of: .string))) }
        let owned = RecordSchema(name: "x y", properties: properties)
        let schema = RecordSchema(
            name: "<script> \"M\"",
            properties: [
                .init(name: "id", kind: .column(.int64), isKey: true), .init(name: "own", kind: .children(owned)),
            ])
        let lock = Store.SchemaLock([schema])
        try expect(Store.SchemaLock(text: lock.text), equals: lock)
    }

    @Test func `the order of properties is no difference, and a new one is, with the plan`() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "Schema.lock").path
            try await Store.SchemaLock.check(
                file, against: [LockedAuthor.self], in: InMemoryBackend(), writesAnew: true)
            try await Store.SchemaLock.check(file, against: [LockedAuthor.self], in: InMemoryBackend())
            let error = await #expect(throws: StorageError.self) {
                try await Store.SchemaLock.check(file, against: [LaterAuthor.self], in: InMemoryBackend())
            }
            expect(error?.code, equals: .schemaMismatch)
            expect(
                error?.message.contains("LockedAuthor: alter LockedAuthor: property email added"), equals: true,
                "\(error?.message ?? "")")
        }
    }

    @Test func `two branches that change the schema conflict in git, whatever lines they change`() async throws {
        try await withFolder { folder in
            let base = try await Store.SchemaLock(of: types, in: InMemoryBackend())
            var (ours, theirs) = (base.models, base.models)
            // The first line of the file and the last one, which git alone would merge.
            ours[0].properties.append(.init(name: "aaa", kind: .column(.int64), isOptional: true))
            theirs[theirs.count - 1].properties.append(.init(name: "zzz", kind: .column(.int64), isOptional: true))
            let files = [Store.SchemaLock(ours), base, Store.SchemaLock(theirs)].enumerated().map {
                ($1, folder.appending(path: "\($0).lock").path)
            }
            for (lock, path) in files { try lock.write(to: path) }
            let git = Process()
            git.executableURL = URL(filePath: "/usr/bin/env")
            git.arguments = ["git", "merge-file", "-q"] + files.map(\.1)
            try git.run()
            git.waitUntilExit()
            expect(git.terminationStatus, equals: 1)
            let merged = try String(contentsOfFile: files[0].1, encoding: .utf8)
            expect(merged.contains("<<<<<<<") && merged.contains("digest"))
            let conflict = #expect(throws: StorageError.self) { try Store.SchemaLock(text: merged) }
            expect(conflict?.message.contains("Two branches"), equals: true)
            // Solved by taking both changes and one digest.
            let kept = merged.split(separator: "\n", omittingEmptySubsequences: false).filter {
                !$0.hasPrefix("<<<<<<<") && !$0.hasPrefix("=======") && !$0.hasPrefix(">>>>>>>")
            }
            let digests = kept.filter { $0.hasPrefix("digest") }
            expect(digests.count, equals: 2)
            let byHand = kept.filter { $0 != digests[1] }.joined(separator: "\n")
            let error = #expect(throws: StorageError.self) { try Store.SchemaLock(text: byHand) }
            expect(error?.code == .corrupt && error?.message.contains("merged") == true)
        }
    }

    @Test func `a text that is no lock is refused`() async throws {
        let lock = try await Store.SchemaLock(of: types, in: InMemoryBackend())
        for text in [
            "", "model A\n", "format 1\n", "format 1\ndigest 00\n", lock.text + "model X\n", lock.text.uppercased(),
        ] {
            #expect(throws: StorageError.self) { try Store.SchemaLock(text: text) }
        }
        let newer = #expect(throws: StorageError.self) {
            try Store.SchemaLock(text: lock.text.replacing("format 1", with: "format 2"))
        }
        expect(newer?.code, equals: .schemaNewer)
        let missing = #expect(throws: StorageError.self) { try Store.SchemaLock(contentsOf: "/nowhere/Schema.lock") }
        expect(missing?.code, equals: .io)
    }

    @Test func `a backend with models is refused`() async throws {
        try await withDatabase { path in
            let store = try await Store(SQLiteBackend(path: path), models: LockedAuthor.self)
            try await store.close()
            let error = await #expect(throws: StorageError.self) {
                try await Store.SchemaLock(of: [LockedAuthor.self], in: SQLiteBackend(path: path))
            }
            expect(error?.code, equals: .configuration)
        }
    }
}
