internal import Foundation
internal import StorageAPI
internal import StorageDriver
internal import StorageSync

extension Conformance {
    /// Y7 to Y10: users, stores that went back in time, versions of programs, and what comes from others.
    static let sharingCases: [ConformanceCase] = [
        ConformanceCase(
            "synchronisation/users", for: [.y7: [3, 4]],
            "A user reads and writes the records of the own part; those of others are neither sent nor written."
        ) { t in
            var rules = HubRules()
            rules.parts = ["Depot": "name"]
            try await t.synchronising(2, rules: rules, users: ["ann", "bob"]) { s in
                let (ann, bob) = (s.replicas[0], s.replicas[1])
                try await s.store.insert([Depot(id: "1", name: "ann"), Depot(id: "2", name: "bob")])
                for replica in [ann, bob] { try await replica.sync() }
                try t.expect(try await ann.store.select(Depot.self).keys(), equals: ["1"])
                try t.expect(try await bob.store.select(Depot.self).keys(), equals: ["2"])
                try await ann.store.insert(Depot(id: "2", name: "ann"))
                try await ann.store.insert(Depot(id: "3", name: "bob"))
                try await ann.store.save(Depot(id: "1", name: "ann", code: "c"))
                try t.expect(try await ann.sync().refused, equals: 2)
                try t.expect(
                    try await s.store.select(Depot.self).all(),
                    equals: [Depot(id: "1", name: "ann", code: "c"), Depot(id: "2", name: "bob")])
                s.ways[0].act(as: "bob")
                let error = try await t.expectError(.conflict) { try await ann.sync() }
                try t.expect(error.underlying as? SyncRefusal == .anotherUser, "Another refusal: \(error)")
                try await ann.beginAgain(isJoining: true)
                for _ in 0..<2 { try await ann.sync() }
                try t.expect(try await ann.store.select(Depot.self).keys(), equals: ["2"])
            }
        },
        ConformanceCase(
            "synchronisation/copied-replica", for: [.y8: [1, 2]],
            "A copied replica is refused before anything is merged, and begins again with what waits."
        ) { t in
            try await t.synchronising(1) { s in
                let (ann, place) = (s.replicas[0], try await t.place.another())
                try await ann.store.insert(Depot(id: "a"))
                let copy = try await t.shared(place)
                _ = try await copy.mirror(ann.store)
                let other = try await Replica(copy, models: PlainModel.types, to: s.ways[0])
                try await ann.store.insert(Depot(id: "b"))
                try await ann.sync()
                try await copy.insert(Depot(id: "c"))
                let token = try await s.store.historyToken()
                let error = try await t.expectError(.conflict) { try await other.sync() }
                try t.expect(error.underlying as? SyncRefusal == .identityReused, "Another refusal: \(error)")
                try t.expect(try await s.store.historyToken(), equals: token)
                try await other.beginAgain()
                try t.expect(try await other.sync().refused, equals: 0)
                try await s.settle()
                try t.expect(try await copy.select(Depot.self).keys(), equals: ["a", "b", "c"])
                try await copy.close()
                _ = try await place.destroy()
            }
        },
        ConformanceCase(
            "synchronisation/restored-hub", for: [.y8: [3]],
            "A hub that was restored from a backup gets back from its replicas what it has lost."
        ) { t in
            try await t.synchronising(2) { s in
                let (ann, bob) = (s.replicas[0], s.replicas[1])
                let place = try await t.place.another()
                try await ann.store.insert([Depot(id: "a"), Depot(id: "gone")])
                for replica in [ann, bob] { try await replica.sync() }
                let backup = try await t.shared(place)
                _ = try await backup.mirror(s.store)
                try await ann.store.insert(Depot(id: "b"))
                try await ann.store.delete(Depot.self, key: "gone")
                for replica in [ann, bob] { try await replica.sync() }
                try await bob.store.insert(Depot(id: "waits"))
                for number in 0..<9 { try await backup.save(Depot(id: "new", name: "\(number)")) }
                let hub = try await Hub(backup, models: PlainModel.types)
                for way in s.ways { way.move(to: hub) }
                try t.expect(try await bob.sync().hubWentBack, "The hub is taken for the one it was.")
                for replica in [ann, bob, ann] { try await replica.sync() }
                try t.expect(try await backup.select(Depot.self).keys(), equals: ["a", "b", "new", "waits"])
                let digests = try await backup.digests(of: PlainModel.names)
                for replica in [ann, bob] {
                    try t.expect(try await replica.store.digests(of: PlainModel.names), equals: digests)
                }
                try await backup.close()
                _ = try await place.destroy()
            }
        },
        ConformanceCase(
            "synchronisation/unknown-properties", for: [.y9: [1]],
            "A property that the replica does not know stays at the hub, whatever the replica changes, and stands against no deletion, also if the replica gets the property before it exchanges."
        ) { t in
            try await t.synchronising(1) { s in
                let ann = s.replicas[0]
                let extra = RecordSchema.Property(name: "extra", kind: .column(.string), isOptional: true)
                let id = RecordSchema.Property(name: "id", kind: .column(.string), isKey: true)
                let schema = RecordSchema(name: "Depot", properties: [id, extra])
                try await s.store.prepare([schema])
                let hub = try await Hub(s.store, models: PlainModel.types)
                s.ways[0].move(to: hub)
                try await s.store.insert(
                    DynamicRecord(
                        model: "Depot",
                        fields: [
                            .init(name: "id", content: .value(.text("1"), .string)),
                            .init(name: "name", content: .value(.text("n"), .string)),
                            .init(name: "extra", content: .value(.text("kept"), .string)),
                        ]))
                try await ann.sync()
                try await ann.store.save(Depot(id: "1", name: "changed", code: "c"))
                try t.expect(try await ann.sync().refused, equals: 0)
                let record = try t.required(try await s.store.records("Depot").find(key: [.text("1")]))
                try t.expect(record.value("extra"), equals: .text("kept"))
                try t.expect(record.value("name"), equals: .text("changed"))
                try await ann.store.delete(Depot.self, key: "1")
                try await ann.store.prepare([schema])
                let later = try await Replica(ann.store, models: PlainModel.types, to: s.ways[0])
                try t.expect(try await later.sync().refused, equals: 0)
                try t.expect(try await s.store.select(Depot.self).count(), equals: 0)
            }
        },
        ConformanceCase(
            "synchronisation/later-model", for: [.y9: [2]],
            "A model that joins later begins with its own first synchronisation, and the others go on."
        ) { t in
            try await t.synchronising(0) { s in
                let place = try await t.place.another()
                let store = try await t.shared(place)
                let way = TrialWay(s.hub)
                try await s.store.insert(Depot(id: "early", name: "n"))
                try await s.store.insert(Permit(id: "1"))
                let first = try await Replica(store, models: [Permit.self], to: way)
                try await first.sync()
                try await store.insert(Permit(id: "2"))
                try t.expect(try await store.select(Depot.self).count(), equals: 0)
                let second = try await Replica(store, models: PlainModel.types, to: way)
                try t.expect(try await second.sync().refused, equals: 0)
                try await second.sync()
                try t.expect(try await store.find(Depot.self, key: "early"), equals: Depot(id: "early", name: "n"))
                try t.expect(try await s.store.select(Permit.self).keys(), equals: ["1", "2"])
                try await store.close()
                _ = try await place.destroy()
            }
        },
        ConformanceCase(
            "synchronisation/from-others", for: [.y10: [1, 2]],
            "What comes by synchronisation is observed and kept with its author, never sent back, and not undone by undoLast."
        ) { t in
            try await t.synchronising(2) { s in
                let (ann, bob) = (s.replicas[0], s.replicas[1])
                var changes = bob.store.changes(of: Depot.self).makeAsyncIterator()
                try await ann.store.transaction { tx in
                    tx.author = "ann"
                    try tx.insert(Depot(id: "1"))
                }
                try await ann.sync()
                try await bob.sync()
                guard case .commit(let commit)? = try await changes.next() else {
                    throw ConformanceFailure("The observer has no commit.", location: "from-others")
                }
                try t.expect(commit.author, equals: "ann")
                let kept = try t.required(try await bob.store.commits().commits.last)
                try t.expect(kept.author, equals: "ann")
                try t.expect(kept.origin != .call, "What was taken counts as a call.")
                try await t.expectError(.notFound) { try await bob.store.undoLast() }
                try t.expect(try await bob.sync().sent, equals: 0)
                try t.expect(try await s.store.commits().commits.count, equals: 1)
            }
        },
        ConformanceCase(
            "synchronisation/obstacles", for: [.y1: [2]],
            "What stands against synchronising a model is told before anything is sent."
        ) { t in
            let store = try await t.open(recordsOf: [Account.self, Loan.self])
            try await store.insert(Account(name: "kept"))
            let found = Set(try await store.store.canSync([Account.self, Loan.self]).map(\.kind))
            try t.expect(found.contains(.assignsKeys), "Assigned keys are allowed.")
            try t.expect(found.contains(.refersOutside(to: "Volume")), "A reference leads out.")
            try t.expect(try await store.store.canSync(["None"]).map(\.kind), equals: [.unknownModel])
            try await t.expectError(.configuration) { try await Hub(store.store, models: [Account.self]) }
            try await store.close()
            let other = try await t.open(Pen.self, Member.self)
            try t.expect(try await other.store.canSync([Pen.self]).map(\.kind), equals: [.noHistory])
        },
    ]

