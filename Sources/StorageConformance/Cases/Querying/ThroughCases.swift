internal import StorageAPI

extension Conformance {
    /// Owners with none, one and several children of every kind.
    private static let people = (1...24).map(Samples.person)

    private static func name(_ person: Person) -> String? { person.city?.name }

    /// A case that compares conditions through children with Swift over the people.
    private static func through(
        _ id: String, for proof: Proof, _ sentence: String, pairs: Equivalent<Person>...
    ) -> ConformanceCase { ConformanceCase(id, for: proof, sentence, over: people, pairs: pairs) }

    /// A case that sorts the people by a term, in each direction and with nil at each end, as Swift does.
    private static func order<V: Comparable & SortableValue & ScalarValue>(
        _ id: String, _ sentence: String, _ term: @escaping @Sendable (Person.Columns) -> QueryExpression<V?>,
        _ value: @escaping @Sendable (Person) -> V?
    ) -> ConformanceCase {
        ConformanceCase(id, for: [.q1: [1], .v4: [10]], sentence) { t in
            let store = try await t.open(Person.self)
            try await store.insert(people)
            // Both directions, each with nil where it usually is, first and last.
            let ways: [(order: (QueryExpression<V?>) -> OrderingTerm, descends: Bool, nilsFirst: Bool)] = [
                ({ $0.ascending }, false, true), ({ $0.descending }, true, false),
                ({ $0.ascending.nilsFirst }, false, true), ({ $0.ascending.nilsLast }, false, false),
                ({ $0.descending.nilsFirst }, true, true), ({ $0.descending.nilsLast }, true, false),
            ]
            for (order, descends, nilsFirst) in ways {
                let wanted = people.sorted { left, right in
                    switch (value(left), value(right)) {
                    case (nil, nil): left.id < right.id
                    case (nil, _): nilsFirst
                    case (_, nil): !nilsFirst
                    case (let first?, let second?):
                        first == second ? left.id < right.id : (first < second) != descends
                    }
                }
                let query = store.select(Person.self) { $0.order { order(term($0)) } }
                try t.expect(try await query.keys(), equals: wanted.map(\.id))
                let page = store.select(Person.self) { $0.order { order(term($0)) }.limit(5).offset(3) }
                try t.expect(try await page.all(), equals: Array(wanted.dropFirst(3).prefix(5)))
            }
        }
    }

