internal import StorageAPI

extension Conformance {
    /// T8, T9 and E5: what is cancelled, what would wait for itself, and what failed.
    static let misuseCases: [ConformanceCase] = [
        ConformanceCase(
            "cancellation/waiting-writer", for: [.t8: [1, 2]],
            "A writer that waits its turn ends when its task is cancelled."
        ) { t in
            let store = try await t.open(Pen.self)
            try await store.insert(Pen(id: 1))
            let (begun, ended) = (Count(), Count())
            let running = Task {
                try await store.transaction { _, tx in
                    begun.add()
                    // A writer that waited for its turn, which ends after this, would make the case hang.
                    ended.wait(for: 1)
                    try tx.insert(Pen(id: 2))
                }
            }
            while begun.value == 0 { await Task.yield() }
            let waiting = Task { try await store.insert(Pen(id: 3)) }
            waiting.cancel()
            do {
                defer { ended.add() }
                try await t.expectError(.cancelled) { try await waiting.value }
            }
            try await running.value
            try t.expect(try await store.select(Pen.self).keys(), equals: [1, 2])
            try await store.insert(Pen(id: 4))
        },
        ConformanceCase(
            "cancellation/running-read", for: [.t8: [1, 2]],
            "A read that runs ends when its task is cancelled, and the next goes on."
        ) { t in
            let store = try await t.open(Pen.self)
            try await store.insert((0..<20_000).map { Pen(id: $0, price: Double($0)) })
            let builds: [@Sendable (Select<Pen, Store.Session>) -> Select<Pen, Store.Session>] = [
                { $0 },
                // The query meets no second record, so only the engine can look.
                { $0.where { $0.price <= 0 } },
            ]
            for build in builds {
                let task = Task {
                    try await store.store.read { tx in
                        // While it runs, the task is cancelled, as another thread may do.
                        try build(tx.select(Pen.self)).forEach { _ in withUnsafeCurrentTask { $0?.cancel() } }
                    }
                }
                try await t.expectError(.cancelled) { try await task.value }
            }
            let late = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await store.store.read { tx in try tx.select(Pen.self).count() }
            }
            try await t.expectError(.cancelled) { try await late.value }
            for _ in 0..<4 {
                try t.expect(try await store.all(Pen.self).count, equals: 20_000)
                try await store.save(Pen(id: 1, price: 3))
            }
        },
        ConformanceCase(
            "concurrency/waiting-for-oneself", for: [.t9: [1, 2]],
            "A call of the store itself inside a transaction is busy, and no deadlock."
        ) { t in
            let store = try await t.open(Pen.self)
            let codes = try await store.transaction { _, tx in
                try tx.insert(Pen(id: 1))
                return Self.codes(store) + Self.codes(ofReads: store)
            }
            try t.expect(codes, equals: Array(repeating: .busy, count: codes.count))
            try t.expect(try await store.select(Pen.self).keys(), equals: [1])
        },
        ConformanceCase(
            "concurrency/waiting-for-readers", for: [.t9: [1]],
            "Writing by the store itself or closing it inside a read block or a loop is busy, and no deadlock."
        ) { t in
            let store = try await t.open(Pen.self)
            try await store.insert(Pen(id: 1))
            let inBlock = try await store.read { _ in Self.codes(store) }
            try t.expect(inBlock, equals: Array(repeating: .busy, count: inBlock.count))
            var inLoop: [StorageError.Code?] = []
            try store.store.blocking.select(Pen.self).forEach { _ in inLoop += Self.codes(store) }
            try t.expect(inLoop, equals: inBlock)
            try await store.insert(Pen(id: 2))
            try t.expect(try await store.select(Pen.self).keys(), equals: [1, 2])
        },
        ConformanceCase(
            "errors/nothing-of-a-failed-call", for: [.e5: [1], .w4: [2]],
            "Each verb that fails inside a transaction that goes on leaves nothing of itself."
        ) { t in
            let store = try await t.open(Account.self, Member.self)
            let before = (1...40).map { Account(id: $0, name: "a\($0)", pens: [Pen(id: $0)]) }
            try await store.insert(before)
            try await store.insert([Member(id: 1, email: "x"), Member(id: 2, email: "y"), Member(id: 3, email: "z")])
            let codes = try await store.transaction { _, tx in
                let others = (41...80).map { Account(id: $0, name: "b", pens: [Pen(id: 1), Pen(id: 2)]) }
                let codes = [
                    Self.code { try tx.insert(others + [before[0]]) },
                    Self.code { try tx.insert(others.dropLast() + [before[7], others[39]]) },
                    Self.code { try tx.update(others[0]) },
                    Self.code { try tx.save(Member(id: 3, email: "x")) },
                    Self.code { try tx.update(Member.self) { $0.where { $0.id > 1 }.set(\.email, to: "x") } },
                    Self.code { try tx.update(Member.self) { $0.set(\.email, to: "w") } },
                ]
                try tx.insert(Account(id: 100))
                return codes
            }
            try t.expect(
                codes, equals: [.duplicateKey, .duplicateKey, .notFound, .constraint, .constraint, .constraint])
            try t.expect(try await store.all(Account.self), equals: before + [Account(id: 100)])
            try t.expect(try await store.all(Member.self).map(\.email), equals: ["x", "y", "z"])
        },
    ]

    private static func codes(_ store: RecordedStore) -> [StorageError.Code?] {
        [
            code { try store.blocking.insert(Pen(id: 3)) },
            code { try store.blocking.truncate(Pen.self) },
            code { try store.blocking.delete(Pen.self, keys: [1]) },
            code { try store.blocking.update(Pen.self) { $0.set(\.color, to: "x") } },
            code { try store.store.blocking.transaction { _ in } },
            code { try store.store.blocking.close() },
        ]
    }

    private static func codes(ofReads store: RecordedStore) -> [StorageError.Code?] {
        [
            code { try store.blocking.find(Pen.self, key: 1) },
            code { try store.blocking.all(Pen.self) },
            code { try store.blocking.count(Pen.self) },
            code { try store.store.blocking.read { _ in } },
            code { try store.store.blocking.records("Pen").all() },
        ]
    }

    private static func code<T>(_ body: () throws -> T) -> StorageError.Code? {
        do { _ = try body() } catch { return (error as? StorageError)?.code }
        return nil
    }
}
