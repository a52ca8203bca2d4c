import Foundation
import MemoryBackend
import SQLiteBackend
import StorageKit
import Synchronization
import TestSupport
import Testing

/// Tests the parts of expiry that no conformance case covers: observers, foreign tables, programs of two versions, and
/// refusals.
@Suite("W14 Records that expire")
struct ExpiryTests {
    @Storable struct Token: Equatable {
        var id: Int
        @Expires var until: Date? = nil
    }

    /// The same before it had the mark.
    @Storable("Token") struct OldToken {
        var id: Int
        var until: Date?
    }
    @Storable struct Twice {
        var id: Int
        @Expires var one: Date
        @Expires var other: Date
    }
    @Storable struct Number {
        var id: Int
        @Expires var until: Int
    }
    @Storable struct Owner {
        var id: Int
        var tokens: [Token]
    }
    @Storable struct Denying {
        var id: Int
        var token: Ref<Token>
    }
    @Storable struct Visit: Equatable {
        var id: Int
        @Indexed var time = Date(timeIntervalSinceReferenceDate: 0)
        var stay = Stay(id: 0)
    }
    @Storable struct Stay: Equatable {
        var id: Int
        var begin = Date(timeIntervalSinceReferenceDate: 0)
    }
    @Storable struct Remark {
        var id: Int
        var visit: Ref<Visit>
    }

    /// A clock that a test moves, in seconds.
    private final class Clock: Sendable {
        let seconds = Mutex(0.0)
        func advance(to now: Double) { seconds.withLock { $0 = now } }
        var now: @Sendable () -> Date { { Date(timeIntervalSinceReferenceDate: self.seconds.withLock { $0 }) } }
    }

    private func token(_ id: Int, _ seconds: Double) -> Token {
        Token(id: id, until: Date(timeIntervalSinceReferenceDate: seconds))
    }

    @Test
    func `observers are told what was removed`() async throws {
        let clock = Clock()
        let store = try await Store(InMemoryBackend(), models: Token.self, options: .init(clock: clock.now))
        try await store.insert([token(1, 10), token(2, 20)])
        var values = store.select(Token.self).values().makeAsyncIterator()
        try await expect(values.next()?.map(\.id), equals: [1, 2])
        clock.advance(to: 10)
        try expect(store.blocking.removeExpired(), equals: 1)
        try await expect(values.next()?.map(\.id), equals: [2])
        clock.advance(to: 20)
        try await store.insert(token(1, 30))
        try await expect(values.next()?.map(\.id), equals: [1])
    }

    @Test
    func `a write that finds much expired removes it in commits of at most 1,000, and is done after them`() async throws
    {
        let clock = Clock()
        let store = try await Store(
            InMemoryBackend(), models: Token.self,
            options: .init(history: .init(keys: [Token.self]), clock: clock.now))
        try await store.insert((1...2500).map { token($0, 10) })
        clock.advance(to: 10)
        try await store.insert(token(1, 20))
        var sizes: [Int: Int] = [:]
        for try await entry in store.history() where entry.commit > 1 { sizes[entry.commit, default: 0] += 1 }
        expect(sizes, equals: [2: 1000, 3: 1000, 4: 500, 5: 1])
        clock.advance(to: 5)
        try await expect(store.select(Token.self).keys(), equals: [1])
        try await store.insert((2...2000).map { token($0, 10) })
        clock.advance(to: 11)
        try store.blocking.transaction { tx in
            try expect(tx.select(Token.self).count(), equals: 1)
            try tx.insert(token(2, 20))
        }
        clock.advance(to: 5)
        try await expect(store.select(Token.self).keys(), equals: [1, 2])
        try await store.close()
    }

    @Test
    func `a read block sees what had not expired when it began`() async throws {
        let clock = Clock()
        let store = try await Store(InMemoryBackend(), models: Token.self, options: .init(clock: clock.now))
        try await store.insert([token(1, 10), token(2, 20)])
        let counts = try await store.read { snapshot in
            let before = try snapshot.select(Token.self).count()
            clock.advance(to: 10)
            return [before, try snapshot.select(Token.self).count()]
        }
        expect(counts, equals: [2, 2])
        try await expect(store.select(Token.self).count(), equals: 1)
    }

    @Test
    func `rows of a table of other software expire where a model says so`() async throws {
        try await withForeignDatabase([
            "CREATE TABLE Token (id INTEGER PRIMARY KEY, until DATETIME)",
            "INSERT INTO Token VALUES (1, '2001-01-01 00:00:10'), (2, NULL), (3, '2001-01-01 00:00:20')",
        ]) { path in
            let clock = Clock()
            let store = try await Store(SQLiteBackend(path: path), models: Token.self, options: .init(clock: clock.now))
            clock.advance(to: 10)
            try await expect(store.select(Token.self).keys(), equals: [2, 3])
            try await store.insert(token(1, 30))
            clock.advance(to: 25)
            try await expect(store.removeExpired(), equals: 1)
            try await store.close()
            try expect(sqliteColumn(path, "SELECT id FROM Token ORDER BY id"), equals: ["1", "2"])
        }
    }

