internal import MemoryBackend
internal import StorageAPI
import StorageDriver

extension Conformance {
    /// R10: parts of long arrays of references.
    static let listCases: [ConformanceCase] = [
        ConformanceCase(
            "lists/as-arrays", for: [.r10: [1, 2], .r7: [1]],
            "What is done to a stored array of references, by the store, in transactions and blocking, is done as to a Swift array."
        ) { t in
            let store = try await library(t)
            var generator = SeededGenerator(seed: t.seed)
            var expected = volumes[1].labels
            let list = store.store.list(\.labels, of: Ref<Volume>(key: 2))
            for round in 0..<120 {
                let change = ListChange.random(of: expected.count, &generator)
                t.note("try await store.list(\\.labels, of: 2).\(change.source)")
                change.apply(to: &expected)
                switch round % 3 {
                case 0: try await change.apply(to: list)
                case 1:
                    try await store.store.transaction { tx in
                        try change.apply(to: tx.list(\.labels, of: Ref<Volume>(key: 2)))
                    }
                default: try change.apply(to: store.store.blocking.list(\.labels, of: Ref<Volume>(key: 2)))
                }
                guard round % 8 == 0 else { continue }
                try t.expect(try await list.refs(), equals: expected, "Round \(round).")
            }
            var volume = volumes[1]
            volume.labels = expected
            try t.expect(try await store.all(Volume.self), equals: [volumes[0], volume, volumes[2]])
            try await store.save(volumes[1])
            try t.expect(try await list.refs(), equals: volumes[1].labels)
        },
        ConformanceCase(
            "lists/read", for: [.r10: [1]], "Elements are counted, looked for and paged, as references and as records."
        ) { t in
            let store = try await library(t).store
            let names = (0..<300).map { ["art", "new", "war"][$0 * $0 % 7 % 3] }
            try await store.save(Volume(id: 4, author: 1, labels: names.map { Ref(key: $0) }))
            let list = store.list(\.labels, of: Ref<Volume>(key: 4))
            try t.expect(try await list.count(), equals: 300)
            for (low, high) in [(0, 0), (0, 1), (0, 300), (57, 203), (299, 300), (250, 400), (300, 301), (999, 1001)] {
                let expected = names.dropFirst(low).prefix(high - low)
                try t.expect(
                    try await list.refs(in: low..<high).map(\.key), equals: Array(expected), "\(low)..<\(high)")
                let records = try await list.records(in: low..<high)
                try t.expect(records.map(\.name), equals: Array(expected), "\(low)..<\(high)")
            }
            try t.expect(try await list.contains("war"), "It is not found.")
            try await list.remove("war")
            try t.expect(try await list.contains("war"), equals: false)
            try t.expect(try await list.count(), equals: names.filter { $0 != "war" }.count)
            try t.expect(try await list.refs().map(\.key), equals: names.filter { $0 != "war" })
            let empty = store.list(\.labels, of: Ref<Volume>(key: 3))
            try t.expect(try await empty.count(), equals: 0)
            try t.expect(try await empty.refs(), equals: [])
            try t.expect(try await empty.contains("art"), equals: false)
        },
        ConformanceCase(
            "lists/rows-written", for: [.r10: [3]],
            "The rows that an insertion writes do not grow with the array, wherever and however often it is."
        ) { t in
            let counts = Counts()
            let store = try await Store(
                CountingBackend(backend: t.place.backend(), counts: counts), models: Volume.self)
            try await store.insert(writers)
            try await store.insert(labels)
            var costs: [[Int]] = []
            for (key, length) in [(1, 500), (2, 4000)] {
                var expected = (0..<length).map { labels[$0 % 3].name }
                try await store.save(Volume(id: key, author: 1, labels: expected.map { Ref(key: $0) }))
                let list = store.list(\.labels, of: Ref<Volume>(key: key))
                var cost: [Int] = []
                for place in [length / 2, 0, length + 2, 7] {
                    counts.reset()
                    try await list.insert("new", at: place)
                    expected.insert("new", at: place)
                    cost.append(counts.rows)
                }
                counts.reset()
                try await list.append("art")
                try await list.move(from: length / 3, to: 3)
                try await list.remove(at: 9)
                expected.append("art")
                expected.insert(expected.remove(at: length / 3), at: 3)
                expected.remove(at: 9)
                cost.append(counts.rows)
                counts.reset()
                for _ in 0..<100 {
                    try await list.insert("war", at: length / 4)
                    expected.insert("war", at: length / 4)
                }
                cost.append(counts.rows)
                costs.append(cost)
                try t.expect(try await list.refs().map(\.key), equals: expected)
            }
            try await store.close()
            try t.expect(costs[0], equals: costs[1], "The number of written rows grows with the array.")
            try t.expect(Array(costs[0].prefix(5)), equals: [1, 1, 1, 1, 4])
            try t.expect(costs[0][5] < 3000, "100 insertions at one place wrote \(costs[0][5]) rows.")
        },
        ConformanceCase(
            "lists/refused", for: [.r10: [5, 6], .r2: [1]],
            "Places outside, records that are not stored and references to nothing are refused, and nothing is done."
        ) { t in
            let store = try await library(t).store
            let list = store.list(\.labels, of: Ref<Volume>(key: 2))
            let before = volumes[1].labels
            for index in [-1, 4, Int.max, Int.min] {
                try await t.expectError(.invalidQuery) { try await list.insert("art", at: index) }
                try await t.expectError(.invalidQuery) { try await list.insert(["art", "new"], at: index) }
            }
            for index in [-1, 3, Int.max] {
                try await t.expectError(.invalidQuery) { try await list.remove(at: index) }
                try await t.expectError(.invalidQuery) { try await list.move(from: index, to: 0) }
                try await t.expectError(.invalidQuery) { try await list.move(from: 0, to: index) }
            }
            try await t.expectError(.invalidQuery) { try await list.refs(in: -1..<2) }
            let dangling = try await t.expectError(.constraint) { try await list.append(["art", "zoo"]) }
            try t.expect(dangling.key, equals: [.int(2)])
            try t.expect(dangling.property, equals: "labels")
            try await t.expectError(.constraint) { try await list.insert("zoo", at: 1) }
            let none = store.list(\.labels, of: Ref<Volume>(key: 99))
            try await t.expectError(.notFound) { try await none.append("art") }
            try await t.expectError(.notFound) { try await none.remove("art") }
            try await t.expectError(.notFound) { try await none.remove(at: 0) }
            try await t.expectError(.notFound) { try await none.move(from: 0, to: 0) }
            try await t.expectError(.notFound) { try await none.count() }
            try await t.expectError(.notFound) { try await none.refs() }
            try await t.expectError(.notFound) { try await none.contains("art") }
            try await t.expectError(.unsupported) {
                try await store.read { try $0.list(\.labels, of: Ref<Volume>(key: 2)).append("art") }
            }
            try t.expect(try await list.refs(), equals: before)
            try await list.append([])
            try await store.transaction { tx in
                try tx.list(\.labels, of: Ref<Volume>(key: 2)).append("later")
                try tx.insert(Label(name: "later"))
            }
            try t.expect(try await list.refs(), equals: before + ["later"])
            try await store.insert([Seat(bank: 1, letter: "A"), Seat(bank: 1, letter: "B")])
            try await store.insert(Booking(id: 1, seat: Ref(key: (1, "A"))))
            let wishes = store.list(\.wishes, of: Ref<Booking>(key: 1))
            try await wishes.append([Ref(key: (1, "B")), Ref(key: (1, "A"))])
            try await wishes.move(from: 1, to: 0)
            try await t.expectError(.constraint) { try await wishes.append(Ref(key: (2, "A"))) }
            try t.expect(try await wishes.refs(), equals: [Ref(key: (1, "A")), Ref(key: (1, "B"))])
            try t.expect(try await wishes.contains(Ref(key: (1, "B"))), "It is not found.")
            try t.expect(try await wishes.contains(Ref(key: (2, "B"))), equals: false)
        },
        ConformanceCase(
            "lists/told", for: [.r10: [2, 4], .h5: [1]],
            "A change of an array is an update of its record, for observers, the feed and the history, and can be undone."
        ) { t in
            let store = try await t.open(recordsOf: [Volume.self])
            try await store.insert(writers)
            try await store.insert(labels)
            try await store.insert(volumes)
            let list = store.store.list(\.labels, of: Ref<Volume>(key: 2))
            var values = store.select(Volume.self) { $0.where { $0.id == 2 } }.observer("values()") { $0.values() }
            var feed = store.feed(of: Volume.self)
            try t.expect(try await values.next()?.first?.labels, equals: volumes[1].labels)
            try await list.insert("art", at: 1)
            try t.expect(try await values.next()?.first?.labels, equals: ["war", "art", "war", "new"])
            guard case .commit(let commit)? = try await feed.next(), case .keys([], [2], []) = commit.changes else {
                return try t.expect(false, "The feed does not tell of an update of the record.")
            }
            try await list.move(from: 3, to: 0)
            try await list.remove("war")
            try t.expect(try await list.refs(), equals: ["new", "art"])
            let last = try t.required(try await store.history().last)
            try t.expect(last.kind == .updated && last.model == "Volume" && last.key == [.int(2)], "It is \(last).")
            try await store.undo(last.commit)
            try t.expect(try await list.refs(), equals: ["new", "war", "art", "war"])
            try await store.undo(last.commit + 1)
            try await list.insert("art", at: 0)
            try await store.undo(last.commit + 3)
            try t.expect(try await list.refs(), equals: ["new", "art"])
            try await t.expectError(.conflict) { try await store.undo(last.commit - 1) }
        },
        ConformanceCase(
            "lists/same-data", for: [.r10: [4], .r9: [1, 2], .r3: [3]],
            "However an array came to be, its digest and its copy are the same, no check complains, and rules keep its order."
        ) { t in
            let store = try await library(t).store
            let list = store.list(\.labels, of: Ref<Volume>(key: 1))
            for round in 0..<90 { try await list.insert(round % 4 == 0 ? "war" : "art", at: round / 2) }
            try await list.append(["new", "war", "new"])
            try await store.delete(Label.self, key: "war")
            let stored = try t.required(try await store.find(Volume.self, key: 1))
            try t.expect(stored.labels, equals: try await list.refs())
            try t.expect(stored.labels.contains("war"), equals: false)
            let digest = try await store.digest(of: "Volume")
            let copy = try await Store(InMemoryBackend(), models: Volume.self)
            try await copy.copy(from: store)
            let problems = Found()
            try await store.verify { problems.add($0.description) }
            try t.expect(problems.list, equals: [])
            try await store.save(stored)
            try t.expect(try await store.digest(of: "Volume").bytes, equals: digest.bytes)
            try t.expect(try await copy.digest(of: "Volume").bytes, equals: digest.bytes)
            try await store.differences(from: copy) { problems.add("\($0)") }
            try t.expect(problems.list, equals: [])
            try await copy.list(\.labels, of: Ref<Volume>(key: 1)).insert("art", at: 5)
            try await store.differences(from: copy) { problems.add($0.properties.joined()) }
            try t.expect(problems.list, equals: ["labels"])
            try await copy.close()
        },
        ConformanceCase(
            "lists/reopened", for: [.r10: [1, 2]], needs: [.durability],
            "What was done to an array is there after reopening, and more can be done to it."
        ) { t in
            var store = try await library(t)
            var expected = volumes[1].labels
            var generator = SeededGenerator(seed: t.seed)
            for _ in 0..<4 {
                for _ in 0..<30 {
                    let change = ListChange.random(of: expected.count, &generator)
                    change.apply(to: &expected)
                    try await change.apply(to: store.store.list(\.labels, of: Ref<Volume>(key: 2)))
                }
                try await store.close()
                store = try await t.open(Volume.self)
                try t.expect(try await store.find(Volume.self, key: 2)?.labels, equals: expected)
            }
        },
    ]
}
