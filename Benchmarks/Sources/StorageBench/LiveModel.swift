import Foundation
import Observation
import SQLiteBackend
import StorageAPI
import StorageObservation

/// The time that a live model takes of the main actor for each update of one record among 10,000.
enum LiveModel {
    @MainActor
    static func measure(_ folder: URL) async throws {
        let path = folder.appendingPathComponent("live.db").path
        let store = try await Store(SQLiteBackend(path: path, durability: .relaxed), models: Item.self)
        try await store.save((0..<10_000).map { item($0, third: 0) })
        for (round, pageSize) in [nil, 10_000].enumerated() {
            let live = LiveQuery(store.select(Item.self), pageSize: pageSize)
            await changes(live) { $0.records.count == 10_000 }
            var times: [Double] = []
            for number in 0..<(pageSize == nil ? 500 : 50) {
                try await save(item(number * 17, third: round + 2 * number + 1), in: store)
                let began = threadTime()
                await changes(live) { $0.records[number * 17].third == round + 2 * number + 1 }
                times.append(threadTime() - began)
            }
            times.sort()
            print(
                "| main actor's time for an update of one record of 10,000, \(pageSize == nil ? "whole" : "as a page") |",
                String(format: "%.0f µs, at most %.0f µs |", times[times.count / 2], times[times.count - 1]))
        }
        try await store.close()
    }

    private static func item(_ id: Int, third: Int) -> Item {
        Item(id: id, first: id, second: id % 7, third: third, label: "a label that is longer than fifteen bytes \(id)")
    }

    @concurrent private static func save(_ item: Item, in store: Store) async throws { try await store.save(item) }

    /// Waits for a condition on the main actor, whose thread does nothing else.
    @MainActor
    private static func changes(_ live: LiveQuery<Item>, until condition: (LiveQuery<Item>) -> Bool) async {
        while true {
            let (changes, continuation) = AsyncStream<Void>.makeStream()
            if withObservationTracking({ condition(live) }, onChange: { continuation.yield() }) { return }
            for await _ in changes { break }
            await Task.yield()
        }
    }

    /// Microseconds of the processor that this thread has taken.
    private static func threadTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }
}
