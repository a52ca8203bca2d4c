import Foundation
import StorageKit
import TestSupport
import Testing

/// Tests that `explain()` returns what the page on queries shows.
@Suite("Q The page on queries shows what explain() gives")
struct ExplainPageTests {
    @Storable struct Person: Equatable {
        var id: Int
        @Indexed var name: String
        @Indexed var age: Int
    }

    static let names = ["Ann", "Anna", "Bea", "Chen", "Dora", "Emil", "Jan", "Lena", "Mia", "Tom"]

    /// Each query as the page writes it, and as it is run.
    static let queries: [(text: String, query: @Sendable (Select<Person, Store>) -> Select<Person, Store>)] = [
        ("where { $0.id == 7 }", { $0.where { $0.id == 7 } }),
        ("where { $0.name == \"Ann\" }", { $0.where { $0.name == "Ann" } }),
        (
            "where { $0.age.isIn(30..<40) }.order { $0.age }.limit(10)",
            { $0.where { $0.age.isIn(30..<40) }.order { $0.age }.limit(10) }
        ),
        ("where { $0.name.hasPrefix(\"An\") }", { $0.where { $0.name.hasPrefix("An") } }),
        (
            "where { $0.name.contains(\"NN\", ignoring: .case) }",
            { $0.where { $0.name.contains("NN", ignoring: .case) } }
        ),
    ]

    @Test
    func `the explanations of five queries on three backends`() async throws {
        var explanations = Self.queries.map { [$0.text] }
        for backend in [Backend.memory, .sqlite, .archive] {
            try await withStore(backend) { (store) async throws in
                try await store.insert(
                    (0..<100).map { Person(id: $0, name: Self.names[$0 % 10], age: 20 + $0 / 2) })
                for (index, (_, query)) in Self.queries.enumerated() {
                    let explanation = try await query(store.select(Person.self)).explain().description
                    explanations[index].append(
                        "    \(backend.name): " + explanation.replacing("\n", with: "\n        "))
                }
            }
        }
        let wanted = "```text\n" + explanations.joined().joined(separator: "\n") + "\n```\n"
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/StorageAPI/Documentation.docc/Queries.md")
        let document = try String(contentsOf: file, encoding: .utf8)
        expect(document.contains(wanted), "The page has to say:\n\(wanted)")
    }
}