    @Test
    func `a mark that is added later counts for what is stored, and one removed by name no longer`() async throws {
        try await withDatabase { path in
            let clock = Clock()
            clock.advance(to: 15)
            let first = try await Store(
                SQLiteBackend(path: path), models: OldToken.self, options: .init(clock: clock.now))
            try await first.insert([
                OldToken(id: 1, until: token(1, 10).until), OldToken(id: 2, until: token(2, 20).until),
            ])
            try await first.close()
            let second = try await Store(
                SQLiteBackend(path: path), models: Token.self, options: .init(clock: clock.now))
            try await expect(second.select(Token.self).keys(), equals: [2])
            try await second.close()
            clock.advance(to: 25)
            let third = try await Store(
                SQLiteBackend(path: path), models: OldToken.self,
                options: .init(clock: clock.now).removingRules(of: OldToken.self, "until"))
            try await expect(third.select(OldToken.self).keys(), equals: [1, 2])
            try await third.close()
        }
    }

    @Test
    func `a time of expiry that cannot be one is refused at opening`() async throws {
        let types: [any Storable.Type] = [Twice.self, Number.self, Owner.self, Denying.self]
        for type in types {
            await expectError(.configuration, "\(type)") { try await Store(InMemoryBackend(), models: [type]) }
        }
    }

    // MARK: Removal at intervals

    /// A clock whose sleeps end when a test says so.
    private struct Intervals: _Concurrency.Clock {
        let now = ContinuousClock.now
        let minimumResolution = Duration.zero
        private let begun = AsyncStream.makeStream(of: Duration.self)
        private let ended = AsyncStream.makeStream(of: Void.self)

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
            begun.continuation.yield(now.duration(to: deadline))
            for await _ in ended.stream { return }
            throw CancellationError()
        }

        /// Waits until something sleeps; how long it wants to.
        func sleeper() async -> Duration? { await begun.stream.first { _ in true } }
        func wake() { ended.continuation.yield() }
    }

    private func kept(_ store: Store) async throws -> [Int] { try await store.select(Visit.self).keys() }

    @Test
    func `a task removes at intervals, also after a removal that failed, until it is cancelled`() async throws {
        let clock = Clock()
        let store = try await Store(
            InMemoryBackend(), models: Visit.self, Remark.self,
            options: .init(retention: [.init(Visit.self, by: \.time, days: 1)], clock: clock.now))
        try await store.insert([Visit(id: 1), Visit(id: 2, time: Date(timeIntervalSinceReferenceDate: 86_400))])
        let intervals = Intervals()
        let removing = Task { try await store.removeExpired(every: .seconds(60), clock: intervals) }
        await expect(intervals.sleeper(), equals: .seconds(60))
        try await expect(kept(store), equals: [1, 2])
        clock.advance(to: 86_400)
        intervals.wake()
        await expect(intervals.sleeper(), equals: .seconds(60))
        try await expect(kept(store), equals: [2])
        // A reference denies the deletion, for a time.
        try await store.insert(Remark(id: 1, visit: 2))
        clock.advance(to: 2 * 86_400)
        intervals.wake()
        await expect(intervals.sleeper(), equals: .seconds(60))
        try await expect(kept(store), equals: [2])
        try await store.delete(Remark.self, key: 1)
        intervals.wake()
        await expect(intervals.sleeper(), equals: .seconds(60))
        try await expect(kept(store), equals: [])
        removing.cancel()
        await expectError(.cancelled) { try await removing.value }
        try await store.close()
    }

    @Test
    func `a task that removes at intervals ends with an error that every removal would have`() async throws {
        let store = try await Store(InMemoryBackend(), models: Token.self)
        for interval in [Duration.zero, .seconds(-1)] {
            await expectError(.configuration) { try await store.removeExpired(every: interval) }
        }
        let intervals = Intervals()
        let removing = Task { try await store.removeExpired(every: .seconds(1), clock: intervals) }
        await expect(intervals.sleeper(), equals: .seconds(1))
        try await store.close()
        intervals.wake()
        await expectError(.closed) { try await removing.value }
    }

    @Test
    func `the progress of a removal is the number of records after each commit`() async throws {
        let clock = Clock()
        let store = try await Store(
            InMemoryBackend(), models: Token.self, Visit.self,
            options: .init(retention: [.init(Visit.self, by: \.time, days: 1)], clock: clock.now))
        try await store.insert((1...1500).map { token($0, 10) })
        try await store.insert((1...3).map { Visit(id: $0) })
        clock.advance(to: 86_400)
        let steps = Mutex<[Int]>([])
        let removed = try await store.removeExpired { removed in steps.withLock { $0.append(removed) } }
        expect(removed, equals: 1503)
        expect(steps.withLock(\.self), equals: [1000, 1500, 1503])
    }

    @Test
    func `a retention names a time of the record itself, with or without a type`() async throws {
        let options = Store.Options(retention: [.init(Visit.self, by: \.stay.begin, days: 1)])
        await expectError(.configuration) { try await Store(InMemoryBackend(), models: Visit.self, options: options) }
        let store = try await Store(InMemoryBackend(), models: Visit.self)
        try await store.insert([Visit(id: 1), Visit(id: 2, time: .now)])
        for (model, time) in [("Visitt", "time"), ("Visit", "tme"), ("Visit", "id"), ("Visit", "stay")] {
            await expectError(.invalidQuery, "\(model).\(time)") {
                try await store.removeExpired(and: [.init(ofRecords: model, by: time, days: 1)])
            }
        }
        try await expect(kept(store), equals: [1, 2])
        try await expect(store.removeExpired(and: [.init(ofRecords: "Visit", by: "time", days: 1)]), equals: 1)
        try await expect(kept(store), equals: [2])
    }
}