    /// Q3 and Q5 through owned children.
    static let throughCases: [ConformanceCase] = [
        through(
            "through/count", for: [.q3: [4], .v3: [1]],
            "Children are counted; the children of nil are nil, and nil is not empty.",
            pairs: Equivalent({ $0.pens.count == 2 }, { $0.pens.count == 2 }),
            Equivalent({ $0.pens.isEmpty }, { $0.pens.isEmpty }),
            Equivalent({ $0.spares.count == nil }, { $0.spares == nil }),
            Equivalent({ $0.spares.count < 1 }, { $0.spares.map { $0.count < 1 } ?? false }),
            Equivalent({ $0.spares.isEmpty }, { $0.spares?.isEmpty ?? false }),
            Equivalent({ $0.pens.count > $0.tags.count }, { $0.pens.count > $0.tags.count }),
            Equivalent({ $0.pens.count + $0.tags.count == 4 }, { $0.pens.count + $0.tags.count == 4 })),
        through(
            "through/count-where", for: [.q3: [4]],
            "The children that meet a condition are counted; of nil there are 0.",
            pairs: Equivalent(
                { $0.pens.count { $0.price > 10 } == 2 }, { $0.pens.count { ($0.price ?? 0) > 10 } == 2 }),
            Equivalent({ $0.pens.count { $0.price == nil } == 0 }, { $0.pens.count { $0.price == nil } == 0 }),
            Equivalent({ $0.spares.count { $0.id >= 0 } == 0 }, { ($0.spares ?? []).count { $0.id >= 0 } == 0 }),
            Equivalent(
                { $0.pens.count { $0.color.hasSuffix("1") || $0.price > 20 } > 1 },
                { $0.pens.count { $0.color.hasSuffix("1") || ($0.price ?? 0) > 20 } > 1 }),
            Equivalent(
                { $0.city.districts.count { $0.lamps.count > 0 } == 1 },
                { ($0.city?.districts ?? []).count { ($0.lamps?.count ?? 0) > 0 } == 1 })),
        through(
            "through/quantified", for: [.q3: [4], .q2: [4]],
            "any, all and none are negated, nested and joined as in Swift.",
            pairs: Equivalent(
                { $0.pens.any { $0.price > 10 && $0.color != "p1" } },
                { $0.pens.contains { ($0.price ?? 0) > 10 && $0.color != "p1" } }),
            Equivalent({ $0.pens.all { !($0.price > 10) } }, { $0.pens.allSatisfy { !(($0.price ?? 0) > 10) } }),
            Equivalent(
                { $0.pens.none { $0.price > 10 || $0.color == "p0" } },
                { !$0.pens.contains { ($0.price ?? 0) > 10 || $0.color == "p0" } }),
            Equivalent(
                { !$0.pens.all { $0.price > 0 } && $0.spares.any { $0.id == 0 } },
                { !$0.pens.allSatisfy { ($0.price ?? 0) > 0 } && ($0.spares ?? []).contains { $0.id == 0 } }),
            Equivalent(
                { $0.city.districts.all { $0.lamps.none { $0.price == 1 } } },
                { ($0.city?.districts ?? []).allSatisfy { !($0.lamps ?? []).contains { $0.price == 1 } } }),
            Equivalent(
                { $0.city.districts.none { $0.lamps.all { $0.price < 1 } } },
                { !($0.city?.districts ?? []).contains { ($0.lamps ?? []).allSatisfy { ($0.price ?? 9) < 1 } } }),
            Equivalent(
                { $0.city.districts.any { $0.streets.count == 2 && !$0.lamps.isNil } },
                { ($0.city?.districts ?? []).contains { $0.streets.count == 2 && $0.lamps != nil } }),
            Equivalent(
                { $0.city.districts.any { $0.streets.contains("street 1") } },
                { ($0.city?.districts ?? []).contains { $0.streets.contains("street 1") } })),
        through(
            "through/terms", for: [.q3: [4]],
            "A child's property is computed with and tested as one's own; nil where it is not.",
            pairs: Equivalent({ $0.city.id + 1 == 2 }, { $0.city?.id == 1 }),
            Equivalent({ $0.city.name.hasSuffix("1") }, { $0.city?.name.hasSuffix("1") ?? false }),
            Equivalent({ $0.city.name.like("?3") }, { $0.city?.name == "c3" }),
            Equivalent({ $0.city.name.equals("C3", ignoring: .case) }, { $0.city?.name == "c3" }),
            Equivalent({ $0.city.name.isIn(["c1", nil]) }, { ["c1", nil].contains(name($0)) }),
            Equivalent({ $0.city.name == $0.nickname }, { name($0) == $0.nickname }),
            Equivalent({ $0.city.districts.count > 1 }, { ($0.city?.districts.count ?? 0) > 1 }),
            Equivalent({ $0.city.name >= "c1" || $0.city == nil }, { name($0).map { $0 >= "c1" } ?? true })),
        order(
            "through/order-nils", "A child's property sorts in both directions, with nil where it is asked for.",
            { $0.city.name }, name),
        order(
            "order/nils", "A property sorts in both directions, with nil where it is asked for.",
            { $0.nickname }, { $0.nickname }),
        order(
            "through/order-count", "A count of children sorts in both directions, and that of nil as nil.",
            { $0.spares.count }, { $0.spares?.count }),
        ConformanceCase(
            "through/order-several", for: [.q1: [1]],
            "Sort keys of the model and of its children decide one after the other."
        ) { t in
            let store = try await t.open(Person.self)
            try await store.insert(people)
            let query = store.select(Person.self) {
                $0.order { $0.city.name.descending.nilsFirst }.order { $0.pens.count.ascending }.order {
                    $0.id.descending
                }
            }
            let wanted = people.sorted { left, right in
                guard name(left) == name(right) else { return name(right).map { (name(left) ?? "z") > $0 } ?? false }
                return (left.pens.count, right.id) < (right.pens.count, left.id)
            }
            try t.expect(try await query.all(), equals: wanted)
        },
    ]
}
