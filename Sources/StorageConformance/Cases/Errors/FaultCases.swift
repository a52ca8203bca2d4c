internal import StorageAPI

extension Conformance {
    /// E3, E5, W8, S5: what calls below the backend that fail, and a power cut, may do.
    static let faultCases: [ConformanceCase] = [
        ConformanceCase(
            "faults/failed-call", for: [.e5: [1]], needs: [.durability], needsFaults: .call,
            "Whichever write or sync fails, nothing of the call is stored, and what was stored before is."
        ) { t in
            try await FaultTrial(t).everyCall { fault in
                let run = try await fault.run(InjectedFault(call: fault.call))
                try await fault.expectReopened(run)
                return run
            }
        },
        ConformanceCase(
            "faults/full-disk", for: [.e5: [1]], needs: [.durability], needsFaults: .fullDisk,
            "Nothing is stored of a call that meets a full disk, and with space the store is written again."
        ) { t in
            try await FaultTrial(t).everyCall { fault in
                let run = try await fault.run(InjectedFault(call: fault.call, isLasting: true, isFull: true))
                try await fault.expectReopened(run)
                return run
            }
        },
        ConformanceCase(
            "faults/after-a-failed-sync", for: [.e3: [3, 4]], needs: [.durability], needsFaults: .powerCut,
            "What is acknowledged after a write or sync that failed is on the disk: a power cut does not take it."
        ) { t in
            try await FaultTrial(t).everyCall { fault in
                let run = try await fault.run(InjectedFault(call: fault.call), closingFails: true)
                fault.faults.cutPower(keeping: .none)
                try await fault.expectReopened(run)
                return run
            }
        },
        ConformanceCase(
            "faults/power-cut", for: [.w8: [1]], needs: [.durability], needsFaults: .powerCut,
            "Whenever the power goes, whatever a disk had written of it by then, what was acknowledged is there."
        ) { t in
            try await FaultTrial(t).everyCall { fault in
                let run = try await fault.run(InjectedFault(call: fault.call, isLasting: true), closingFails: true)
                fault.faults.cutPower(keeping: UnsyncedBytes.allCases.randomElement(using: &fault.generator) ?? .none)
                try await fault.expectReopened(run)
                return run
            }
        },
        ConformanceCase(
            "faults/relaxed-power-cut", for: [.w8: [2]], needs: [.durability], needsFaults: .relaxedPowerCut,
            "With relaxed durability the store is as after one of its commits whenever the power goes."
        ) { t in
            try await FaultTrial(t).everyCall { fault in
                let run = try await fault.run(
                    InjectedFault(call: fault.call, isLasting: true), closingFails: true, isRelaxed: true)
                fault.faults.cutPower(keeping: UnsyncedBytes.allCases.randomElement(using: &fault.generator) ?? .none)
                try await fault.expectReopened(run, among: run.earlier)
                return run
            }
        },
        ConformanceCase(
            "faults/lost-answer", for: [.e6: [1], .e5: [1]], needs: [.durability], needsFaults: .lostAnswer,
            "Whichever answer is lost, a call returns if it is stored, and throws if it is not."
        ) { t in
            try await FaultTrial(t).everyCall { fault in
                let run = try await fault.run(InjectedFault(call: fault.call, isAnswer: true))
                try await fault.expectReopened(run, exactly: true)
                return run
            }
        },
        ConformanceCase(
            "faults/silent-connection", for: [.e6: [1, 3], .e5: [1]], needs: [.durability],
            needsFaults: .silentConnection,
            "Whichever connection falls silent while others work, no call waits for it without end, nor does another store."
        ) { t in
            // Each silence costs the backend's timeout, so fewer of them.
            try await FaultTrial(t).everyCall(oneOf: 1...24) { fault in
                let isAnswer = Bool.random(using: &fault.generator)
                let run = try await fault.run(InjectedFault(call: fault.call, isAnswer: isAnswer, isSilent: true))
                try await fault.expectReopened(run, exactly: true)
                return run
            }
        },
        ConformanceCase(
            "faults/nobody-answers", for: [.e6: [2]], needs: [.durability], needsFaults: .lostAnswer,
            "If the server stops answering, a commit is outcomeUnknown, an earlier call is io, and an observer reads again."
        ) { t in
            let faults = try t.required(t.faults, "The harness makes no call fail.")
            let store = try await t.open(Pen.self)
            var values = store.select(Pen.self).observer("values()") { $0.values() }
            try t.expect(try await values.next(), equals: [])
            var code: StorageError.Code?
            var (call, id, returned) = (0, 0, 0)
            while true {
                (call, id) = (call + 1, id + 1)
                t.note("// no answers from call \(call) on")
                faults.begin(InjectedFault(call: call, isLasting: true, isAnswer: true))
                do {
                    try await store.save(Pen(id: id))
                    code = nil
                } catch let error as StorageError {
                    code = error.code
                }
                faults.begin(nil)
                guard code != .outcomeUnknown else { break }
                guard code == nil else {
                    try t.expect(code, equals: .io, "Nobody has answered, and the call says something else.")
                    try t.expect(try await store.all(Pen.self), equals: [], "A call that is io has stored something.")
                    continue
                }
                // What observes the store makes calls of its own, at any time: one fewer of them, and the save is over
                // before this one. It begins again, since its commit's number is not the same again.
                let stored = try await store.all(Pen.self)
                try t.expect(stored, equals: [Pen(id: id)], "A call that returned is not stored.")
                try await store.delete(Pen.self, key: id)
                (call, returned) = (0, returned + 1)
                try t.expect(returned < 20, "Nobody has answered, and the call returns, again and again.")
            }
            // All that was sent has arrived.
            var seen = try await values.next()
            while returned > 0, let earlier = seen, earlier.map(\.id) != [id] { seen = try await values.next() }
            try t.expect(seen, equals: [Pen(id: id)])
        },
        ConformanceCase(
            "faults/newer-format", for: [.s5: [1, 2]], needs: [.durability], needsFaults: .newerFormat,
            "A store of a later format is schemaNewer however it is opened, and stays the same byte for byte."
        ) { t in
            let faults = try t.required(t.faults, "The harness makes no later format.")
            let store = try await t.open(Person.self, Pen.self)
            try await store.insert((1...3).map(Samples.person))
            try await store.close()
            let contents = try faults.makeNewer()
            let before = try contents()
            try t.expect(!before.isEmpty, "The harness finds nothing stored.")
            for _ in 1...2 {
                try await t.expectError(.schemaNewer) { try await t.open(Person.self, Pen.self).info.name }
                try await t.expectError(.schemaNewer) { try await t.open().info.name }
            }
            try t.expect(try contents() == before, "A store that was refused is not what it was.")
        },
        ConformanceCase(
            "faults/migration", for: [.s5: [3]], needs: [.durability], needsFaults: .powerCut,
            "A change of the schema during which the power goes leaves the old form or the new one."
        ) { t in try await FaultTrial(t).everyMigration() },
    ]
}

