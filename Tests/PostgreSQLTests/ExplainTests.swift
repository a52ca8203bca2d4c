import PostgreSQLBackend
import StorageKit
import TestSupport
import Testing

@Suite("What PostgreSQL is asked", .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"))
struct ExplainTests {
    @Test func `an explanation has the server's way, its statement, and what is left to the program`() async throws {
        try await Server.withSchema { schema in
            let store = try await Store(Server.backend(schema), models: Person.self)
            try await store.insert((0..<2000).map { Person(name: "name \($0)", email: "\($0)@x", age: $0 % 90) })
            try await Server.psql("ANALYZE \"\(schema)\".\"Person\"")
            let people = store.select(Person.self)

            let key = try await people.where { $0.id == 7 }.explain()
            expect(key.access == .key && key.rowsExamined == 1 && !key.sorts)
            let name = try await people.where { $0.name == "name 7" && $0.age > 3 }.explain()
            expect(name.access == .index("name") && name.rowsExamined == 1)
            expect(name.statement?.contains("\n"), equals: false)
            for page in [people.order { $0.id }, people.order { $0.id.descending }] {
                let explained = try await page.limit(10).explain()
                expect(!explained.sorts && explained.statement?.contains("NULLS") == false)
            }
            let all = try await people.where { $0.age > 80 }.order { $0.price }.explain()
            expect(all.access == .scan && all.rowsExamined == 2000 && all.sorts)

            let partial = try await people.where { $0.age > 3 && $0.tags.contains("x") }.explain()
            expect(partial.statement?.contains("\"age\" > $1"), equals: true)
            expect(partial.statement?.contains("json_array_elements"), equals: true)
            expect(partial.statement?.hasSuffix("\n-- then in the program: a condition on tags"), equals: true)
            let folded = try await people.where { !$0.name.contains("NAME", ignoring: .case) }.explain()
            expect(folded.statement?.contains("lower("), equals: true)
            let failing = try await people.where { $0.email == "5@x" && $0.age * 2 > 3 }.explain()
            expect(failing.access, equals: .index("email"))
            expect(failing.statement?.contains("conditions that can fail"), equals: true)
            expect(failing.description.hasPrefix("Person: by the index on email, about 1 row examined"))
            try await store.close()
        }
    }
}
