internal import StorageAPI
internal import StorageDriver

extension Conformance {
    /// T2: savepoints that are judged by themselves, and the changes that a transaction knows.
    static let savepointCases: [ConformanceCase] = [
        ConformanceCase(
            "transactions/judged-savepoint", for: [.t2: [3], .r2: [1], .r3: [1]],
            "A judged savepoint fails alone where its references lead nowhere or a record that it leaves denies its deletions."
        ) { t in
            let store = try await library(t)
            try await store.insert([Loan(id: 1, volume: 1), Loan(id: 2, volume: 2)])
            try await store.transaction { handle, tx in
                try tx.insert(Loan(id: 5, volume: 8))
                let missing = try t.judged(handle) {
                    try tx.insert(Loan(id: 6, volume: 8))
                    try tx.insert(Loan(id: 7, volume: 9))
                }
                // Whoever wrote it, a record that refers to what is missing is named.
                try t.expect(missing, equals: [[.int(5)], [.int(6)], [.int(7)]])
                // The denying loans go after the volumes, which does not count against the savepoint.
                try t.expect(
                    try t.judged(handle) {
                        try tx.delete(Volume.self, keys: [1])
                        try tx.insert(Volume(id: 8, author: 77))
                        try tx.delete(Loan.self, keys: [1])
                        try tx.insert(Writer(id: 77))
                    }, equals: [])
                let denied = try t.judged(handle) {
                    try tx.delete(Loan.self, keys: [5])
                    // The inner one is undone, and so is its deletion.
                    try? tx.savepoint(handle) {
                        try tx.delete(Volume.self, keys: [8])
                        throw Stop(reason: "inner")
                    }
                    try tx.delete(Volume.self, keys: [2])
                }
                try t.expect(denied, equals: [[.int(2)]])
                try t.expect(try tx.count(Loan.self), equals: 2)
                try t.expect(try tx.find(Volume.self, key: 1), equals: nil)
            }
            try t.expect(try await store.select(Loan.self).keys(), equals: [2, 5])
            try t.expect(try await store.select(Volume.self).keys(), equals: [2, 3, 8])
        },
        ConformanceCase(
            "transactions/changes-since", for: [.t2: [4]],
            "A transaction tells its changes since a mark: each record once, before and after, and whether rules alone did it."
        ) { t in
            let store = try await t.open(recordsOf: [Volume.self, Writer.self], keysOf: [Loan.self])
            try await store.insert(writers)
            try await store.insert(labels)
            try await store.insert(volumes)
            try await store.transaction { handle, tx in
                try tx.update(with(writers[3]) { $0.name = "before the mark" })
                let mark = try handle.mark()
                try t.expect(try handle.changes(since: mark).isEmpty, "There are changes.")
                try tx.update(with(writers[3]) { $0.name = "after the mark" })
                try tx.insert(Writer(id: 5, name: "Eve"))
                try tx.insert(Writer(id: 6, name: "gone again"))
                try tx.delete(Writer.self, keys: [6])
                try tx.insert(Loan(id: 1, volume: 3))
                try? tx.savepoint(handle) {
                    try tx.delete(Writer.self, keys: [3])
                    throw Stop(reason: "undone")
                }
                try tx.update(with(volumes[2]) { $0.title = "for a moment" })
                try tx.update(volumes[2])
                try tx.delete(Writer.self, keys: [1])
                let changes = try handle.changes(since: mark)
                try t.expect(
                    changes.map { "\($0.kind) \($0.model) \($0.key.keyText)\($0.byRule ? " by rule" : "")" }.sorted(),
                    equals: [
                        "updated Writer 4", "inserted Writer 5", "inserted Loan 1", "deleted Writer 1",
                        "updated Writer 2 by rule", "deleted Volume 1 by rule", "deleted Volume 2 by rule",
                        "updated Volume 3",
                    ].sorted(), "Other changes.")
                let names = try changes.map {
                    ($0.model, try $0.before()?.value("name"), try $0.after()?.value("name"))
                }
                let four = try t.required(names.first { $0.1 == .text("before the mark") })
                try t.expect(four.2, equals: .text("after the mark"))
                let two = try t.required(changes.first { $0.key == [.int(2)] && $0.model == "Writer" })
                try t.expect(try two.properties().map(\.name), equals: ["mentor"])
                try t.expect(try handle.changes(since: handle.mark()).isEmpty, "The new mark has changes.")
            }
            let plain = try await t.open(Pen.self, City.self, on: t.place.another().backend())
            try await t.expectError(.configuration) {
                try await plain.transaction { handle, _ in _ = try handle.mark() }
            }
        },
    ]

    private static func with<M>(_ model: M, _ change: (inout M) -> Void) -> M {
        var model = model
        change(&model)
        return model
    }
}

extension Trial {
    /// Runs a judged savepoint; returns the keys of the records that stand against it.
    fileprivate func judged(_ tx: borrowing Store.Transaction, _ body: () throws -> Void) throws -> [[Value]] {
        note("    try? tx.savepoint(judged: true) {")
        defer { note("    }") }
        do {
            try tx.savepoint(judged: true, body)
            return []
        } catch let error as StorageError {
            guard let refusal = error.underlying as? RecordSetRefusal, error.code == .constraint else { throw error }
            return refusal.obstacles.map(\.key)
        }
    }
}
