internal import Foundation
internal import StorageAPI
import StorageDriver

extension Conformance {
    /// W15: records that are kept for a declared time.
    static let retentionCases: [ConformanceCase] = [
        ConformanceCase(
            "retention/removed", for: [.w15: [1, 2]],
            "A call removes the records that are older than their model's retention, and no other; until then they are there."
        ) { t in
            let (store, clock) = try await visits(t)
            try t.expect(try await store.store.removeExpired(), equals: 0)
            clock.advance(by: 86_400)
            try t.expect(try await store.all(Visit.self).map(\.id), equals: [1, 2, 3, 4])
            try await t.expectError(.duplicateKey) { try await store.insert(Visit(id: 1)) }
            // A visit that is exactly as old goes.
            try t.expect(try await store.store.removeExpired(), equals: 1)
            try t.expect(try await store.all(Visit.self).map(\.id), equals: [2, 3, 4])
            clock.advance(by: 86_400 * 1000)
            try await store.insert(Visit(id: 1, time: clock.now))
            try t.expect(try await store.store.removeExpired(), equals: 2)
            try t.expect(try await store.all(Visit.self).map(\.id), equals: [1, 4])
            let pens = try await store.select(Pen.self).run("owned(by: Visit.self, \\.pens).count()") {
                try await $0.owned(by: Visit.self, \.pens).count()
            }
            try t.expect(pens, equals: 2)
        },
        ConformanceCase(
            "retention/told", for: [.w15: [3, 4]],
            "The history has each record that a retention removes, and each that goes by a rule, as the store's own commit; observers see it."
        ) { t in
            let (store, clock) = try await visits(t, history: .init(records: [Visit.self, Remark.self]))
            try await store.insert([Remark(id: 1, visit: 1), Remark(id: 2, visit: 4)])
            var counts = store.store.select(Visit.self).values().makeAsyncIterator()
            try t.expect(try await counts.next()?.count, equals: 4)
            clock.advance(by: 2 * 86_400)
            try t.expect(try await store.store.removeExpired(), equals: 2)
            try t.expect(try await counts.next()?.count, equals: 2)
            try t.expect(
                try await store.history().filter { $0.commit > 2 }.map(\.text).sorted(),
                equals: ["Remark deleted 1", "Visit deleted 1", "Visit deleted 2"].map {
                    "3 \($0) by \(Store.expiryAuthor)"
                })
            try t.expect(try await store.all(Remark.self).map(\.id), equals: [2])
        },
        ConformanceCase(
            "retention/many", for: [.w15: [1, 3]], "Any number of older records is removed, and no other."
        ) { t in
            let (store, clock) = try await visits(t)
            try await store.insert((5...2504).map { Visit(id: $0, time: $0 % 5 == 0 ? nil : clock.now) })
            clock.advance(by: 86_400 * 30)
            try t.expect(try await store.store.removeExpired(), equals: 2003)
            try t.expect(try await store.select(Visit.self).count(), equals: 501)
        },
        ConformanceCase(
            "retention/refused", for: [.w15: [1]], "A retention of less than nothing is no option of a store."
        ) { t in
            for days in [-1, .nan, .infinity] {
                let options = Store.Options(retention: [.init(Visit.self, by: \.time, days: days)])
                let source = ".init(retention: [.init(Visit.self, by: \\.time, days: \(days))])"
                try await t.expectError(.configuration) { try await t.open([], options: options, source) }
            }
        },
    ]

    /// Visits of a day, two days and three days, and one without a time, which are kept for ten days, nine of which have passed.
    private static func visits(
        _ t: Trial, history: Store.HistoryOptions? = nil
    ) async throws -> (RecordedStore, TrialClock) {
        let clock = TrialClock()
        let options = Store.Options(
            history: history, retention: [.init(Visit.self, by: \.time, days: 10)], clock: { clock.now })
        let store = try await t.open(
            [Visit.self, Remark.self], options: options,
            ".init(retention: [.init(Visit.self, by: \\.time, days: 10)], clock: clock)")
        try await store.insert(
            [1, 2, 3, nil].enumerated().map { number, day in
                Visit(
                    id: number + 1, time: day.map { clock.now.addingTimeInterval($0 * 86_400) },
                    pens: [Pen(id: 1), Pen(id: 2)])
            })
        clock.advance(by: 10 * 86_400)
        return (store, clock)
    }
}
