import Foundation
import PostgreSQLBackend
import StorageKit
import Synchronization
import TestSupport
import Testing

@Storable struct Essay: Equatable {
    var id: Int
    @Searchable var text: String
}

@Storable private struct Voucher {
    var id: Int
    @Expires var until: Date?
}

/// Tells a test how many writes wait.
private final class Queue: Store.Instrument {
    private let waiting = Atomic(0)

    func begin(_ call: Store.Call) -> (@Sendable (Store.Call.End) -> Void)? {
        if !call.isWriting { waiting.store(call.waitingWriters, ordering: .relaxed) }
        return nil
    }

    var count: Int { waiting.load(ordering: .relaxed) }
}

@Suite("Groups of writes on PostgreSQL", .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"))
struct GroupTests {
    /// A store whose writes can be held until many wait.
    private struct Held: Sendable {
        let proxy: CuttingProxy
        let store: Store
        fileprivate let queue: Queue

        /// Runs calls that share a commit, and returns the number of round trips of their group and the calls' errors.
        func together(
            _ calls: [@Sendable (Store) async throws -> Void]
        ) async throws -> (trips: Int, errors: [StorageError.Code?]) {
            let (holds, isHeld) = (Counter(), Counter())
            let holding = Task {
                try await store.transaction { _ in
                    isHeld.add()
                    try blockUntil { holds.value == 1 }
                }
            }
            try await eventually { isHeld.value == 1 }
            let (errors, before) = try await withThrowingTaskGroup(of: (Int, StorageError.Code?).self) { group in
                for (number, call) in calls.enumerated() {
                    group.addTask {
                        do {
                            try await call(store)
                            return (number, nil)
                        } catch let error as StorageError {
                            return (number, error.code)
                        }
                    }
                    // One after the other, so that the order of the calls is known.
                    try await eventually {
                        _ = try await store.find(Pen.self, key: 0)
                        return queue.count == number + 1
                    }
                }
                let before = proxy.roundTrips
                holds.add()
                var errors = [StorageError.Code?](repeating: nil, count: calls.count)
                for try await (number, error) in group { errors[number] = error }
                return (errors, before)
            }
            try await holding.value
            // The transaction that has held the others ends with one.
            return (proxy.roundTrips - before - 1, errors)
        }
    }

    private static func withStore(
        _ options: Store.Options = .init(), _ models: any Storable.Type..., parameters: String = "",
        _ body: (Held) async throws -> Void
    ) async throws {
        try await Server.withSchema { schema in
            let proxy = try CuttingProxy(to: Server.socket())
            defer { proxy.stop() }
            let url =
                "postgresql://storage@127.0.0.1:\(proxy.port)/postgres?schema=\(schema)&durability=relaxed&timeout=60000\(parameters)"
            let queue = Queue()
            var options = options
            options.instruments = [queue]
            let store = try await Store(PostgreSQLBackend(url: StorageURL(url)), models: models, options: options)
            try await body(Held(proxy: proxy, store: store, queue: queue))
            try await store.verify { Issue.record("\($0)") }
            try await store.close()
        }
    }

    private static func essay(_ id: Int, _ version: Int) -> Essay {
        Essay(id: id, text: (0..<44).map { "word\($0 * 7 + id + version)" }.joined(separator: " "))
    }

    /// The round trips of the third group of 16 saves: the first two prepare statements.
    private static func trips(
        _ held: Held, _ save: @escaping @Sendable (Store, Int, Int) async throws -> Void
    ) async throws -> Int {
        var trips = 0
        for version in 0..<3 {
            let group = try await held.together(
                (0..<16).map { id in { store in try await save(store, id, version) } })
            expect(group.errors.allSatisfy { $0 == nil })
            trips = group.trips
        }
        return trips
    }

    @Test func `an update of no record fails, also where the next write looks for expired records`() async throws {
        try await Self.withStore(.init(), Pen.self, Voucher.self) { held in
            let (_, errors) = try await held.together([
                { store in try await store.insert(Pen(id: 1)) },
                { store in try await store.update(Pen(id: 99)) },
                { store in try await store.insert(Voucher(id: 1)) },
            ])
            expect(errors, equals: [nil, .notFound, nil])
            try await expect(held.store.select(Pen.self).keys(), equals: [1])
            try await expect(held.store.select(Voucher.self).count(), equals: 1)
        }
    }

    @Test func `a history and an index cost a group of saves round trips, and not each save`() async throws {
        let savePen: @Sendable (Store, Int, Int) async throws -> Void = {
            store, id, version in
            try await store.save(Pen(id: id, color: "\(version)"))
        }
        try await Self.withStore(.init(), Pen.self) { held in
            let trips = try await Self.trips(held, savePen)
            expect(trips, equals: 2)
        }
        try await Self.withStore(.init(history: .init(records: [Pen.self])), Pen.self) { held in
            let trips = try await Self.trips(held, savePen)
            expect(trips, equals: 3)
        }
        try await Self.withStore(.init(history: .init(records: [House.self])), House.self, Pen.self) { held in
            let trips = try await Self.trips(held) { store, id, version in
                var house = House(id)
                house.name = "\(version)"
                try await store.save(house)
            }
            expect(trips, equals: 3)
        }
        let saveEssay: @Sendable (Store, Int, Int) async throws -> Void = {
            store, id, version in
            try await store.save(Self.essay(id, version))
        }
        try await Self.withStore(.init(), Essay.self, Pen.self) { held in
            let trips = try await Self.trips(held, saveEssay)
            expect(trips, equals: 3)
        }
        try await Self.withStore(.init(history: .init(records: [Essay.self])), Essay.self, Pen.self) { held in
            let trips = try await Self.trips(held, saveEssay)
            expect(trips, equals: 3)
        }
    }

    private static func entries(_ store: Store) async throws -> [String] {
        var entries: [String] = []
        for try await entry in store.history(of: Pen.self) {
            let before = try entry.before.map { "\"\($0.color)\"" } ?? "nothing"
            entries.append("\(entry.commit) \(entry.kind) \(entry.key.map { "\($0)" } ?? "all") \(before)")
        }
        return entries
    }

    @Test(arguments: ["", "&writers=many"])
    func `each save of a group has its own commit, with the record that the one before has left`(
        _ parameters: String
    ) async throws {
        try await Self.withStore(.init(history: .init(records: [Pen.self])), Pen.self, parameters: parameters) {
            held in
            try await held.store.insert(Pen(id: 1, color: "a"))
            let group = try await held.together([
                { store in try await store.save(Pen(id: 1, color: "b")) },
                { store in try await store.save(Pen(id: 1, color: "c")) },
                { store in try await store.save(Pen(id: 1, color: "c")) },
                { store in try await store.insert(Pen(id: 2, color: "x")) },
                { store in try await store.save([Pen(id: 3, color: "y"), Pen(id: 1, color: "d")]) },
                { store in try await store.delete(Pen.self, key: 2) },
                { store in try await store.save(Pen(id: 2, color: "z")) },
            ])
            expect(group.errors.allSatisfy { $0 == nil })
            try await expect(
                Self.entries(held.store),
                equals: [
                    "1 inserted 1 nothing", "2 updated 1 \"a\"", "3 updated 1 \"b\"", "5 inserted 2 nothing",
                    "6 inserted 3 nothing", "6 updated 1 \"c\"", "7 deleted 2 \"x\"", "8 inserted 2 nothing",
                ])
        }
    }

    @Test func `a save that fails takes no other with it, and leaves nothing in the history`() async throws {
        try await Self.withStore(.init(history: .init(records: [Pen.self])), Pen.self) { held in
            try await held.store.insert(Pen(id: 1, color: "a"))
            let group = try await held.together([
                { store in try await store.save(Pen(id: 1, color: "b")) },
                { store in try await store.insert(Pen(id: 1, color: "c")) },
                { store in try await store.update(Pen(id: 9, color: "d")) },
                { store in try await store.save(Pen(id: 1, color: "e")) },
            ])
            expect(group.errors, equals: [nil, .duplicateKey, .notFound, nil])
            try await expect(
                Self.entries(held.store),
                equals: ["1 inserted 1 nothing", "2 updated 1 \"a\"", "3 updated 1 \"b\""])
        }
    }

    @Test func `more saves than a group waits for, and large records, are recorded alike`() async throws {
        try await Self.withStore(.init(history: .init(records: [Pen.self])), Pen.self) { held in
            for version in 0..<2 {
                let color = version == 0 ? String(repeating: "x", count: 20_000) : "short"
                let group = try await held.together(
                    (0..<40).map { number in
                        { store in
                            try await store.save((0..<10).map { Pen(id: number * 10 + $0, color: color) })
                        }
                    })
                expect(group.errors.allSatisfy { $0 == nil })
            }
            var counts: [Int: Int] = [:]
            for try await entry in held.store.history(of: Pen.self) {
                counts[entry.commit, default: 0] += 1
                let before = try entry.before
                expect(before?.color.count, equals: entry.commit <= 40 ? nil : 20_000)
            }
            expect(counts, equals: Dictionary(uniqueKeysWithValues: (1...80).map { ($0, 10) }))
        }
    }

    @Test(arguments: [CuttingProxy.Cut.beforeCommit, .afterCommit])
    func `saves whose connection is lost at their commit are recorded once`(_ cut: CuttingProxy.Cut) async throws {
        let options = Store.Options(history: .init(records: [Pen.self, Essay.self]))
        try await Self.withStore(options, Pen.self, Essay.self, parameters: "&failover=60000") { held in
            try await held.store.insert((0..<16).map { Pen(id: $0, color: "a") })
            held.proxy.cut(cut)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for id in 0..<16 {
                    group.addTask {
                        try await held.store.save(Pen(id: id, color: "b"))
                        try await held.store.save(Self.essay(id, 0))
                    }
                }
                try await group.waitForAll()
            }
            expect(held.proxy.count, equals: 1)
            let entries = try await Self.entries(held.store).dropFirst(16).map { $0.drop { $0 != " " } }.sorted()
            expect(entries, equals: (0..<16).map { " updated \($0) \"a\"" }.sorted().map { $0[...] })
            let found = try await held.store.select(Essay.self).where { $0.matches("word100") }.keys()
            let all = try await held.store.select(Essay.self).where { $0.text.contains("word100") }.keys()
            expect(found, equals: all)
        }
    }

    @Test func `an index has what each save of a group has left`() async throws {
        try await Self.withStore(.init(history: .init(keys: [Essay.self])), Essay.self, Pen.self) { held in
            // So many commits that segments are made and merged.
            for version in 0..<TestExtent.count(140) {
                let group = try await held.together(
                    (0..<4).map { id in
                        { store in
                            // Two of the four change one record.
                            try await store.save(Essay(id: id / 2 * 2, text: "v\(version) by\(id)"))
                        }
                    })
                expect(group.errors.allSatisfy { $0 == nil })
            }
            let last = TestExtent.count(140) - 1
            let found = try await held.store.select(Essay.self).where { $0.matches("v\(last)") }.keys()
            expect(found, equals: [0, 2])
            try await expect(held.store.select(Essay.self).where { $0.matches("by0") }.count(), equals: 0)
            try await expect(held.store.select(Essay.self).where { $0.matches("by1") }.keys(), equals: [0])
        }
    }
}
