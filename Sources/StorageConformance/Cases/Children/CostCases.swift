internal import StorageAPI
import StorageDriver
internal import Synchronization

extension Conformance {
    /// C6 and C3: what reads and writes cost the backend, counted at the seam.
    static let costCases: [ConformanceCase] = [
        ConformanceCase(
            "costs/reads-per-level", for: [.c6: [1]],
            "Children cost a fixed number of reads, however many owners there are."
        ) { t in
            let counts = Counts()
            let store = try await Store(
                CountingBackend(backend: t.place.backend(), counts: counts), models: Person.self)
            var reads: [Int] = []
            for number in [10, 100, 200] {
                try await store.save((1...number).map(Samples.person))
                counts.reset()
                let all = try await store.select(Person.self).all()
                try t.expect(all.count, equals: number)
                reads.append(counts.reads)
            }
            try await store.close()
            try t.expect(
                reads, equals: Array(repeating: reads[0], count: 3), "The number of reads grows with the owners.")
        },
        ConformanceCase(
            "costs/tables-of-many-models", for: [.s1: [1]],
            "Opening a store with models asks for its tables a fixed number of times, however many models there are."
        ) { t in
            var calls: [Int] = []
            for number in [5, 20] {
                let counts = Counts()
                let backend = CountingBackend(backend: try await t.place.another().backend(), counts: counts)
                let store = try await Store(backend, models: models(number, AsInt.self))
                try await store.prepare(
                    (1...number).map {
                        RecordSchema(
                            name: "Other\($0)", properties: [.init(name: "id", kind: .column(.int64), isKey: true)])
                    })
                calls.append(counts.tables)
                try t.expect(try await store.recordSchemas().count, equals: 2 * number)
                try await store.close()
            }
            try t.expect(calls[0], equals: calls[1], "The number of calls grows with the models.")
        },
        ConformanceCase(
            "costs/writes-by-graph", for: [.c3: [3]],
            "A write costs rows of its own graph, however many records are stored."
        ) { t in
            let counts = Counts()
            let store = try await Store(
                CountingBackend(backend: t.place.backend(), counts: counts), models: Person.self)
            var rows: [Int] = []
            for number in [1, 100, 200] {
                try await store.save((0..<number).map { Samples.person(1000 + $0) })
                counts.reset()
                try await store.save(Samples.person(11))
                rows.append(counts.rows)
            }
            try await store.close()
            try t.expect(rows[1], equals: rows[2], "The number of written rows grows with the store.")
            try t.expect(rows[2] < 100, "A small graph is written as \(rows[2]) rows.")
        },
        ConformanceCase(
            "costs/matched-rows", for: [.c3: [3]],
            "Records are found by several properties together, without reading all that have the same value of one."
        ) { t in
            let counts = Counts()
            let store = try await Store(
                CountingBackend(backend: t.place.backend(), counts: counts), models: Slot.self)
            var rows: [Int] = []
            for number in [50, 400] {
                try await store.truncate(Slot.self)
                try await store.insert((1...number).map { Slot(id: $0, line: 1, place: $0) })
                try await store.insert((1...number).map { Slot(id: 1000 + $0, line: 1 + $0, place: 7) })
                counts.reset()
                let slots = [Slot(id: 0, line: 1, place: 9), Slot(id: 0, line: 5, place: 7)]
                let saved = try await store.save(slots, matching: \.line, \.place)
                try t.expect(saved.map(\.id), equals: [9, 1004])
                rows.append(counts.givenToWrites)
            }
            try await store.close()
            try t.expect(rows[0], equals: rows[1], "The number of rows that a save reads grows with the store.")
        },
        ConformanceCase(
            "limits/value-bytes-lowered", for: [.e4: [2]],
            "Where values are limited to 64 KiB, that passes, and one byte more is limitExceeded."
        ) {
            t in
            let limit = 1 << 16
            var backend = CountingBackend(backend: try await t.place.backend(), counts: Counts())
            backend.valueBytes = limit
            let store = try await Store(backend, models: Holder<String>.self)
            let longest = String(repeating: "é", count: limit / 2)
            try await store.insert(Holder(id: 1, value: longest, list: [String(repeating: "l", count: limit - 4)]))
            let stored = try t.required(try await store.find(Holder<String>.self, key: 1))
            try t.expect(stored.value == longest && stored.list[0].utf8.count == limit - 4, "The values are others.")
            let beyond = [
                Holder(id: 2, value: longest + "v"), Holder(id: 2, value: "", optional: longest + "v"),
                Holder(id: 2, value: "", list: [String(repeating: "l", count: limit - 3)]),
            ]
            for holder in beyond {
                let error = try await t.expectError(.limitExceeded) {
                    try await store.insert([Holder(id: 3, value: ""), holder])
                }
                try t.expect(error.element, equals: 1)
                try await t.expectError(.limitExceeded) { try await store.save(holder) }
            }
            try t.expect(try await store.select(Holder<String>.self).keys(), equals: [1])
            try await store.close()
        },
    ]

    /// So many models with names of their own.
    private static func models<S: Shape>(_ number: Int, _: S.Type) -> [any Storable.Type] {
        number == 0 ? [] : [Item<S>.self] + models(number - 1, Next<S>.self)
    }
}

