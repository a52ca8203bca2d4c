internal import Foundation
internal import StorageAPI

extension Conformance {
    /// K: what a key may be, and keys that the store assigns.
    static let keyCases: [ConformanceCase] = [
        ConformanceCase("keys/zero-and-negative", for: [.k1: [2]], "0 and negative numbers are keys like any other.") {
            t in
            let store = try await t.open(Pen.self)
            try await store.insert([Pen(id: 0, color: "zero"), Pen(id: -1, color: "minus"), Pen(id: 1, color: "one")])
            try t.expect(try await store.select(Pen.self).keys(), equals: [-1, 0, 1])
            try t.expect(try await store.find(Pen.self, key: 0)?.color, equals: "zero")
            try t.expect(try await store.find(Pen.self, key: 2)?.id, equals: nil)
        },
        ConformanceCase("keys/near-2-53", for: [.k3: [3], .v4: [1]], "Keys beyond 2^53 are not rounded together.") {
            t in
            let store = try await t.open(Pen.self)
            let ids = [(1 << 53) - 1, 1 << 53, (1 << 53) + 1, (1 << 53) + 2]
            try await store.insert(ids.map { Pen(id: $0, color: "\($0)") })
            for id in ids { try t.expect(try await store.find(Pen.self, key: id)?.color, equals: "\(id)") }
            try t.expect(try await store.delete(Pen.self, key: ids[1]), equals: 1)
            try t.expect(try await store.select(Pen.self).keys(), equals: [ids[0], ids[2], ids[3]])
        },
        ConformanceCase(
            "keys/string-enum", for: [.k1: [2], .v4: [4]], "A string enum is a key, ordered by its raw value."
        ) {
            t in
            let store = try await t.open(ByKind.self)
            try await store.insert(Kind.allCases.map { ByKind(kind: $0, note: $0.rawValue) })
            for kind in Kind.allCases {
                try t.expect(try await store.find(ByKind.self, key: kind)?.note, equals: kind.rawValue)
            }
            try t.expect(try await store.select(ByKind.self).keys(), equals: [.large, .odd, .small])
        },
        ConformanceCase(
            "keys/integer-enum", for: [.k1: [2], .v4: [1]], "An integer enum is a key, ordered by its raw value."
        ) { t in
            let store = try await t.open(ByLevel.self)
            try await store.insert(Level.allCases.reversed().map { ByLevel(level: $0, note: "\($0)") })
            try t.expect(try await store.find(ByLevel.self, key: .high)?.note, equals: "high")
            try t.expect(try await store.select(ByLevel.self).keys(), equals: [.low, .middle, .high])
            try t.expect(try await store.delete(ByLevel.self, key: .low), equals: 1)
        },
        ConformanceCase(
            "keys/composite", for: [.k1: [1], .k3: [2]],
            "Of a composite key each pair is one key: (\"ab\", \"c\") is not (\"a\", \"bc\")."
        ) {
            t in
            let store = try await t.open(Pair.self)
            let pairs = [("", "abc"), ("a", ""), ("a", "bc"), ("ab", "c"), ("abc", "")].map {
                Pair(first: $0.0, second: $0.1, note: "\($0.0)|\($0.1)")
            }
            try await store.insert(Array(pairs.reversed()))
            try t.expect(try await store.all(Pair.self), equals: pairs)
            for pair in pairs {
                try t.expect(try await store.find(Pair.self, key: (pair.first, pair.second)), equals: pair)
            }
            let error = try await t.expectError(.duplicateKey) {
                try await store.insert(Pair(first: "ab", second: "c"))
            }
            try t.expect(error.key, equals: [.text("ab"), .text("c")])
            try t.expect(try await store.delete(Pair.self, keys: [("a", "bc"), ("a", "b")]), equals: 1)
            try t.expect(try await store.select(Pair.self).count(), equals: 4)
        },
        ConformanceCase(
            "keys/composite-part", for: [.k1: [1], .q1: [1]],
            "A filter by one part of a composite key finds all of its others."
        ) {
            t in
            let store = try await t.open(Pair.self)
            let parts = ["a", "b", "c"]
            try await store.insert(parts.flatMap { first in parts.map { Pair(first: first, second: $0) } })
            let seconds = try await store.all(Pair.self) { $0.where { $0.first == "b" } }.map(\.second)
            try t.expect(seconds, equals: parts)
            let firsts = try await store.all(Pair.self) { $0.where { $0.second == "b" } }.map(\.first)
            try t.expect(firsts, equals: parts)
        },
        ConformanceCase(
            "keys/composite-of-three", for: [.k1: [1, 2]], "A key of a UUID, an integer and an enum finds its record."
        ) {
            t in
            let store = try await t.open(Triple.self)
            let code = try t.required(UUID(uuidString: "DEADBEEF-0000-4000-8000-00000000000A"))
            let triples = [
                Triple(note: "a", code: code, number: .min, kind: .odd),
                Triple(note: "b", code: code, number: 1, kind: .large),
                Triple(note: "c", code: code, number: 1, kind: .odd),
            ]
            try await store.insert(triples.reversed())
            try t.expect(try await store.all(Triple.self), equals: triples)
            try t.expect(try await store.find(Triple.self, key: (code, 1, .odd))?.note, equals: "c")
            try await store.update(Triple(note: "new", code: code, number: 1, kind: .large))
            try t.expect(try await store.all(Triple.self).map(\.note), equals: ["a", "new", "c"])
        },
        ConformanceCase(
            "keys/models-apart", for: [.k3: [1]], "Key 1 of one model and key 1 of another are two records."
        ) {
            t in
            let store = try await t.open(Pen.self, City.self)
            try await store.insert(Pen(id: 1, color: "pen"))
            try await store.insert(City(id: 1, name: "city"))
            try await store.insert(Keyed<String>(id: "1", note: "keyed"))
            try t.expect(try await store.delete(City.self, key: 1), equals: 1)
            try t.expect(try await store.all(Pen.self), equals: [Pen(id: 1, color: "pen")])
            try t.expect(try await store.find(Keyed<String>.self, key: "1")?.note, equals: "keyed")
        },
        ConformanceCase(
            "keys/case-and-form", for: [.k3: [3], .v4: [4]],
            "\"A\" and \"a\", and two normal forms of \"é\", are different keys."
        ) { t in
            let store = try await t.open(Keyed<String>.self)
            let keys = ["A", "a", "e\u{301}", "é"]
            try await store.insert(keys.map { Keyed(id: $0, note: "\($0.utf8.count)\($0 == "A")") })
            try t.expect(try await store.select(Keyed<String>.self).keys(), equals: keys)
            try t.expect(try await store.delete(Keyed<String>.self, key: "é"), equals: 1)
            try t.expect(try await store.select(Keyed<String>.self).keys(), equals: ["A", "a", "e\u{301}"])
        },
        ConformanceCase(
            "keys/hostile-text", for: [.k4: [1, 2]], "A key is never a path, a word of a query or a pattern."
        ) {
            t in
            let store = try await t.open(Keyed<String>.self)
            let keys = [
                "", "/", "/etc/passwd", "../../x", ".", "..", "CON", "a/b", "a\\b", "\0", "a\0", "a\0b", "'", "''",
                "\"",
                "'; DROP TABLE Keyed; --", "' OR '1'='1", "%", "_", "*", "[a]", "NULL", "nil", "👩‍👩‍👧", "\n", " ", "$root",
                "?1", ":a", " a", "a ", "\u{FEFF}", "\u{10FFFF}",
                String(repeating: "k", count: 1024), String(repeating: "é", count: 512),
            ].sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            let records = keys.enumerated().map { Keyed(id: $1, note: "1", pens: [Pen(id: $0), Pen(id: $0 + 1)]) }
            try await store.insert(records)
            try t.expect(try await store.select(Keyed<String>.self).keys(), equals: keys)
            for (key, record) in zip(keys, records) {
                try t.expect(try await store.find(Keyed<String>.self, key: key), equals: record)
                try await store.save(Keyed(id: key, note: "2", pens: [Pen(id: 7)]))
                try t.expect(try await store.find(Keyed<String>.self, key: key)?.pens, equals: [Pen(id: 7)])
                try t.expect(
                    try await store.delete(Keyed<String>.self, key: key), equals: 1, "More than one record went.")
            }
        },
        ConformanceCase(
            "keys/hostile-text-owners", for: [.k4: [1], .c2: [1]], "Owners with hostile keys keep their children apart."
        ) {
            t in
            let store = try await t.open(Pair.self)
            let keys = ["", "\0", "a", "a\0", "a\0\0", "a/b", "../a", "A", "é", "e\u{301}"]
            func nodes(_ first: String, _ second: String) -> [Node] {
                [Node(id: 1, name: first, children: [Node(id: 1, name: second)]), Node(id: 1)]
            }
            for first in keys {
                try await store.insert(
                    keys.map { Pair(first: first, second: $0, note: first + "|" + $0, nodes: nodes(first, $0)) })
            }
            for first in keys {
                let found = try await store.all(Pair.self) { $0.where { $0.first == first } }
                try t.expect(found.count, equals: keys.count)
                try t.expect(found.map(\.note), equals: found.map { first + "|" + $0.second })
                try t.expect(found.map(\.nodes), equals: found.map { nodes(first, $0.second) })
            }
            try await store.save(Pair(first: "a", second: "\0", nodes: [Node(id: 2)]))
            try t.expect(try await store.delete(Pair.self, keys: [("a", ""), ("a\0", "a\0")]), equals: 2)
            let left = try await store.all(Pair.self)
            try t.expect(left.count, equals: keys.count * keys.count - 2)
            try t.expect(
                left.map(\.nodes),
                equals: left.map { $0.first == "a" && $0.second == "\0" ? [Node(id: 2)] : nodes($0.first, $0.second) })
        },
        ConformanceCase(
            "keys/assigned", for: [.k2: [1, 2]], "A nil key is assigned: 1 and up, returned in the stored model."
        ) { t in
            let store = try await t.open(Account.self)
            try t.expect(try await store.insert(Account(name: "a")), equals: Account(id: 1, name: "a"))
            try t.expect(try await store.save(Account(name: "b")).id, equals: 2)
            let many = try await store.insert([Account(name: "c"), Account(id: 10, name: "d"), Account(name: "e")])
            try t.expect(many.map(\.id), equals: [3, 10, 11])
            try t.expect(many.map(\.name), equals: ["c", "d", "e"])
            try t.expect(try await store.select(Account.self).keys(), equals: [1, 2, 3, 10, 11])
        },
        ConformanceCase(
            "keys/never-reused", for: [.k2: [1]], "An assigned key is never given again, though its record was deleted."
        ) { t in
            let store = try await t.open(Account.self)
            try await store.insert([Account(), Account(), Account()])
            try await store.delete(Account.self, key: 3)
            try t.expect(try await store.insert(Account()).id, equals: 4)
            try await store.delete(Account.self) { $0 }
            try t.expect(try await store.insert(Account()).id, equals: 5)
            try await store.save(Account(id: 100))
            try await store.delete(Account.self, key: 100)
            try await store.insert(Account(id: 50))
            try t.expect(try await store.insert(Account()).id, equals: 101)
        },
        ConformanceCase(
            "keys/never-reused-reopened", for: [.k2: [1]], needs: [.durability], "Nor is it after closing and opening."
        ) {
            t in
            let store = try await t.open(Account.self)
            try await store.insert([Account(), Account(), Account()])
            try await store.delete(Account.self, keys: [2, 3])
            try await store.close()
            let again = try await t.open(Account.self)
            try t.expect(try await again.insert(Account()).id, equals: 4)
        },
        ConformanceCase(
            "keys/negative-then-assigned", for: [.k2: [1]],
            "Where only negative keys are stored, the first assigned is 1."
        ) {
            t in
            let store = try await t.open(Account.self)
            try await store.insert([Account(id: -5), Account(id: .min)])
            try t.expect(try await store.insert(Account()).id, equals: 1)
        },
        ConformanceCase(
            "keys/assigned-undone", for: [.k2: [1], .t1: [1]],
            "What a transaction undoes leaves no gap in assigned keys."
        ) { t in
            let store = try await t.open(Account.self)
            try await store.insert(Account())
            try await t.expectError(.duplicateKey) { try await store.insert([Account(), Account(id: 1)]) }
            try await t.expectError(.full) {
                try await store.transaction { _, tx in
                    try tx.insert([Account(), Account(id: 77)])
                    throw StorageError(.full, "The case undoes this.")
                }
            }
            try t.expect(try await store.insert(Account()).id, equals: 2)
        },
        ConformanceCase(
            "keys/assigned-overflow", for: [.k2: [3], .w4: [2]],
            "Where no key is left, it is overflow, and nothing is stored."
        ) { t in
            let store = try await t.open(Ticket.self, Account.self)
            try await store.insert(Ticket(id: 126))
            try t.expect(try await store.insert(Ticket()).id, equals: 127)
            try await t.expectError(.overflow) { try await store.insert(Ticket()) }
            let last = try await t.expectError(.overflow) { try await store.save([Ticket(id: 1), Ticket()]) }
            try t.expect(last.element, equals: 1)
            try t.expect(try await store.select(Ticket.self).keys(), equals: [126, 127])
            try await store.insert(Account(id: .max))
            try await t.expectError(.overflow) { try await store.insert(Account()) }
        },
        ConformanceCase(
            "keys/assigned-unsigned", for: [.k2: [3], .w4: [2]],
            "An unsigned key is assigned too, up to Int64.max; beyond it is limitExceeded."
        ) {
            t in
            let store = try await t.open(Coupon.self)
            try t.expect(try await store.insert([Coupon(), Coupon()]).map(\.id), equals: [1, 2])
            let beyond = try await t.expectError(.limitExceeded) {
                try await store.insert([Coupon(id: 7), Coupon(id: 1 << 63)])
            }
            try t.expect(beyond.element, equals: 1)
            try t.expect(try await store.insert(Coupon()).id, equals: 3)
            try await store.delete(Coupon.self) { $0 }
            try await store.insert(Coupon(id: 9))
            try t.expect(try await store.insert(Coupon()).id, equals: 10)
        },
        ConformanceCase(
            "keys/missing", for: [.k2: [4]], "A nil key on update or delete is missingKey, and nothing changes."
        ) {
            t in
            let store = try await t.open(Account.self)
            try await store.insert(Account(name: "stays"))
            try await t.expectError(.missingKey) { try await store.update(Account(name: "x")) }
            try await t.expectError(.missingKey) { try await store.delete(Account()) }
            let error = try await t.expectError(.missingKey) {
                try await store.update([Account(id: 1, name: "x"), Account(name: "y")])
            }
            try t.expect(error.element, equals: 1)
            try await t.expectError(.missingKey) { try await store.delete([Account(id: 1), Account()]) }
            try t.expect(try await store.all(Account.self), equals: [Account(id: 1, name: "stays")])
        },
        ConformanceCase("keys/assigned-owners", for: [.k2: [1], .c1: [1]], "Assigned owners have their own children.") {
            t in
            let store = try await t.open(Account.self)
            let pens = [Pen(id: 1, color: "x"), Pen(id: 5, color: "y")]
            let stored = try await store.insert([Account(pens: pens), Account(), Account(pens: pens.reversed())])
            try t.expect(stored.map(\.id), equals: [1, 2, 3])
            try t.expect(try await store.all(Account.self), equals: stored)
        },
        ConformanceCase(
            "keys/assigned-concurrently", for: [.k2: [1], .t4: [2]],
            "32 tasks that insert at once into a new model get 32 keys."
        ) { t in
            let store = try await t.open()
            let keys = try await withThrowingTaskGroup(of: Int?.self) { group in
                for _ in 0..<32 { group.addTask { try await store.insert(Account()).id } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try t.expect(keys.compactMap { $0 }.sorted(), equals: Array(1...32))
        },
    ]
}
