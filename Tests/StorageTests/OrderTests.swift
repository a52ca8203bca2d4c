import Foundation
import StorageKit
import Testing

@Suite("V4 One order and equality for each type, in filters, sorting and aggregates")
struct OrderTests {
    /// Stores distinct values, given in ascending order, in another order, and one record whose optional is nil.
    private func withHolders<V: ScalarValue>(
        _ ascending: [V], on backend: Backend, _ body: (Select<Holder<V>>) async throws -> Void
    ) async throws {
        try await withStore(backend) { store in
            let holders = ascending.enumerated().map { Holder(id: $0.offset, value: $0.element) }
            try await store.insert(holders.reversed() + [Holder(id: -1, value: ascending[0], isEmpty: true)])
            try await body(store.select(Holder<V>.self))
        }
    }

    /// Sorting, equality, `in`, min and max of a type.
    private func expectOrder<V: ScalarValue & SortableValue & Equatable>(
        of ascending: [V], on backend: Backend, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await withHolders(ascending, on: backend) { select in
            let ids = Array(ascending.indices)
            let last = ids.count - 1
            func expect(_ query: Select<Holder<V>>, _ wanted: [Int], _ what: Comment) async throws {
                #expect(try await query.keys() == wanted, what, sourceLocation: sourceLocation)
            }
            try await expect(select.order { $0.optional }, [-1] + ids, "ascending, nil first")
            try await expect(select.order { $0.optional.descending }, ids.reversed() + [-1], "descending, nil last")
            try await expect(select.order { $0.value }, [-1] + ids, "ties by key")
            for (index, pivot) in ascending.enumerated() {
                let others = ids.filter { $0 != index }
                try await expect(select.where { $0.optional == pivot }, [index], "== \(pivot)")
                try await expect(select.where { $0.optional != pivot }, [-1] + others, "!= \(pivot)")
                try await expect(select.where { $0.optional.isIn([pivot]) }, [index], "in \(pivot)")
                try await expect(
                    select.where { !$0.optional.isIn([pivot, nil]) }, others, "not in \(pivot) and nil")
                try await expect(select.where { $0.list == [pivot, pivot] }, [index], "array of \(pivot)")
                try await expect(select.where { $0.value == pivot && $0.id >= 0 }, [index], "plain == \(pivot)")
            }
            try await expect(select.where { $0.optional == $0.value }, ids, "two properties")
            let least = try await select.min { $0.optional }
            let greatest = try await select.max { $0.optional }
            #expect(least.map { Value($0) } == Value(ascending[0]), sourceLocation: sourceLocation)
            #expect(greatest.map { Value($0) } == Value(ascending[last]), sourceLocation: sourceLocation)
        }
    }

    /// The ordered comparisons of a type as well.
    private func expectComparisons<V: ScalarValue & SortableValue & Comparable>(
        of ascending: [V], on backend: Backend, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await expectOrder(of: ascending, on: backend, sourceLocation: sourceLocation)
        try await withHolders(ascending, on: backend) { select in
            let ids = Array(ascending.indices)
            func expect(_ query: Select<Holder<V>>, _ wanted: some Sequence<Int>, _ what: Comment) async throws {
                #expect(try await query.keys() == Array(wanted), what, sourceLocation: sourceLocation)
            }
            for (index, pivot) in ascending.enumerated() {
                try await expect(select.where { $0.optional < pivot }, ids[..<index], "< \(pivot)")
                try await expect(select.where { $0.optional <= pivot }, ids[...index], "<= \(pivot)")
                try await expect(select.where { $0.optional > pivot }, ids[(index + 1)...], "> \(pivot)")
                try await expect(select.where { $0.optional >= pivot }, ids[index...], ">= \(pivot)")
                try await expect(select.where { !($0.optional < pivot) }, [-1] + ids[index...], "not < \(pivot)")
                try await expect(select.where { $0.value < pivot && $0.id >= 0 }, ids[..<index], "plain < \(pivot)")
                try await expect(select.where { $0.value >= pivot && $0.id >= 0 }, ids[index...], "plain >= \(pivot)")
            }
        }
    }

    @Test("V4 integers by value, UInt64 beyond Int64.max above it", arguments: Backend.allCases)
    func integers(_ backend: Backend) async throws {
        let integers = [Int.min, -(1 << 53) - 1, -(1 << 53), -1, 0, 1, 9, 10, .max - 1, .max]
        try await expectComparisons(of: integers, on: backend)
        try await expectComparisons(of: [.min, -1, 0, 1, .max] as [Int8], on: backend)
        let border = UInt64(Int64.max)
        try await expectComparisons(of: [0, 1, border - 1, border, border + 1, .max - 1, .max], on: backend)
    }

    @Test("V4 doubles and floats by value, NaN equal to itself and after every number", arguments: Backend.allCases)
    func doubles(_ backend: Backend) async throws {
        let numbers: [Double] = [
            -.infinity, -.greatestFiniteMagnitude, -10, -9, -.leastNonzeroMagnitude, 0, .leastNonzeroMagnitude, 0.1, 1,
            1.0.nextUp, 9, 10, 1e300,
            .greatestFiniteMagnitude, .infinity,
        ]
        try await expectComparisons(of: numbers, on: backend)
        try await expectOrder(of: [-.infinity, 0, .infinity, .nan] as [Double], on: backend)
        try await expectOrder(of: [-.infinity, -0.1, 0.1, .infinity, .nan] as [Float], on: backend)
    }

