internal import StorageAPI

/// The rules of V1, V2 and V4 that are about a type: that it may be a property, is kept exactly, and has an order.
struct ValueRules {
    let type: Int
    /// None where V2 says nothing but "exactly".
    var exact: [Int] = []
    let order: Int

    static let integer = ValueRules(type: 2, exact: [1], order: 1)
    static let fraction = ValueRules(type: 3, exact: [2], order: 1)
    static let text = ValueRules(type: 4, exact: [3], order: 4)
    static let bytes = ValueRules(type: 5, exact: [4], order: 5)
}

/// The cases of one type's values: one for each context that a value can stand in.
struct ValueFamily<V: ScalarValue> {
    let name: String
    let rules: ValueRules
    /// In the order of clause V4, all different.
    let values: [V]

    /// The contexts that every type has.
    var everywhere: [ConformanceCase] { [column, elements, child, reopened, aggregated, contained, counted, grouped] }

    private func id(_ context: String) -> String { "values/\(name)-\(context)" }

    private var holders: [Holder<V>] {
        values.enumerated().map { Holder(id: $0.offset, value: $0.element, optional: $0.element) }
    }

    private var column: ConformanceCase {
        ConformanceCase(
            id("column"), for: [.v1: [rules.type, 13], .v2: rules.exact, .v3: [1]],
            "\(V.self) comes back exactly from a column, and nil as nil."
        ) {
            [holders] t in
            let store = try await t.open(Holder<V>.self)
            let empty = holders.map { Holder(id: -1 - $0.id, value: $0.value) }
            try await store.insert(holders + empty)
            let stored = try await store.all(Holder<V>.self)
            try t.expect(stored, equals: empty.reversed() + holders)
            try await store.save(stored)
            try t.expect(
                try await store.all(Holder<V>.self), equals: stored, "What was read and saved again reads otherwise.")
        }
    }

    private var elements: ConformanceCase {
        ConformanceCase(
            id("elements"), for: [.v1: [14], .v2: [9], .v3: [1]],
            "\(V.self) comes back exactly from arrays, with their order, their nils, and empty apart from nil."
        ) { [values] t in
            let store = try await t.open(Holder<V>.self)
            let first = try t.required(values.first)
            let mixed: [V?] = [nil] + values.map(Optional.some) + [nil]
            let holders = [
                Holder(id: 1, value: first, list: values, optionals: mixed, optionalList: values.reversed()),
                Holder(id: 2, value: first, list: [], optionals: [], optionalList: []),
                Holder(id: 3, value: first, list: [first], optionals: [nil], optionalList: nil),
            ]
            try await store.insert(holders)
            try t.expect(try await store.all(Holder<V>.self), equals: holders)
        }
    }

    private var child: ConformanceCase {
        ConformanceCase(
            id("child"), for: [.v1: [rules.type], .v2: rules.exact, .c1: [1]],
            "\(V.self) comes back exactly from owned records."
        ) { [holders] t in
            let store = try await t.open(Owner<V>.self)
            let owners = [Owner(id: 1, one: holders.last, many: holders), Owner(id: 2, many: holders.reversed())]
            try await store.save(owners)
            try t.expect(try await store.all(Owner<V>.self), equals: owners)
        }
    }

    private var reopened: ConformanceCase {
        ConformanceCase(
            id("reopened"), for: [.v1: [rules.type], .v2: rules.exact, .w8: [1]], needs: [.durability],
            "\(V.self) comes back exactly after closing and opening."
        ) { [holders, values] t in
            let store = try await t.open(Owner<V>.self, Holder<V>.self)
            let full = holders.map { Holder(id: $0.id, value: $0.value, optional: $0.optional, list: values) }
            let owner = Owner(id: 1, one: full.first, many: full)
            try await store.insert(full)
            try await store.insert(owner)
            try await store.close()
            let again = try await t.open(Owner<V>.self, Holder<V>.self)
            try t.expect(try await again.all(Holder<V>.self), equals: full)
            try t.expect(try await again.find(Owner<V>.self, key: 1), equals: owner)
        }
    }

    private var aggregated: ConformanceCase {
        ConformanceCase(
            id("set"), for: [.w5: [1, 2], .v2: rules.exact],
            "\(V.self) comes back exactly where a partial update has set it, and its nil too."
        ) { [values] t in
            let store = try await t.open(Holder<V>.self)
            let first = try t.required(values.first)
            for (index, value) in values.enumerated() {
                try await store.insert(Holder(id: index, value: first, optional: first))
                let count = try await store.update(Holder<V>.self) {
                    $0.where { $0.id == index }.set(\.value, to: value).set(\.optional, to: index == 1 ? nil : value)
                        .set(\.list, to: [value])
                }
                try t.expect(count, equals: 1)
            }
            let wanted = values.enumerated().map { index, value in
                Holder(id: index, value: value, optional: index == 1 ? nil : value, list: [value])
            }
            try t.expect(try await store.all(Holder<V>.self), equals: wanted)
        }
    }
}

