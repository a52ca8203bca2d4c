internal import Foundation
internal import StorageAPI

extension Conformance {
    /// V4 where an index has the values: every type that can have one, with values that an index confuses or sorts otherwise.
    static let indexedTypeCases: [ConformanceCase] = [
        ConformanceCase(
            "indexes/types", for: [.v4: [1, 2, 3, 4, 5, 6, 7, 8, 10], .q2: [3], .q3: [1], .q5: [1]],
            "An index of each type finds each value, and what lies on each side of it, in the order of values."
        ) { t in
            let store = try await t.open()
            try await compared([Int8.min, -1, 0, 1, .max].map { [$0] }, in: store, t)
            try await compared(Corpus.long.map { [$0] }, in: store, t)
            try await compared(Corpus.wide.map { [$0] }, in: store, t)
            try await compared(Corpus.doubles.map(forms), in: store, t)
            try await compared(Corpus.floats.map(forms), in: store, t)
            try await compared(texts.map { [$0] }, in: store, t)
            try await compared(Corpus.dates.map { [$0] }, in: store, t)
            try await compared(Corpus.decimals.map { [$0] }, in: store, t)
            try await compared(Corpus.durations.map { [$0] }, in: store, t)
            try await found([[false], [true]], in: store, t)
            try await found(Corpus.uuids.map { [$0] }, in: store, t)
            try await found(Corpus.urls.map { [$0] }, in: store, t)
            try await found(
                Corpus.bytes.map { [Data($0)] }.sorted { $0[0].lexicographicallyPrecedes($1[0]) }, in: store, t)
        }
    ]

    /// A zero and a NaN with each sign, which are equal.
    private static func forms<F: BinaryFloatingPoint>(_ value: F) -> [F] {
        value == 0 || value.isNaN ? [value, -value] : [value]
    }

    /// Texts that continue each other, with NUL too, and some that differ only after the part that an index may keep.
    private static let texts: [String] =
        ["", "\0", "a", "a\0", "a\0b", "a\u{1}", "aa"] + ["a", "b"].map { String(repeating: "l", count: 2500) + $0 }
        + ["z", "\u{E9}", "\u{FFFD}", "\u{10FFFF}"]

    /// Asks for values that have an order in Swift.
    private static func compared<V: ScalarValue & SortableValue & Comparable>(
        _ groups: [[V]], in store: RecordedStore, _ t: Trial
    ) async throws where V.Scalar == V {
        let rows = try await IndexedRows(groups, in: store, t)
        for (place, value) in rows.asked {
            try await rows.expect("== and between", { $0.where { $0.value >= value && $0.value <= value } }) {
                $0 == place
            }
            try await rows.expect("<", { $0.where { $0.value < value } }) { $0 >= 0 && $0 < place }
            try await rows.expect("<=", { $0.where { $0.value <= value } }) { $0 >= 0 && $0 <= place }
            try await rows.expect(">", { $0.where { $0.value > value } }) { $0 > place }
            try await rows.expect(">=", { $0.where { $0.value >= value } }) { $0 >= place }
            guard place + 2 < groups.count, let end = groups[place + 2].last else { continue }
            try await rows.expect("> and <", { $0.where { $0.value > value && $0.value < end } }) { $0 == place + 1 }
        }
        try await found(rows)
    }

    private static func found<V: ScalarValue & SortableValue & Equatable>(
        _ groups: [[V]], in store: RecordedStore, _ t: Trial
    ) async throws where V.Scalar == V {
        try await found(IndexedRows(groups, in: store, t))
    }

