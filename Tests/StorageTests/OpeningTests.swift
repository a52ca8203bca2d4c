import Foundation
import MemoryBackend
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

@Suite("Opening by URL")
struct OpeningTests {
    @Storable struct Note: Equatable {
        var id: Int
        var text = ""
    }

    @Test
    func `sqlite: opens a file, with escapes resolved and options taken`() async throws {
        try await withFolder { folder in
            let url = "sqlite:\(folder.path)/a%3Fb%20c.db?durability=relaxed&cache=8&timeout=100"
            let store = try await Store(
                url: url, backends: [SQLiteBackend.self, InMemoryBackend.self], models: Note.self)
            try await store.save(Note(id: 1, text: "x"))
            try await store.close()
            expect(FileManager.default.fileExists(atPath: folder.appending(path: "a?b c.db").path))
        }
        let memory = try await Store(url: "memory:", backends: [InMemoryBackend.self], models: Note.self)
        expect(memory.info.name, equals: "memory")
    }

    @Test(
        arguments: [
            ("mysql:a.db", "sqlite"), ("a.db", "backend:path"), ("sqlite:", "names no file"),
            ("sqlite:a.db?speed=9", "busy"), ("sqlite:a.db?durability=none", "full, relaxed"),
            ("sqlite:a.db?cache=big", "65536"), ("sqlite:a%zz.db", "%"), ("sqlite:a.db?cache=1&cache=2", "twice"),
            ("memory:?size=1", "size"), ("archive:a.karch", "ArchiveBackend.self"),
            ("sqlit:a.db", "did you mean sqlite?"), ("sqlite:a.db?cahce=1", "did you mean cache?"),
            ("sqlite:a.db?durability=relax", "did you mean relaxed?"),
        ])
    func `what is unknown is a configuration error that lists what is accepted`(_ url: String, _ hint: String)
        async throws
    {
        let error = await expectError(.configuration) {
            try await Store(url: url, backends: [SQLiteBackend.self, InMemoryBackend.self], models: Note.self)
        }
        let isHelpful = error.map { $0.message.contains(hint) || hint == "busy" && $0.message.contains("timeout") }
        expect(isHelpful, equals: true, "\(String(describing: error))")
    }
}
