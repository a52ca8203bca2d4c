import Foundation
import PostgreSQLBackend
import StorageKit
import Synchronization
import TestSupport
import Testing

@Storable("Referring") private struct Referring: Equatable {
    var id: Int
    @Reference(onDelete: .cascade) var gauge: Ref<Gauge>
}

@Storable("Passing") private struct Passing {
    var id: Int
    @Expires var end: Date? = nil
}

enum SearchedGauges {
    @Storable("Gauge") struct Gauge {
        var id: Int
        @Indexed var time: Date? = nil
        var marks: [Pen] = []
        @Searchable var text = ""
    }
}

@Suite(
    "Retentions of PostgreSQL", .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"))
struct RetentionTests {
    @Test func `a retention drops the ranges whose records are all older, with owned ones, and no other`() async throws
    {
        try await RangeTests.withStore { store, schema, clock in
            try await store.insert((0..<100).map { Gauge($0, day: Double($0) / 100) })
            try await store.insert((100..<200).map { Gauge($0, day: Double($0) / 100) })
            // One record of the range has no time.
            try await store.insert((200..<300).map { Gauge($0, day: $0 == 250 ? nil : 2) })
            try await store.insert((300..<400).map { Gauge($0, day: 3) })
            clock.now = 11
            try await expect(store.removeExpired(), equals: 100)
            try await expect(RangeTests.ranges(schema), equals: ["100 200", "200 300", "300 400"])
            try await expect(store.select(Gauge.self).keys().first, equals: 100)
            try await expect(store.select(Pen.self).owned(by: Gauge.self, \.marks).count(), equals: 120)
            clock.now = 11.9
            try await expect(store.removeExpired(), equals: 0)
            clock.now = 100
            // The newest range stays, and so does that of a record without a time.
            try await expect(store.removeExpired(), equals: 100)
            try await expect(RangeTests.ranges(schema), equals: ["200 300", "300 400"])
            try await store.delete(Gauge.self, key: 250)
            try await expect(store.removeExpired(), equals: 99)
            try await expect(RangeTests.ranges(schema), equals: ["300 400"])
            try await expect(store.select(Gauge.self).count(), equals: 100)
            try await store.verify { Issue.record("\($0)") }
            // Assigned keys and later records go on.
            try await store.insert(Gauge(500))
            try await expect(RangeTests.ranges(schema), equals: ["300 400", "500 600"])
        }
    }

    @Test func `what must learn of each record has the records removed one by one`() async throws {
        for kind in ["history", "layer", "reference"] {
            try await Server.withSchema { schema in
                let clock = DayClock()
                var options = clock.options(history: kind == "history" ? .init(records: [Gauge.self]) : nil)
                if kind == "layer" { options.layers = [LookingLayer()] }
                var models: [any Storable.Type] = [Gauge.self]
                if kind == "reference" { models.append(Referring.self) }
                let store = try await Store(
                    Server.backend(schema, "&ranges=Gauge:100"), models: models, options: options)
                try await store.insert((0..<250).map { Gauge($0, day: 1) })
                if kind == "reference" { try await store.insert(Referring(id: 1, gauge: 5)) }
                clock.now = 20
                try await expect(store.removeExpired(), equals: 250, "\(kind)")
                try await expect(RangeTests.ranges(schema).count, equals: 3, "\(kind)")
                try await expect(store.select(Gauge.self).count(), equals: 0, "\(kind)")
                if kind == "history" {
                    let commits = try await store.commits(last: 1).commits
                    expect(commits.first?.changes.count == 250 && commits.first?.author == Store.expiryAuthor)
                }
                if kind == "reference" { try await expect(store.select(Referring.self).count(), equals: 0) }
                try await store.close()
            }
        }
    }

    @Test func `a retention without a type drops ranges too, and tells of each`() async throws {
        try await RangeTests.withStore { store, schema, _ in
            try await store.insert((0..<300).map { Gauge($0, day: $0 < 200 ? 1 : 100_000) })
            let plain = try await Store(Server.backend(schema))
            let steps = Mutex<[Int]>([])
            let removed = try await plain.removeExpired(and: [.init(ofRecords: "Gauge", by: "time", days: 10)]) {
                removed in
                steps.withLock { $0.append(removed) }
            }
            expect(removed, equals: 200)
            expect(steps.withLock(\.self), equals: [100, 200])
            try await expect(RangeTests.ranges(schema), equals: ["200 300"])
            try await plain.close()
        }
    }

    @Test func `a search index has no record that a retention has removed`() async throws {
        try await Server.withSchema { schema in
            let clock = DayClock()
            var options = clock.options()
            options.retention = [.init(SearchedGauges.Gauge.self, by: \.time, days: 10)]
            let store = try await Store(
                Server.backend(schema, "&ranges=Gauge:100"), models: SearchedGauges.Gauge.self, options: options)
            try await store.insert(
                (0..<250).map { number in
                    SearchedGauges.Gauge(
                        id: number, time: Date(timeIntervalSinceReferenceDate: number < 240 ? 0 : 86_400 * 15),
                        text: "gauge \(number)")
                })
            clock.now = 20
            try await expect(store.removeExpired(), equals: 240)
            try await expect(RangeTests.ranges(schema).count, equals: 3)
            try await expect(store.select(SearchedGauges.Gauge.self).where { $0.matches("gauge") }.count(), equals: 10)
            try await store.verify { Issue.record("\($0)") }
            try await store.close()
        }
    }

    @Test func `observers of every store see that a range is gone`() async throws {
        try await RangeTests.withStore { store, schema, clock in
            let other = try await Store(Server.backend(schema), models: Gauge.self)
            try await store.insert((0..<300).map { Gauge($0, day: Double($0 / 100)) })
            var own = store.select(Gauge.self).values().makeAsyncIterator()
            var others = other.select(Gauge.self).values().makeAsyncIterator()
            try await expect(own.next()?.count, equals: 300)
            try await expect(others.next()?.count, equals: 300)
            clock.now = 10.5
            try await store.removeExpired()
            try await expect(own.next()?.count, equals: 200)
            try await expect(others.next()?.count, equals: 200)
            try await other.close()
        }
    }

    @Test func `a read that has begun before either keeps its records, or fails as busy`() async throws {
        try await RangeTests.withStore("&timeout=60000") { store, schema, clock in
            let other = try await Store(Server.backend(schema), models: Gauge.self, Pen.self)
            try await store.insert((0..<300).map { Gauge($0, day: 0) })
            clock.now = 50
            // It has read the table, so nothing is dropped.
            try other.blocking.read { snapshot in
                _ = try snapshot.select(Gauge.self).count()
                let error = #expect(throws: StorageError.self) { try store.blocking.removeExpired() }
                expect(error?.code, equals: .busy)
                try expect(snapshot.select(Gauge.self).count(), equals: 300)
            }
            // It has only read another one, and so does not know that records are missing.
            try other.blocking.read { snapshot in
                _ = try snapshot.select(Pen.self).count()
                try expect(store.blocking.removeExpired(), equals: 200)
                let error = #expect(throws: StorageError.self) { try snapshot.select(Gauge.self).count() }
                expect(error?.code, equals: .busy)
            }
            // A block whose first read comes after the drop sees what is there.
            try await expect(other.read { try $0.select(Gauge.self).count() }, equals: 100)
            try await expect(RangeTests.ranges(schema), equals: ["200 300"])
            try await other.close()
        }
    }

    @Test func `a call whose snapshot is older than a removal reads again`() async throws {
        try await RangeTests.withStore("&timeout=60000") { store, schema, clock in
            // The clock is asked within a read, after the tables and before the records.
            let removal = Removal()
            let other = try await Store(
                Server.backend(schema), models: Gauge.self, Pen.self, Passing.self,
                options: .init(clock: {
                    if removal.isDue.exchange(false, ordering: .relaxed) {
                        try? expect(store.blocking.removeExpired(), equals: 200)
                    }
                    return Date(timeIntervalSinceReferenceDate: 0)
                }))
            let reads: [@Sendable () async throws -> Int] = [
                { try await other.select(Gauge.self).all().count }, { try other.blocking.select(Gauge.self).count() },
                { try await other.find(Gauge.self, keys: [200, 299]).count { $0 != nil } * 50 },
                { try await other.select(Gauge.self).page(size: 500).records.count },
            ]
            for (number, read) in reads.enumerated() {
                try await store.truncate(Gauge.self)
                clock.now = 0
                try await store.insert((0..<300).map { Gauge($0, day: 0) })
                // The tables have changed since, so the next read looks at them.
                _ = try await other.select(Pen.self).count()
                clock.now = 50
                removal.isDue.store(true, ordering: .relaxed)
                try await expect(read(), equals: 100, "read \(number)")
                expect(!removal.isDue.load(ordering: .relaxed), "The removal has not run within read \(number).")
            }
            try await other.close()
        }
    }

    @Test func `records own rows again after the last range with owned rows is dropped`() async throws {
        try await RangeTests.withStore { store, schema, clock in
            // Only records whose keys are divisible by 5 own marks.
            try await store.insert([Gauge(5, day: 0), Gauge(101, day: 50)])
            clock.now = 50
            try await expect(store.removeExpired(), equals: 1)
            try await store.insert([Gauge(105, day: 50), Gauge(205, day: 50)])
            try await expect(
                store.select(Gauge.self).all(), equals: [101, 105, 205].map { Gauge($0, day: 50) })
        }
    }

    @Test(arguments: ["", "&writers=many"])
    func `writers and readers go on while partitions are added and dropped`(_ options: String) async throws {
        try await RangeTests.withStore("&timeout=600000\(options)") { store, schema, clock in
            let other = try await Store(
                Server.backend(schema, "&timeout=600000\(options)"), models: Gauge.self, Pen.self)
            let (writers, count) = (4, 150)
            let sweep = Sweep()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<writers {
                    group.addTask {
                        let target = writer % 2 == 0 ? store : other
                        for number in 0..<count {
                            // A range of each ten numbers; a day for each range.
                            let id = number * 10 + writer
                            try await target.save(Gauge(id, day: Double(number / 10)))
                            clock.now = max(clock.now, Double(number / 10))
                        }
                    }
                }
                group.addTask {
                    while !sweep.isDone.load(ordering: .acquiring) {
                        // No read sees a record without what it owns.
                        let stored = try await other.select(Gauge.self).all()
                        expect(stored, equals: stored.map { Gauge($0.id, day: Double($0.id / 100)) })
                    }
                }
                group.addTask {
                    while !sweep.isDone.load(ordering: .acquiring) {
                        do {
                            let count = try await store.removeExpired()
                            sweep.removed.add(count, ordering: .relaxed)
                        } catch StorageError.code(.busy) {}
                    }
                }
                for _ in 0..<writers { try await group.next() }
                sweep.isDone.store(true, ordering: .releasing)
                try await group.waitForAll()
            }
            clock.now = 14
            let rest = try await store.removeExpired()
            let stored = try await store.select(Gauge.self).all()
            expect(stored.count + rest + sweep.removed.load(ordering: .relaxed), equals: writers * count)
            expect(stored.count, equals: 10 * 10 * writers)
            try await expect(RangeTests.ranges(schema).first, equals: "500 600")
            try await other.close()
        }
    }
}

/// Tells whether a removal is to run within the next read.
private final class Removal: Sendable {
    let isDue = Atomic(false)
}

/// The removals beside other tasks.
private final class Sweep: Sendable {
    let removed = Atomic(0)
    let isDone = Atomic(false)
}

private struct LookingLayer: Store.RecordLayer {
    var models: [any Storable.Type]? { [Gauge.self] }

    func didChange(_ change: Store.RecordChange, in transaction: borrowing Store.Transaction) {}
}
