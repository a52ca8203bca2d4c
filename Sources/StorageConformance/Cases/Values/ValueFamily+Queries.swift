internal import StorageAPI

// What queries ask of one type's values beyond comparisons.

extension ValueFamily {
    private func id(_ context: String) -> String { "values/\(name)-\(context)" }

    /// As the element that an array is searched for.
    var contained: ConformanceCase {
        ConformanceCase(
            id("contained"), for: [.q3: [3], .v4: [rules.order]],
            "An array contains each \(V.self) that is in it, and no other."
        ) {
            [values] t in
            let store = try await t.open(Holder<V>.self)
            let first = try t.required(values.first)
            // Each value alone, all of them, and every other one beside nil.
            let holders =
                values.enumerated().map { Holder(id: $0.offset, value: first, list: [$0.element], optionalList: nil) }
                + [
                    Holder(id: 1000, value: first, list: values, optionals: [nil], optionalList: values),
                    Holder(
                        id: 1001, value: first, list: [],
                        optionals: [nil] + values.enumerated().map { $0.offset % 2 == 0 ? $0.element : nil },
                        optionalList: []),
                ]
            try await store.insert(holders)
            for (index, value) in values.enumerated() {
                let list = try await store.select(Holder<V>.self) { $0.where { $0.list.contains(value) } }.keys()
                try t.expect(list, equals: [index, 1000])
                let others = try await store.select(Holder<V>.self) { $0.where { !$0.list.contains(value) } }.count()
                try t.expect(others, equals: holders.count - 2)
                let optionals = try await store.select(Holder<V>.self) {
                    $0.where { $0.optionals.contains(Optional(value)) }
                }.keys()
                try t.expect(optionals, equals: index % 2 == 0 ? [1001] : [])
                let optional = store.select(Holder<V>.self) { $0.where { $0.optionalList.contains(value) } }
                try t.expect(try await optional.keys(), equals: [1000])
            }
            let nils = try await store.select(Holder<V>.self) { $0.where { $0.optionals.contains(V?.none) } }.keys()
            try t.expect(nils, equals: [1000, 1001])
        }
    }

    /// As the counted value.
    var counted: ConformanceCase {
        ConformanceCase(
            id("counted"), for: [.q3: [3], .v3: [1]],
            "An array of \(V.self) has its count; that of nil is nil, and nil is not empty."
        ) { [values] t in
            let store = try await t.open(Holder<V>.self)
            let first = try t.required(values.first)
            let holders = (0..<6).map { number in
                Holder(
                    id: number, value: first, list: Array(values.prefix(number % 3)),
                    optionals: Array(repeating: number % 2 == 0 ? nil : first, count: number / 2),
                    optionalList: number % 2 == 0 ? nil : Array(values.prefix(number / 2)))
            }
            try await store.insert(holders)
            for pair: Equivalent<Holder<V>> in [
                Equivalent({ $0.list.count == 2 }, { $0.list.count == 2 }),
                Equivalent({ $0.list.isEmpty }, { $0.list.isEmpty }),
                Equivalent({ $0.optionals.count > 1 }, { $0.optionals.count > 1 }),
                Equivalent({ $0.optionals.count == $0.list.count }, { $0.optionals.count == $0.list.count }),
                Equivalent({ $0.optionalList.count == nil }, { $0.optionalList == nil }),
                Equivalent({ $0.optionalList.count < 2 }, { $0.optionalList.map { $0.count < 2 } ?? false }),
                Equivalent({ $0.optionalList.isEmpty }, { $0.optionalList?.isEmpty ?? false }),
                Equivalent({ $0.optionalList.count != 1 }, { $0.optionalList?.count != 1 }),
                Equivalent({ $0.optionalList.isNil || $0.optionalList.isEmpty }, { $0.optionalList?.isEmpty ?? true }),
            ] { try await pair.check(on: store, holding: holders, t) }
        }
    }

    /// As the key of groups, and where doubles are dropped.
    var grouped: ConformanceCase {
        ConformanceCase(
            id("grouped"), for: [.v4: [rules.order], .q7: [4]],
            "Equal \(V.self)s are one group, in their order, and nil is a group of its own."
        ) { [values] t in
            let store = try await t.open(Holder<V>.self)
            let first = try t.required(values.first)
            // The first value once, the second twice, the third thrice, and so on; nil four times.
            let all = values.enumerated().flatMap { Array(repeating: Optional($0.element), count: 1 + $0.offset % 3) }
            let mixed = SeededGenerator(seed: 3).shuffled(all + [nil, nil, nil, nil])
            try await store.insert(mixed.enumerated().map { Holder(id: $0.offset, value: first, optional: $0.element) })
            let query = store.select(Holder<V>.self)
            let groups = try await query.run("group { $0.optional }.all { ($0.key, $0.count) }") {
                try await $0.group { $0.optional }.all { ($0.key, $0.count) }
            }
            try t.expect(groups.map(\.0), equals: [nil] + values.map(Optional.some), "The groups' keys are others.")
            try t.expect(groups.map(\.1), equals: [4] + values.indices.map { 1 + $0 % 3 })
            let distinct = try await query.run("only { $0.optional }.distinct().all()") {
                try await $0.only { $0.optional }.distinct().all()
            }
            try t.expect(distinct, equals: [nil] + values.map(Optional.some), "Other values are distinct.")
        }
    }
}

extension ValueFamily where V: Comparable & SortableValue, V.Scalar == V {
    /// As the ends of ranges.
    var ranged: ConformanceCase {
        ConformanceCase(
            id("ranged"), for: [.q3: [1], .v4: [rules.order]],
            "A range has each \(V.self) between its ends, and nil is in none."
        ) {
            [values] t in
            let store = try await t.open(Holder<V>.self)
            let holders = values.enumerated().map { Holder(id: $0.offset, value: $0.element, optional: $0.element) }
            try await store.insert(holders + [Holder(id: 1000, value: try t.required(values.first))])
            let ends = values.indices.filter { $0 % (values.count / 7 + 1) == 0 } + [values.count - 1]
            for (low, high) in ends.flatMap({ low in ends.map { (low, $0) } }) {
                // Swift makes no range of these two, where its order is another than that of the contract.
                guard values[low] <= values[high], low <= high else { continue }
                let closed = try await store.select(Holder<V>.self) {
                    $0.where { $0.optional.isIn(values[low]...values[high]) }
                }.keys()
                try t.expect(closed, equals: Array(low...high), "The closed range has others.")
                let open = try await store.select(Holder<V>.self) {
                    $0.where { $0.optional.isIn(values[low]..<values[high]) }
                }.keys()
                try t.expect(open, equals: Array(low..<high), "The half-open range has others.")
                let outside = try await store.select(Holder<V>.self) {
                    $0.where { !$0.value.isIn(values[low]...values[high]) && $0.id < 1000 }
                }.keys()
                try t.expect(outside, equals: Array(values.indices.filter { !(low...high).contains($0) }))
            }
        }
    }
}
