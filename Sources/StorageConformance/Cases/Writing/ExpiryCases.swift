internal import Foundation
internal import Logging
internal import StorageAPI
import StorageDriver

extension Gate.Columns {
    var passes: Inverse<Pass> { inverse(\.gate) }
}

extension Conformance {
    /// W14: records that expire.
    static let expiryCases: [ConformanceCase] = [
        ConformanceCase(
            "expiry/reads", for: [.w14: [1, 2]], "No form of reading finds what has expired, and nil never does."
        ) { t in
            let (store, clock) = try await passes(t)
            try await t.expectPasses(store, [1, 2, 3, 4])
            clock.advance(by: 9.5)
            try await t.expectPasses(store, [1, 2, 3, 4])
            // Its time is that of the read.
            clock.advance(by: 0.5)
            try await t.expectPasses(store, [2, 3, 4])
            clock.advance(by: 100)
            try await t.expectPasses(store, [4])
            clock.advance(by: -95)
            try await t.expectPasses(store, [2, 3, 4])
        },
        ConformanceCase(
            "expiry/through", for: [.w14: [1]],
            "What leads to an expired record finds none: through references, inverses and lists, in conditions and results."
        ) { t in
            let (store, clock) = try await passes(t)
            try await store.insert([
                Gate(id: 1, last: 1, seen: [1, 2]), Gate(id: 2, last: 2, seen: [1]), Gate(id: 3, last: 1),
            ])
            for id in 1...3 { try await store.update(Pass.self) { $0.where { $0.id == id }.set(\.gate, to: 3) } }
            func told() async throws -> [[Int]] {
                [
                    try await store.select(Gate.self) { $0.where { $0.last.code > "c" } }.all(),
                    try await store.select(Gate.self) { $0.where { $0.seen.none { $0.code > "c" } } }.all(),
                    try await store.select(Gate.self) { $0.where { $0.seen.all { $0.code == "c2" } } }.all(),
                    try await store.select(Gate.self) { $0.where { $0.passes.count == 3 } }.all(),
                    try await store.select(Gate.self) { $0.where { $0.passes.min { $0.id } == 1 } }.all(),
                    try await store.select(Gate.self) { $0.order { $0.last.code.descending } }.all(),
                ].map { $0.map(\.id) }
            }
            try t.expect(try await told(), equals: [[1, 2, 3], [3], [3], [3], [3], [2, 1, 3]])
            clock.advance(by: 10)
            try t.expect(try await told(), equals: [[2], [2, 3], [3], [], [], [2, 1, 3]])
            clock.advance(by: 10)
            try t.expect(try await told(), equals: [[], [1, 2, 3], [3], [], [], [1, 2, 3]])
        },
        ConformanceCase(
            "expiry/removed", for: [.w14: [4]],
            "The next write deletes what has expired with what it owns, by the rules of references, as the store's own commit."
        ) { t in
            let clock = TrialClock()
            let store = try await t.open(recordsOf: [Pass.self, Gate.self, Pen.self], clock: clock)
            try await store.insert([
                pass(1, clock, seconds: 10, pens: [Pen(id: 1)]), pass(2, clock, seconds: 20),
                pass(3, clock, seconds: nil),
            ])
            try await store.insert([Gate(id: 1, last: 1, seen: [1, 2]), Gate(id: 2, only: 1), Gate(id: 3, only: 2)])
            clock.advance(by: 10)
            try await store.insert(Pen(id: 1))
            try t.expect(
                try await store.history().filter { $0.commit >= 3 }.map(\.text).sorted(),
                equals: ["Gate deleted 2", "Gate updated 1", "Pass deleted 1"].map {
                    "3 \($0) by \(Store.expiryAuthor)"
                }
                    + ["4 Pen inserted 1"])
            try t.expect(try await store.all(Gate.self), equals: [Gate(id: 1, seen: [2]), Gate(id: 3, only: 2)])
            clock.advance(by: -10)
            try t.expect(try await store.all(Pass.self).map(\.id), equals: [2, 3])
            let pens = try await store.select(Pen.self).run("owned(by: Pass.self, \\.pens).count()") {
                try await $0.owned(by: Pass.self, \.pens).count()
            }
            try t.expect(pens, equals: 0)
            clock.advance(by: 20)
            try t.expect(try await store.store.removeExpired(), equals: 1)
            try t.expect(try await store.store.removeExpired(), equals: 0)
            try t.expect(try await store.all(Gate.self).map(\.id), equals: [1])
        },
        ConformanceCase(
            "expiry/replaced", for: [.w14: [5]],
            "Key and unique values of an expired record are free; updates and deletes of it find none; a save is an insert."
        ) { t in
            let (store, clock) = try await passes(t)
            clock.advance(by: 10)
            try await store.insert(Pass(id: 1, code: "c2x"))
            try t.expect(try await store.find(Pass.self, key: 1), equals: Pass(id: 1, code: "c2x"))
            clock.advance(by: 10)
            try await store.insert(Pass(id: 5, code: "c2"))
            try await t.expectError(.notFound) { try await store.update(Pass(id: 2)) }
            try t.expect(try await store.delete(Pass.self, key: 2), equals: 0)
            try t.expect(try await store.all(Pass.self).map(\.id), equals: [1, 3, 4, 5])
            clock.advance(by: 10)
            try t.expect(try await store.delete(Pass.self) { $0.where { $0.id < 4 } }, equals: 1)
            try await store.save(Pass(id: 3))
            try t.expect(try await store.find(Pass.self, key: 3), equals: Pass(id: 3))
        },
        ConformanceCase(
            "expiry/many", for: [.w14: [4]], "Any number of records that expire at one time is removed, and no other."
        ) { t in
            let clock = TrialClock()
            let store = try await t.open(Pass.self, clock: clock)
            try await store.insert((1...2500).map { pass($0, clock, seconds: $0 % 5 == 0 ? nil : 1) })
            clock.advance(by: 1)
            try t.expect(try await store.select(Pass.self).count(), equals: 500)
            try t.expect(try await store.store.removeExpired(), equals: 2000)
            clock.advance(by: -1)
            try t.expect(try await store.select(Pass.self).count(), equals: 500)
        },
        ConformanceCase(
            "expiry/recorded", for: [.w14: [3]], "A program that does not declare the model obeys its time of expiry."
        ) { t in
            let (store, clock) = try await passes(t)
            let records = store.store.records("Pass")
            try t.expect(try await records.count(), equals: 4)
            clock.advance(by: 10)
            try t.expect(try await records.count(), equals: 3)
            let schema = try await store.store.recordSchemas().first { $0.name == "Pass" }
            try t.expect(schema?.properties.filter(\.isExpiry).map(\.name), equals: ["until"])
        },
        ConformanceCase(
            "expiry/denied", for: [.w14: [6]], "What would deny that an expired record goes is refused at opening."
        ) { t in
            let store = try await t.open(Pass.self)
            let denying = RecordSchema(
                name: "Door",
                properties: [
                    .init(name: "id", kind: .column(.int64), isKey: true),
                    .init(
                        name: "pass", kind: .column(.int64), isOptional: true,
                        reference: .init(model: "Pass", onDelete: .deny)),
                ])
            let error = try await t.expectError(.configuration) { try await store.store.prepare([denying]) }
            try t.expect(error.property, equals: "pass")
        },
        ConformanceCase(
            "expiry/undone", for: [.w14: [4], .h5: [5, 6]],
            "Expired records are in no author's commit, so undo and redo of other commits never meet them."
        ) { t in
            let clock = TrialClock()
            let store = try await t.open(recordsOf: [Pass.self, Pen.self], clock: clock)
            try await store.insert(pass(1, clock, seconds: 10))
            try await store.transaction { handle, tx in
                try tx.insert(Pen(id: 1))
                try tx.insert(pass(2, clock, seconds: 20))
            }
            clock.advance(by: 10)
            try await store.insert(Pen(id: 2))
            // The pass of the same key is another one.
            try await store.insert(pass(1, clock, seconds: 100))
            for round in 1...2 {
                let undo = try await store.undo(4)
                try t.expect(try await store.all(Pen.self).map(\.id), equals: [1], "Round \(round).")
                clock.advance(by: 10)
                _ = try await store.undo(undo)
                try t.expect(try await store.all(Pen.self).map(\.id), equals: [1, 2], "Round \(round).")
                try await store.undo(try t.required(try await store.history().last?.commit))
                try await store.insert(Pen(id: 2))
                guard round == 1 else { break }
            }
            // One of its two records has expired since.
            let undo = try await store.undo(2)
            try t.expect(try await store.all(Pen.self).map(\.id), equals: [2])
            try await store.undo(undo)
            try t.expect(try await store.all(Pen.self).map(\.id), equals: [1, 2])
            try t.expect(try await store.all(Pass.self).map(\.id), equals: [1])
        },
        ConformanceCase(
            "expiry/denied-through", for: [.w14: [6]],
            "What would deny that something goes with an expired record, at any depth, is refused at opening."
        ) { t in
            let clock = TrialClock()
            let store = try await t.open(Gate.self, clock: clock)
            try await store.store.prepare([fence])
            let error = try await t.expectError(.configuration) { try await store.store.prepare([hinge(.deny)]) }
            try t.expect(error.property, equals: "wall")
            try await store.store.prepare([hinge(.nullify)])
            try await store.insert(pass(1, clock, seconds: 1))
            clock.advance(by: 1)
            try await store.insert(Gate(id: 1))
            // The other way round: the model that expires comes last.
            let last = try await t.expectError(.configuration) {
                try await store.store.prepare([
                    reference("Latch", to: "Bolt", .deny), reference("Bolt", to: "Lock", .cascade), expiring("Lock"),
                ])
            }
            try t.expect(last.property, equals: "wall")
        },
        ConformanceCase(
            "expiry/stuck", for: [.w14: [7]],
            "Where a store has recorded a denial, what has expired stays, fails no write, is told, and goes when it can."
        ) { t in
            let clock = TrialClock()
            var store = try await t.open(recordsOf: [Pass.self, Gate.self, Pen.self], clock: clock)
            let info = store.store.info
            guard t.place.outlivesClosing(info) else { return }
            try await store.insert([
                pass(1, clock, seconds: 10), pass(2, clock, seconds: 10), pass(3, clock, seconds: 30),
            ])
            try await store.insert([Gate(id: 1, only: 1), Gate(id: 2, only: 2)])
            try await store.close()
            try await record(hingeTable, in: t)
            store = try await t.open(recordsOf: [Pass.self, Gate.self, Pen.self], clock: clock)
            try await store.store.save([bolt(1, to: 1)])
            clock.advance(by: 10)
            for id in 1...20 { try await store.insert(Pen(id: id)) }
            try t.expect(try await store.all(Pass.self).map(\.id), equals: [3])
            try t.expect(try await store.all(Gate.self).map(\.id), equals: [1])
            try await store.insert(pass(2, clock, seconds: 100))
            let told = try await store.history().filter { $0.author == Store.expiryAuthor }
            try t.expect(told.map { "\($0.model) \($0.kind.rawValue)" }, equals: ["Pass deleted", "Gate deleted"])
            var problems: [String] = []
            try await store.store.verify { problems.append($0.description) }
            try t.expect(problems.count, equals: 2, "\(problems)")
            let error = try await t.expectError(.constraint) { try await store.store.removeExpired() }
            try t.expect(error.message.contains("Bolt"), "\(error)")
            try await store.store.records("Bolt").delete(keys: [[.int(1)]])
            clock.advance(by: 60)
            try await store.insert(Pen(id: 21))
            try t.expect(try await store.all(Gate.self).map(\.id), equals: [])
        },
        ConformanceCase(
            "expiry/programs", for: [.w14: [4], .h5: [1, 5, 6]],
            "Programs at random whose records expire in chains of references leave what plain Swift says, and so do undo and redo."
        ) { t in
            for number in 0..<6 {
                var program = ExpiringProgram(t, seed: t.seed &+ UInt64(number))
                try await program.run(steps: 25)
            }
        },
    ]

