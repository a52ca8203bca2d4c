internal import StorageAPI

extension Conformance {
    /// O5: an observed query gives no element twice.
    static let equalElementCases: [ConformanceCase] = [
        ConformanceCase(
            "observing/never-equal", for: [.o5: [1]],
            "No element is equal to the one before, while several tasks write and truncate."
        ) { t in
            let store = try await t.open(Pen.self)
            let values = store.store.select(Pen.self).where { $0.id < 1000 }.values()
            let observer = Task {
                try await firstEqual(values, of: { "\($0)" }, until: { (pens: [Pen]) -> Bool in pens.last?.id == 999 })
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<3 {
                    group.addTask {
                        for round in 0..<40 {
                            if (round + task) % 5 == 0 { try await store.truncate(Pen.self) }
                            try await store.save(Pen(id: (task * 7 + round) % 10, color: "\(round % 3)"))
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await store.save(Pen(id: 999))
            try t.expect(try await observer.value, equals: nil)
        },
        ConformanceCase(
            "observing/never-equal-beside", for: [.o5: [1]], needs: [.sharing, .foreignCommits],
            "No element is equal to the one before, while a second store writes too."
        ) { t in
            let store = try await t.open(Pen.self)
            let other = try await t.open(Pen.self)
            let values = store.store.select(Pen.self).where { $0.id < 1000 }.values()
            let observer = Task {
                try await firstEqual(values, of: { "\($0)" }, until: { (pens: [Pen]) -> Bool in pens.last?.id == 999 })
            }
            for round in 0..<60 {
                try await other.save(Pen(id: round % 5, color: "o\(round)"))
                try await store.save(Pen(id: 10 + round % 5, color: "s\(round)"))
                if round % 3 == 0 { try await store.store.refresh() }
            }
            try await store.save(Pen(id: 999))
            try await store.store.refresh()
            try t.expect(try await observer.value, equals: nil)
        },
        ConformanceCase(
            "observing/never-equal-loaded", for: [.o5: [1]],
            "What a limit leaves out, what an order alone looks at, and where elements are stored give no element."
        ) { t in
            let store = try await t.open(Writer.self, Volume.self)
            try await store.insert((1...2).map { Writer(id: $0, name: "w\($0)") })
            for number in 1...6 { try await store.insert(Volume(id: number, author: number % 2 == 0 ? 1 : 2)) }
            let writers = store.store.select(Writer.self).where { $0.id < 100 }
            let loaded = writers.with(\.volumes) { $0.order { $0.id }.limit(1) }.values()
            let counted = writers.order { $0.volumes.count }.values()
            let observer = Task { () async throws -> String? in
                try await firstEqual(
                    loaded, of: { "\($0)" },
                    until: { (pairs: [(Writer, [Volume])]) -> Bool in
                        pairs.last?.0.name == "last"
                    })
            }
            let orderer = Task { () async throws -> String? in
                try await firstEqual(
                    counted, of: { "\($0)" },
                    until: { (writers: [Writer]) -> Bool in
                        writers.contains { $0.name == "last" }
                    })
            }
            for round in 1...30 {
                // Nobody's first volume, and no other order.
                try await store.save(Volume(id: 6, title: "t\(round)", author: 1))
                try await store.insert([
                    Volume(id: 100 + round * 2, author: 1), Volume(id: 101 + round * 2, author: 2),
                ])
                if round % 5 == 0 { try await store.save(Writer(id: 1, name: "n\(round)")) }
            }
            try await store.save(Writer(id: 2, name: "last"))
            try t.expect(try await observer.value, equals: nil)
            try t.expect(try await orderer.value, equals: nil)
        },
        ConformanceCase(
            "observing/equal-closure", for: [.o5: [1]],
            "A closure whose result is Equatable gives no element where it has read other values, and its result is equal."
        ) { t in
            let store = try await t.open(Pen.self)
            try await store.insert(Pen(id: 1, color: "red"))
            t.note("var red = store.observe { … }.makeAsyncIterator()")
            var red = store.store.observe { snapshot throws(StorageError) in
                try snapshot.select(Pen.self).all().count { $0.color == "red" }
            }.makeAsyncIterator()
            var first = store.store.observe { snapshot throws(StorageError) in
                try snapshot.select(Pen.self).all().first { $0.color == "green" }?.id
            }.makeAsyncIterator()
            struct Failure: Error {}
            var other = store.store.observe { snapshot in
                let pens = try snapshot.select(Pen.self).all()
                if pens.count > 9 { throw Failure() }
                return pens.count { $0.color == "red" }
            }.makeAsyncIterator()
            try t.expect(try await red.next(), equals: 1)
            try t.expect(try await first.next(), equals: .some(nil))
            try t.expect(try await other.next(), equals: 1)
            // Each is read again after a commit that leaves its result as it is.
            let writer = Task {
                for round in 1...40 { try await store.save(Pen(id: 2, color: "blue\(round)")) }
                try await store.save(Pen(id: 3, color: "red"))
                try await store.save(Pen(id: 4, color: "green"))
            }
            try t.expect(try await red.next(), equals: 2, "A result is given twice.")
            try t.expect(try await first.next(), equals: .some(4), "A result is given twice.")
            try t.expect(try await other.next(), equals: 2, "A result is given twice.")
            try await writer.value
        },
    ]
}

/// The first element, as text, that is equal to the element before it; nil if all differ up to the last one.
private func firstEqual<E>(
    _ values: Store.Values<E>, of text: (E) -> String, until isLast: (E) -> Bool
) async throws -> String? {
    var before: String?
    for try await element in values {
        let shown = text(element)
        if shown == before { return shown }
        if isLast(element) { return nil }
        before = shown
    }
    return nil
}
