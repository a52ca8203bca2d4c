internal import Dispatch
internal import StorageAPI
import Synchronization

extension Conformance {
    /// T7: reads from an actor.
    static let actorCases: [ConformanceCase] = [
        ConformanceCase(
            "concurrency/reads-off-actors", for: [.t7: [1]],
            "No form of read that an actor waits for decodes a record on the actor's thread."
        ) { t in
            let store = try await t.open(Located.self).store
            try await store.insert((1...300).map { Located(id: $0) })
            let desk = Desk()
            for (form, read) in Self.reads {
                let here = Places(), there = Places()
                let count = try await Places.$current.withValue(there) { try await desk.run { try await read(store) } }
                let others = try await Places.$current.withValue(here) { try await read(store) }
                try t.expect(there.ofActor, equals: 0, "\(form) decodes on the actor.")
                try t.expect([count, others], equals: [there.all, here.all], "\(form) decodes elsewhere.")
            }
        },
        ConformanceCase(
            "concurrency/actor-goes-on", for: [.t7: [1]],
            "An actor does other work while a read that it waits for runs."
        ) { t in
            let store = try await t.open(Located.self).store
            try await store.insert((1...100).map { Located(id: $0) })
            let desk = Desk()
            let places = Places(waitsForActor: true)
            let reading = Task {
                try await Places.$current.withValue(places) {
                    try await desk.run { try await store.select(Located.self).all().count }
                }
            }
            // The read goes on when the actor has run this.
            await places.untilWaiting()
            await desk.signal(places)
            try t.expect(try await reading.value, equals: 100)
        },
    ]

    /// Each form of read; its result is how many records it has decoded.
    private static let reads: [(String, nonisolated(nonsending) @Sendable (Store) async throws -> Int)] = [
        ("find(key:)", { try await $0.find(Located.self, key: 7) == nil ? 0 : 1 }),
        ("find(keys:)", { try await $0.find(Located.self, keys: [1, 2, 999]).compactMap(\.self).count }),
        ("all()", { try await $0.select(Located.self).all().count }),
        ("first()", { try await $0.select(Located.self).first() == nil ? 0 : 1 }),
        (
            "stream()",
            { store in
                var count = 0
                for try await _ in store.select(Located.self).stream() { count += 1 }
                return count
            }
        ),
        ("read { }", { try await $0.read { try $0.select(Located.self).all().count } }),
        (
            "values()",
            { store in
                var values = store.select(Located.self).values().makeAsyncIterator()
                return try await values.next()?.count ?? 0
            }
        ),
        (
            "observe { }",
            { store in
                var counts = store.observe { try $0.select(Located.self).all().count }.makeAsyncIterator()
                return try await counts.next() ?? 0
            }
        ),
    ]
}

/// A record that tells where it is decoded.
private struct Located {
    var id: Int
}

extension Located: Storable {
    typealias Key = Int

    static var schema: ModelSchema { ModelSchema("Located", [Property("id", Int.self, .key)]) }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        Places.current?.note()
    }

    func write(into row: inout RowWriter) { row.write(id) }

    func writeKey(into row: inout RowWriter) { row.write(id) }

    static func key(of record: Self) -> Key? { record.id }

    static func ordinal(of property: PartialKeyPath<Self>) -> Int? { property == \Self.id ? 0 : nil }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
    }
}

/// The tasks in which records were decoded. A read runs in the task that asks for it.
private final class Places: Sendable {
    @TaskLocal static var current: Places?

    private let counts = Mutex((all: 0, ofActor: 0))
    private let waitsForActor: Bool
    private let (waiting, isWaiting) = AsyncStream<Void>.makeStream()
    private let actorHasRun = DispatchSemaphore(value: 0)

    init(waitsForActor: Bool = false) { self.waitsForActor = waitsForActor }

    var all: Int { counts.withLock { $0.all } }
    var ofActor: Int { counts.withLock { $0.ofActor } }

    func note() {
        let isFirst = counts.withLock { counts in
            counts.all += 1
            if Desk.isCurrent { counts.ofActor += 1 }
            return counts.all == 1
        }
        guard waitsForActor, isFirst else { return }
        isWaiting.yield()
        actorHasRun.wait()
    }

    func untilWaiting() async { for await _ in waiting { return } }

    func letGoOn() { actorHasRun.signal() }
}

/// An actor whose thread can be identified.
private actor Desk {
    private static let mark = DispatchSpecificKey<Bool>()
    private let executor = Executor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) ?? false }

    func run<T: Sendable>(_ body: nonisolated(nonsending) () async throws -> T) async throws -> T { try await body() }

    func signal(_ places: Places) { places.letGoOn() }

    private final class Executor: SerialExecutor {
        private let queue = DispatchQueue(label: "desk")

        init() { queue.setSpecific(key: Desk.mark, value: true) }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }
}
