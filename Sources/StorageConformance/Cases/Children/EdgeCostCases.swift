internal import StorageAPI

extension Conformance {
    /// C6, Q5 and R5: what engines look at along an edge and for a page, by their own count.
    static let edgeCostCases: [ConformanceCase] = [
        edgeCost(
            "costs/owned-rows", for: [.c6: [4]],
            "Loading what a record owns, and asking about it, looks at no other records' rows.", of: Person.self,
            { store, number in try await store.save((1...number).map(Samples.person)) },
            steps: [
                EdgeStep("find") { _ = try await $0.find(Person.self, key: 7) },
                EdgeStep("find several") { _ = try await $0.find(Person.self, keys: [3, 7, 11]) },
                EdgeStep("any", Person.self) { $0.id == 7 && $0.pens.any { $0.price > 1 } },
                EdgeStep("all", Person.self) { $0.id.isIn([7, 14]) && $0.city.districts.all { $0.id == 7 } },
                EdgeStep("through a child", Person.self) { $0.id == 7 && $0.city.name == "c3" },
                EdgeStep("count", Person.self) { $0.id.isIn([7, 14]) && $0.pens.count > 2 },
            ]),
        edgeCost(
            "costs/referred-rows", for: [.r5: [1]],
            "What a reference leads to, and what refers to a record, is found without looking at other records.",
            of: Volume.self,
            { store, number in
                try await store.save((1...number).map { Writer(id: $0, name: "w\($0)", born: 1900 + $0) })
                try await store.save((1...number).map { Label(name: "l\($0)", rank: $0) })
                try await store.save(
                    (1...number).map {
                        Volume(
                            id: $0, year: 2000, author: Ref(key: $0), editor: Ref(key: $0),
                            labels: [Ref(key: "l\($0)")])
                    })
            },
            steps: [
                EdgeStep("the record", Volume.self) { $0.id == 7 && $0.author.born == 1907 },
                EdgeStep("records that refer to a key", Volume.self) { $0.author.id == 7 },
                EdgeStep("records that refer to a record", Volume.self) { $0.author.id == 7 && $0.author.born == 1907 },
                EdgeStep("elements", Volume.self) { $0.id == 7 && $0.labels.any { $0.rank == 7 } },
                EdgeStep("the inverse", Writer.self) { $0.id == 7 && $0.volumes.any { $0.year == 2000 } },
                EdgeStep("its count", Writer.self) { $0.id == 7 && $0.edited.count == 1 },
                EdgeStep("the inverse of an array", Label.self) { $0.name == "l7" && $0.volumes.count == 1 },
                EdgeStep("with") { _ = try await $0.select(Volume.self).where { $0.id == 7 }.with(\.author).all() },
                EdgeStep("with the inverse") {
                    _ = try await $0.select(Writer.self).where { $0.id == 7 }.with(\.volumes).all()
                },
                EdgeStep("cascade") { try await $0.delete(Writer.self, key: 9) },
            ]),
        edgeCost(
            "costs/composite-references", for: [.r5: [1]],
            "References to keys that share their first part are followed, either way, by the whole key.",
            of: Booking.self,
            { store, number in
                try await store.save((1...number).map { seat("a\($0)", price: Double($0)) })
                try await store.save((1...number).map { seat("b\($0)", price: 0) })
                try await store.save((1...number).map(booking))
            },
            steps: compositeSteps),
        edgeCost(
            "costs/pages", for: [.q5: [3]],
            "A page in the order of the key or of an index, wherever it begins, looks at no more rows in a larger store.",
            of: Slot.self,
            { store, number in try await store.save((1...number).map { Slot(id: $0, line: 500 - $0, place: $0 % 3) }) },
            steps: pageSteps),
        edgeCost(
            "costs/pages-by-key", for: [.p2: [1]],
            "A page after or before a position looks at no more rows in a larger store, where the key or an index has the order.",
            of: Slot.self,
            { store, number in try await store.save((1...number).map { Slot(id: $0, line: 500 - $0, place: $0 % 3) }) },
            steps: pageByKeySteps),
        edgeCost(
            "costs/changed-entries", for: [.q5: [3], .w2: [2], .w6: [1]],
            "What an index finds costs the rows that have the value now, whatever had it before.", of: Slot.self,
            { store, number in
                try await store.save((1...number).map { Slot(id: $0, line: 9, place: $0) })
                try await store.update(Slot.self).where { $0.id > 10 }.set(\.line, to: 8).run()
                try await store.save((1...number / 2).map { Slot(id: $0, line: $0 < 4 ? 9 : 7, place: $0) })
                try await store.delete(Slot.self).where { $0.id > 10 && $0.line == 8 }.run()
            },
            steps: [
                EdgeStep("by equality", Slot.self) { $0.line == 9 },
                EdgeStep("in a range") {
                    _ = try await $0.select(Slot.self).where { $0.line > 7 }.order { $0.line }.limit(5).all()
                },
            ]),
    ]

