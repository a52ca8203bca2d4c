internal import Foundation
internal import StorageAPI

extension Conformance {
    /// W8, S5, T6, E3: what a killed process, a second process and a damaged file may do.
    static let durabilityCases: [ConformanceCase] = [
        ConformanceCase(
            "durability/reopened-graphs", for: [.w8: [1]], needs: [.durability],
            "Whole graphs are there after closing and opening."
        ) { t in
            let store = try await t.open(Person.self)
            let people = (1...30).map(Samples.person)
            try await store.insert(people)
            try await store.delete(people[3])
            try await store.update(Person.self) { $0.where { $0.id == 6 }.set(\.name, to: "set") }
            let before = try await store.all(Person.self)
            try await store.close()
            let again = try await t.open(Person.self)
            try t.expect(try await again.all(Person.self), equals: before)
        },
        ConformanceCase(
            "durability/reopened-often", for: [.w8: [1], .s1: [2]], needs: [.durability],
            "20 times opening, writing and closing lose nothing."
        ) {
            t in
            for round in 1...20 {
                let store = try await t.open(Pen.self)
                try t.expect(try await store.select(Pen.self).keys(), equals: Array(1..<round))
                try await store.insert(Pen(id: round))
                try await store.close()
            }
        },
        ConformanceCase(
            "durability/undone-stays-undone", for: [.t1: [1], .w8: [1]], needs: [.durability],
            "What was undone is not there after opening."
        ) {
            t in
            let store = try await t.open(Person.self)
            try await store.insert(Samples.person(1))
            try await t.expectError(.full) {
                try await store.transaction { _, tx in
                    try tx.insert(Samples.person(2))
                    try tx.delete(Person.self, keys: [1])
                    throw StorageError(.full, "The case undoes this.")
                }
            }
            try await t.expectError(.duplicateKey) { try await store.insert([Samples.person(3), Samples.person(1)]) }
            try await store.close()
            let again = try await t.open(Person.self)
            try t.expect(try await again.all(Person.self), equals: [Samples.person(1)])
        },
        ConformanceCase(
            "durability/truncated-stays-empty", for: [.w7: [1], .w8: [1]], needs: [.durability],
            "What was truncated is not there after opening."
        ) {
            t in
            let store = try await t.open(Person.self, Account.self)
            try await store.insert((1...5).map(Samples.person))
            try await store.insert([Account(), Account()])
            try await store.truncate(Person.self)
            try await store.truncate(Account.self)
            try await store.close()
            let again = try await t.open(Person.self, Account.self)
            try t.expect(try await again.all(Person.self), equals: [])
            try t.expect(try await again.insert(Account()).id, equals: 1)
        },
        ConformanceCase(
            "durability/killed-after-commits", for: [.w8: [1], .c7: [1]], needs: [.durability], needsHelper: true,
            "After SIGKILL every commit that was acknowledged is whole, and no other is a part."
        ) { t in
            var acknowledged = 0
            for count in [1, 2, 5, 11, 20] {
                let helper = try t.startHelper(.commits, acknowledged + 1)
                for _ in 0..<count { acknowledged = try t.required(Int(try t.line(of: helper)), "The helper failed.") }
                helper.kill()
                for line in helper.lines() { acknowledged = Int(line) ?? acknowledged }
                let store = try await t.open(Person.self)
                let stored = try await store.all(Person.self)
                try t.expect(
                    stored.count >= acknowledged, "\(acknowledged) commits returned, and \(stored.count) are there.")
                try t.expect(stored.count <= acknowledged + 1, "More commits are there than were begun.")
                try t.expect(stored, equals: (1...stored.count).map(ConformanceHelper.graph))
                acknowledged = stored.count
                try await store.close()
            }
        },
        ConformanceCase(
            "durability/killed-in-transaction", for: [.t1: [1], .w8: [1]], needs: [.durability], needsHelper: true,
            "After SIGKILL in a transaction nothing of it is there, and the store is written again."
        ) { t in
            let store = try await t.open(Person.self, Pen.self)
            let people = (1...3).map(Samples.person)
            try await store.insert(people)
            try await store.insert(Pen(id: 1))
            try await store.close()
            let helper = try t.startHelper(.transaction)
            try t.expect(try t.line(of: helper), equals: "inside", "The helper did not come into its transaction.")
            helper.kill()
            let again = try await t.open(Person.self, Pen.self)
            try t.expect(try await again.all(Person.self), equals: people)
            try t.expect(try await again.all(Pen.self), equals: [Pen(id: 1)])
            try await again.insert(Samples.person(4))
            try t.expect(try await again.select(Person.self).count(), equals: 4)
        },
        ConformanceCase(
            "durability/killed-in-migration", for: [.s5: [3]], needs: [.durability], needsHelper: true,
            "After SIGKILL in a conversion the store is in the old form or in the new one, and never between."
        ) { t in
            let values = (0..<4000).map { IntItem(id: $0, value: $0 * 3) }
            let store = try await t.open(IntItem.self)
            try await store.insert(values)
            try await store.close()
            for delay in [0, 5, 20] {
                let helper = try t.startHelper(.migration)
                try t.expect(try t.line(of: helper), equals: "opening")
                // Wherever the conversion is by then, the expectation is the same.
                try await Task.sleep(for: .milliseconds(delay))
                helper.kill()
                let later = try await t.open()
                // Refused where the records are converted already; then they must be readable as what they became.
                let old = try? await later.store.select(IntItem.self).all().map { Double($0.value) }
                let stored =
                    if let old { old } else { try await later.store.select(Item<AsDouble>.self).all().map(\.value) }
                try t.expect(stored == values.map { Double($0.value) }, "Records are lost or changed.")
                try await later.close()
            }
        },
        ConformanceCase(
            "sharing/second-process", for: [.t6: [1, 2, 3]], needs: [.sharing], needsHelper: true,
            "What another process commits is seen, and what it must not do it is told."
        ) { t in
            let store = try await t.open(Pen.self)
            try await store.insert(Pen(id: 1))
            try t.expect(try t.line(of: try t.startHelper(.insert, 1000)), equals: "done")
            try t.expect(try await store.select(Pen.self).keys(), equals: [1] + Array(1000..<1100))
            try t.expect(try t.line(of: try t.startHelper(.insert, 950)), equals: "error duplicateKey")
            try await t.expectError(.duplicateKey) { try await store.insert(Pen(id: 1050)) }
            try t.expect(try await store.select(Pen.self).count(), equals: 101)
        },
        ConformanceCase(
            "sharing/counted-together", for: [.t6: [1], .t3: [1]], needs: [.sharing], needsHelper: true,
            "Two processes that add 1 in transactions lose nothing."
        ) { t in
            let store = try await t.open(Measure.self)
            try await store.insert(Measure(id: 1, number: 0))
            let helper = try t.startHelper(.count, 30)
            for _ in 0..<30 {
                try await store.transaction { _, tx in
                    let number = try tx.find(Measure.self, key: 1)?.number ?? 0
                    try tx.save(Measure(id: 1, number: number + 1))
                }
            }
            try t.expect(try t.line(of: helper), equals: "done")
            try t.expect(try await store.find(Measure.self, key: 1)?.number, equals: 60)
        },
        ConformanceCase(
            "damage/flipped-byte", for: [.e3: [1, 2]], needs: [.durability, .damageDetection],
            "A flipped byte anywhere in a file is corrupt, with the place, or the right data, never wrong data."
        ) { t in try await damage(t, cuts: false) },
        ConformanceCase(
            "damage/cut-file", for: [.e3: [1, 2]], needs: [.durability, .damageDetection],
            "A file that is cut anywhere is corrupt, with the place, or holds whole commits, the first ones."
        ) { t in try await damage(t, cuts: true) },
    ]

