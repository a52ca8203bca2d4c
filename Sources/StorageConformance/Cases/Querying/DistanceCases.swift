internal import StorageAPI

extension Conformance {
    private static let places: [(Int, Vector)] = [
        (1, [1, 0, 0]), (2, [0, 1, 0]), (3, [-1, 0, 0]), (4, [2, 0, 0]), (5, [1, 1, 0]), (6, [0, 0, 0]), (7, [1, 0]),
    ]

    private static func holders() -> [Holder<Vector>] {
        places.map { Holder(id: $0.0, value: $0.1, optional: $0.0 % 2 == 1 ? $0.1 : nil) }
    }

    /// Q3: how far vectors are from each other.
    static let distanceCases: [ConformanceCase] = [
        ConformanceCase(
            "distance/nearest", for: [.q3: [5]],
            "Sorting by a distance gives the nearest vectors first, those with none last."
        ) { t in
            let store = try await t.open(Holder<Vector>.self)
            try await store.insert(holders())
            let wanted: Vector = [1, 0, 0]
            let cosine = store.select(Holder<Vector>.self) { $0.order { $0.value.distance(to: wanted, by: .cosine) } }
            try t.expect(try await cosine.keys(), equals: [1, 4, 5, 2, 3, 6, 7])
            let euclidean = store.select(Holder<Vector>.self) {
                $0.order { $0.value.distance(to: wanted, by: .euclidean) }.limit(5)
            }
            try t.expect(try await euclidean.keys(), equals: [1, 4, 5, 6, 2])
        },
        ConformanceCase("distance/filter", for: [.q3: [5]], "A distance filters, and of nil it is nil.") { t in
            let store = try await t.open(Holder<Vector>.self)
            try await store.insert(holders())
            let wanted: Vector = [1, 0, 0]
            let near = store.select(Holder<Vector>.self) {
                $0.where { $0.value.distance(to: wanted, by: .euclidean) <= 1 }
            }
            try t.expect(try await near.keys(), equals: [1, 4, 5, 6])
            let none = store.select(Holder<Vector>.self) {
                $0.where { $0.optional.distance(to: wanted, by: .cosine) == nil }
            }
            try t.expect(try await none.keys(), equals: [2, 4, 6])
            let far = store.select(Holder<Vector>.self) {
                $0.where { $0.optional.distance(to: wanted, by: .cosine) > 0.5 }
            }
            try t.expect(try await far.keys(), equals: [3, 7], "NaN stands after all numbers, nil in no order.")
            let own = store.select(Holder<Vector>.self) {
                $0.where { $0.value.distance(to: $0.value, by: .euclidean) == 0 }
            }
            try t.expect(try await own.keys(), equals: places.map(\.0))
        },
        ConformanceCase("distance/exact", for: [.q3: [5]], "A distance is the same to the last bit on every backend.") {
            t in
            let store = try await t.open(Holder<Vector>.self)
            var generator = SeededGenerator(seed: 11)
            func random(_ count: Int) -> Vector {
                Vector((0..<count).map { _ in Float(generator.below(2001) - 1000) / 997 })
            }
            let pairs = (0..<24).map { count in (random(count), random(count)) }
            try await store.insert(pairs.enumerated().map { Holder(id: $0.offset, value: $0.element.0) })
            for (id, pair) in pairs.enumerated() {
                for metric in [Vector.Metric.cosine, .euclidean] {
                    let distance = exactDistance(pair.0.elements, pair.1.elements, by: metric)
                    let found = store.select(Holder<Vector>.self) {
                        $0.where { $0.id == id && $0.value.distance(to: pair.1, by: metric) == distance }
                    }
                    try t.expect(
                        try await found.keys(), equals: [id], "The \(metric) distance is another than \(distance).")
                }
            }
        },
    ]

    /// The distance as the contract has it, written down once more.
    private static func exactDistance(_ left: [Float], _ right: [Float], by metric: Vector.Metric) -> Double {
        func sum(_ terms: [Double]) -> Double {
            var sums = [0.0, 0, 0, 0]
            for (index, term) in terms.enumerated() { sums[index % 4] += term }
            return (sums[0] + sums[1]) + (sums[2] + sums[3])
        }
        let pairs = zip(left.map { Double($0) }, right.map { Double($0) })
        if metric == .euclidean { return sum(pairs.map { ($0 - $1) * ($0 - $1) }).squareRoot() }
        let lengths =
            sum(left.map { Double($0) * Double($0) }).squareRoot()
            * sum(right.map { Double($0) * Double($0) }).squareRoot()
        return lengths == 0 ? .nan : 1 - sum(pairs.map { $0 * $1 }) / lengths
    }
}
