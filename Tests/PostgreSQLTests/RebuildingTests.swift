import Foundation
import PostgreSQLBackend
import StorageKit
import TestSupport
import Testing

@Suite(
    "PostgreSQL, tables that another process rebuilds",
    .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"))
struct RebuildingTests {
    /// As a later version of the program declares it: a table is built anew for it, and the earlier version reads that too.
    enum LaterVersion {
        @Storable("Pen") struct Pen: Equatable {
            var id: Int
            var color: String?
        }

        @Storable("Person") struct Person {
            var id: Int?
            @Indexed var name: String
            @Unique var email: String?
            var age = 0
            var price: Decimal = 0
            var big: UInt64 = 0
            var tags: [String] = []
            var pens: [Pen] = []
        }
    }

    /// A question, with its answer.
    struct Question: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let isRight: @Sendable (Store) async throws -> Bool

        init(_ name: String, _ isRight: @escaping @Sendable (Store) async throws -> Bool) {
            (testDescription, self.isRight) = (name, isRight)
        }
    }

    private static let pens = (1...300).map { Pen(id: $0, color: "color \($0)") }

    private static let questions = [
        Question("all records") { try await $0.select(Pen.self).all() == pens },
        Question("a stream") { store in
            var read: [Pen] = []
            for try await pen in store.select(Pen.self).stream() { read.append(pen) }
            return read == pens
        },
        Question("a few records") { try await $0.select(Pen.self).limit(5).all() == Array(pens.prefix(5)) },
        Question("one record") { try await $0.find(Pen.self, key: 7) == pens[6] },
        Question("a number") { try await $0.select(Pen.self).count() == pens.count },
        Question("a condition that is tested here") { store in
            try await store.select(Pen.self).where { $0.color.like("COLOR 7", ignoring: .case) }.all() == [pens[6]]
        },
        Question("a block's first question") { store in
            try await store.read { try $0.select(Pen.self).all() } == pens
        },
    ]

    @Test(arguments: ["", "&writers=many"], questions)
    func `a read that waits for it has its answer of the new table`(_ options: String, _ question: Question)
        async throws
    {
        try await Self.whileRebuilding("Pen", LaterVersion.Pen.self, options: options) { store async throws in
            try await store.insert(Self.pens)
            // Its statements are prepared.
            try await expect(question.isRight(store))
        } _: { store async throws in
            try await expect(question.isRight(store))
        }
    }

    private static let people = (1...3).map { Person(name: "person \($0)", pens: Array(pens.prefix($0))) }

    @Test(arguments: ["", "&writers=many"])
    func `a graph is not put together of an old table and a new one, but read again`(_ options: String) async throws {
        try await Self.whileRebuilding("Person_pens", LaterVersion.Person.self, options: options) {
            store async throws in
            try await store.insert(Self.people)
        } _: { store async throws in
            try await expect(store.select(Person.self).all().map(\.pens), equals: Self.people.map(\.pens))
        }
    }

    @Test(arguments: ["", "&writers=many"])
    func `a block that has read something fails as busy`(_ options: String) async throws {
        try await Self.whileRebuilding("Person_pens", LaterVersion.Person.self, options: options) {
            store async throws in
            try await store.insert(Self.people)
        } _: { store async throws in
            let error = await #expect(throws: StorageError.self) {
                try await store.read { try $0.select(Person.self).all().count }
            }
            expect(error?.code, equals: .busy)
        }
    }

    /// Asks a store that waits for another process, which builds a table anew for its later version of a model.
    private static func whileRebuilding(
        _ table: String, _ model: any Storable.Type, options: String, storing: (Store) async throws -> Void,
        _ ask: @escaping @Sendable (Store) async throws -> Void
    ) async throws {
        try await Server.withSchema { schema in
            func open(_ name: String, _ models: any Storable.Type...) async throws -> Store {
                try await Store(
                    Server.backend(schema, "&timeout=60000&application_name=\(name)\(options)"), models: models)
            }
            let (name, later) = (String(schema.prefix(50)), "later_" + schema.prefix(50))
            let store = try await open(name, Pen.self, Person.self)
            try await storing(store)
            // It stops the other process before it takes the old table away.
            let obstacle = try await Server.Session("LOCK TABLE \"\(schema)\".\"\(table)\" IN ACCESS SHARE MODE")
            let opening = Task { try await open(later, model).close() }
            try await Self.waitForLock(later)
            let asking = Task { try await ask(store) }
            try await Self.waitForLock(name)
            try await obstacle.end()
            try await opening.value
            try await asking.value
            try await store.close()
        }
    }

    /// Returns when a connection of that name waits for a lock.
    private static func waitForLock(_ name: String) async throws {
        let waits =
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(name)' AND wait_event_type = 'Lock'"
        try await eventually { try await Server.psql(waits) != "0" }
    }
}
