internal import StorageAPI
import StorageDriver
internal import Synchronization

extension Conformance {
    /// R8, R9: records loaded together, and whole stores of records that refer to each other.
    static let relatedCases: [ConformanceCase] = [
        ConformanceCase(
            "references/with", for: [.r8: [2], .r6: [1], .r7: [1]],
            "Records are loaded with what they refer to, as tuples, in the query's order."
        ) { t in
            let store = try await library(t).store
            let pairs = try await store.select(Volume.self).with(\.author).all()
            try t.expect(pairs.map(\.0), equals: volumes)
            try t.expect(pairs.map(\.1), equals: [writers[0], writers[0], writers[1]])
            let triples = try await store.select(Volume.self).with(\.author).with(\.editor).with(\.labels)
                .order { $0.id.descending }.limit(2).all()
            try t.expect(triples.map(\.0.id), equals: [3, 2])
            try t.expect(triples.map(\.1.id), equals: [2, 1])
            try t.expect(triples.map(\.2), equals: [writers[2], nil])
            try t.expect(triples.map(\.3), equals: [[], [labels[2], labels[2], labels[1]]])
            let first = try await store.select(Volume.self).with(\.labels).first()
            try t.expect(first?.1, equals: [labels[1], labels[0]])
            let none = try await store.select(Volume.self).where { $0.id > 99 }.with(\.author).all()
            try t.expect(none.count, equals: 0)
        },
        ConformanceCase(
            "references/with-chosen", for: [.r6: [1], .r7: [1]],
            "Of several records conditions, an order and a limit for each owner choose; without an order an array keeps its own."
        ) { t in
            let store = try await library(t).store
            let writers = try await store.select(Writer.self).with(\.volumes).all()
            try t.expect(writers.map { $0.1.map(\.id) }, equals: [[1, 2], [3], [], []])
            let last = try await store.select(Writer.self)
                .with(\.volumes) { $0.order { $0.year.descending }.limit(1) }.all()
            try t.expect(last.map { $0.1.map(\.id) }, equals: [[2], [3], [], []])
            let late = try await store.select(Writer.self).with(\.volumes) { $0.where { $0.year > 2000 } }.all()
            try t.expect(late.map { $0.1.map(\.id) }, equals: [[2], [3], [], []])
            let tagged = try await store.select(Label.self).with(\.volumes).all()
            try t.expect(tagged.map { $0.1.map(\.id) }, equals: [[1], [1, 2], [2]])
            let sorted = try await store.select(Volume.self).with(\.labels) { $0.order { $0.rank.descending } }.all()
            try t.expect(sorted.map { $0.1.map(\.name) }, equals: [["new", "art"], ["war", "war", "new"], []])
            let second = try await store.select(Volume.self).with(\.labels) { $0.offset(1).limit(1) }.all()
            try t.expect(second.map { $0.1.map(\.name) }, equals: [["art"], ["war"], []])
        },
        ConformanceCase(
            "references/with-nested", for: [.r8: [2]],
            "What is loaded is loaded with its own relations, both ways and several at once."
        ) { t in
            let store = try await library(t).store
            let nested = try await store.select(Volume.self).with(\.author) { $0.with(\.mentor).with(\.volumes) }
                .with(\.editor) { $0.with(\.students) }.all()
            try t.expect(nested.map(\.1.0.id), equals: [1, 1, 2])
            try t.expect(nested.map { $0.1.1?.id }, equals: [nil, nil, 1])
            try t.expect(nested.map { $0.1.2.map(\.id) }, equals: [[1, 2], [1, 2], [3]])
            try t.expect(nested.map { $0.2?.1.map(\.id) }, equals: [[3], nil, []])
            let deep = try await store.select(Writer.self).with(\.volumes) {
                $0.with(\.labels).order { $0.year.descending }
            }
            .all()
            try t.expect(deep.map { $0.1.map(\.0.id) }, equals: [[2, 1], [3], [], []])
            try t.expect(deep[0].1.map { $0.1.map(\.name) }, equals: [["war", "war", "new"], ["new", "art"]])
        },
        ConformanceCase(
            "references/with-composite", for: [.r8: [2]], "Relations by keys of several parts are loaded as others are."
        ) { t in
            let store = try await t.open(Booking.self).store
            let seats = [Seat(bank: 1, letter: "A"), Seat(bank: 1, letter: "B"), Seat(bank: 2, letter: "A")]
            try await store.insert(seats)
            try await store.insert([
                Booking(id: 1, seat: Ref(key: (1, "A")), wishes: [Ref(key: (2, "A")), Ref(key: (1, "B"))]),
                Booking(id: 2, seat: Ref(key: (2, "A")), other: Ref(key: (1, "A"))),
            ])
            let loaded = try await store.select(Booking.self).with(\.seat).with(\.other).with(\.wishes).all()
            try t.expect(loaded.map(\.1), equals: [seats[0], seats[2]])
            try t.expect(loaded.map(\.2), equals: [nil, seats[0]])
            try t.expect(loaded.map(\.3), equals: [[seats[2], seats[1]], []])
            let bySeat = try await store.select(Seat.self).with(\.bookings).with(\.wishes).all()
            try t.expect(bySeat.map { $0.1.map(\.id) }, equals: [[1], [], [2]])
            try t.expect(bySeat.map { $0.2.map(\.id) }, equals: [[], [1], [1]])
        },
        ConformanceCase(
            "references/reads", for: [.r8: [1, 3]],
            "Each relation costs a fixed number of reads, however many records there are, and a shared record is read once."
        ) { t in
            let counts = Counts()
            let store = try await Store(
                CountingBackend(backend: t.place.backend(), counts: counts), models: Volume.self)
            try await store.insert(writers)
            try await store.insert(labels)
            var reads: [[Int]] = []
            for number in [10, 100, 300] {
                try await store.save(
                    (1...number).map { Volume(id: $0, author: Ref(key: 1 + $0 % 4), labels: ["art", "war"]) })
                var row: [Int] = []
                counts.reset()
                try t.expect(try await store.select(Volume.self).with(\.author).all().count, equals: number)
                row.append(counts.reads)
                counts.reset()
                try t.expect(try await store.select(Volume.self).with(\.labels).all().count, equals: number)
                row.append(counts.reads)
                counts.reset()
                try t.expect(try await store.select(Writer.self).with(\.volumes).all().count, equals: 4)
                row.append(counts.reads)
                reads.append(row)
            }
            try t.expect(reads, equals: [reads[0], reads[0], reads[0]], "The number of reads grows with the records.")
            counts.reset()
            let both = store.select(Volume.self).with(\.author).with(\.labels).order { $0.id.descending }
            let all = try await both.all()
            let fixed = counts.reads
            counts.reset()
            var streamed: [Int] = []
            for try await (volume, author, labels) in both.stream() {
                streamed.append(volume.id)
                try t.expect(author.id == 1 + volume.id % 4 && labels.map(\.name) == ["art", "war"], "\(volume)")
            }
            try t.expect(streamed, equals: all.map(\.0.id))
            try t.expect(
                counts.reads <= 2 * fixed, "A stream of two parts made \(counts.reads) reads, not \(2 * fixed).")
            // The later part is read from the snapshot of the first.
            streamed = []
            for try await (volume, author) in store.select(Volume.self).with(\.author).stream() {
                if streamed.isEmpty { try await store.delete(Writer.self).run() }
                streamed.append(volume.id)
                try t.expect(author.id, equals: 1 + volume.id % 4)
            }
            try t.expect(streamed, equals: Array(1...300))
            try t.expect(try await store.select(Volume.self).count(), equals: 0)
            try await store.close()
        },
        ConformanceCase(
            "references/with-absent", for: [.r8: [4]],
            "A reference to a record that is not stored is notFound, and nil where ifPresent asks for that."
        ) { t in
            let store = try await library(t)
            let loans = [
                Loan(id: 1, volume: 1, witness: 77), Loan(id: 2, volume: 1), Loan(id: 3, volume: 1, witness: 1),
            ]
            try await store.store.insert(loans)
            let all = store.select(Loan.self)
            let error = try await t.expectError(.notFound) {
                try await all.run("with(\\.witness).all()") { try await $0.with(\.witness).all() }
            }
            try t.expect(error.key, equals: [.int(1)])
            let found = try await all.run("with(\\.witness.ifPresent).with(\\.volume.ifPresent).all()") {
                try await $0.with(\.witness.ifPresent).with(\.volume.ifPresent).all()
            }
            try t.expect(found.map(\.0), equals: loans)
            try t.expect(found.map { $0.1?.id }, equals: [nil, nil, 1])
            try t.expect(found.map { $0.2?.id }, equals: [1, 1, 1])
        },
        ConformanceCase(
            "references/verified", for: [.r9: [1]], needs: [.durability],
            "What refers to nothing is reported, and a copy has the references and their rules."
        ) { t in
            let store = try await library(t)
            try t.expect(try await problems(in: store.store), equals: [])
            let tables = try await store.store.recordSchemas()
            let volume = try t.required(tables.first { $0.name == "Volume" })
            let author = try t.required(volume.properties.first { $0.name == "author" })
            try t.expect(author.reference?.model, equals: "Writer")
            try t.expect(author.reference?.onDelete, equals: .cascade)
            try await store.store.insert(Loan(id: 1, volume: 1, witness: 77))
            try t.expect(try await problems(in: store.store), equals: [])
        },
    ]

    private static func problems(in store: Store) async throws -> [String] {
        let found = Found()
        try await store.verify { found.add($0.description) }
        return found.list
    }
}

/// The arguments of a closure's calls.
final class Found: Sendable {
    private let problems = Mutex<[String]>([])
    var list: [String] { problems.withLock { $0 } }
    func add(_ problem: String) { problems.withLock { $0.append(problem) } }
}