    /// Pages of five.
    private static let pageSteps = [
        page("after a key") { $0.where { $0.id > 7 } },
        page("between keys") { $0.where { $0.id >= 7 && $0.id < 12 } },
        page("the greatest keys") { $0.order { $0.id.descending } },
        page("before a key") { $0.where { $0.id < 40 }.order { $0.id.descending } },
        page("the first of an index") { $0.order { $0.line } },
        page("the last of an index") { $0.order { $0.line.descending } },
        page("after a value") { $0.where { $0.line > 460 }.order { $0.line } },
        page("before a value") { $0.where { $0.line < 490 }.order { $0.line.descending } },
        page("some of an index") { $0.where { $0.link.isNil }.order { $0.line } },
        page("further on") { $0.order { $0.line }.offset(3) },
    ]

    private static let pageByKeySteps = [
        pageByKey("after a key", Slot(id: 7)) { $0 },
        pageByKey("after a value", Slot(id: 30)) { $0.order { $0.line } },
        pageByKey("after a value, descending", Slot(id: 30)) { $0.order { $0.line.descending } },
        EdgeStep("before a key") {
            let page = try await $0.select(Slot.self).page(after: Slot(id: 30), size: 5)
            if let token = page.previous { _ = try await $0.select(Slot.self).page(before: token, size: 5) }
        },
        EdgeStep("the condition by hand") {
            _ = try await $0.select(Slot.self).where { $0.line > 470 || $0.line == 470 && $0.id > 30 }
                .order { $0.line }.limit(5).all()
        },
        EdgeStep("the condition by hand, descending") {
            _ = try await $0.select(Slot.self).where { $0.line < 470 || $0.line == 470 && $0.id > 30 }
                .order { $0.line.descending }.limit(5).all()
        },
    ]

    /// A page of five after a record.
    private static func pageByKey(
        _ name: String, _ record: Slot, _ build: @escaping @Sendable (Select<Slot, Store>) -> Select<Slot, Store>
    ) -> EdgeStep {
        EdgeStep(name) { _ = try await build($0.select(Slot.self)).page(after: record, size: 5) }
    }

    private static func page(
        _ name: String, _ build: @escaping @Sendable (Select<Slot, Store>) -> Select<Slot, Store>
    ) -> EdgeStep {
        EdgeStep(name) { _ = try await build($0.select(Slot.self)).limit(5).all() }
    }

    private static func seat(_ letter: String, price: Double) -> Seat { Seat(bank: 1, letter: letter, price: price) }

    private static func ref(_ letter: String) -> Ref<Seat> { Ref(key: (1, letter)) }

    private static func booking(_ id: Int) -> Booking {
        Booking(id: id, seat: ref("a\(id)"), other: ref("b\(id)"), wishes: [ref("b\(id)")], only: ref("b\(id)"))
    }

