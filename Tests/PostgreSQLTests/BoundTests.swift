import Foundation
import MemoryBackend
import PostgreSQLBackend
import StorageKit
import TestSupport
import Testing

@Storable struct Listed: Equatable {
    var id: Int
    var numbers: [Double] = []
    var words: [String]? = nil
    var nested: [[Int]] = []
    var bytes: [UInt8] = []
    var text = ""
}

@Suite(
    "What PostgreSQL is asked for more rows than it must give",
    .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"))
struct BoundTests {
    @Test func `an element is found however another program has spelled it`() async throws {
        try await Server.withSchema { schema in
            let store = try await Store(Server.backend(schema), models: Listed.self)
            try await store.insert((1...9).map { Listed(id: $0) })
            func write(_ id: Int, _ column: String, json: String) async throws {
                try await Server.psql("UPDATE \"\(schema)\".\"Listed\" SET \(column) = '\(json)' WHERE id = \(id)")
            }
            for (id, numbers) in ["[100]", "[ 1e2 ]", "[1, 100.000]", "[1.0E+2]", "[1e-999, 0.001]", "[]"].enumerated()
            {
                try await write(id + 1, "numbers", json: numbers)
            }
            let long = "100." + String(repeating: "0", count: 120)
            try await write(7, "numbers", json: "[\(long)]")
            for (id, words) in [#"["a/b"]"#, #"["a\/b"]"#, #"[ "x" , "\u0061/b" ]"#, #"["a/"]"#, "null"].enumerated() {
                try await write(id + 1, "words", json: words)
            }
            try await write(1, "nested", json: "[ [1, 2] ]")
            try await write(2, "nested", json: "[[1],[1,2.0]]")
            try await write(3, "nested", json: "[[2,1]]")
            let all = store.select(Listed.self)

            try await expect(all.where { $0.numbers.contains(100) }.count(), equals: 5)
            try await expect(all.where { $0.words.contains("a/b") }.count(), equals: 3)
            try await expect(all.where { !$0.words.contains("a/b") }.count(), equals: 6)
            try await expect(all.where { $0.nested.contains([1, 2]) }.count(), equals: 2)
            try await store.close()
        }
    }

    @Test func `bytes, and texts in any case, are found as in memory`() async throws {
        try await Server.withSchema { schema in
            let texts = [
                "Straße", "STRASSE", "strasse", "\u{1}Ab\u{0}", "ab", "É", "e\u{301}", "K", "\u{212A}", "I", "ı", "İ",
                "",
            ]
            let records = texts.enumerated().map { index, text in
                Listed(id: index, words: index % 3 == 0 ? nil : [text], bytes: [UInt8(index), 255, 0], text: text)
            }
            let server = try await Store(Server.backend(schema), models: Listed.self)
            let memory = try await Store(InMemoryBackend(), models: Listed.self)
            try await server.insert(records)
            try await memory.insert(records)
            for text in texts + ["s", "AB", "k"] {
                for folding in [TextFolding.case, .diacritics, [.case, .diacritics]] {
                    let selections: [(Store) -> Select<Listed, Store>] = [
                        { $0.select(Listed.self).where { $0.text.contains(text, ignoring: folding) } },
                        { $0.select(Listed.self).where { !$0.text.hasPrefix(text, ignoring: folding) || $0.id == 3 } },
                        {
                            $0.select(Listed.self).where {
                                !($0.words.contains(text) && $0.text.hasSuffix(text, ignoring: folding))
                            }
                        },
                        {
                            $0.select(Listed.self).where {
                                $0.text.equals(text, ignoring: folding) || $0.bytes.contains(UInt8(text.utf8.count))
                            }
                        },
                    ]
                    for select in selections {
                        try await expect(select(server).all(), equals: select(memory).all())
                    }
                }
            }
            try await server.close()
            try await memory.close()
        }
    }
}
