internal import StorageAPI
internal import StorageDriver
internal import StorageSync
internal import Synchronization

extension Conformance {
    /// Y4, Y5: records that both sides have changed, and deletions.
    static let mergeCases: [ConformanceCase] = [
        ConformanceCase(
            "synchronisation/properties", for: [.y4: [1, 2]],
            "Records are merged by property, arrays by key, lists of references by element; what is replaced unseen is told."
        ) { t in
            try await t.synchronising(2) { s in
                let (ann, bob) = (s.replicas[0], s.replicas[1])
                try await ann.store.insert([Depot(id: "1"), Depot(id: "2"), Depot(id: "3")])
                let lines = ["a", "b", "c"].map { StockLine(id: $0, text: $0, count: 1) }
                var stock = Stock(id: "s", tags: ["t"], label: StockLabel(text: "l", count: 1), lines: lines)
                stock.also = [Ref(key: "1"), Ref(key: "2")]
                try await ann.store.insert(stock)
                for replica in [ann, bob] { try await replica.sync() }
                var (mine, theirs) = (
                    try t.required(try await ann.store.find(Stock.self, key: "s")),
                    try t.required(try await bob.store.find(Stock.self, key: "s"))
                )
                (theirs.b, theirs.tags, theirs.label) = (5, ["theirs"], StockLabel(text: "l", count: 5))
                theirs.lines = [lines[2], StockLine(id: "a", text: "theirs", count: 1), StockLine(id: "d")]
                theirs.also = [Ref(key: "2"), Ref(key: "3")]
                (mine.a, mine.tags, mine.label) = (4, ["mine"], StockLabel(text: "mine", count: 1))
                mine.lines = [StockLine(id: "a", text: "a", count: 9), lines[1], StockLine(id: "e")]
                mine.also = [Ref(key: "1")]
                try await bob.store.save(theirs)
                try await bob.sync()
                try await ann.store.save(mine)
                let outcomes = try await ann.sync().outcomes
                guard case .applied(let lost)? = outcomes.first?.result else {
                    throw ConformanceFailure("\(outcomes)", location: "merge")
                }
                try t.expect(lost.map(\.property).sorted(), equals: ["label", "tags"])
                let merged = try t.required(try await s.store.find(Stock.self, key: "s"))
                try t.expect([merged.a, merged.b], equals: [4, 5])
                try t.expect(merged.tags, equals: ["mine"])
                try t.expect(merged.label?.text, equals: "mine")
                try t.expect(merged.label?.count, equals: 1)
                let texts = merged.lines.map { "\($0.id) \($0.text) \($0.count)" }
                try t.expect(texts, equals: ["a theirs 9", "d  0", "e  0"])
                try t.expect(merged.also.map(\.key), equals: ["3"])
                try await s.settle()
            }
        },
        ConformanceCase(
            "synchronisation/rules-yield", for: [.y4: [3]],
            "A reference that a rule has set to nil leaves the one that a call has set meanwhile."
        ) { t in
            try await t.synchronising(2) { s in
                let (ann, bob) = (s.replicas[0], s.replicas[1])
                try await ann.store.insert([Depot(id: "1"), Depot(id: "2")])
                try await ann.store.insert(Stock(id: "s", depot: Ref(key: "1")))
                for replica in [ann, bob] { try await replica.sync() }
                try await bob.store.update(Stock.self).where { $0.id == "s" }.set(\.depot, to: Ref(key: "2")).run()
                try await bob.sync()
                try await ann.store.delete(Depot.self, key: "1")
                try t.expect(try await ann.sync().refused, equals: 0)
                try t.expect(try await s.store.find(Stock.self, key: "s")?.depot, equals: Ref(key: "2"))
                try await s.settle()
            }
        },
        ConformanceCase(
            "synchronisation/hub-decides", for: [.y4: [4]],
            "A closure of the hub decides on a property that both have changed."
        ) { t in
            var rules = HubRules()
            rules.merge = { $0.change.name == "name" ? $0.stored : nil }
            try await t.synchronising(2, rules: rules) { s in
                let (ann, bob) = (s.replicas[0], s.replicas[1])
                try await ann.store.insert(Depot(id: "1", name: "0"))
                for replica in [ann, bob] { try await replica.sync() }
                try await bob.store.save(Depot(id: "1", name: "bob"))
                try await bob.sync()
                try await ann.store.save(Depot(id: "1", name: "ann", code: "c"))
                try await ann.sync()
                try t.expect(
                    try await ann.store.find(Depot.self, key: "1"), equals: Depot(id: "1", name: "bob", code: "c"))
                try await s.settle()
            }
        },
        ConformanceCase(
            "synchronisation/deletions", for: [.y5: [1, 2]],
            "A deletion that takes what its author has not seen is refused, and so is a change of a deleted record."
        ) { t in
            try await t.synchronising(2) { s in
                let (ann, bob) = (s.replicas[0], s.replicas[1])
                try await ann.store.insert([Stock(id: "changed"), Stock(id: "parent"), Stock(id: "same")])
                for replica in [ann, bob] { try await replica.sync() }
                try await bob.store.update(Stock.self).where { $0.id == "changed" }.set(\.a, to: 1).run()
                try await bob.store.insert(Slip(first: "x", second: "1", stock: Ref(key: "parent")))
                try await bob.store.delete(Stock.self, key: "same")
                try await bob.sync()
                try await ann.store.update(Stock.self).where { $0.id == "same" }.set(\.a, to: 1).run()
                for key in ["changed", "parent", "same"] { try await ann.store.delete(Stock.self, key: key) }
                let outcomes = try await ann.sync().outcomes
                try t.expect(outcomes.map { $0.result == .applied([]) }, equals: [false, false, false, true])
                try t.expect(try await ann.store.select(Stock.self).keys(), equals: ["changed", "parent"])
                try t.expect(try await ann.store.select(Slip.self).count(), equals: 1)
                try await s.settle()
            }
        },
    ]
}
