internal import StorageAPI
internal import StorageDriver

extension Conformance {
    /// T11: sets of records that are stored and judged as a whole.
    static let setCases: [ConformanceCase] = [
        ConformanceCase(
            "sets/unique-values", for: [.t11: [1, 2]],
            "Records of a set swap unique values, in pairs, rings and with records that go, whatever their order."
        ) { t in
            let store = try await t.open(Member.self)
            try await store.insert((1...6).map { Member(id: $0, email: "m\($0)") })
            try await store.replace { set in
                set.save([Member(id: 1, email: "m2"), Member(id: 2, email: "m1")])
                set.save([Member(id: 3, email: "m4"), Member(id: 4, email: "m5"), Member(id: 5, email: nil)])
                set.save([Member(id: 7, email: "m6"), Member(id: 8, email: "m3")])
                set.delete(Member.self, key: 6)
            }
            let expected = [(1, "m2"), (2, "m1"), (3, "m4"), (4, "m5"), (5, nil), (7, "m6"), (8, "m3")]
            try t.expect(
                try await store.all(Member.self).sorted { $0.id < $1.id },
                equals: expected.map { Member(id: $0, email: $1) })
            try await t.expectError(.constraint) { try await store.insert(Member(id: 9, email: "m6")) }
            try await store.insert(Member(id: 9, email: "m7"))
        },
        ConformanceCase(
            "sets/unique-obstacles", for: [.t11: [1, 3]],
            "Each record with a value that a set's record shall have stands against it, and nothing is stored."
        ) { t in
            let store = try await t.open(Member.self)
            let members = (1...4).map { Member(id: $0, email: "m\($0)") }
            try await store.insert(members)
            let error = try await t.expectError(.constraint) {
                try await store.replace { set in
                    set.save([Member(id: 1, email: "m2"), Member(id: 3, email: "m4"), Member(id: 5, email: "m5")])
                }
            }
            try t.expect(
                obstacles(error), equals: ["Member 2 email, as 1", "Member 4 email, as 3"], "Another list.")
            let inside = try await t.expectError(.constraint) {
                try await store.replace { set in
                    set.save([Member(id: 1, email: "m9"), Member(id: 5, email: "m9")])
                }
            }
            try t.expect(obstacles(inside), equals: ["Member 1 email, as 5"], "Another list.")
            try t.expect(try await store.all(Member.self), equals: members)
        },
        ConformanceCase(
            "sets/cycles", for: [.t11: [1, 2]],
            "References of a set form cycles between models in any order, beside owned records and lists."
        ) { t in
            let store = try await library(t)
            var ann = writers[0]
            ann.mentor = 9
            let zoe = Writer(id: 9, name: "Zoe", mentor: 1)
            var book = volumes[2]
            book.chapters = [Chapter(title: "c", guest: 9, sources: [9, 3])]
            book.labels = ["sea"]
            let other = Volume(id: 9, author: 9, editor: 1, labels: ["sea", "art"])
            try await store.replace { [ann, book] set in
                set.save([Loan(id: 1, volume: 9)])
                set.save([book, other])
                set.save([ann, zoe])
                set.save([Label(name: "sea", rank: 4)])
            }
            try t.expect(try await store.find(Volume.self, key: 3), equals: book)
            try t.expect(try await store.find(Volume.self, key: 9), equals: other)
            try t.expect(try await store.find(Writer.self, key: 1), equals: ann)
            try t.expect(try await store.find(Writer.self, key: 9), equals: zoe)
        },
        ConformanceCase(
            "sets/removed-together", for: [.t11: [1, 2]],
            "A set removes parents with children whose references deny it, and gives children to another parent."
        ) { t in
            let store = try await library(t)
            try await store.insert([Loan(id: 1, volume: 1), Loan(id: 2, volume: 2), Loan(id: 3, volume: 3)])
            // Bob goes with his volume, which a loan denies; the other volumes get another editor and author.
            var first = volumes[0]
            first.editor = 3
            var second = volumes[1]
            second.author = 4
            try await store.replace { [first, second] set in
                set.delete(Writer.self, keys: [2, 1])
                set.delete(Volume.self, key: 3)
                set.save([second])
                set.save([Loan(id: 3, volume: 2)])
                set.delete(Volume.self, key: 77)
                set.save([with(first) { $0.author = 4 }])
            }
            try t.expect(
                try await store.all(Volume.self), equals: [with(first) { $0.author = 4 }, second], "Other volumes.")
            try t.expect(try await store.find(Loan.self, key: 3)?.volume, equals: 2)
            // Cem's mentor went, which is a rule of the reference.
            try t.expect(try await store.find(Writer.self, key: 3)?.mentor, equals: nil)
            try t.expect(try await store.select(Writer.self).keys(), equals: [3, 4])
        },
        ConformanceCase(
            "sets/rules", for: [.t11: [2, 3], .r3: [1]],
            "Rules reach the records that the set leaves: it cascades, nullifies or denies, and never changes records of the set."
        ) { t in
            let store = try await library(t)
            try await store.insert([Loan(id: 1, volume: 1), Loan(id: 2, volume: 2), Loan(id: 3, volume: 2)])
            let error = try await t.expectError(.constraint) {
                try await store.replace { set in set.delete(Writer.self, keys: [1, 2]) }
            }
            try t.expect(
                obstacles(error),
                equals: ["Loan 1 volume, to Volume 1", "Loan 2 volume, to Volume 2", "Loan 3 volume, to Volume 2"],
                "Another list.")
            // The set stores a volume and takes its author away, and refers to a label that it removes.
            let itself = try await t.expectError(.constraint) {
                try await store.replace { set in
                    set.save([volumes[0], Volume(id: 4, author: 3, labels: ["war", "no"])])
                    set.delete(Writer.self, key: 1)
                    set.delete(Label.self, key: "war")
                }
            }
            let found = obstacles(itself)
            try t.expect(found.contains("Volume 1 author, to missing Writer 1"), "\(found)")
            try t.expect(found.contains("Volume 4 labels, to missing Label \"war\""), "\(found)")
            try t.expect(found.contains("Volume 4 labels, to missing Label \"no\""), "\(found)")
            try t.expect(found.contains("Loan 2 volume, to Volume 2"), "\(found)")
            try t.expect(try await store.all(Volume.self), equals: volumes)
            try await store.replace { set in
                set.delete(Writer.self, keys: [1, 2])
                set.delete(Loan.self, keys: [1, 2, 3])
                set.delete(Label.self, key: "war")
            }
            try t.expect(try await store.all(Volume.self), equals: [])
            try t.expect(try await store.select(Writer.self).keys(), equals: [3, 4])
        },
        ConformanceCase(
            "sets/values-beside-rules", for: [.t11: [1, 2], .r3: [1]],
            "Records of a set swap unique values while rules change others that refer to the same removed record."
        ) { t in
            let store = try await t.open(Depot.self, Stock.self)
            try await store.insert([Depot(id: "kept"), Depot(id: "gone")])
            var stocks = (1...6).map { Stock(id: "s\($0)", code: "c\($0)", also: ["gone", "kept"]) }
            stocks[2].depot = "gone"
            try await store.insert(stocks)
            (stocks[0].code, stocks[1].code) = ("c2", "c1")
            try await store.replace { [stocks] set in
                set.save([with(stocks[0]) { $0.also = [] }, with(stocks[1]) { $0.also = ["kept"] }])
                set.delete(Depot.self, key: "gone")
            }
            for index in stocks.indices { stocks[index].also = index == 0 ? [] : ["kept"] }
            stocks[2].depot = nil
            try t.expect(try await withoutTimes(store), equals: stocks)
            // A record of the set that still refers to it stands against the set, and no other one does.
            let error = try await t.expectError(.constraint) {
                try await store.replace { [stocks] set in
                    set.save([with(stocks[0]) { $0.code = "c1" }, with(stocks[1]) { $0.code = "c2" }])
                    set.delete(Depot.self, key: "kept")
                }
            }
            try t.expect(obstacles(error), equals: ["Stock \"s2\" also, to missing Depot \"kept\""])
            try t.expect(try await withoutTimes(store), equals: stocks)
        },
        ConformanceCase(
            "sets/contradictions", for: [.t11: [3]],
            "A set that stores a record twice, or stores and removes it, or has no key for one, is refused and changes nothing."
        ) { t in
            let store = try await t.open(Pen.self, Account.self)
            try await store.insert(Pen(id: 1, color: "red"))
            let twice = try await t.expectError(.invalidValue) {
                try await store.replace { set in set.save([Pen(id: 2), Pen(id: 3), Pen(id: 2)]) }
            }
            try t.expect(twice.element, equals: 2)
            try await t.expectError(.invalidValue) {
                try await store.replace { set in
                    set.save(Pen(id: 1, color: "blue"))
                    set.delete(Pen.self, key: 1)
                }
            }
            let missing = try await t.expectError(.missingKey) {
                try await store.replace { set in
                    set.save(Pen(id: 2))
                    set.save(Account(name: "no key"))
                }
            }
            try t.expect(missing.element, equals: 1)
            try await t.expectError(.invalidQuery) {
                try await store.store.replace([], removing: [("Nothing", [.int(1)])])
            }
            try await t.expectError(.invalidValue) {
                try await store.store.replace([], removing: [("Pen", [.int(1), .int(2)])])
            }
            try await store.replace { _ in }
            try t.expect(try await store.all(Pen.self), equals: [Pen(id: 1, color: "red")])
        },
        ConformanceCase(
            "sets/in-transaction", for: [.t11: [1, 4]],
            "In a transaction a set is judged at once, apart from the transaction's other writes, and may fail alone."
        ) { t in
            let store = try await library(t)
            try await store.transaction { handle, tx in
                try tx.insert(Loan(id: 5, volume: 8))
                var set = Store.RecordSet()
                set.save(Loan(id: 6, volume: 8))
                t.note("    try? tx.replace(set)  // Loan(id: 6, volume: 8)")
                var code: StorageError.Code?
                do throws(StorageError) { try handle.replace(set) } catch { code = error.code }
                try t.expect(code, equals: .constraint, "The set refers to no volume.")
                try t.expect(try tx.count(Loan.self), equals: 1)
                try tx.insert(Volume(id: 8, author: 1))
                t.note("    try tx.replace(set)")
                try handle.replace(set)
            }
            try t.expect(try await store.select(Loan.self).keys(), equals: [5, 6])
        },
        ConformanceCase(
            "sets/records", for: [.t11: [1, 2], .s7: [1]],
            "Records without types are set as well, and keep data that no program declares when they swap unique values."
        ) { t in
            let schema = RecordSchema(
                name: "Named",
                properties: [
                    .init(name: "id", kind: .column(.int64), isKey: true),
                    .init(name: "name", kind: .column(.string), isUnique: true),
                    .init(name: "note", kind: .column(.string), isOptional: true),
                ])
            let store = try await t.open()
            try await store.store.prepare([schema])
            func record(_ id: Int, _ name: String, note: String? = nil) -> DynamicRecord {
                DynamicRecord(
                    model: "Named",
                    fields: [
                        .init(name: "id", content: .value(.int(Int64(id)), .int64)),
                        .init(name: "name", content: .value(.text(name), .string)),
                    ] + (note.map { [.init(name: "note", content: .value(.text($0), .string))] } ?? []))
            }
            try await store.store.insert([record(1, "a", note: "x"), record(2, "b", note: "y"), record(3, "c")])
            t.note("try await store.replace([1: \"b\", 2: \"a\", 4: \"c\"], removing: [(\"Named\", 3)])")
            try await store.store.replace(
                [record(1, "b", note: "x"), record(4, "c"), record(2, "a", note: "y")],
                removing: [("Named", [.int(3)])])
            let all = try await store.store.records("Named").all()
            try t.expect(
                all.map { $0.value("name") }, equals: [.text("b"), .text("a"), .text("c")], "Other names.")
            try t.expect(all.map { $0.value("note") }, equals: [.text("x"), .text("y"), .null], "Other notes.")
        },
    ]