/// Runs a workload again and again at one place, in which another call fails each time.
final class FaultTrial {
    private let trial: Trial
    let faults: any FaultInjection
    /// The generator that draws the calls that fail and the state after a power cut.
    var generator: SeededGenerator
    /// The call that fails in this run.
    private(set) var call = 0

    /// The contents of a store.
    struct Contents {
        var people: [Person] = []
        var pens: [Pen] = []
    }

    /// The effects of a run.
    struct Run {
        /// The contents that the store must hold.
        var acknowledged = Contents()
        /// The earlier contents, after each call.
        var earlier: [Contents] = []
        /// The contents that the first failed call would have led to.
        var attempted: Contents?
        /// True if there were as many calls.
        var isReached = false
    }

    init(_ trial: Trial) throws {
        self.trial = trial
        faults = try trial.required(trial.faults, "The harness makes no call fail.")
        generator = SeededGenerator(seed: trial.seed)
    }

    /// Lets a part of the calls fail, of which each seed draws another, until a run has fewer calls.
    func everyCall(
        oneOf steps: ClosedRange<Int> = 1...8, _ body: (FaultTrial) async throws -> Run
    ) async throws {
        var count = 0
        while true {
            call += Int.random(in: steps, using: &generator)
            try await empty()
            trial.note("// call \(call) fails")
            let run = try await body(self)
            guard run.isReached else { break }
            count += 1
        }
        try trial.expect(count > 0, "No call failed: the harness counts none.")
    }

