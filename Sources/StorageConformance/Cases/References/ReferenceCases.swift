internal import StorageAPI

// R: records that refer to each other.

extension Writer.Columns {
    var volumes: Inverse<Volume> { inverse(\.author) }
    var edited: Inverse<Volume> { inverse(\.editor) }
    var students: Inverse<Writer> { inverse(\.mentor) }
}

extension Label.Columns {
    var volumes: Inverse<Volume> { inverse(\.labels) }
}

extension Volume.Columns {
    var loans: Inverse<Loan> { inverse(\.volume) }
}

extension Seat.Columns {
    var bookings: Inverse<Booking> { inverse(\.seat) }
    var wishes: Inverse<Booking> { inverse(\.wishes) }
}

extension Conformance {
    static let referenceCases: [ConformanceCase] =
        [storedReferenceCases, checkedReferenceCases, deleteRuleCases, referenceQueryCases].flatMap { $0 }

    static let writers = [
        Writer(id: 1, name: "Ann", born: 1950), Writer(id: 2, name: "Bob", born: nil, mentor: 1),
        Writer(id: 3, name: "Cem", born: 1980, mentor: 2), Writer(id: 4, name: "Dee", born: 1990),
    ]
    static let labels = [Label(name: "art", rank: 1), Label(name: "new", rank: 2), Label(name: "war", rank: 3)]
    static let volumes = [
        Volume(id: 1, title: "One", year: 1999, author: 1, editor: 2, labels: ["new", "art"]),
        Volume(id: 2, title: "Two", year: 2001, author: 1, labels: ["war", "war", "new"]),
        Volume(
            id: 3, title: "Three", year: 2005, author: 2, editor: 3,
            chapters: [Chapter(title: "a", guest: 4, sources: [1, 2, 1]), Chapter(title: "b")]),
    ]

    /// A store with the writers, labels and volumes.
    static func library(_ t: Trial) async throws -> RecordedStore {
        let store = try await t.open(Volume.self, Loan.self)
        try await store.insert(writers)
        try await store.insert(labels)
        try await store.insert(volumes)
        return store
    }

    /// R1, R7.
    private static let storedReferenceCases: [ConformanceCase] = [
        ConformanceCase(
            "references/stored", for: [.r1: [1, 2], .r7: [1, 2]],
            "References, Optional ones and arrays with duplicates come back in their order, from records and owned ones."
        ) { t in
            let store = try await library(t)
            try t.expect(try await store.all(Volume.self), equals: volumes)
            try t.expect(try await store.find(Volume.self, key: 3), equals: volumes[2])
            var changed = volumes[1]
            changed.labels = ["new", "war", "art", "war"]
            changed.author = 3
            changed.editor = 1
            changed.chapters = [Chapter(title: "c", guest: nil, sources: [3])]
            try await store.save(changed)
            try t.expect(try await store.find(Volume.self, key: 2), equals: changed)
            changed.labels = []
            changed.editor = nil
            try await store.update(changed)
            try t.expect(try await store.find(Volume.self, key: 2), equals: changed)
            let chosen = try await store.store.select(Volume.self).only { ($0.labels, $0.editor) }.all()
            try t.expect(chosen.map(\.0), equals: [volumes[0].labels, [], []])
            try t.expect(chosen.map(\.1), equals: [2, nil, 3])
            let partial = try await store.store.select(Volume.self).withoutChildren().all()
            try t.expect(try partial.map { volume throws in try volume.editor }, equals: [2, nil, 3])
        },
        ConformanceCase(
            "references/composite-keys", for: [.r1: [2]], "References are to keys of several parts as well."
        ) { t in
            let store = try await t.open(Booking.self)
            let seats = [Seat(bank: 1, letter: "A"), Seat(bank: 1, letter: "B"), Seat(bank: 2, letter: "A")]
            try await store.insert(seats)
            let bookings = [
                Booking(id: 1, seat: Ref(key: (1, "A")), other: Ref(key: (2, "A")), wishes: [Ref(key: (1, "B"))]),
                Booking(id: 2, seat: Ref(key: (1, "B")), wishes: [Ref(key: (2, "A")), Ref(key: (2, "A"))]),
            ]
            try await store.insert(bookings)
            try t.expect(try await store.all(Booking.self), equals: bookings)
            try t.expect(
                try await store.all(Booking.self) { $0.where { $0.seat == Ref(key: (1, "B")) } }.map(\.id), equals: [2])
            try t.expect(
                try await store.all(Booking.self) { $0.where { $0.other == nil } }.map(\.id), equals: [2])
            try t.expect(
                try await store.all(Booking.self) {
                    $0.where { $0.seat.isIn([Ref(key: (1, "A")), Ref(key: (2, "A"))]) }
                }.map(\.id), equals: [1])
            try t.expect(
                try await store.all(Booking.self) { $0.where { $0.wishes.contains(Ref(key: (2, "A"))) } }.map(\.id),
                equals: [2])
            try t.expect(
                try await store.all(Booking.self) { $0.where { $0.seat.letter == "A" && $0.seat.bank < 2 } }.map(\.id),
                equals: [1])
            try t.expect(
                try await store.all(Seat.self) { $0.where { $0.wishes.count { $0.id > 0 } == 1 } }.map(\.letter),
                equals: ["B", "A"])
            try await t.expectError(.constraint) {
                try await store.insert(Booking(id: 3, seat: Ref(key: (2, "B"))))
            }
            try await t.expectError(.constraint) { try await store.delete(Seat.self, key: (1, "B")) }
            try await store.delete(Booking.self, key: 2)
            try await store.delete(Seat.self, key: (1, "B"))
            try t.expect(try await store.find(Booking.self, key: 1)?.wishes, equals: [])
            try await store.delete(Seat.self, key: (2, "A"))
            try t.expect(try await store.find(Booking.self, key: 1)?.other == nil, "The reference is not nil.")
        },
        ConformanceCase(
            "references/find", for: [.r1: [1]], "The records that references name are found, one or many, each once."
        ) { t in
            let store = try await library(t)
            let found = try await store.store.find(volumes.map(\.author))
            try t.expect(found[1], equals: writers[0])
            try t.expect(found[2], equals: writers[1])
            try t.expect(found.count, equals: 2)
            let editor = try await store.store.find(Ref<Writer>(key: 3))
            try t.expect(editor, equals: writers[2])
            let nobody = try await store.store.find(Ref<Writer>(key: 99))
            try t.expect(nobody == nil, "A record was found that is not stored.")
        },
    ]

