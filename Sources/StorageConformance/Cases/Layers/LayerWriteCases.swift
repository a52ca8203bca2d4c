internal import Foundation
internal import MemoryBackend
internal import StorageAPI
import StorageDriver

extension Conformance {
    /// L2 and L4: what layers change, refuse and keep.
    static let layerWriteCases: [ConformanceCase] = [
        ConformanceCase(
            "layers/changed-rows", for: [.l2: [1, 2], .l4: [4]],
            "Layers change rows in their order before these are checked, whatever writes them, and calls return what is stored."
        ) { t in
            let trimming = EachRow(models: [Slot.self, Stamped.self]) { (row) throws(StorageError) in
                if case .text(let code)? = row["code"] ?? row["title"], code.hasPrefix(" ") {
                    try row.set(row.model == "Slot" ? "code" : "title", to: String(code.drop { $0 == " " }))
                }
            }
            let exclaiming = EachRow(models: [Stamped.self]) { (row) throws(StorageError) in
                guard let title = try row.value("title", as: String.self), !title.isEmpty else { return }
                try row.set("title", to: title + "!")
            }
            let store = try await t.open([Slot.self, Stamped.self], layers: [trimming, exclaiming])
            try t.expect(try await store.insert(Stamped(id: 1, title: " a")).title, equals: "a!")
            let saved = try await store.save([Stamped(id: 1, title: " b"), Stamped(id: 2), Stamped(id: 3, title: "c")])
            try t.expect(saved.map(\.title), equals: ["b!", "", "c!"])
            try await store.update(Stamped.self) { $0.where { $0.id > 1 }.set(\.title, to: "  d") }
            try t.expect(try await store.all(Stamped.self).map(\.title), equals: ["b!", "d!", "d!"])
            // Unique is what is stored, and not what was given.
            try await store.insert(Slot(id: 1, code: " x"))
            let error = try await t.expectError(.constraint) { try await store.insert(Slot(id: 2, code: "x")) }
            try t.expect(error.model, equals: "Slot")
            try await t.expectError(.constraint) {
                try await store.insert([Slot(id: 2, code: "y"), Slot(id: 3, code: "  x")])
            }
            try t.expect(try await store.all(Slot.self).map(\.code), equals: ["x"])
        },
        ConformanceCase(
            "layers/returned", for: [.l4: [4]],
            "Calls return records as they are stored: of one or many, matched or not, in transactions and without async."
        ) { t in
            let clock = TrialClock()
            let store = try await t.open([Stamped.self], layers: [], clock: clock)
            func given(_ ids: Range<Int>) -> [Stamped] { ids.map { Stamped(id: $0, title: "\($0)") } }
            var returned = try await store.insert(given(0..<2)) + store.save(given(2..<4))
            clock.advance(by: 1)
            returned += try await store.transaction { handle, tx in
                t.note("    try tx.insert([…]) + tx.save([…]) + tx.save([…], matching: \\.title)")
                let many = try handle.insert(given(4..<6)) + handle.save(given(6..<8))
                return try many + handle.save(given(8..<10), matching: \.title) + given(10..<11).map { try tx.save($0) }
            }
            clock.advance(by: 1)
            t.note("try store.blocking.insert([…]) + store.blocking.save([…])")
            let blocking = store.store.blocking
            returned += try blocking.insert(given(11..<13)) + blocking.save(given(13..<15))
            clock.advance(by: 1)
            returned += try await store.saving(given(15..<17), "\\.title") { try await $0.save($1, matching: \.title) }
            try t.expect(returned, equals: try await store.all(Stamped.self))
            let mixed = [Stamped(id: 90, title: "3"), Stamped(id: 91, title: "new"), Stamped(id: 92, title: "new")]
            let saved = try await store.saving(mixed, "\\.title") { try await $0.save($1, matching: \.title) }
            let stored = try await store.all(Stamped.self).filter { [3, 91].contains($0.id) }
            try t.expect(saved, equals: stored + stored.suffix(1))
            try t.expect(saved.map(\.created), equals: [-3, 0, 0].map { clock.now.addingTimeInterval($0) })
        },
        ConformanceCase(
            "layers/set-values", for: [.l2: [1]],
            "A layer may set what a write does not set; a value that does not fit, a key, and an unknown property are errors."
        ) { t in
            let row = EachRow(models: [Slot.self]) { (row) throws(StorageError) in
                switch try row.value("line", as: Int.self) ?? 0 {
                case 1: try row.set("line", to: "text")
                case 2: try row.set("id", to: 5)
                case 3: try row.set("nothing", to: 5)
                case 4: try row.set("line", to: Int?.none)
                default: break
                }
                // Also where only the link is set.
                if row.operation == .update, row["place"] == nil { try row.set("place", to: Int(row.properties.count)) }
                if row.operation == .save, try row.isStored() { try row.set("code", to: "again") }
            }
            let store = try await t.open([Slot.self], layers: [row])
            let codes: [StorageError.Code] = [.invalidValue, .invalidQuery, .invalidQuery, .invalidValue]
            for (line, code) in zip(1..., codes) {
                try await t.expectError(code) { try await store.insert(Slot(id: 1, line: line)) }
            }
            try await store.save([Slot(id: 1), Slot(id: 2)])
            try await store.save(Slot(id: 2))
            try await store.update(Slot.self) { $0.where { $0.id == 1 }.set(\.link, to: URL(string: "a:b")) }
            try t.expect(
                try await store.all(Slot.self),
                equals: [Slot(id: 1, place: 2, link: URL(string: "a:b")), Slot(id: 2, code: "again")])
        },
        ConformanceCase(
            "layers/refused", for: [.l2: [1]],
            "The error of a layer that refuses a write comes out with its code and message, and nothing is stored."
        ) { t in
            let row = EachRow(models: [Stamped.self]) { (row) throws(StorageError) in
                guard row["title"] == .text("row") else { return }
                throw StorageError(.constraint, "No title is row.", model: "Stamped", property: "title")
            }
            let record = EachRecord(models: [Stamped.self]) { (change, _) throws(StorageError) in
                if try change.after(Stamped.self)?.title == "record" { throw StorageError(.invalidValue, "No record.") }
                let before = try change.before(Stamped.self)?.title
                if change.kind == .deleted, before == "locked" { throw StorageError(.constraint, "It is locked.") }
            }
            let store = try await t.open([Stamped.self, Pen.self], layers: [row, record, PenMirror()])
            try await store.insert([Stamped(id: 1, title: "locked"), Stamped(id: 2)])
            func refused(_ code: StorageError.Code, _ message: String, _ body: () async throws -> Void) async throws {
                let (before, pens) = (try await store.all(Stamped.self), try await store.all(Pen.self))
                let error = try await t.expectError(code) { try await body() }
                try t.expect(error.message, equals: message)
                try t.expect(try await store.all(Stamped.self), equals: before)
                try t.expect(try await store.all(Pen.self), equals: pens)
            }
            try await refused(.constraint, "No title is row.") {
                try await store.insert([Stamped(id: 3), Stamped(id: 4, title: "row")])
            }
            try await refused(.invalidValue, "No record.") {
                try await store.save([Stamped(id: 3), Stamped(id: 2, title: "record")])
            }
            try await refused(.invalidValue, "No record.") {
                try await store.update(Stamped.self) { $0.set(\.title, to: "record") }
            }
            try await refused(.constraint, "It is locked.") { try await store.delete(Stamped.self, keys: [2, 1]) }
            try await refused(.constraint, "It is locked.") { try await store.truncate(Stamped.self) }
            try await store.transaction { _, tx in
                try tx.insert(Stamped(id: 5))
                _ = try? tx.insert([Stamped(id: 6), Stamped(id: 7, title: "row")])
                _ = try? tx.save(Stamped(id: 5, title: "record"))
                try tx.insert(Stamped(id: 8))
            }
            try t.expect(try await store.all(Stamped.self).map(\.id), equals: [1, 2, 5, 8])
            try t.expect(try await store.all(Stamped.self).map(\.title), equals: ["locked", "", "", ""])
            // Writes that share a commit fail alone.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for id in 20..<40 {
                    group.addTask { _ = try? await store.insert(Stamped(id: id, title: id % 2 == 0 ? "row" : "")) }
                }
                try await group.waitForAll()
            }
            let odd = (20..<40).filter { $0 % 2 == 1 }
            try t.expect(try await store.all(Stamped.self).map(\.id), equals: [1, 2, 5, 8] + odd)
            try t.expect(try await store.all(Pen.self).map(\.id), equals: [1, 2, 5, 8] + odd)
        },
        ConformanceCase(
            "layers/kept", for: [.l2: [3]],
            "A layer may keep what is deleted, and write instead; no rule of a reference applies to it."
        ) { t in
            let softly = EachDeletion(models: [Stamped.self]) { (record, transaction) throws(StorageError) in
                guard case .int(let key)? = record.key.first, key < 5 else { return .delete }
                try transaction.update(Stamped.self).where { $0.id == Int(key) }.set(\.title, to: "gone").run()
                return .keep
            }
            let store = try await t.open([Stamped.self], layers: [softly])
            try await store.insert([
                Stamped(id: 1, parts: [Pen(id: 1)]), Stamped(id: 2, next: 1), Stamped(id: 6, next: 1),
            ])
            try t.expect(try await store.delete(Stamped.self, key: 1), equals: 1)
            try t.expect(try await store.delete(Stamped.self, keys: [1, 6, 7]), equals: 2)
            try t.expect(
                try await store.all(Stamped.self).map { "\($0.id) \($0.title) \($0.next?.key ?? 0)" },
                equals: ["1 gone 0", "2  1"])
            try t.expect(try await store.all(Stamped.self).map(\.parts.count), equals: [1, 0])
            try await store.insert(Stamped(id: 8))
            try t.expect(try await store.delete(Stamped.self) { $0.where { $0.id > 1 } }, equals: 2)
            try t.expect(try await store.all(Stamped.self).map(\.title), equals: ["gone", "gone"])
            try await store.insert(Stamped(id: 9))
            try await store.truncate(Stamped.self)
            try t.expect(try await store.all(Stamped.self).map(\.id), equals: [1, 2])
        },
        ConformanceCase(
            "layers/kept-in-cascade", for: [.l2: [4]],
            "A cascade that meets a record which a layer keeps is constraint."
        ) { t in
            let keeping = EachDeletion(models: [Gate.self]) { (record, _) throws(StorageError) in
                record.key == [.int(1)] ? .keep : .delete
            }
            let store = try await t.open([Pass.self, Gate.self], layers: [keeping])
            try await store.insert([Pass(id: 1), Pass(id: 2)])
            try await store.insert([Gate(id: 1, only: 1), Gate(id: 2, only: 2)])
            try await t.expectError(.constraint) { try await store.delete(Pass.self, key: 1) }
            try await store.delete(Pass.self, key: 2)
            try t.expect(try await store.all(Gate.self).map(\.id), equals: [1])
            try t.expect(try await store.all(Pass.self).map(\.id), equals: [1])
        },
        ConformanceCase(
            "layers/deleting", for: [.l2: [5, 6], .e2: [1]],
            "A layer that deletes the record on which it decides, directly or by other layers, gets an error; so does a long chain."
        ) { t in
            let deleting = EachDeletion(models: [Pen.self, City.self]) { (record, tx) throws(StorageError) in
                guard case .int(let key)? = record.key.first else { return .delete }
                switch (record.model, key) {
                case ("Pen", 1): try tx.delete(Pen.self, key: 1)
                case ("Pen", 2): try tx.delete(City.self, key: 2)
                case ("City", 2): try tx.delete(Pen.self).where { $0.color == "red" }.run()
                case ("Pen", 3):
                    _ = try? tx.delete(Pen.self, key: 3)
                    _ = try? tx.truncate(Pen.self)
                case ("Pen", 10...): try tx.delete(Pen.self, key: Int(key) + 1)
                default: break
                }
                return key == 1 ? .keep : .delete
            }
            let store = try await t.open([Pen.self, City.self], layers: [deleting])
            try await store.insert([1, 2, 3].map { Pen(id: $0, color: "red") } + (10..<43).map { Pen(id: $0) })
            try await store.insert(City(id: 2))
            for key in 1...2 {
                let error = try await t.expectError(.invalidQuery) { try await store.delete(Pen.self, key: key) }
                try t.expect(error.model, equals: "Pen")
            }
            try await t.expectError(.limitExceeded) { try await store.delete(Pen.self, key: 10) }
            try t.expect(try await store.select(Pen.self).count(), equals: 36)
            try t.expect(try await store.delete(Pen.self, key: 3), equals: 1)
            try t.expect(try await store.delete(Pen.self, key: 11), equals: 1)
            try t.expect(try await store.select(Pen.self).keys(), equals: [1, 2, 10])
            try t.expect(try await store.select(City.self).count(), equals: 1)
        },
        ConformanceCase(
            "layers/times", for: [.l4: [1, 2, 4]],
            "The time of creation is that of the insert and stays; that of modification is that of each write."
        ) { t in
            let clock = TrialClock()
            let store = try await t.open([Stamped.self], layers: [], clock: clock)
            let start = clock.now
            func times() async throws -> [String] {
                try await store.all(Stamped.self).map {
                    "\($0.id) \($0.created.timeIntervalSince(start)) \($0.modified?.timeIntervalSince(start) ?? -1)"
                }
            }
            let inserted = try await store.insert(Stamped(id: 1, created: start.addingTimeInterval(-99)))
            try t.expect([inserted.created, inserted.modified], equals: [start, start])
            clock.advance(by: 1)
            let saved = try await store.save([Stamped(id: 1), Stamped(id: 2, next: 1)])
            try t.expect(saved.map(\.created), equals: [start, clock.now])
            try t.expect(try await times(), equals: ["1 0.0 1.0", "2 1.0 1.0"])
            clock.advance(by: 1)
            try await store.update(Stamped.self) { $0.where { $0.id == 1 }.set(\.title, to: "set") }
            try t.expect(try await times(), equals: ["1 0.0 2.0", "2 1.0 1.0"])
            clock.advance(by: 1)
            try await store.store.list(\.others, of: Ref<Stamped>(key: 2)).append(1)
            try t.expect(try await times(), equals: ["1 0.0 2.0", "2 1.0 3.0"])
            clock.advance(by: 1)
            try await store.update(Stamped.self) { $0.set(\.created, to: clock.now) }
            try t.expect(try await times(), equals: ["1 0.0 4.0", "2 1.0 4.0"])
            clock.advance(by: 1)
            try await store.delete(Stamped.self, key: 1)
            try t.expect(try await times(), equals: ["2 1.0 5.0"])
        },
        ConformanceCase(
            "layers/times-kept", for: [.l4: [3]], "Copies and undone commits keep the times that they had."
        ) { t in
            let clock = TrialClock()
            let store = try await t.open(recordsOf: [Stamped.self], clock: clock)
            try await store.insert([Stamped(id: 1), Stamped(id: 2)])
            let before = try await store.all(Stamped.self)
            clock.advance(by: 5)
            try await store.save(Stamped(id: 1, title: "later"))
            try await store.delete(Stamped.self, key: 2)
            clock.advance(by: 5)
            try await store.undo(3)
            try await store.undo(2)
            try t.expect(try await store.all(Stamped.self), equals: before)
            let source = try await Store(
                InMemoryBackend(), models: Stamped.self,
                options: .init(clock: { Date(timeIntervalSinceReferenceDate: 9) }))
            try await source.insert(Stamped(id: 7))
            t.note("try await store.store.copy([\"Stamped\"], from: other, replacing: true)")
            try await store.store.copy(["Stamped"], from: source, replacing: true)
            let nine = Date(timeIntervalSinceReferenceDate: 9)
            try t.expect(
                try await store.all(Stamped.self), equals: [Stamped(id: 7, created: nine, modified: nine)])
            try await source.close()
        },
    ]
}