extension ValueFamily where V: Equatable {
    /// As the operand of equality, membership and their negations.
    var equality: ConformanceCase {
        ConformanceCase(
            id("equal"), for: [.v4: [rules.order], .q2: [2]],
            "A filter by equality finds each \(V.self), and that one alone."
        ) {
            [holders, values] t in
            let store = try await t.open(Holder<V>.self)
            try await store.insert(holders + [Holder(id: 1000, value: try t.required(values.first))])
            for (index, value) in values.enumerated() {
                let ids = try await store.select(Holder<V>.self) { $0.where { $0.optional == value } }.keys()
                try t.expect(ids, equals: [index], "== finds other records than the one.")
                let others = try await store.select(Holder<V>.self) { $0.where { $0.optional != value } }.count()
                try t.expect(others, equals: values.count, "!= finds other records than all but the one.")
            }
            let odd = values.indices.filter { $0 % 2 == 1 }
            let found = store.select(Holder<V>.self) {
                $0.where { $0.optional.isIn(odd.map { Optional(values[$0]) }) }
            }
            try t.expect(try await found.keys(), equals: odd)
            let none = try await store.select(Holder<V>.self) { $0.where { $0.optional.isNil } }.keys()
            try t.expect(none, equals: [1000])
        }
    }
}

extension ValueFamily where V: SortableValue, V.Scalar == V {
    /// As the sort key, and as the minimum and the maximum.
    var order: ConformanceCase {
        ConformanceCase(
            id("order"), for: [.v4: [rules.order, 10]],
            "\(V.self) sorts by its order in both directions, nil at its end."
        ) {
            [values] t in
            let store = try await t.open(Holder<V>.self)
            let last = values.count
            // Stored in an order that is neither, so that none comes by chance.
            for id in SeededGenerator(seed: 7).shuffled(Array(0..<last)) {
                try await store.insert(Holder(id: id, value: values[id], optional: values[id]))
            }
            try await store.insert(Holder(id: last, value: try t.required(values.first)))
            let up = try await store.select(Holder<V>.self) { $0.order { $0.optional.ascending } }.keys()
            try t.expect(up, equals: [last] + Array(0..<last), "The ascending order is another.")
            let down = try await store.select(Holder<V>.self) { $0.order { $0.optional.descending } }.keys()
            try t.expect(down, equals: (0..<last).reversed() + [last], "The descending order is another.")
            let query = store.select(Holder<V>.self)
            try t.expect(
                try await query.run("min { $0.value }") { try await $0.min { $0.value } }, equals: values.first)
            try t.expect(try await query.run("max { $0.value }") { try await $0.max { $0.value } }, equals: values.last)
        }
    }
}

extension ValueFamily where V: Comparable & SortableValue, V.Scalar == V {
    /// As the operand of ordered comparisons and ranges.
    var comparison: ConformanceCase {
        ConformanceCase(
            id("compare"), for: [.v4: [rules.order], .q2: [3]],
            "Each \(V.self) has on each side what its order says, nil on none."
        ) {
            [holders, values] t in
            let store = try await t.open(Holder<V>.self)
            try await store.insert(holders + [Holder(id: 1000, value: try t.required(values.first))])
            let all = Array(values.indices)
            for (index, value) in values.enumerated() {
                let less = try await store.select(Holder<V>.self) { $0.where { $0.optional < value } }.keys()
                try t.expect(less, equals: all.filter { $0 < index }, "< holds for others.")
                let notAfter = try await store.select(Holder<V>.self) { $0.where { $0.optional <= value } }.keys()
                try t.expect(notAfter, equals: all.filter { $0 <= index }, "<= holds for others.")
                let more = try await store.select(Holder<V>.self) { $0.where { $0.optional > value } }.keys()
                try t.expect(more, equals: all.filter { $0 > index }, "> holds for others.")
                let notBefore = try await store.select(Holder<V>.self) { $0.where { $0.optional >= value } }.keys()
                try t.expect(notBefore, equals: all.filter { $0 >= index }, ">= holds for others.")
            }
        }
    }
}

extension ValueFamily {
    /// As the key: found, listed in order, refused twice, deleted.
    var key: ConformanceCase {
        ConformanceCase(
            "keys/\(name)", for: [.k1: [2], .k3: [3], .v4: [rules.order]],
            "Each \(V.self) is a key of its own, with what its record owns, and keys come in their order."
        ) {
            [values] t in
            typealias Model = Keyed<V>
            let store = try await t.open(Model.self)
            let models = values.enumerated().map { Model(id: $1, note: "\($0)", pens: [Pen(id: $0)]) }
            try await store.insert(Array(models.reversed()))
            try t.expect(try await store.all(Model.self), equals: models, "Records do not come in key order.")
            for model in models {
                try t.expect(try await store.find(Model.self, key: model.id), equals: model)
                try await t.expectError(.duplicateKey) { try await store.insert(Model(id: model.id, note: "again")) }
                try await store.update(Model(id: model.id, note: "new", pens: model.pens + model.pens))
            }
            for (index, model) in models.enumerated() where index % 2 == 0 {
                try t.expect(try await store.delete(Model.self, key: model.id), equals: 1)
            }
            let left = models.enumerated().filter { $0.offset % 2 == 1 }.map { _, model in
                Model(id: model.id, note: "new", pens: model.pens + model.pens)
            }
            try t.expect(try await store.all(Model.self), equals: left)
        }
    }
}