    private static let key = RecordSchema.Property(name: "id", kind: .column(.int64), isKey: true)

    private static func reference(_ name: String, to model: String, _ rule: DeleteRule) -> RecordSchema {
        RecordSchema(
            name: name,
            properties: [
                key,
                .init(
                    name: "wall", kind: .column(.int64), isOptional: true,
                    reference: .init(model: model, onDelete: rule)),
            ])
    }

    private static func expiring(_ name: String) -> RecordSchema {
        var until = RecordSchema.Property(name: "until", kind: .column(.date))
        until.isExpiry = true
        return RecordSchema(name: name, properties: [key, until])
    }

    private static let fence = reference("Wall", to: "Gate", .cascade)
    private static func hinge(_ rule: DeleteRule) -> RecordSchema { reference("Hinge", to: "Wall", rule) }

    private static func bolt(_ id: Int64, to gate: Int64) -> DynamicRecord {
        DynamicRecord(
            model: "Bolt",
            fields: [
                .init(name: "id", content: .value(.int(id), .int64)),
                .init(name: "wall", content: .value(.int(gate), .int64)),
            ])
    }

    /// A table that no store would record: a reference that denies the deletion of a record that is deleted with an
    /// expired one.
    private static let hingeTable = TableSchema(
        name: "Bolt", path: ["Bolt"],
        columns: [
            ColumnSchema(name: "id", property: "id", type: .int64),
            ColumnSchema(
                name: "wall", property: "wall", type: .int64, isOptional: true, isIndexed: true,
                reference: ReferenceSchema(model: "Gate", onDelete: .deny)),
        ], key: [0])