    /// Damages each file at some places, one at a time, and reads what is there.
    private static func damage(_ t: Trial, cuts: Bool) async throws {
        let store = try await t.open(Pen.self)
        let pens = (0..<40).map { Pen(id: $0, color: "color \($0)", price: Double($0)) }
        for pen in pens { try await store.insert(pen) }
        try await store.close()
        var places = 0
        for file in t.place.files() {
            let whole = try Data(contentsOf: file)
            guard !whole.isEmpty else { continue }
            for offset in stride(from: 0, to: whole.count, by: max(1, whole.count / 60)) {
                var damaged = whole
                if cuts { damaged = damaged.prefix(offset) } else { damaged[offset] ^= 0x41 }
                try damaged.write(to: file)
                places += 1
                t.note("// \(cuts ? "cut" : "flip") \(file.lastPathComponent) at \(offset)")
                try await expectWhole(t, pens, mayLackLast: cuts)
                try whole.write(to: file)
            }
        }
        try t.expect(places > 0, "files(at:) names no file, so nothing could be damaged.")
    }

    private static func expectWhole(_ t: Trial, _ pens: [Pen], mayLackLast: Bool) async throws {
        let stored: [Pen]
        do {
            let store = try await Store(t.place.backend(), models: Pen.self)
            do {
                stored = try await store.select(Pen.self).all()
                try await store.close()
            } catch {
                try? await store.close()
                throw error
            }
        } catch let error as StorageError {
            try t.expect(error.code, equals: StorageError.Code.corrupt, "Damage is another error: \(error)")
            try t.expect(
                error.message.contains(/(byte|offset|page|block) [0-9]+/),
                "The error does not say where the damage is: \(error)")
            return
        }
        let wanted = mayLackLast ? Array(pens.prefix(stored.count)) : pens
        try t.expect(stored, equals: wanted, "A damaged file gives wrong data, and no error.")
    }
}
