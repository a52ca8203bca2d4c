internal import StorageAPI

extension Conformance {
    /// K3, K4 and Q3 for keys next to each other: bounds, and keys that continue others.
    static let keyBoundCases: [ConformanceCase] = [
        bounded("int", [Int.min, -1, 0, 5, 6, 7, 1 << 53, (1 << 53) + 1, .max]),
        bounded("uint64", Corpus.wide),
        bounded("string", continued),
        ConformanceCase(
            "keys/composite-bounds", for: [.q3: [1], .v4: [4], .q5: [2]],
            "Bounds of a key's first part include or leave out all keys that begin with the part they name."
        ) { t in
            let store = try await t.open(Pair.self)
            let all = pairs.map { Pair(first: $0.0, second: $0.1) }
            try await store.insert(all)
            for first in ["", "a", "a\0", "b"] {
                let from = all.filter { !$0.first.precedes(first) }
                try t.expect(try await store.all(Pair.self) { $0.where { $0.first >= first } }, equals: from)
                let upTo = all.filter { !first.precedes($0.first) }
                try t.expect(try await store.all(Pair.self) { $0.where { $0.first <= first } }, equals: upTo)
                let between = all.filter { first.precedes($0.first) && !"a\0b".precedes($0.first) }
                let found = try await store.all(Pair.self) { $0.where { $0.first > first && $0.first <= "a\0b" } }
                try t.expect(found, equals: between)
            }
        },
        ConformanceCase(
            "keys/continued", for: [.k3: [2, 3], .k4: [1], .c2: [1], .w6: [3]],
            "Records whose keys continue each other's own nothing together: each is loaded, saved, patched and deleted alone."
        ) { t in
            let store = try await t.open(Keyed<String>.self, Pair.self)
            var owners = continued.enumerated().map {
                Keyed(id: $0.element, note: "n", pens: [Pen(id: $0.offset), Pen(id: 100 + $0.offset)])
            }
            var couples = pairs.enumerated().map {
                Pair(first: $0.element.0, second: $0.element.1, nodes: [Node(id: $0.offset, children: [Node(id: 1)])])
            }
            try await store.insert(owners)
            try await store.insert(couples)
            try await expect(owners, pairs: couples, in: store, t)
            for key in ["a", "", "a\0"] {
                let place = try t.required(owners.firstIndex { $0.id == key })
                owners[place].pens = [Pen(id: 7, color: "saved")]
                try await store.save(owners[place])
                let count = try await store.update(Keyed<String>.self) {
                    $0.where { $0.id == key }.set(\.note, to: "p")
                }
                try t.expect(count, equals: 1)
                owners[place].note = "p"
                try await expect(owners, pairs: couples, in: store, t)
                try await store.delete(owners.remove(at: place))
                let pair = try t.required(couples.firstIndex { $0.first == key && $0.second == "b" })
                couples[pair].nodes = []
                try await store.update(couples[pair])
                try await store.delete(couples.remove(at: pair))
                try await expect(owners, pairs: couples, in: store, t)
            }
        },
    ]

    /// Keys of which one is the beginning of the next, or would be if a NUL ended it.
    private static let continued =
        ["", "\0", "\0\0", "a", "a\0", "a\0\0b", "a\0b", "a\u{1}", "aa", "ab", "abc", "b"]

    private static let pairs = [
        ("", "a"), ("", "b"), ("a", "\0b"), ("a", "b"), ("a", "bc"), ("a\0", "b"), ("a\0b", ""), ("ab", "c"), ("b", ""),
    ]

    private static func expect(
        _ owners: [Keyed<String>], pairs: [Pair], in store: RecordedStore, _ t: Trial
    ) async throws {
        try t.expect(try await store.all(Keyed<String>.self), equals: owners)
        try t.expect(try await store.all(Pair.self), equals: pairs)
        for owner in owners { try t.expect(try await store.find(Keyed<String>.self, key: owner.id), equals: owner) }
        for pair in pairs {
            try t.expect(try await store.find(Pair.self, key: (pair.first, pair.second)), equals: pair)
        }
        let full = try await store.select(Keyed<String>.self) { $0.where { $0.pens.count == 2 } }.keys()
        try t.expect(full, equals: owners.filter { $0.pens.count == 2 }.map(\.id))
    }

    /// Queries with each of the keys as a bound.
    private static func bounded<K: ScalarValue & SortableValue & Comparable>(
        _ name: String, _ keys: [K]
    ) -> ConformanceCase where K.Scalar == K {
        ConformanceCase(
            "keys/\(name)-bounds", for: [.q3: [1], .v4: [1, 4], .q5: [1, 2]],
            "Bounds of a key that is \(K.self) include or leave out the key they name, from both sides, in both orders."
        ) { t in
            typealias Model = Keyed<K>
            let store = try await t.open(Model.self)
            try await store.insert(keys.reversed().map { Model(id: $0, note: "n") })
            func expect(
                _ build: (Select<Model, Store>) -> Select<Model, Store>, _ wanted: some Sequence<K>
            ) async throws {
                try t.expect(try await store.select(Model.self, build).keys(), equals: Array(wanted))
            }
            for (place, key) in keys.enumerated() {
                try await expect({ $0.where { $0.id >= key && $0.id <= key } }, [key])
                try await expect({ $0.where { $0.id > key } }, keys[(place + 1)...])
                try await expect({ $0.where { $0.id >= key } }, keys[place...])
                try await expect({ $0.where { $0.id < key } }, keys[..<place])
                try await expect({ $0.where { $0.id <= key } }, keys[...place])
                try await expect({ $0.where { $0.id > key }.limit(2) }, keys[(place + 1)...].prefix(2))
                try await expect(
                    { $0.where { $0.id >= key && $0.note == "n" }.limit(2).offset(1) },
                    keys[place...].dropFirst().prefix(2))
                try await expect(
                    { $0.where { $0.id <= key }.order { $0.id.descending }.limit(2) },
                    keys[...place].reversed().prefix(2))
            }
        }
    }
}

extension String {
    /// Returns whether its bytes come first.
    fileprivate func precedes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}
