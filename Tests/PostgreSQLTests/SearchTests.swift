import PostgreSQLBackend
import StorageKit
import TestSupport
import Testing

@Suite("PostgreSQL, full text", .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"))
struct FullTextTests {
    @Storable struct Note {
        var id: Int
        @Searchable var title: String
    }

    /// Every commit adds to the same index, so that transactions beside each other are repeated.
    @Test(arguments: ["", "&writers=many"])
    func `4 stores write one index, and each finds what it has written`(_ options: String) async throws {
        let times = TestExtent.count(30)
        try await Server.withSchema { schema in
            var stores: [Store] = []
            for _ in 0..<4 {
                stores.append(try await Store(Server.backend(schema, "&timeout=60000\(options)"), models: Note.self))
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, store) in stores.enumerated() {
                    group.addTask {
                        for time in 0..<times {
                            let id = time * 4 + number
                            try await store.save(Note(id: id, title: "note word\(id)"))
                            let found = try await store.select(Note.self).where { $0.matches("word\(id)") }.keys()
                            expect(found, equals: [id])
                            if time.isMultiple(of: 5) { try await store.delete(Note.self, key: id) }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let all = try await stores[0].select(Note.self).count()
            for store in stores {
                try await expect(store.select(Note.self).where { $0.matches("note") }.count(), equals: all)
            }
            try await stores[1].verify { Issue.record("\($0)") }
            // A program without search would leave the index as it is, so it refuses the store.
            let format = try await Server.psql("SELECT value FROM \"\(schema)\".storage_info WHERE key = 'format'")
            expect(format, equals: "2")
            let next = try await Store(Server.backend(schema), models: Note.self)
            expect(next.info.format?.hasSuffix("schema record 2"), equals: true)
            try await next.close()
            for store in stores { try await store.close() }
        }
    }
}