    /// Y2, Y3, Y6: random programs on stores of the backend and in memory, compared with the plain model.
    static let simulationCases: [ConformanceCase] = [
        ConformanceCase(
            "synchronisation/programs",
            for: [.y2: [1, 2, 3], .y3: [1, 2, 3], .y4: [1, 2, 3], .y5: [1, 2], .y6: [1]],
            "A hub and replicas equal a plain model after each step of random programs, whatever is lost, late or ended."
        ) { t in
            for number in 0..<2 { try await t.simulate(t.seed &+ UInt64(number), steps: 40) }
        },
        ConformanceCase(
            "synchronisation/seeds", for: [.y2: [3], .y6: [1]], "Programs that have found faults find none."
        ) { t in
            for seed in keptSeeds { try await t.simulate(seed, steps: 50) }
        },
    ]

    /// The seeds of programs of 50 steps that have found a fault.
    private static let keptSeeds: [UInt64] = []
}

extension Trial {
    /// Runs a simulation on places of the tested backend and in memory.
    fileprivate func simulate(_ seed: UInt64, steps: Int) async throws {
        note("conformance --generate-synchronisation 1 --steps \(steps) --seed \(seed)")
        let memory: @Sendable () async throws -> TrialPlace = { try await TrialPlace(InMemoryHarness()) }
        let simulation = try await SyncSimulation(seed: seed, [place.another, place.another, memory])
        do {
            try await simulation.run(steps: steps)
        } catch {
            for line in simulation.log { note(line) }
            try? await simulation.end()
            throw ConformanceFailure("With the seed \(seed): \(error)", location: simulation.names)
        }
        try await simulation.end()
    }
}