    @Test("V4 an ordered comparison with NaN puts it after every number", arguments: Backend.allCases)
    func nanComparisons(_ backend: Backend) async throws {
        try await withHolders([-.infinity, 1, .infinity, .nan] as [Double], on: backend) { (select) async throws in
            #expect(try await select.where { $0.optional > Double.infinity }.keys() == [3])
            #expect(try await select.where { $0.optional < Double.nan }.keys() == [0, 1, 2])
            #expect(try await select.where { $0.optional <= Double.nan }.keys() == [0, 1, 2, 3])
            #expect(try await select.where { $0.optional >= Double.nan }.keys() == [3])
            #expect(try await select.where { $0.optional > Double.nan }.keys() == [])
        }
    }

    @Test("V4 -0.0 equals 0.0 in filters, in lists and in arrays", arguments: Backend.allCases)
    func negativeZero(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert([Holder(id: 1, value: 0.0), Holder(id: 2, value: -0.0), Holder(id: 3, value: 1.0)])
            let select = store.select(Holder<Double>.self)
            for zero in [0.0, -0.0] {
                #expect(try await select.where { $0.value == zero }.keys() == [1, 2])
                #expect(try await select.where { $0.optional.isIn([zero]) }.keys() == [1, 2])
                #expect(try await select.where { $0.value < zero }.keys() == [])
                #expect(try await select.where { $0.value <= zero }.keys() == [1, 2])
                #expect(try await select.where { $0.list == [zero, zero] }.keys() == [1, 2])
            }
            #expect(try await select.order { $0.value }.keys() == [1, 2, 3])
        }
    }

    @Test("V4 strings by UTF-8 bytes: case, NUL, both forms of é, emoji", arguments: Backend.allCases)
    func strings(_ backend: Backend) async throws {
        let texts = [
            "", "\0", "\0a", " ", "10", "9", "A", "AA", "B", "a", "a\0", "a\0b", "a ", "aa", "b", "e\u{301}", "z", "ß",
            "é",
            "成", "\u{E000}", "\u{FFFF}", "𝒳", "👍", "\u{10FFFF}",
        ]
        #expect(zip(texts, texts.dropFirst()).allSatisfy { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        try await expectComparisons(of: texts, on: backend)
    }

    @Test("V4 decimals by value: 9 before 10, 1.0 equal to 1.00", arguments: Backend.allCases)
    func decimals(_ backend: Backend) async throws {
        let texts = [
            "-1e127", "-10", "-9.5", "-9", "-0.1", "0", "1e-127", "0.01", "0.1", "1", "1.01", "9", "10", "11", "1e20",
            "99999999999999999999999999999999999998", "99999999999999999999999999999999999999", "1e127",
        ]
        try await expectComparisons(of: try texts.map { try #require(Decimal(string: $0)) }, on: backend)
        try await expectOrder(of: [-1, 0, 1, .nan] as [Decimal], on: backend)
        try await withHolders([try #require(Decimal(string: "1.00"))], on: backend) { select in
            let one = try #require(Decimal(string: "1.0"))
            #expect(try await select.where { $0.optional == one }.keys() == [0])
            #expect(try await select.where { $0.list == [one, one] }.keys() == [0])
            #expect(try await select.where { $0.optional.isIn([one]) }.keys() == [0])
        }
    }

    @Test("V4 dates by instant, false before true", arguments: Backend.allCases)
    func datesAndBools(_ backend: Backend) async throws {
        let dates = [-1e10, -1, -0.001, 0, 0.001, 1, 1e10].map { Date(timeIntervalSince1970: $0) }
        try await expectComparisons(of: [.distantPast] + dates + [.distantFuture], on: backend)
        try await expectOrder(of: [false, true], on: backend)
    }

    @Test("V4 Data, UUID by bytes, URL by its string", arguments: Backend.allCases)
    func bytes(_ backend: Backend) async throws {
        let bytes: [[UInt8]] = [[], [0], [0, 0], [0, 1], [1], [1, 0], [127], [128], [255], [255, 255]]
        try await expectOrder(of: bytes.map { Data($0) }, on: backend)
        let uuids = [
            "00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-0000000000FF",
            "7FFFFFFF-0000-0000-0000-000000000000", "80000000-0000-0000-0000-000000000000",
            "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
        ]
        try await expectOrder(of: try uuids.map { try #require(UUID(uuidString: $0)) }, on: backend)
        let urls = ["A:b", "a", "a/b", "http://a/", "http://a/b", "http://b/", "https://a/"]
        try await expectOrder(of: try urls.map { try #require(URL(string: $0)) }, on: backend)
    }

    enum Grade: String, Sendable, CaseIterable { case best = "a", good = "b", bad = "Z" }

    @Storable struct Pupil: Equatable {
        var id: Int
        var grade: Grade
        var last: Grade?
    }

    @Test("V4 enums compare and sort by their raw values", arguments: Backend.allCases)
    func enums(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert([
                Pupil(id: 1, grade: .best), Pupil(id: 2, grade: .bad, last: .good),
                Pupil(id: 3, grade: .good, last: .bad),
            ])
            let select = store.select(Pupil.self)
            #expect(try await select.order { $0.grade }.keys() == [2, 1, 3])
            #expect(try await select.order { $0.grade.descending }.keys() == [3, 1, 2])
            #expect(try await select.where { $0.grade == .bad }.keys() == [2])
            #expect(try await select.where { $0.grade != .bad }.keys() == [1, 3])
            #expect(try await select.where { $0.grade.isIn([.best, .good]) }.keys() == [1, 3])
            #expect(try await select.where { $0.last == .bad }.keys() == [3])
            #expect(try await select.where { $0.last != .bad }.keys() == [1, 2])
            #expect(try await select.where { $0.last == nil }.keys() == [1])
        }
    }
}