/// The shape of a model whose name is that of another one with a sign more.
private enum Next<Former: Shape>: Shape {
    typealias Value = Int
    static var model: String { Former.model + "+" }
}

/// Counts the calls of a backend and the rows that it receives.
final class Counts: Sendable {
    private let state = Mutex((reads: 0, rows: 0, given: 0, givenToWrites: 0, tables: 0))
    private let looks = Mutex((amount: 0, isCounted: true))

    var reads: Int { state.withLock { $0.reads } }
    /// The number of rows that it receives.
    var rows: Int { state.withLock { $0.rows } }
    /// The number of times that it is asked for its tables.
    var tables: Int { state.withLock { $0.tables } }
    /// The number of rows that its readers return.
    var given: Int { state.withLock { $0.given } }
    /// The number of rows that its writers give.
    var givenToWrites: Int { state.withLock { $0.givenToWrites } }
    /// The rows that its queries examine, in the engine's unit; nil if the engine counts nothing.
    var looked: Int? { looks.withLock { $0.isCounted ? $0.amount : nil } }

    func reset() {
        state.withLock { $0 = (0, 0, 0, 0, 0) }
        looks.withLock { $0.amount = 0 }
    }
    /// The number of requested comparisons of a column with a value.
    var compared: Int { comparisons.withLock { $0.count } }
    /// The comparisons with what the column cannot hold.
    var mistyped: [String] { comparisons.withLock { $0.mistyped } }
    private let comparisons = Mutex((count: 0, mistyped: [String]()))

    func add(_ plan: QueryPlan, _ arguments: QueryArguments) {
        for (index, value) in plan.query.filter?.comparisons(arguments) ?? [] {
            let column = plan.table.columns[index]
            comparisons.withLock {
                $0.count += 1
                if !column.type.holds(value) { $0.mistyped.append("\(column.type) with \(value)") }
            }
        }
    }

    func addGiven() { state.withLock { $0.given += 1 } }
    func addGivenToWrite() { state.withLock { $0.givenToWrites += 1 } }
    func add(_ work: QueryWork) { looks.withLock { $0.amount += work.amount } }
    func addUncounted() { looks.withLock { $0.isCounted = false } }
    func addTables() { state.withLock { $0.tables += 1 } }
    func addRead() { state.withLock { $0.reads += 1 } }
    func addRows(_ count: Int) { state.withLock { $0.rows += count } }
}

/// A backend that counts and hands on.
struct CountingBackend: ForwardingBackend {
    let backend: any StorageBackend
    let counts: Counts
    /// Another limit of values than the backend's own.
    var valueBytes: Int?

    func forward(to engine: any StorageEngine) -> ForwardingEngine {
        ForwardingEngine(engine) { [counts, valueBytes] in
            $0.info = { $0.limits.valueBytes = valueBytes ?? $0.limits.valueBytes }
            $0.reader = { CountingReader(reader: $0, counts: counts) }
            $0.writer = { CountingWriter($0, counts) }
        }
    }
}

private final class CountingReader: StorageReader {
    private let reader: any StorageReader
    private let counts: Counts

    init(reader: any StorageReader, counts: Counts) {
        self.reader = reader
        self.counts = counts
    }

    func tables() throws(StorageError) -> [TableSchema] {
        counts.addTables()
        return try reader.tables()
    }

    func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        counts.addRead()
        counts.add(plan, arguments)
        let rows = try CountedRows(plan, arguments: arguments, on: reader, counts)
        return Cursor(columns: plan.query.width) { [counts] () throws(StorageError) in
            guard try rows.cursor.next() else { return nil }
            counts.addGiven()
            return (0..<plan.query.width).map { rows.cursor.cells[$0].value }
        }
    }

    func greatestKey(in table: TableSchema) throws(StorageError) -> Int64 { try reader.greatestKey(in: table) }

    func end() { reader.end() }
}

/// A cursor that a closure can hold. When it is released, what its query has looked at is counted.
private final class CountedRows {
    var cursor: Cursor
    private let work = QueryWork()
    private let counts: Counts

    init(
        _ plan: QueryPlan, arguments: QueryArguments, on session: any StorageSession, _ counts: Counts
    ) throws(StorageError) {
        self.counts = counts
        if let session = session as? any WorkCountingSession {
            cursor = try session.rows(plan, arguments, counting: work)
        } else {
            cursor = try session.rows(plan, arguments)
            counts.addUncounted()
        }
    }

    deinit { counts.add(work) }
}

private final class CountingWriter: ForwardingWriter {
    private let counts: Counts

    init(_ writer: any StorageWriter, _ counts: Counts) {
        self.counts = counts
        super.init(writer)
    }

    override func tables() throws(StorageError) -> [TableSchema] {
        counts.addTables()
        return try writer.tables()
    }

    override func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        let rows = try CountedRows(plan, arguments: arguments, on: writer, counts)
        return Cursor(columns: plan.query.width) { [counts] () throws(StorageError) in
            guard try rows.cursor.next() else { return nil }
            counts.addGivenToWrite()
            return (0..<plan.query.width).map { rows.cursor.cells[$0].value }
        }
    }

    override func write(_ batch: borrowing RowBatch) throws(StorageError) -> Int {
        counts.addRows(batch.count)
        return try writer.write(batch)
    }
}