    private static func record(_ table: TableSchema, in t: Trial) async throws {
        let engine = try await t.place.backend().open(logger: .silent)
        try engine.write { (writer) throws(StorageError) in try writer.change(.create(table)) }
        try engine.close()
    }

    private static func pass(_ id: Int, _ clock: TrialClock, seconds: Double?, pens: [Pen] = []) -> Pass {
        Pass(id: id, until: seconds.map { clock.now.addingTimeInterval($0) }, code: "c\(id)", pens: pens)
    }

    /// Passes that expire after 10, 20 and 30 seconds, and never.
    private static func passes(_ t: Trial) async throws -> (RecordedStore, TrialClock) {
        let clock = TrialClock()
        let store = try await t.open(Pass.self, clock: clock)
        try await store.insert(
            [10, 20, 30, nil].enumerated().map { pass($0 + 1, clock, seconds: $1, pens: [Pen(id: 1), Pen(id: 2)]) })
        return (store, clock)
    }
}

extension Trial {
    /// Fails unless each way of reading finds these passes and no others.
    fileprivate func expectPasses(_ store: RecordedStore, _ ids: [Int]) async throws {
        try expect(try await store.all(Pass.self).map(\.id), equals: ids)
        try expect(try await store.store.find(Pass.self, keys: [1, 2, 3, 4]).compactMap { $0?.id }, equals: ids)
        for id in 1...4 {
            let found = try await store.find(Pass.self, key: id)
            try expect(found?.id, equals: ids.contains(id) ? id : nil)
            try expect(found?.pens.count ?? 0, equals: ids.contains(id) ? 2 : 0)
        }
        let passes = store.select(Pass.self)
        try expect(try await passes.count(), equals: ids.count)
        try expect(
            try await store.select(Pass.self) { $0.where { $0.id < 3 }.order { $0.until.descending } }.first()?.id,
            equals: ids.filter { $0 < 3 }.max())
        let sum = try await passes.run("sum { $0.id }") { try await $0.sum { $0.id } }
        try expect(sum, equals: ids.reduce(0, +))
        try expect(try await passes.stream().map(\.id), equals: ids)
        let pens = try await store.select(Pen.self).run("owned(by: Pass.self, \\.pens).count()") {
            try await $0.owned(by: Pass.self, \.pens).count()
        }
        try expect(pens, equals: 2 * ids.count)
    }
}