    /// The records that stand against a set, a line for each.
    private static func obstacles(_ error: StorageError) -> [String] {
        guard let refusal = error.underlying as? RecordSetRefusal else { return ["\(error)"] }
        return refusal.obstacles.map { obstacle in
            let start = "\(obstacle.model) \(text(obstacle.key)) \(obstacle.property)"
            return switch obstacle.reason {
            case .sameValue(let key): "\(start), as \(text(key))"
            case .refersToMissing(let model, let key): "\(start), to missing \(model) \(text(key))"
            case .refersToRemoved(let model, let key): "\(start), to \(model) \(text(key))"
            }
        }.sorted()
    }

    private static func text(_ key: [Value]) -> String { key.keyText }

    /// The stocks by their keys, without the times at which they were modified.
    private static func withoutTimes(_ store: RecordedStore) async throws -> [Stock] {
        try await store.all(Stock.self).sorted { $0.id < $1.id }.map { with($0) { $0.changed = nil } }
    }

    private static func with<M>(_ model: M, _ change: (inout M) -> Void) -> M {
        var model = model
        change(&model)
        return model
    }
}

extension RecordedStore {
    /// A set that the body makes.
    func replace(_ build: (inout Store.RecordSet) -> Void) async throws(StorageError) {
        var set = Store.RecordSet()
        build(&set)
        trial.note("try await \(name).replace(set)  // \(set.count) records")
        try await store.replace(set)
    }
}