    private func empty() async throws {
        faults.begin(nil)
        let store = try await trial.open(Person.self, Pen.self)
        try await store.truncate(Person.self)
        try await store.truncate(Pen.self)
        try await store.insert(Self.first.pens)
        try await store.close()
    }

    /// The contents with which each run begins.
    private static let first = Contents(pens: [Pen(id: 0, color: "first")])

    // MARK: The workload

    private typealias Step = (
        change: @Sendable (inout Contents) -> Void, run: @Sendable (RecordedStore) async throws -> Void
    )

    private static let steps: [Step] = {
        let people = (1...6).map(Samples.person)
        let changed = Person(id: 2, name: "changed", pens: [Pen(id: 9, color: "green", price: 1)])
        let many = (100..<140).map { Pen(id: $0, color: "color \($0)", price: Double($0)) }
        return [
            ({ $0.people = people }, { try await $0.insert(people) }),
            ({ $0.pens.append(Pen(id: 1)) }, { try await $0.insert(Pen(id: 1)) }),
            ({ $0.people.save(changed) }, { try await $0.save(changed) }),
            (
                { $0.people.removeAll { $0.id == 3 } },
                { _ = try await $0.store.delete(Person.self).where { $0.id == 3 }.run() }
            ),
            (
                { contents in
                    contents.pens.append(Pen(id: 2, color: "blue"))
                    contents.people.removeAll { $0.id == 5 }
                },
                {
                    try await $0.transaction { tx, _ in
                        try tx.insert(Pen(id: 2, color: "blue"))
                        _ = try tx.delete(Person.self).where { $0.id == 5 }.run()
                    }
                }
            ),
            ({ $0.pens += many }, { try await $0.insert(many) }),
            (
                { contents in
                    for index in contents.people.indices where contents.people[index].id < 5 {
                        contents.people[index].age = 7
                    }
                },
                { _ = try await $0.store.update(Person.self).where { $0.id < 5 }.set(\.age, to: 7).run() }
            ),
            ({ $0.people = [] }, { try await $0.truncate(Person.self) }),
            ({ $0.people.save(people[0]) }, { try await $0.save(people[0]) }),
        ]
    }()

    /// Runs the steps; those that fail must have stored nothing.
    ///
    /// - Parameters:
    ///   - closingFails: whether every call fails from the end of the steps on, so that closing writes nothing.
    ///   - isRelaxed: whether the store is opened with relaxed durability.
    func run(_ fault: InjectedFault, closingFails: Bool = false, isRelaxed: Bool = false) async throws -> Run {
        let store = try await trial.open(Person.self, Pen.self, on: isRelaxed ? faults.relaxed : nil)
        faults.begin(fault)
        var run = Run(acknowledged: Self.first)
        for step in Self.steps {
            var next = run.acknowledged
            step.change(&next)
            do {
                try await step.run(store)
                run.earlier.append(run.acknowledged)
                run.acknowledged = next
            } catch let error as StorageError {
                try expectTold(error, fault)
                run.attempted = run.attempted ?? next
                guard fault.isLasting else { continue }
                break
            }
            try await expectStored(run.acknowledged, store)
        }
        try await expectStored(run.acknowledged, store)
        run.isReached = faults.calls >= fault.call
        if closingFails { faults.begin(InjectedFault(call: 1, isLasting: true)) }
        // What closing could not write, reopening does.
        try? await store.close()
        return run
    }

    private func expectTold(_ error: StorageError, _ fault: InjectedFault) throws {
        // Where work after a commit has met the full disk, the next call says that the store is to be opened again.
        let codes: [StorageError.Code] = fault.isFull ? [.full, .io] : [.io]
        try trial.expect(codes.contains(error.code), "A call that fails is told as another error: \(error)")
    }