    /// Asks for values by equality and in their order, then again after changes.
    private static func found<V: ScalarValue & SortableValue & Equatable>(
        _ given: IndexedRows<V>
    ) async throws where V.Scalar == V {
        var rows = given
        for (place, value) in rows.asked {
            try await rows.expect("==", { $0.where { $0.value == value } }) { $0 == place }
            try await rows.expect("in", { $0.where { $0.value.isIn([value, nil]) } }) { $0 == place || $0 < 0 }
        }
        try await rows.expectOrder()
        try await rows.change()
        for (place, value) in rows.asked where place == 0 || place == rows.last {
            try await rows.expect("== after changes", { $0.where { $0.value == value } }) { $0 == place }
        }
        try await rows.expectOrder()
    }
}

/// A value in an index, in a model of its own.
private enum InIndex<V: ScalarValue>: Shape {
    typealias Value = V?
    static var model: String { "Indexed\(V.self)" }
    static var property: Property { Property("value", V?.self, .indexed) }
}

/// Stored rows with the values of one type. Equal values have one place, in the order of clause V4; nil is at -1.
private struct IndexedRows<V: ScalarValue & SortableValue & Equatable> where V.Scalar == V {
    typealias Model = Item<InIndex<V>>

    /// The values that queries ask for, with their places: those at the ends, all that have several forms, and some between.
    let asked: [(place: Int, value: V)]
    /// The place of the greatest value.
    let last: Int
    private let store: RecordedStore
    private let trial: Trial
    private let greatest: V
    /// The place of each row's value, by the row's key.
    private var places: [Int: Int]

    init(_ groups: [[V]], in store: RecordedStore, _ t: Trial) async throws {
        (self.store, trial) = (store, t)
        last = groups.count - 1
        asked = groups.enumerated().flatMap { place, group in
            let isAsked =
                min(place, groups.count - 1 - place) < 2 || group.count > 1 || place % (groups.count / 4 + 1) == 0
            return isAsked ? group.map { (place: place, value: $0) } : []
        }
        let values = groups.enumerated().flatMap { place, group in group.map { (place: place, value: Optional($0)) } }
        greatest = try t.required(groups.last?.first)
        // Many equal ones in the middle: what lies towards an end is a small part of all rows, for which engines use the index.
        let middle = values[values.count / 2]
        let all =
            values + Array(repeating: middle, count: 4 * values.count)
            + Array(repeating: (place: -1, value: V?.none), count: 2)
        let mixed = SeededGenerator(seed: 11).shuffled(all)
        places = Dictionary(uniqueKeysWithValues: mixed.enumerated().map { ($0.offset, $0.element.place) })
        try await store.insert(mixed.enumerated().map { Model(id: $0.offset, value: $0.element.value) })
    }

    /// Expects that a query finds the rows whose values have the wanted places, in the order of their keys.
    func expect(
        _ question: String, _ build: (Select<Model, Store>) -> Select<Model, Store>, _ isWanted: (Int) -> Bool
    ) async throws {
        let wanted = places.filter { isWanted($0.value) }.keys.sorted()
        try trial.expect(
            try await store.select(Model.self, build).keys(), equals: wanted,
            "\(V.self): other rows are found by \(question).")
    }

    /// Expects the first rows in the order of the values, and in the reverse one.
    func expectOrder() async throws {
        let up = places.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
        let down = places.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
        let ascending = store.select(Model.self) { $0.order { $0.value }.limit(5).offset(1) }
        try trial.expect(try await ascending.keys(), equals: Array(up.dropFirst().prefix(5)), "\(V.self), ascending.")
        let descending = store.select(Model.self) { $0.order { $0.value.descending }.limit(5).offset(1) }
        try trial.expect(
            try await descending.keys(), equals: Array(down.dropFirst().prefix(5)), "\(V.self), descending.")
    }

    /// Gives a row with the first value the last one, and deletes one that has had the last.
    mutating func change() async throws {
        let first = try trial.required(places.filter { $0.value == 0 }.keys.max())
        let last = try trial.required(places.filter { $0.value == self.last }.keys.min())
        try await store.update(Model(id: first, value: greatest))
        try await store.delete(Model.self, key: last)
        places[first] = self.last
        places[last] = nil
    }
}
