import PostgreSQLBackend
import StorageKit
import TestSupport
import Testing

@Suite("Streams from PostgreSQL", .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"))
struct StreamTests {
    @Test(arguments: [0, 1, 3, 5000])
    func `a stream that ends early gives its connection back`(_ limit: Int) async throws {
        try await Server.withSchema { schema in
            let store = try await Store(Server.backend(schema, "&connections=2&timeout=60000"), models: Person.self)
            try await store.insert((0..<2500).map { Person(name: "n\($0)", age: $0, pens: [Pen(id: $0)]) })
            for _ in 0..<5 {
                var count = 0
                for try await _ in store.select(Person.self).stream().prefix(limit) { count += 1 }
                expect(count, equals: min(limit, 2500))
                // A condition that SQL cannot express is computed here.
                count = 0
                let folded = store.select(Person.self).where {
                    $0.name.contains("N", ignoring: [.case]) && $0.pens.any { $0.color.contains("", ignoring: [.case]) }
                }
                for try await _ in folded.limit(limit).stream().prefix(10) { count += 1 }
                expect(count, equals: min(limit, 10))
                for try await _ in store.select(Person.self).limit(0).stream() {}
                try await expect(store.select(Person.self).order { $0.name }.limit(1).offset(2).all().count, equals: 1)
            }
            try await store.save(Person(id: 1, name: "last"))
            try await store.close()
        }
    }
}

@Suite("Reads from PostgreSQL", .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"))
struct ReadTests {
    @Test func `a read that the server works on ends when its task is cancelled`() async throws {
        try await Server.withSchema { schema in
            let address = try Server.backend(schema, "&timeout=600000&application_name=\(schema)")
            let store = try await Store(address, models: Pen.self)
            try await store.save(Pen(id: 1))
            let lock = try await Server.Session("LOCK TABLE \"\(schema)\".\"Pen\" IN ACCESS EXCLUSIVE MODE")
            let waiting = Task { try await store.select(Pen.self).count() }
            let waits =
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(schema)' AND wait_event_type = 'Lock'"
            try await eventually { try await Server.psql(waits) == "1" }
            waiting.cancel()
            let error = await #expect(throws: StorageError.self) { try await waiting.value }
            expect(error?.code, equals: .cancelled)
            try await lock.end()
            for _ in 0..<3 { try await expect(store.select(Pen.self).count(), equals: 1) }
            try await store.close()
        }
    }
}

@Suite("Statements of PostgreSQL", .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"))
struct StatementTests {
    @Test func `a connection forgets statements when it has many, also where a read ends by an error`() async throws {
        try await Server.withSchema { schema in
            let store = try await Store(Server.backend(schema, "&connections=1"), models: Person.self)
            try await store.insert(Person(name: "a", age: 3))
            for number in 0..<600 {
                // Each text is a separate plan, and fails if the block ends before its statement is sent.
                let text =
                    "age >= 0" + String(repeating: " and age >= 1", count: number % 75) + " and id > \(number / 75 - 9)"
                let names = (0..<number % 4).map { "n\($0)" }
                do {
                    try await store.read { tx in
                        _ = try tx.select(Person.self).where(text: text).where { $0.name.isIn(names) || $0.age > 1 }
                            .all()
                        if number % 3 == 0 { throw CancellationError() }
                    }
                } catch is CancellationError {}
                try await expect(store.select(Person.self).where(text: text).count(), equals: 1)
            }
            try await store.close()
        }
    }
}