    private static func refused(
        _ store: Store, _ call: (Store) async throws -> Void
    ) async throws {
        do {
            try await call(store)
        } catch let error as StorageError where error.code == .constraint {
            return
        }
        throw StorageError(.io, "A reference without a record was accepted.")
    }

    private static let compositeSteps = [
        EdgeStep("records that refer to a key", Booking.self) { $0.seat == ref("a7") },
        EdgeStep("records that refer to keys", Booking.self) { $0.seat.isIn([ref("a7"), ref("a8")]) },
        EdgeStep("the record", Booking.self) { $0.id == 7 && $0.seat.price == 7 },
        EdgeStep("by a record", Seat.self) { $0.bank == 1 && $0.letter == "a7" },
        EdgeStep("elements", Booking.self) { $0.id == 7 && $0.wishes.any { $0.price == 0 } },
        EdgeStep("the inverse", Seat.self) { $0.bank == 1 && $0.letter == "a7" && $0.bookings.any { $0.id == 7 } },
        EdgeStep("its count", Seat.self) { $0.bank == 1 && $0.letter == "a7" && $0.bookings.count == 1 },
        EdgeStep("the inverse of an array", Seat.self) {
            $0.bank == 1 && $0.letter == "b7" && $0.wishes.count == 1
        },
        EdgeStep("with") { _ = try await $0.select(Booking.self).where { $0.id == 7 }.with(\.seat).all() },
        EdgeStep("with the inverse") {
            _ = try await $0.select(Seat.self).where { $0.bank == 1 && $0.letter == "a7" }.with(\.bookings).all()
        },
        EdgeStep("with the inverse of an array") {
            _ = try await $0.select(Seat.self).where { $0.bank == 1 && $0.letter == "b7" }.with(\.wishes).all()
        },
        // It is deleted with the booking that has it only; of others it is taken away.
        EdgeStep("the rules") { try await $0.delete(Seat.self, key: (1, "b9")) },
        EdgeStep("denial") {
            try await refused($0) { try await $0.delete(Seat.self, key: (1, "a8")) }
        },
        EdgeStep("what is missing") {
            try await refused($0) { try await $0.save(Booking(id: 8, seat: ref("c1"))) }
        },
    ]

    /// Compares what an engine looks at in a store of some records with the same in one of eight times as many.
    private static func edgeCost<Model: Storable>(
        _ id: String, for proof: Proof, _ sentence: String, of model: Model.Type,
        _ fill: @escaping @Sendable (Store, Int) async throws -> Void, steps: [EdgeStep]
    ) -> ConformanceCase {
        ConformanceCase(id, for: proof, sentence) { t in
            let counts = Counts()
            let store = try await Store(
                CountingBackend(backend: t.place.backend(), counts: counts), models: Model.self)
            var looked: [[Int?]] = []
            for number in [50, 400] {
                try await fill(store, number)
                var row: [Int?] = []
                for step in steps {
                    counts.reset()
                    try await step.run(store)
                    row.append(counts.looked)
                }
                looked.append(row)
            }
            try await store.close()
            for (index, step) in steps.enumerated() {
                guard let few = looked[0][index], let many = looked[1][index] else {
                    throw NotProven(reason: "The engine does not count what its queries look at.")
                }
                try t.expect(few > 0 && many <= few + few / 4, "\(step.name): \(few) of 50 records, \(many) of 400.")
            }
        }
    }
}

/// Something that goes along an edge from few records.
private struct EdgeStep: Sendable {
    let name: String
    let run: @Sendable (Store) async throws -> Void

    init(_ name: String, _ run: @escaping @Sendable (Store) async throws -> Void) {
        self.name = name
        self.run = run
    }

    /// A query by a condition.
    init<Model: Storable>(
        _ name: String, _ model: Model.Type,
        _ condition: @escaping @Sendable (Model.Columns) -> QueryExpression<Bool>
    ) {
        self.init(name) { store in _ = try await store.select(Model.self).where(condition).all() }
    }
}