    /// A store that goes on shows what it has stored, and nothing else. One that cannot be read says so.
    private func expectStored(_ contents: Contents, _ store: RecordedStore) async throws {
        do {
            try trial.expect(try await store.all(Person.self), equals: contents.people)
            try trial.expect(try await store.all(Pen.self), equals: contents.pens)
        } catch let error as StorageError {
            try trial.expect(
                error.code, equals: StorageError.Code.io, "A read fails after a write that failed: \(error)")
        }
    }

    /// The reopened store has the acknowledged writes. A call that failed may have come to its end after all where its
    /// last bytes were on the disk, and no call could take them back.
    ///
    /// - Parameters:
    ///   - exactly: whether a call that failed must not have come to its end.
    ///   - earlier: what it may have in place of that.
    func expectReopened(_ run: Run, exactly: Bool = false, among earlier: [Contents] = []) async throws {
        faults.begin(nil)
        let store = try await trial.open(Person.self, Pen.self)
        let found = Contents(people: try await store.all(Person.self), pens: try await store.all(Pen.self))
        let others = earlier + (exactly ? [] : [run.attempted].compactMap(\.self))
        if !others.contains(where: { Difference.between($0, found).isEmpty }) {
            try trial.expect(found, equals: run.acknowledged, "Acknowledged work is lost, or other is there.")
        }
        try await store.save(Pen(id: 900))
        try trial.expect(try await store.select(Pen.self).keys(), equals: found.pens.map(\.id) + [900])
        try await store.close()
    }

    // MARK: A change of the schema

    /// Renames a property, there and back again, with an index that one of the two names has.
    func everyMigration() async throws {
        let numbers = (0..<50).map { Int64($0 * 3) }
        let first = try await trial.open()
        try await first.store.prepare([Self.schema("first")])
        try await first.store.insert(
            numbers.map { number in
                let fields = [("id", number), ("first", number)].map { name, number in
                    DynamicRecord.Field(name: name, content: .value(.int(number), .int64))
                }
                return DynamicRecord(model: "Renamed", fields: fields)
            })
        try await first.close()
        var name = "first"
        var isReached = true
        while isReached {
            call += Int.random(in: 1...2, using: &generator)
            let fault = InjectedFault(call: call, isLasting: true)
            trial.note("// call \(call) and all later ones fail")
            faults.begin(fault)
            isReached = try await rename(name, to: name == "first" ? "second" : "first", fault)
            faults.cutPower(keeping: UnsyncedBytes.allCases.randomElement(using: &generator) ?? .none)
            faults.begin(nil)
            name = try await renamed(numbers)
        }
        try trial.expect(call > 2, "No call failed: the harness counts none.")
    }

    private static func schema(_ name: String, renamedFrom earlier: String? = nil) -> RecordSchema {
        var property = RecordSchema.Property(name: name, kind: .column(.int64), isIndexed: name == "second")
        property.renamedFrom = earlier
        return RecordSchema(
            name: "Renamed", properties: [.init(name: "id", kind: .column(.int64), isKey: true), property])
    }

    /// - Returns: whether there were as many calls.
    private func rename(_ earlier: String, to name: String, _ fault: InjectedFault) async throws -> Bool {
        do {
            let store = try await trial.open()
            do {
                try await store.store.migrate(to: [Self.schema(name, renamedFrom: earlier)])
            } catch {
                try expectTold(error, fault)
            }
            let isReached = faults.calls >= fault.call
            if !isReached { faults.begin(InjectedFault(call: 1, isLasting: true)) }
            try? await store.close()
            return isReached
        } catch let error as StorageError {
            try expectTold(error, fault)
            return true
        }
    }

    /// The name that the property has, after checking that all records are there under it.
    private func renamed(_ numbers: [Int64]) async throws -> String {
        let store = try await trial.open()
        let schema = try await store.store.recordSchemas().first { $0.name == "Renamed" }
        let name = try trial.required(schema?.properties.last?.name, "The model is gone.")
        let found = try await store.store.records("Renamed").all().map { $0.value(name) }
        try await store.close()
        try trial.expect(found, equals: numbers.map { .int($0) }, "Records are lost or changed.")
        return name
    }
}

extension [Person] {
    fileprivate mutating func save(_ person: Person) {
        self = (filter { $0.id != person.id } + [person]).sorted { $0.id < $1.id }
    }
}
