internal import StorageAPI

extension Conformance {
    /// C6 and R5: what engines look at along an edge, by their own count.
    static let edgeCostCases: [ConformanceCase] = [
        edgeCost(
            "costs/owned-rows", [.c6: [4]],
            "Loading what a record owns, and asking about it, looks at no other records' rows.", Person.self,
            { store, number in try await store.save((1...number).map(Samples.person)) },
            [
                EdgeStep("find") { _ = try await $0.find(Person.self, key: 7) },
                EdgeStep("find several") { _ = try await $0.find(Person.self, keys: [3, 7, 11]) },
                EdgeStep("any", Person.self) { $0.id == 7 && $0.pens.any { $0.price > 1 } },
                EdgeStep("all", Person.self) { $0.id.isIn([7, 14]) && $0.city.districts.all { $0.id == 7 } },
                EdgeStep("through a child", Person.self) { $0.id == 7 && $0.city.name == "c3" },
                EdgeStep("count", Person.self) { $0.id.isIn([7, 14]) && $0.pens.count > 2 },
            ]),
        edgeCost(
            "costs/referred-rows", [.r5: [1]],
            "What a reference leads to, and what refers to a record, is found without looking at other records.",
            Volume.self,
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
            [
                EdgeStep("the record", Volume.self) { $0.id == 7 && $0.author.born == 1907 },
                EdgeStep("those of a key", Volume.self) { $0.author.id == 7 },
                EdgeStep("those of a record", Volume.self) { $0.author.id == 7 && $0.author.born == 1907 },
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
            "costs/composite-references", [.r5: [1]],
            "References to keys that share their first part are followed, either way, by the whole key.", Booking.self,
            { store, number in
                try await store.save((1...number).map { seat("a\($0)", price: Double($0)) })
                try await store.save((1...number).map { seat("b\($0)", price: 0) })
                try await store.save((1...number).map(booking))
            },
            compositeSteps),
    ]

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
        EdgeStep("those of a key", Booking.self) { $0.seat == ref("a7") },
        EdgeStep("those of keys", Booking.self) { $0.seat.isIn([ref("a7"), ref("a8")]) },
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
        _ id: String, _ proof: Proof, _ sentence: String, _ model: Model.Type,
        _ fill: @escaping @Sendable (Store, Int) async throws -> Void, _ steps: [EdgeStep]
    ) -> ConformanceCase {
        ConformanceCase(id, proof, sentence) { t in
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
