internal import Foundation
internal import StorageAPI

extension Conformance {
    /// K1, K2: many records by their keys, and UUIDs that the store assigns.
    static let keyListCases: [ConformanceCase] = [
        ConformanceCase(
            "keys/uuid-assigned", for: [.k2: [1, 2, 4]],
            "A nil UUID is assigned, another for each record, and returned in the stored model."
        ) { t in
            let store = try await t.open(Voucher.self)
            let own = try t.required(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
            let one = try await store.insert(Voucher(note: "one", pens: [Pen(id: 1)]))
            let first = try t.required(one.id, "No key was assigned.")
            let more = try await store.save([
                Voucher(note: "two"), Voucher(id: own, note: "own"), Voucher(note: "three"),
            ])
            try t.expect(more.map(\.note), equals: ["two", "own", "three"])
            try t.expect(more[1].id, equals: own)
            let keys = try [first] + more.map { try t.required($0.id, "No key was assigned.") }
            try t.expect(Set(keys).count == 4, "A key was assigned twice.")
            try t.expect(try await store.find(Voucher.self, key: first), equals: one)
            try t.expect(Set(try await store.select(Voucher.self).keys()) == Set(keys), "Other keys are stored.")
            try await t.expectError(.missingKey) { try await store.update(Voucher(note: "none")) }
            try await t.expectError(.missingKey) { try await store.delete(Voucher(note: "none")) }
            try await t.expectError(.duplicateKey) { try await store.insert(Voucher(id: own)) }
        },
        ConformanceCase(
            "keys/uuid-assigned-untyped", for: [.k2: [1, 2]], "A nil UUID is assigned to a record without a type, too."
        ) { t in
            let store = try await t.open(Voucher.self)
            t.note("try await store.insert(DynamicRecord(model: \"Voucher\", fields: [note: \"a\"]))")
            let note = DynamicRecord.Field(name: "note", content: .value(.text("a"), .string))
            let stored = try await store.store.insert(DynamicRecord(model: "Voucher", fields: [note]))
            let found = try t.required(try await store.all(Voucher.self).first)
            try t.expect(found.note, equals: "a")
            try t.expect(stored.value("id"), equals: found.id.map { Value($0) })
        },
        ConformanceCase(
            "keys/many", for: [.k5: [1], .t2: [1]],
            "Records are found by many keys in the keys' order, with nil for a missing record."
        ) { t in
            let store = try await t.open(Person.self)
            let people = (1...40).map(Samples.person)
            try await store.insert(people)
            let keys = [31, 2, 99, 2, 40, -1, 1]
            let wanted: [Person?] = [people[30], people[1], nil, people[1], people[39], nil, people[0]]
            t.note("try await store.find(Person.self, keys: \(keys))")
            try t.expect(try await store.store.find(Person.self, keys: keys), equals: wanted)
            try t.expect(try await store.store.find(Person.self, keys: []), equals: [])
            try t.expect(try store.store.blocking.find(Person.self, keys: keys), equals: wanted)
            try t.expect(try await store.store.read { try $0.find(Person.self, keys: keys) }, equals: wanted)
            let inside = try await store.store.transaction { tx in
                try tx.save(Person(id: 99))
                return try tx.find(Person.self, keys: keys)
            }
            try t.expect(inside, equals: wanted.enumerated().map { $0 == 2 ? Person(id: 99) : $1 })
            let records = try await store.store.records("Person").find(keys: [[.int(2)], [.int(77)], [.int(1)]])
            try t.expect(records.map { $0?.value("id") }, equals: [.int(2), nil, .int(1)])
            let blocking = try store.store.blocking.records("Person").find(keys: [[.int(77)], [.int(1)]])
            try t.expect(blocking.map { $0?.value("id") }, equals: [nil, .int(1)])
            let all = try await store.store.find(Person.self, keys: Array(1...2000))
            try t.expect(all.compactMap { $0 }.count, equals: 41)
        },
        ConformanceCase("keys/many-composite", for: [.k5: [1], .k3: [2]], "So they are by keys of several parts.") {
            t in
            let store = try await t.open(Pair.self)
            let pairs = [Pair(first: "ab", second: "c"), Pair(first: "a", second: "bc"), Pair(first: "", second: "")]
            try await store.insert(pairs)
            t.note(
                "try await store.find(Pair.self, keys: [(\"\", \"\"), (\"a\", \"c\"), (\"ab\", \"c\"), (\"a\", \"bc\")])"
            )
            let found = try await store.store.find(Pair.self, keys: [("", ""), ("a", "c"), ("ab", "c"), ("a", "bc")])
            try t.expect(found, equals: [pairs[2], nil, pairs[0], pairs[1]])
        },
    ]
}
