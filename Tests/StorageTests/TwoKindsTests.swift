import ArchiveBackend
import Foundation
import SQLiteBackend
import StorageDriver
import StorageKit
import TestSupport
import Testing

@Storable private struct Tag: Equatable {
    var id: Int
    var name = ""
}

@Storable("Note") private struct TaggedNote: Equatable {
    var id: Int
    var tags: [Tag] = []
}

@Storable("Note") private struct TextNote: Equatable {
    var id: Int
    var tags: String?
}

/// Earlier versions let a name be that of a value and of owned records at once.
struct TwoKindsTests {
    private let notes = [TaggedNote(id: 1, tags: [Tag(id: 7, name: "a"), Tag(id: 8)]), TaggedNote(id: 2)]
    private let texts = [TextNote(id: 1, tags: "text"), TextNote(id: 2, tags: nil)]

    /// A database as an earlier version left it that had opened it as both.
    private func makeDatabase(_ path: String) async throws {
        try await Store(SQLiteBackend(path: path)).thenClose { try await $0.insert(notes) }
        let text = try #require(
            try sqliteColumn(path, "SELECT definition FROM storage_tables WHERE name = 'Note'").first)
        var table = try JSONDecoder().decode(TableSchema.self, from: Data(text.utf8))
        table.columns.append(ColumnSchema(name: "tags", property: "tags", type: .string, isOptional: true))
        let definition = String(decoding: try JSONEncoder().encode(table), as: UTF8.self)
        try sqliteRun(
            path, "ALTER TABLE Note ADD COLUMN tags TEXT", "UPDATE Note SET tags = 'text' WHERE id = 1",
            "UPDATE storage_tables SET definition = '\(definition)' WHERE name = 'Note'")
    }

    @Test func `a name of two kinds opens as either, and keeps both`() async throws {
        try await withDatabase { path in
            try await makeDatabase(path)
            for _ in 1...2 {
                let notesRead = try await Store(SQLiteBackend(path: path)).thenClose {
                    try await $0.select(TaggedNote.self).all()
                }
                expect(notesRead, equals: notes)
                let textsRead = try await Store(SQLiteBackend(path: path)).thenClose {
                    try await $0.select(TextNote.self).all()
                }
                expect(textsRead, equals: texts)
            }
        }
    }

    @Test func `a copy of it into an archive opens again, and holds both`() async throws {
        try await withFolder { folder in
            let (database, path) = (folder.appending(path: "a.db").path, folder.appending(path: "a.karch").path)
            try await makeDatabase(database)
            let source = try await Store(SQLiteBackend(path: database))
            let copied = try await Store(ArchiveBackend(path: path)).thenClose { try await $0.copy(from: source) }
            try await source.close()
            for compacts in [true, false] {
                let store = try await Store(ArchiveBackend(path: path))
                try await expect(store.digest(of: "Note"), equals: copied.first)
                if compacts { try await store.compact() }
                try await store.close()
            }
            let notesRead = try await Store(ArchiveBackend(path: path)).thenClose {
                try await $0.select(TaggedNote.self).all()
            }
            expect(notesRead, equals: notes)
            let textsRead = try await Store(ArchiveBackend(path: path)).thenClose {
                try await $0.select(TextNote.self).all()
            }
            expect(textsRead, equals: texts)
        }
    }
}
