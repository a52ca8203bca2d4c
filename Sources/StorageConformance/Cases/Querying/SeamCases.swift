internal import StorageAPI
import StorageDriver
internal import Synchronization

extension Conformance {
    /// Q8 and Q9: what the store asks of an engine, watched between the two.
    static let seamCases: [ConformanceCase] = [
        ConformanceCase(
            "results/asks-little", for: [.q8: [3]],
            "A stream and forEach take from the engine little more than what they have given."
        ) { t in
            let counts = Counts()
            let store = try await Store(
                CountingBackend(backend: t.place.backend(), counts: counts), models: Pen.self, Person.self)
            try await store.insert((0..<5000).map { Pen(id: $0, color: "c\($0 % 9)", price: Double($0)) })
            try await store.insert((1...1000).map { Person(id: $0, pens: [Pen(id: 1)]) })
            func expectLittle(_ form: String) throws {
                try t.expect(counts.given < 1000, "\(form) has taken \(counts.given) rows to give 10 records.")
                counts.reset()
            }
            counts.reset()
            for build in [{ $0 }, { $0.where { $0.price >= 0 } }]
                as [@Sendable (Select<Pen, Store>) -> Select<Pen, Store>]
            {
                var taken = 0
                for try await _ in build(store.select(Pen.self)).stream() {
                    taken += 1
                    if taken == 10 { break }
                }
                try expectLittle("A stream")
            }
            var people = 0
            for try await _ in store.select(Person.self).stream() {
                people += 1
                if people == 10 { break }
            }
            try expectLittle("A stream of owners")
            try await store.read { snapshot in
                var given = 0
                struct Enough: Error {}
                do {
                    try snapshot.select(Pen.self).forEach { _ in
                        given += 1
                        if given == 10 { throw Enough() }
                    }
                } catch is Enough {}
            }
            try expectLittle("forEach")
            try await store.close()
        },
        ConformanceCase(
            "results/large-ahead", for: [.q8: [3]], "Of large records a stream takes few before they are asked for."
        ) { t in
            let counts = Counts()
            let store = try await Store(
                CountingBackend(backend: t.place.backend(), counts: counts), models: Pen.self, Person.self)
            let large = String(repeating: "large ", count: 1 << 15)
            try await store.insert((1...64).map { Pen(id: $0, color: large) })
            try await store.insert((1...64).map { Person(id: $0, name: large, pens: [Pen(id: 1)]) })
            let streams: [@Sendable () async throws -> Void] = [
                { for try await _ in store.select(Pen.self).stream() { break } },
                { for try await _ in store.select(Person.self).stream() { break } },
                { for try await _ in store.select(Person.self).order({ $0.age }).stream() { break } },
            ]
            for (number, stream) in streams.enumerated() {
                counts.reset()
                try await stream()
                try t.expect(counts.given <= 24, "Stream \(number) has taken \(counts.given) rows to give one record.")
            }
            try await store.close()
        },
        ConformanceCase(
            "filters/column-types", for: [.q9: [4]],
            "An engine compares each column with values of the column's type alone."
        ) { t in
            let counts = Counts()
            let store = try await Store(
                CountingBackend(backend: t.place.backend(), counts: counts), models: Holder<Int8>.self,
                Keyed<UInt64>.self, Measure.self)
            try await store.insert((1...5).map { Holder<Int8>(id: $0, value: Int8($0), optional: nil) })
            let numbers = ["3", "3.0", "2.5", "-1", "300", "1e30", "9007199254740993", "18446744073709551615"]
            for number in numbers {
                for sign in ["==", "!=", "<", "<=", ">", ">="] {
                    for text in ["value \(sign) \(number)", "\(number) \(sign) optional"] {
                        _ = try await store.select(Holder<Int8>.self).where(text: text).count()
                    }
                    _ = try await store.select(Keyed<UInt64>.self).where(text: "id \(sign) \(number)").count()
                    for name in ["number", "real"] {
                        _ = try await store.select(Measure.self).where(text: "\(number) \(sign) \(name)").count()
                    }
                }
                _ = try await store.select(Holder<Int8>.self).where(text: "value in {1, \(number)}").count()
                _ = try await store.select(Measure.self).where(text: "real in {1, \(number)}").count()
            }
            try t.expect(counts.compared > 100, "No comparison was seen.")
            try t.expect(counts.mistyped, equals: [], "An engine was given a value that its column cannot hold.")
            try await store.close()
        },
    ]
}

extension QueryTerm {
    /// The comparisons of a column with values, in a condition without relations.
    func comparisons(_ arguments: QueryArguments) -> [(column: Int, value: Value)] {
        switch self {
        case .and(let terms), .or(let terms): terms.flatMap { $0.comparisons(arguments) }
        case .not(let term): term.comparisons(arguments)
        case .comparison(_, .column(let column), .argument(let index), _),
            .comparison(_, .argument(let index), .column(let column), _):
            [(column, arguments.values[index])]
        case .isIn(.column(let column), let list, _): arguments.lists[list].values.map { (column, $0) }
        default: []
        }
    }
}

extension ColumnType {
    /// Returns whether a column of the type can hold the value.
    func holds(_ value: Value) -> Bool {
        switch (value, storage) {
        case (.int(let number), .integer): range.map { $0.contains(number) } ?? (number >= 0)
        case (.unsigned, .integer): self == .uint64
        case (.double, .double), (.text, .text), (.blob, .blob): true
        default: false
        }
    }
}
