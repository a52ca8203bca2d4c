internal import StorageAPI
internal import StorageDriver

extension Conformance {
    /// M1: a store that is closed to writers.
    static let fenceCases: [ConformanceCase] = [
        ConformanceCase(
            "fence/refuses-writes", for: [.m1: [1, 2, 3, 4]],
            "A store that has moved refuses each kind of write with its new address and answers reads, until the move opens it."
        ) { t in
            let opened = try await t.open(Person.self, Pen.self)
            let store = opened.store
            try await opened.insert((1...3).map(Samples.person))
            let before = try await opened.all(Person.self)
            try t.expect(try await store.fence(), equals: nil)
            for address in [nil, "sqlite:/srv/2/people.db"] {
                let fence = Store.Fence(address: address, move: "first")
                try await store.setFence(fence)
                try t.expect(try await store.fence(), equals: fence)
                try await expectClosed(opened, at: address, t)
                try t.expect(try await opened.all(Person.self), equals: before)
                try t.expect(try await opened.find(Person.self, key: 2), equals: before[1])
                try t.expect(try await store.read { reader in try reader.select(Person.self).count() }, equals: 3)
                try t.expect(try await opened.all(Pen.self), equals: [])
            }
            try await t.expectError(.conflict) { try await store.setFence(.init(move: "second")) }
            try await t.expectError(.conflict) { try await store.removeFence(of: "second") }
            try await expectClosed(opened, at: "sqlite:/srv/2/people.db", t)
            try await store.removeFence(of: "first")
            try t.expect(try await store.fence(), equals: nil)
            try await store.removeFence(of: "second")
            try await opened.insert(Samples.person(4))
            try t.expect(try await store.select(Person.self).count(), equals: 4)
        },
        ConformanceCase(
            "fence/between-writes", for: [.m1: [2]],
            "Of writes that run when a store is closed, the ones that return are stored, and all others are moved."
        ) { t in
            let opened = try await t.open(Pen.self)
            let store = opened.store
            let returned = try await withThrowingTaskGroup(of: Int.self) { group in
                for task in 0..<4 {
                    group.addTask {
                        for number in 0..<1000 {
                            do {
                                try await store.insert(Pen(id: task * 1000 + number))
                            } catch let error as StorageError where error.code == .moved {
                                return number
                            }
                        }
                        return 1000
                    }
                }
                while try await store.select(Pen.self).count() < 8 {}
                try await store.setFence(.init(move: "first"))
                let stored = try await store.select(Pen.self).count()
                let returned = try await group.reduce(0, +)
                try t.expect(try await store.select(Pen.self).count(), equals: stored, "A write came after the fence.")
                return returned
            }
            try t.expect(try await store.select(Pen.self).count(), equals: returned)
        },
        ConformanceCase(
            "fence/reopened", for: [.m1: [1, 2, 3]], needs: [.durability],
            "A store that has moved opens for reading, and refuses a model that would need new tables."
        ) { t in
            let opened = try await t.open(Person.self)
            try await opened.insert(Samples.person(1))
            try await opened.store.setFence(.init(address: "archive:b.karch", move: "first"))
            try await opened.close()
            let again = try await t.open(Person.self)
            try t.expect(try await again.all(Person.self), equals: [Samples.person(1)])
            try await t.expectError(.moved) { try await again.insert(Samples.person(2)) }
            try await again.close()
            let error = try await t.expectError(.moved) { try await t.open(Person.self, Pen.self).info.name }
            try t.expect(error.address, equals: "archive:b.karch")
            let last = try await t.open(Person.self)
            try await last.store.removeFence(of: "first")
            try await last.insert(Samples.person(2))
        },
        ConformanceCase(
            "sharing/fence", for: [.m1: [1, 2, 3, 4]], needs: [.sharing],
            "Programs that have a store open are bound from their next write when another one closes it, and again when it opens it."
        ) { t in
            let first = try await t.open(Pen.self)
            let second = try await t.open(Pen.self)
            try await first.insert(Pen(id: 1))
            try await second.insert(Pen(id: 2))
            for address in [nil, "b"] {
                try await second.store.setFence(.init(address: address, move: "first"))
                let error = try await t.expectError(.moved) { try await first.insert(Pen(id: 3)) }
                try t.expect(error.address, equals: address)
                try await t.expectError(.moved) { try await first.delete(Pen.self, key: 1) }
                try await t.expectError(.moved) { try await second.insert(Pen(id: 3)) }
                try t.expect(try await first.all(Pen.self).map(\.id), equals: [1, 2])
            }
            try await second.store.removeFence(of: "first")
            try await first.insert(Pen(id: 3))
            try await second.insert(Pen(id: 4))
            try t.expect(try await first.all(Pen.self).map(\.id), equals: [1, 2, 3, 4])
        },
    ]

    private static func expectClosed(_ opened: RecordedStore, at address: String?, _ t: Trial) async throws {
        let store = opened.store
        let errors = [
            try await t.expectError(.moved) { try await opened.insert(Samples.person(9)) },
            try await t.expectError(.moved) { try await opened.update(Samples.person(1)) },
            try await t.expectError(.moved) { try await opened.delete(Person.self, key: 1) },
            try await t.expectError(.moved) { try await store.truncate(Person.self) },
            try await t.expectError(.moved) { try await store.transaction { tx in try tx.save(Samples.person(1)) } },
            try await t.expectError(.moved) { try await store.delete(Person.self).where { $0.id == 1 }.run() },
            try await t.expectError(.moved) { try await store.removeExpired() },
        ]
        for error in errors { try t.expect(error.address, equals: address) }
    }
}
