internal import Dispatch
internal import StorageAPI

extension Conformance {
    /// O1 to O4, O6, O8 and O10: observed queries.
    static let observationCases: [ConformanceCase] = [
        ConformanceCase(
            "observing/present-then-later", for: [.o1: [1], .o4: [1]],
            "An observer gets the present result, and then that of each commit: of saves, updates, deletes, truncation."
        ) { t in
            let store = try await t.open(Person.self)
            try await store.insert((1...4).map(Samples.person))
            var values = store.select(Person.self) { $0.where { $0.age >= 0 } }.observer("values()") { $0.values() }
            try t.expect(try await values.next(), equals: (1...4).map(Samples.person))
            try await store.insert(Samples.person(5))
            try t.expect(try await values.next(), equals: (1...5).map(Samples.person))
            var changed = Samples.person(2)
            changed.pens = [Pen(id: 77, color: "new")]
            try await store.save(changed)
            try t.expect(try await values.next()?[1], equals: changed, "What a record owns is old.")
            try await store.update(Person.self) { $0.where { $0.id == 3 }.set(\.name, to: "set") }
            try t.expect(try await values.next()?[2].name, equals: "set")
            try await store.delete(Person.self, key: 1)
            try t.expect(try await values.next()?.map(\.id), equals: [2, 3, 4, 5])
            try await store.truncate(Person.self)
            try t.expect(try await values.next(), equals: [])
        },
        ConformanceCase(
            "observing/first-read", for: [.o2: [2]],
            "A commit beside an observer's first read is not lost, whenever it comes."
        ) { t in
            let store = try await t.open(Pen.self)
            for round in 1...20 {
                let writer = Task { try await store.save(Pen(id: round)) }
                var values = store.select(Pen.self).observer("values()") { $0.values() }
                while let pens = try await values.next(), pens.count < round {}
                _ = try await writer.value
            }
        },
        ConformanceCase(
            "observing/running-write", for: [.o2: [2]], needs: [.concurrentReads],
            "A write that was running when observers began is not lost."
        ) { t in
            let store = try await t.open(Pen.self)
            let (isWritten, written) = AsyncStream<Void>.makeStream()
            let isRead = DispatchSemaphore(value: 0)
            let writer = Task {
                try await store.transaction { _, tx in
                    try tx.save(Pen(id: 1))
                    written.yield()
                    isRead.wait()
                }
            }
            for await _ in isWritten { break }
            var values = store.select(Pen.self).observer("values()") { $0.values() }
            var count = store.select(Pen.self).observer("values(.count)") { $0.values(.count) }
            var feed = store.feed(of: Pen.self)
            let first = (try await values.next(), try await count.next())
            isRead.signal()
            try await writer.value
            try t.expect(first.0, equals: [])
            try t.expect(first.1, equals: 0)
            try t.expect(try await values.next(), equals: [Pen(id: 1)])
            try t.expect(try await count.next(), equals: 1)
            guard case .gap? = try await feed.next() else {
                return try t.expect(false, "The feed is silent of a commit whose changes were not noted.")
            }
        },
        ConformanceCase(
            "observing/skips-all-but-last", for: [.o2: [1, 2], .o3: [1, 2]],
            "An observer that asks late gets the last result, and no other."
        ) { t in
            let store = try await t.open(Pen.self)
            let all = store.select(Pen.self) { $0.order { $0.color } }
            var values = all.observer("values()") { $0.values() }
            var count = all.observer("values(.count)") { $0.values(.count) }
            _ = (try await values.next(), try await count.next())
            for number in 1...100 { try await store.save(Pen(id: number % 7, color: "\(number)")) }
            try t.expect(try await values.next(), equals: try await all.all())
            try t.expect(try await count.next(), equals: 7)
            try await store.save(Pen(id: 99, color: "last"))
            try t.expect(try await values.next()?.last?.id, equals: 99)
            try t.expect(try await count.next(), equals: 8)
        },
        ConformanceCase(
            "observing/one-snapshot", for: [.o1: [2]],
            "An element never mixes two states, while transactions move an amount."
        ) { t in
            let store = try await t.open(Measure.self)
            try await store.insert((0..<10).map { Measure(id: $0, number: 100) })
            let done = Measure(id: 100, number: 0)
            let writer = Task {
                for round in 0..<150 {
                    try await store.transaction { _, tx in
                        for (key, amount) in [(round % 10, -1), (round * 7 % 10, 1)] {
                            let number = try tx.find(Measure.self, key: key)?.number ?? 0
                            try tx.save(Measure(id: key, number: number + amount))
                        }
                    }
                }
                try await store.insert(done)
            }
            var values = store.select(Measure.self).observer("values()") { $0.values() }
            var isDone = false
            while !isDone, let all = try await values.next() {
                try t.expect(all.reduce(0) { $0 + ($1.number ?? 0) }, equals: 1000, "The amount is not whole.")
                isDone = all.last?.id == done.id
            }
            try await writer.value
        },
        ConformanceCase(
            "observing/every-form", for: [.o1: [1], .o4: [1]],
            "Every result of a query can be observed, and what a closure reads."
        ) { t in
            let store = try await t.open(Person.self, Pen.self)
            try await store.insert((1...3).map(Samples.person))
            let query = store.select(Person.self)
            var first = query.observer("values(.first)") { $0.order { $0.id.descending }.values(.first) }
            var names = query.observer("only { $0.name }.values()") { $0.only { ($0.id, $0.name) }.values() }
            var groups = query.observer("group { $0.age }.values { … }") {
                $0.group { $0.isMember }.values { ($0.key, $0.count) }
            }
            var sum = query.observer("values(.sum { $0.id })") { $0.values(.sum { $0.id }) }
            t.note("var both = store.observe { … }.makeAsyncIterator()")
            var both = store.store.observe { snapshot throws(StorageError) in
                (try snapshot.select(Person.self).count(), try snapshot.select(Pen.self).count())
            }.makeAsyncIterator()
            try t.expect(try await first.next() ?? nil, equals: Samples.person(3))
            try t.expect(try await names.next()?.map(\.1), equals: (1...3).map { Samples.person($0).name })
            try t.expect(try await groups.next()?.reduce(0) { $0 + $1.1 }, equals: 3)
            try t.expect(try await sum.next(), equals: 6)
            var counts = try t.required(try await both.next())
            try t.expect([counts.0, counts.1], equals: [3, 0])
            try await store.insert(Samples.person(4))
            try t.expect(try await first.next() ?? nil, equals: Samples.person(4))
            try t.expect(try await names.next()?.count, equals: 4)
            try t.expect(try await groups.next()?.reduce(0) { $0 + $1.1 }, equals: 4)
            try t.expect(try await sum.next(), equals: 10)
            counts = try t.required(try await both.next())
            try t.expect([counts.0, counts.1], equals: [4, 0])
            try await store.insert(Pen(id: 1))
            counts = try t.required(try await both.next())
            try t.expect([counts.0, counts.1], equals: [4, 1])
        },
        ConformanceCase(
            "observing/other-forms", for: [.o1: [1], .o4: [1]],
            "So can existence, keys, other aggregates, owned records, records without children and chosen properties."
        ) { t in
            let store = try await t.open(Person.self)
            try await store.insert([
                Person(id: 1, name: "a", age: 1), Person(id: 2, name: "b", age: 2, pens: [Pen(id: 1)]),
            ])
            let query = store.select(Person.self)
            var exists = query.observer("where { $0.age > 9 }.values(.exists)") {
                $0.where { $0.age > 9 }.values(.exists)
            }
            var keys = query.observer("limit(2).values(.keys)") { $0.limit(2).values(.keys) }
            var average = query.observer("values(.average { $0.age })") { $0.values(.average { $0.age }) }
            var greatest = query.observer("values(.max { $0.name })") { $0.values(.max { $0.name }) }
            var pens = store.select(Pen.self).observer("owned(by: Person.self, \\.pens).values()") {
                $0.owned(by: Person.self, \.pens).values()
            }
            var partial = query.observer("withoutChildren().values()") { $0.withoutChildren().values() }
            let records = store.store.records("Person").where(text: "age < 9")
            t.note(
                "var fields = store.records(\"Person\").where(text: \"age < 9\").only([\"name\", \"pens\"]).values()")
            var fields = records.only(["name", "pens"]).values().makeAsyncIterator()
            try t.expect(try await exists.next(), equals: false)
            try t.expect(try await keys.next(), equals: [1, 2])
            try t.expect(try await average.next() ?? nil, equals: 1.5)
            try t.expect(try await greatest.next() ?? nil, equals: "b")
            try t.expect(try await pens.next()?.map(\.owner), equals: [2])
            try t.expect(try await partial.next()?.count, equals: 2)
            try t.expect(
                try await fields.next()?.map { $0.map(\.name) }, equals: [["name", "pens"], ["name", "pens"]])
            try await store.save(Person(id: 0, name: "c", age: 12, pens: [Pen(id: 2)]))
            try t.expect(try await exists.next(), equals: true)
            try t.expect(try await keys.next(), equals: [0, 1])
            try t.expect(try await average.next() ?? nil, equals: 5)
            try t.expect(try await greatest.next() ?? nil, equals: "c")
            try t.expect(try await pens.next()?.map(\.owner), equals: [0, 2])
            try t.expect(try await partial.next()?.count, equals: 3)
            try await store.save(Person(id: 1, name: "a", age: 10))
            try t.expect(try await fields.next()?.map { $0.first?.content }, equals: [.value(.text("b"), .string)])
            var none = records.only(["nose"]).values().makeAsyncIterator()
            do {
                _ = try await none.next()
                try t.expect(false, "A property that is not there is observed.")
            } catch let error as StorageError {
                try t.expect(error.code, equals: .invalidQuery)
            }
        },
        ConformanceCase(
            "observing/differences", for: [.o6: [1], .o8: [1]],
            "Each difference leads from the element before to this one, and says no more than there is."
        ) { t in
            let store = try await t.open(Pen.self)
            let query = store.select(Pen.self) { $0.where { $0.color != "none" }.order { $0.price.descending } }
            var steps = query.observer("updates()") { $0.updates() }
            var before: [Pen] = []
            for round in 0..<40 {
                let step = try t.required(try await steps.next())
                try t.expect(step.records, equals: try await query.all())
                try expectDifference(step.difference, from: before, to: step.records, t)
                before = step.records
                try await store.transaction { handle, tx in
                    for part in 0..<(round % 5 + 1) {
                        let number = (round * 31 + part * 17) % 12
                        let color = number * round % 5 == 0 ? "none" : "c\(round)"
                        try tx.save(Pen(id: number, color: color, price: Double(number * round % 7)))
                    }
                    try? tx.savepoint(handle) {
                        try tx.truncate(Pen.self)
                        throw StorageError(.invalidValue, "The savepoint is undone.")
                    }
                    try tx.delete(Pen.self, keys: [round % 12])
                    try tx.save(Pen(id: 100 + round, color: "always"))
                }
            }
        },
        ConformanceCase(
            "observing/related", for: [.o4: [1]],
            "Records that a filter, an order or loading goes through are watched as well."
        ) { t in
            let store = try await t.open(Writer.self, Volume.self)
            try await store.insert((1...3).map { Writer(id: $0, name: "w\($0)") })
            try await store.insert((1...3).map { Volume(id: $0, author: Ref(key: $0)) })
            let query = store.select(Volume.self)
            var filtered = query.observer("where { $0.author.name != \"x\" }.values()") {
                $0.where { $0.author.name != "x" }.values()
            }
            var ordered = query.observer("order { $0.author.name }.updates()") {
                $0.order { $0.author.name }.updates()
            }
            var loaded = query.observer("with(\\.author).values()") { $0.with(\.author).values() }
            try t.expect(try await filtered.next()?.map(\.id), equals: [1, 2, 3])
            try t.expect(try await ordered.next()?.records.map(\.id), equals: [1, 2, 3])
            try t.expect(try await loaded.next()?.map(\.1.name), equals: ["w1", "w2", "w3"])
            try await store.update(Writer.self) { $0.where { $0.id == 1 }.set(\.name, to: "x") }
            try t.expect(try await filtered.next()?.map(\.id), equals: [2, 3])
            let step = try t.required(try await ordered.next())
            try t.expect(step.records.map(\.id), equals: [2, 3, 1])
            try t.expect(step.difference.moved.map { [$0.from, $0.to] }, equals: [[0, 2]])
            try t.expect(step.difference.changed.count, equals: 0)
            try t.expect(try await loaded.next()?.map(\.1.name), equals: ["x", "w2", "w3"])
            try await store.delete(Volume.self, key: 2)
            try t.expect(try await filtered.next()?.map(\.id), equals: [3])
        },
        ConformanceCase(
            "observing/related-of-same-model", for: [.o4: [1]],
            "Records of the query's own model that a filter or an order goes through are watched as well."
        ) { t in
            let store = try await t.open(Writer.self)
            try await store.insert([
                Writer(id: 1, name: "a"), Writer(id: 2, name: "b", mentor: 1), Writer(id: 3, name: "c", mentor: 2),
            ])
            let query = store.select(Writer.self)
            var filtered = query.observer("where { $0.mentor.name == \"x\" }.values()") {
                $0.where { $0.mentor.name == "x" }.values()
            }
            var counted = query.observer("where { $0.students.any { $0.name == \"x\" } }.values()") {
                $0.where { $0.students.any { $0.name == "x" } }.values()
            }
            var ordered = query.observer("order { $0.mentor.name.descending }.values()") {
                $0.order { $0.mentor.name.descending }.values()
            }
            try t.expect(try await filtered.next()?.map(\.id), equals: [])
            try t.expect(try await counted.next()?.map(\.id), equals: [])
            try t.expect(try await ordered.next()?.map(\.id), equals: [3, 2, 1])
            try await store.update(Writer.self) { $0.where { $0.id == 1 }.set(\.name, to: "x") }
            try t.expect(try await filtered.next()?.map(\.id), equals: [2])
            try t.expect(try await ordered.next()?.map(\.id), equals: [2, 3, 1])
            try await store.update(Writer.self) { $0.where { $0.id == 2 }.set(\.name, to: "x") }
            try t.expect(try await filtered.next()?.map(\.id), equals: [2, 3])
            try t.expect(try await counted.next()?.map(\.id), equals: [1])
        },
        ConformanceCase("observing/closed", for: [.o10: [1]], "Closing the store ends every observer.") { t in
            let store = try await t.open(Pen.self)
            try await store.insert(Pen(id: 1))
            var waiting = store.select(Pen.self).observer("values()") { $0.values() }
            _ = try await waiting.next()
            let tasks = (0..<50).map { number in
                Task {
                    var count = 0
                    let query = store.store.select(Pen.self)
                    if number % 2 == 0 {
                        for try await _ in query.values() { count += 1 }
                    } else {
                        for try await _ in store.store.changes() { count += 1 }
                    }
                    return count
                }
            }
            try await store.close()
            for task in tasks { try t.expect(try await task.value <= 1, "An observer went on.") }
            try t.expect(try await waiting.next() == nil, "An observer goes on after closing.")
        },
        ConformanceCase(
            "observing/cancelled", for: [.o10: [1]], "Cancelling ends an observer, and the store goes on as before."
        ) { t in
            let store = try await t.open(Pen.self)
            try await store.insert(Pen(id: 1))
            let tasks = (0..<20).map { _ in
                Task {
                    for try await _ in store.store.select(Pen.self).values() {}
                    for try await _ in store.store.changes(of: Pen.self) {}
                }
            }
            for task in tasks { task.cancel() }
            for task in tasks { try await task.value }
            try await store.insert(Pen(id: 2))
            var values = store.select(Pen.self).observer("values()") { $0.values() }
            try t.expect(try await values.next()?.count, equals: 2)
        },
    ]
}

/// Expects a difference to lead from some records to others, with nothing that both have alike.
private func expectDifference(
    _ difference: RecordDifference<Pen>, from before: [Pen], to after: [Pen], _ t: Trial
) throws {
    var pens = before
    try t.expect(difference.apply(to: &pens) { after[$0] }, "The difference does not fit what was there.")
    try t.expect(pens, equals: after, "The difference leads elsewhere.")
    let (old, new) = (Set(before.map(\.id)), Set(after.map(\.id)))
    try t.expect(difference.removed.map(\.record.id).sorted(), equals: old.subtracting(new).sorted())
    try t.expect(difference.removed.map(\.record), equals: difference.removed.map { before[$0.offset] })
    try t.expect(difference.inserted.map { after[$0].id }.sorted(), equals: new.subtracting(old).sorted())
    for step in difference.changed + difference.moved {
        try t.expect(before[step.from].id, equals: after[step.to].id, "A step leads to another record.")
    }
    let changed = after.filter { pen in before.contains { $0.id == pen.id && !Difference.between($0, pen).isEmpty } }
    try t.expect(difference.changed.map { after[$0.to] }, equals: changed)
}