    /// R2.
    private static let checkedReferenceCases: [ConformanceCase] = [
        ConformanceCase(
            "references/dangling", for: [.r2: [1, 2]],
            "A reference to a record that is not stored is refused, naming record, property and key; nothing stays."
        ) { t in
            let store = try await library(t)
            let wrong = [
                (Volume(id: 9, author: 77), "author", "77"), (Volume(id: 9, author: 1, editor: 78), "editor", "78"),
                (Volume(id: 9, author: 1, labels: ["art", "zoo"]), "labels", "zoo"),
                (Volume(id: 9, author: 1, chapters: [Chapter(title: "x", guest: 79)]), "chapters.guest", "79"),
                (Volume(id: 9, author: 1, chapters: [Chapter(title: "x", sources: [80])]), "chapters.sources", "80"),
            ]
            for (volume, property, key) in wrong {
                let errors = [
                    try await t.expectError(.constraint) { try await store.insert(volume) },
                    try await t.expectError(.constraint) { try await store.save([volumes[0], volume]) },
                ]
                for error in errors {
                    try t.expect(error.property, equals: property)
                    try t.expect(error.key, equals: [.int(9)])
                    try t.expect(error.message.contains(key), "The error does not name \(key): \(error)")
                }
            }
            var changed = volumes[0]
            changed.editor = 78
            try await t.expectError(.constraint) { try await store.update(changed) }
            try await t.expectError(.constraint) {
                try await store.update(Volume.self) { $0.where { $0.id == 2 }.set(\.author, to: 78) }
            }
            var record = try t.required(try await store.store.records("Volume").first())
            let place = try t.required(record.fields.firstIndex { $0.name == "author" })
            record.fields[place].content = .value(.int(78), .int64)
            let untyped = record
            try await t.expectError(.constraint) { try await store.store.save(untyped) }
            try t.expect(try await store.all(Volume.self), equals: volumes)
            try await store.update(Volume.self) { $0.where { $0.id == 2 }.set(\.author, to: 4).set(\.editor, to: nil) }
            try t.expect(try await store.find(Volume.self, key: 2)?.author, equals: 4)
        },
        ConformanceCase(
            "references/order-in-transaction", for: [.r2: [1, 3]],
            "Inside a call and a transaction the order does not matter: records refer to each other, and to later ones."
        ) { t in
            let store = try await t.open(Volume.self)
            try await store.insert([Writer(id: 1, mentor: 2), Writer(id: 2, mentor: 1), Writer(id: 3, mentor: 3)])
            try await store.transaction { _, tx in
                try tx.insert(Volume(id: 1, author: 8, labels: ["late"]))
                try tx.insert(Volume(id: 2, author: 9))
                try tx.insert(Writer(id: 8, mentor: nil))
                try tx.insert(Label(name: "late"))
                _ = try tx.delete(Volume.self, keys: [2])
            }
            try t.expect(try await store.all(Volume.self).map(\.author), equals: [8])
            let error = try await t.expectError(.constraint) {
                try await store.transaction { _, tx in
                    try tx.insert(Writer(id: 50))
                    try tx.insert(Volume(id: 3, author: 60))
                }
            }
            try t.expect(error.key, equals: [.int(3)])
            try t.expect(try await store.find(Writer.self, key: 50) == nil, "A failed transaction has left a record.")
        },
        ConformanceCase(
            "references/unchecked", for: [.r3: [1]],
            "An unchecked reference may name what is not there, before and after."
        ) { t in
            let store = try await library(t)
            try await store.insert(Loan(id: 1, volume: 1, witness: 4))
            try await store.insert(Loan(id: 2, volume: 1, witness: 444))
            try await store.transaction { _, tx in
                var last = volumes[2]
                last.chapters = []
                try tx.save(last)
                _ = try tx.delete(Writer.self, keys: [4])
            }
            try t.expect(try await store.all(Loan.self).map(\.witness), equals: [4, 444])
        },
    ]
}
