internal import Foundation
internal import StorageAPI
internal import StorageDriver
internal import StorageSync

extension Conformance {
    /// Y1 to Y3: patches, their outcomes, and the state of a replica.
    static let exchangeCases: [ConformanceCase] = [
        ConformanceCase(
            "synchronisation/whole-commits", for: [.y1: [1], .y2: [1], .y6: [1]],
            "A commit of several models reaches the hub and the other replica whole, whatever their clocks say."
        ) { t in
            try await t.synchronising(2) { s in
                let (ann, bob) = (s.replicas[0], s.replicas[1])
                try await ann.store.transaction { tx in
                    tx.author = "ann"
                    try tx.insert(Depot(id: "d", name: "North", code: "n"))
                    try tx.insert(Stock(id: "s", lines: [StockLine(id: "1", text: "nails")], depot: Ref(key: "d")))
                    try tx.insert(Slip(first: "x", second: "1", stock: Ref(key: "s")))
                }
                let sent = try await ann.sync()
                try t.expect(sent.sent, equals: 1)
                try t.expect(sent.outcomes.map(\.result), equals: [.applied([])])
                try t.expect(
                    try await s.store.commits().commits.map { "\($0.author ?? "") \($0.changes.count)" },
                    equals: ["ann 3"])
                try await bob.sync()
                try t.expect(
                    try await bob.store.find(Stock.self, key: "s"),
                    equals: try await ann.store.find(Stock.self, key: "s"))
                try await bob.store.delete(Stock.self, key: "s")
                try await bob.sync()
                try await ann.sync()
                try t.expect(try await ann.store.select(Slip.self).count(), equals: 0)
                try await s.settle()
            }
        },
        ConformanceCase(
            "synchronisation/at-once", for: [.y1: [1], .y2: [2], .y6: [1]],
            "Replicas that exchange at the same time have their own outcomes, and each commit is in the hub once."
        ) { t in
            try await t.synchronising(6) { s in
                for round in 0..<3 {
                    let exchanges = try await withThrowingTaskGroup(of: SyncExchange.self) { group in
                        for (number, replica) in s.replicas.enumerated() {
                            group.addTask {
                                let own = "\(number) \(round)"
                                try await replica.store.insert(Depot(id: own))
                                // The first one to arrive has the code.
                                try await replica.store.insert(Depot(id: "code \(own)", code: "c\(round)"))
                                try await replica.store.insert(Stock(id: own, depot: Ref(key: own)))
                                return try await replica.sync()
                            }
                        }
                        return try await group.reduce(into: []) { $0.append($1) }
                    }
                    try t.expect(exchanges.map(\.sent), equals: s.replicas.map { _ in 3 })
                    try t.expect(exchanges.map(\.refused).sorted(), equals: [0] + s.replicas.dropFirst().map { _ in 1 })
                }
                // Of each replica two commits a round, and of one of them three.
                try t.expect(
                    try await s.store.commits().commits.map(\.number), equals: Array(1...3 * (2 * s.replicas.count + 1))
                )
                try await s.settle()
            }
        },
        ConformanceCase(
            "synchronisation/lost-and-repeated", for: [.y2: [3]],
            "Messages and answers that are lost or arrive twice change nothing: each patch is applied once."
        ) { t in
            try await t.synchronising(2) { s in
                let (ann, way) = (s.replicas[0], s.ways[0])
                try await ann.store.insert(Depot(id: "d", name: "1"))
                way.lose(questions: true)
                try await t.expectError(.io) { try await ann.sync() }
                try t.expect(try await ann.waiting().count, equals: 1)
                way.lose(answers: true)
                try await t.expectError(.io) { try await ann.sync() }
                let commits = try await s.store.commits().commits.count
                try t.expect(commits, equals: 1)
                let first = try t.required(way.last)
                try await s.store.save(Depot(id: "d", name: "2"))
                _ = try await s.hub.answer(first.question)
                try await ann.store.insert(Depot(id: "e"))
                way.lose()
                try t.expect(try await ann.sync().outcomes.map { $0.patch?.number ?? 0 }, equals: [1, 2])
                _ = try await s.hub.answer(first.question)
                try t.expect(try await ann.store.find(Depot.self, key: "d")?.name, equals: "2")
                try t.expect(try await s.store.commits().commits.count, equals: 3)
                try await t.expectError(.corrupt) { try await s.hub.answer(Array(first.question.dropLast())) }
                try await s.settle()
            }
        },
        ConformanceCase(
            "synchronisation/outcomes", for: [.y2: [2], .y3: [2, 3]],
            "A refused patch is told with its reason, leaves nothing of itself or its rules, and takes along what depends on it."
        ) { t in
            try await t.synchronising(2) { s in
                let (ann, bob) = (s.replicas[0], s.replicas[1])
                try await ann.store.insert([Depot(id: "d"), Depot(id: "e")])
                try await ann.store.insert(Stock(id: "s", depot: Ref(key: "d")))
                for replica in [ann, bob] { try await replica.sync() }
                // Bob's change makes Ann's deletion impossible, whose rule has changed a record.
                try await bob.store.save(Depot(id: "d", name: "kept"))
                try await bob.sync()
                try await ann.store.delete(Depot.self, key: "d")
                try await ann.store.insert(Depot(id: "f", code: "free"))
                try await bob.store.insert(Depot(id: "g", code: "free"))
                try await bob.sync()
                try await ann.store.insert(Stock(id: "t", depot: Ref(key: "f")))
                try await ann.store.save(Depot(id: "e", name: "fits"))
                let outcomes = try await ann.sync().outcomes
                try t.expect(outcomes.map { $0.result == .applied([]) }, equals: [false, false, false, true])
                try t.expect(try await ann.store.find(Stock.self, key: "s")?.depot, equals: Ref(key: "d"))
                try t.expect(try await ann.store.find(Stock.self, key: "t") == nil, "A refused record is stored.")
                var kept = ann.outcomes.makeAsyncIterator()
                for number in [1, 2, 3] {
                    let outcome = try t.required(try await kept.next())
                    try t.expect(outcome.id, equals: number)
                    guard case .refused(let reason) = outcome.result else {
                        throw ConformanceFailure("The outcome \(outcome) is no refusal.", location: "outcomes")
                    }
                    try t.expect(!reason.isEmpty, "A refusal has no reason.")
                    try await ann.confirm(outcome)
                }
                try await s.settle()
            }
        },
        ConformanceCase(
            "synchronisation/on-top", for: [.y3: [1, 3]],
            "Waiting patches stay on top of what arrives; one that does not fit is set aside, and blocks no other."
        ) { t in
            try await t.synchronising(2) { s in
                let (ann, bob) = (s.replicas[0], s.replicas[1])
                try await ann.store.insert(Stock(id: "s", a: 1))
                for replica in [ann, bob] { try await replica.sync() }
                s.ways[0].lose(questions: true)
                try await ann.store.update(Stock.self).where { $0.id == "s" }.set(\.a, to: 2).run()
                try await t.expectError(.io) { try await ann.sync() }
                try await bob.store.update(Stock.self).where { $0.id == "s" }.set(\.b, to: 7).run()
                try await bob.sync()
                s.ways[0].lose()
                try await ann.sync()
                let stock = try t.required(try await ann.store.find(Stock.self, key: "s"))
                try t.expect([stock.a, stock.b], equals: [2, 7])
                try await s.settle()
            }
        },
    ]
}
