internal import StorageAPI

/// Q8: records one after the other, without `async`.
extension Conformance {
    static let loopCases: [ConformanceCase] = [
        ConformanceCase(
            "results/for-each", for: [.q8: [2]],
            "forEach gives what all gives, with order, filter and children, in a read block, a transaction and blocking."
        ) { t in
            let store = try await t.open(Person.self)
            let people = (1...600).map(Samples.person)
            try await store.insert(people)
            try t.expect(try store.blocking.each(Person.self, { $0 }), equals: people)
            let builds: [@Sendable (Select<Person, Store.Session>) -> Select<Person, Store.Session>] = [
                { $0 }, { $0.where { $0.age > 10 } }, { $0.order { $0.name.descending }.limit(256).offset(5) },
                { $0.where { $0.pens.any { $0.color == "p3" } }.limit(512) }, { $0.limit(0) },
            ]
            for build in builds {
                let all = try store.blocking.all(Person.self, build)
                try await store.read { try t.expect(try $0.each(Person.self, build), equals: all) }
                try await store.transaction { _, tx in
                    try t.expect(try tx.each(Person.self, build), equals: all)
                }
                try t.expect(try store.blocking.each(Person.self, build), equals: all)
            }
        },
        ConformanceCase(
            "results/for-each-stopped", for: [.q8: [4], .t1: [2]],
            "forEach ends where its body throws, with the body's own error, and holds nothing back."
        ) { t in
            let store = try await t.open(Person.self)
            try await store.insert((1...600).map(Samples.person))
            for limit in [1, 255, 256, 257] {
                for isSorted in [false, true] {
                    var seen = 0
                    var isStopped = false
                    do {
                        try store.blocking.forEach(Person.self, { isSorted ? $0.order { $0.age } : $0 }) { _ in
                            seen += 1
                            if seen == limit { throw Stop(reason: "enough") }
                        }
                    } catch is Stop { isStopped = true }
                    try t.expect(isStopped, equals: true, "The body's error does not come out.")
                    try t.expect(seen, equals: limit)
                }
            }
            try t.expect(try await store.delete(Person.self) { $0 }, equals: 600)
        },
        ConformanceCase(
            "results/for-each-writing", for: [.t2: [1]],
            "In a transaction forEach sees its writes, and its body may change and delete what it is given."
        ) { t in
            let store = try await t.open(Person.self)
            try await store.insert((1...300).map(Samples.person))
            try await store.transaction { _, tx in
                try tx.insert(Samples.person(301))
                var seen: [Int] = []
                try tx.forEach(Person.self) { person in
                    seen.append(person.id)
                    try tx.delete(Person.self, keys: [person.id, person.id + 1])
                    try tx.save(Samples.person(person.id + 1000))
                }
                try t.expect(seen, equals: Array(1...301))
            }
            try t.expect(try await store.all(Person.self), equals: (1001...1301).map(Samples.person))
        },
        ConformanceCase(
            "results/stream-memory", for: [.q8: [3]], needs: [.durability], needsHelper: true,
            "A stream of records of 32 MiB, a loop and an export take less memory than they, in processes of their own."
        ) { t in
            let store = try await t.open(Pen.self)
            let text = String(repeating: "x", count: 4096)
            for part in 0..<8 {
                try await store.store.insert((0..<1024).map { Pen(id: part * 1024 + $0, color: text) })
            }
            try await store.close()
            for role in [ConformanceHelper.Role.stream, .loop, .export] {
                let helper = try t.startHelper(role)
                try t.expect(try t.line(of: helper), equals: "8192 records")
                let grown = try t.required(Int(try t.line(of: helper)), "The helper gives no number.")
                // Engines keep some MiB of pages or answers, whatever they read.
                try t.expect(grown < 20 << 10, "By \(role) the memory has grown by \(grown) KiB.")
            }
        },
        ConformanceCase(
            "results/for-each-in-itself", for: [.q8: [2]],
            "In a read block calls of forEach and other reads stand in each other."
        ) { t in
            let store = try await t.open(Pen.self)
            try await store.insert((1...20).map { Pen(id: $0) })
            var pairs = 0
            try await store.read { block in
                try block.forEach(Pen.self) { outer in
                    try block.forEach(Pen.self, { $0.where { $0.id <= outer.id } }) { inner in
                        pairs += try block.find(Pen.self, key: inner.id) == nil ? 0 : 1
                    }
                }
            }
            try t.expect(pairs, equals: 210)
        },
    ]
}

extension RecordedHandle {
    func forEach<M: Storable>(
        _ type: M.Type, _ build: (Select<M, Store.Session>) -> Select<M, Store.Session> = { $0 },
        _ body: (M) throws -> Void
    ) throws {
        try run(type, "forEach { … }", build) { try $0.forEach(body) }
    }

    /// Returns the elements that forEach yields.
    fileprivate func each<M: Storable>(
        _ type: M.Type, _ build: (Select<M, Store.Session>) -> Select<M, Store.Session>
    ) throws -> [M] {
        var models: [M] = []
        try forEach(type, build) { models.append($0) }
        return models
    }
}
