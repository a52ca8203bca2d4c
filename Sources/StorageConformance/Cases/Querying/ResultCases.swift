internal import Foundation
internal import StorageAPI

/// The names of a record of a type that owns itself.
@Sendable private func outline(_ record: DynamicRecord) -> String {
    guard case .text(let name)? = record.value("name") else { return "?" }
    guard case .children(let children?)? = record["children"], !children.isEmpty else { return name }
    return name + "(" + children.map(outline).joined(separator: ",") + ")"
}

extension Conformance {
    private static let people = (1...24).map(Samples.person)

    /// Q1, C6 and S4: what a result consists of.
    static let resultCases: [ConformanceCase] = [
        ConformanceCase(
            "tuples/properties", for: [.c6: [2], .q1: [1]],
            "Chosen properties, terms and children come as tuples, in the query's order."
        ) { t in
            let store = try await t.open(Person.self)
            try await store.insert(people)
            let query = store.select(Person.self) {
                $0.where { $0.age > 5 }.order { $0.name.descending }.limit(9).offset(2)
            }
            let wanted = Array(
                people.filter { $0.age > 5 }.sorted { ($1.name, $0.id) < ($0.name, $1.id) }.dropFirst(2).prefix(9))
            let tuples = try await query.run(
                "only { ($0.id, $0.nickname, $0.city.name, $0.tags, $0.pens, $0.spares, $0.city) }.all()"
            ) {
                try await $0.only { ($0.id, $0.nickname, $0.city.name, $0.tags, $0.pens, $0.spares, $0.city) }.all()
            }
            try t.expect(tuples.map(\.0), equals: wanted.map(\.id))
            try t.expect(tuples.map(\.1), equals: wanted.map(\.nickname))
            try t.expect(tuples.map(\.2), equals: wanted.map { $0.city?.name })
            try t.expect(tuples.map(\.3), equals: wanted.map(\.tags))
            try t.expect(tuples.map(\.4), equals: wanted.map(\.pens))
            try t.expect(tuples.map(\.5), equals: wanted.map(\.spares))
            try t.expect(tuples.map(\.6), equals: wanted.map(\.city))
            let ages = try await query.run("only { ($0.age * 2, $0.pens.count, $0.age > 20) }.all()") {
                try await $0.only { ($0.age * 2, $0.pens.count, $0.age > 20) }.all()
            }
            try t.expect(ages.map(\.0), equals: wanted.map { $0.age * 2 })
            try t.expect(ages.map(\.1), equals: wanted.map(\.pens.count))
            try t.expect(ages.map(\.2), equals: wanted.map { $0.age > 20 })
        },
        ConformanceCase(
            "tuples/distinct", for: [.q1: [1]], "Of equal tuples one is kept; they come in the order of their values."
        ) {
            t in
            let store = try await t.open(Measure.self)
            let measures = (0..<40).map { number in
                Measure(
                    id: number, number: number % 4 == 0 ? nil : number % 3,
                    text: ["a", "A", "\u{E9}", "e\u{301}"][number % 4])
            }
            try await store.insert(measures)
            let query = store.select(Measure.self) { $0.where { $0.id >= 2 }.order { $0.id.descending } }
            let tuples = try await query.run("only { ($0.number, $0.text) }.distinct().all()") {
                try await $0.only { ($0.number, $0.text) }.distinct().all()
            }
            let wanted: [(Int?, String?)] =
                [(nil, "a")] + [0, 1, 2].flatMap { number in ["A", "e\u{301}", "\u{E9}"].map { (number, $0) } }
            try t.expect(tuples.map(\.0), equals: wanted.map(\.0))
            try t.expect(tuples.map(\.1), equals: wanted.map(\.1))
            let part = try await query.run("only { $0.text }.distinct().limit(2).offset(1).all()") {
                try await $0.only { $0.text }.distinct().limit(2).offset(1).all()
            }
            try t.expect(part, equals: ["a", "e\u{301}"])
            let few = try await store.select(Measure.self) { $0.limit(2) }.run("only { $0.text }.distinct().all()") {
                try await $0.only { $0.text }.distinct().all()
            }
            try t.expect(
                few, equals: ["A", "a"], "The limit of the select does not choose the rows that are distinct.")
        },
        ConformanceCase(
            "tuples/numbers", for: [.v4: [1], .q1: [1]], "0.0 and -0.0 are one distinct value, and so are all NaNs."
        ) {
            t in
            let store = try await t.open(Holder<Double>.self)
            let numbers: [Double] = [0, -0.0, .nan, -.nan, 1, .infinity, 1]
            try await store.insert(numbers.enumerated().map { Holder(id: $0.offset, value: $0.element) })
            let distinct = try await store.select(Holder<Double>.self).run("only { $0.value }.distinct().all()") {
                try await $0.only { $0.value }.distinct().all()
            }
            try t.expect(distinct, equals: [0, 1, .infinity, .nan])
        },
        ConformanceCase("tuples/negative", for: [.q6: [3]], "A negative limit or offset of tuples is invalidQuery.") {
            t in
            let store = try await t.open(Pen.self)
            try await store.insert(Pen(id: 1))
            for isDistinct in [false, true] {
                let query = store.select(Pen.self)
                try await t.expectError(.invalidQuery) {
                    try await query.run("only { $0.id }.limit(-1).all()") {
                        let tuples = $0.only { $0.id }
                        return try await (isDistinct ? tuples.distinct() : tuples).limit(-1).all()
                    }
                }
                try await t.expectError(.invalidQuery) {
                    try await query.run("only { $0.id }.offset(-1).all()") {
                        let tuples = $0.only { $0.id }
                        return try await (isDistinct ? tuples.distinct() : tuples).offset(-1).all()
                    }
                }
            }
        },
        ConformanceCase(
            "loaded/properties", for: [.c6: [2], .q1: [1]],
            "Records without their children have all their own properties, in the query's order."
        ) { t in
            let store = try await t.open(Person.self)
            try await store.insert(people)
            let query = store.select(Person.self) {
                $0.where { $0.pens.count > 1 }.order { $0.age.descending }.limit(6).offset(1)
            }
            let wanted = Array(
                people.filter { $0.pens.count > 1 }.sorted { ($1.age, $0.id) < ($0.age, $1.id) }.dropFirst().prefix(6))
            let loaded = try await query.run("withoutChildren().all()") { try await $0.withoutChildren().all() }
            try t.expect(loaded.map { try $0.id }, equals: wanted.map(\.id))
            try t.expect(loaded.map { try $0.name }, equals: wanted.map(\.name))
            try t.expect(loaded.map { try $0.nickname }, equals: wanted.map(\.nickname))
            try t.expect(loaded.map { try $0.height }, equals: wanted.map(\.height))
            try t.expect(loaded.map { try $0.isMember }, equals: wanted.map(\.isMember))
            try t.expect(loaded.map { try $0.tags }, equals: wanted.map(\.tags))
            try t.expect(
                try await store.all(Person.self), equals: people, "Reading without children has changed something.")
        },
        ConformanceCase(
            "loaded/keys", for: [.c6: [2], .k1: [1]], "Records without their children have the parts of their keys."
        ) {
            t in
            let store = try await t.open(Triple.self)
            let triples = [
                Triple(note: "a", code: Corpus.uuids[0], number: .max, kind: .odd),
                Triple(note: "", code: Corpus.uuids[1], number: .min, kind: .small),
            ]
            try await store.insert(triples)
            let loaded = try await store.select(Triple.self).run("withoutChildren().all()") {
                try await $0.withoutChildren().all()
            }
            try t.expect(loaded.map { try $0.code }, equals: triples.map(\.code))
            try t.expect(loaded.map { try $0.number }, equals: triples.map(\.number))
            try t.expect(loaded.map { try $0.kind }, equals: triples.map(\.kind))
            try t.expect(loaded.map { try $0.note }, equals: triples.map(\.note))
        },
        ConformanceCase(
            "loaded/children", for: [.c6: [2], .c1: [1]],
            "What records were loaded without is loaded later, of one or of many; of a record that is gone it is notFound."
        ) { t in
            let store = try await t.open(Person.self, Ply.self)
            try await store.insert(people)
            let light = try await store.select(Person.self) { $0.order { $0.id.descending } }
                .run("withoutChildren().all()") { try await $0.withoutChildren().all() }
            let wanted: [Person] = people.reversed()
            t.note("try await store.load(\\.pens, of: …)")
            try t.expect(try await store.store.load(\.pens, of: light), equals: wanted.map(\.pens))
            try t.expect(try await store.store.load(\.spares, of: light), equals: wanted.map(\.spares))
            try t.expect(try await store.store.load(\.city, of: light), equals: wanted.map(\.city))
            try t.expect(try await store.store.load(\.city, of: light[3]), equals: wanted[3].city)
            let again = try await store.store.load(\.pens, of: [light[0], light[1], light[0]])
            try t.expect(again, equals: [wanted[0].pens, wanted[1].pens, wanted[0].pens])
            try t.expect(try await store.store.load(\.pens, of: Array(light.prefix(0))), equals: [])
            let inside = try await store.store.read { try $0.load(\.pens, of: light[1]) }
            try t.expect(inside, equals: wanted[1].pens)
            try await t.expectError(.invalidQuery) { try await store.store.load(\.name, of: light) }
            try await store.delete(Person.self, key: 4)
            let gone = try await t.expectError(.notFound) { try await store.store.load(\.pens, of: light) }
            try t.expect(gone.key, equals: [.int(4)])
            // By a key of several parts.
            try await store.insert([
                Ply(rank: 1, side: "x", strand: Strand(size: 2)), Ply(rank: 1, side: "y"),
                Ply(rank: 2, side: "x", strand: Strand(size: 3)),
            ])
            let plies = try await store.select(Ply.self) { $0.where { $0.side == "x" } }
                .run("withoutChildren().all()") { try await $0.withoutChildren().all() }
            try t.expect(try await store.store.load(\.strand, of: plies).map(\.size), equals: [2, 3])
        },
        ConformanceCase(
            "records/contents", for: [.s4: [1]], "Records are read by the recorded schema, with all that they own."
        ) {
            t in
            let store = try await t.open(Person.self)
            try await store.insert(people)
            t.note("let records = try await store.records(\"Person\").where(text: \"any pens.price > 20\").all()")
            let records = try await store.store.records("Person").where(text: "any pens.price > 20").all()
            let wanted = people.filter { $0.pens.contains { ($0.price ?? 0) > 20 } }
            try t.expect(records.map { $0.value("id") }, equals: wanted.map { Value.int(Int64($0.id)) })
            try t.expect(records.map { $0.value("name") }, equals: wanted.map { Value.text($0.name) })
            try t.expect(
                records.map { $0.value("nickname") }, equals: wanted.map { $0.nickname.map(Value.text) ?? .null })
            try t.expect(records.map { $0.value("height") }, equals: wanted.map { Value.double($0.height) })
            for (record, person) in zip(records, wanted) {
                guard case .children(let pens?)? = record["pens"], case .child(let city)? = record["city"],
                    case .children(let spares)? = record["spares"]
                else { throw ConformanceFailure("Owned properties are not there: \(record)", location: #fileID) }
                try t.expect(pens.map { $0.value("color") }, equals: person.pens.map { Value.text($0.color) })
                try t.expect(city?.value("name"), equals: person.city.map { Value.text($0.name) })
                try t.expect(spares?.count, equals: person.spares?.count)
                try t.expect(record["tags"], equals: .value(person.tags.value, .array(of: .string)))
                try t.expect(pens.map(\.model), equals: person.pens.map { _ in "Person.pens" })
            }
            // Types that own themselves come as deep as they are stored.
            let leaf = Node(id: 9, name: "leaf")
            try await store.insert([
                Node(id: 1, name: "a", children: [Node(id: 2, name: "b", children: [leaf, leaf]), leaf]),
                Node(id: 5, name: "e"),
            ])
            let nodes = store.store.records("Node")
            try t.expect(try await nodes.all().map(outline), equals: ["a(b(leaf,leaf),leaf)", "e"])
            let some = nodes.where(text: "any children (name == \"b\" and count(children) == 2)")
            try t.expect(try await some.keys(), equals: [[.int(1)]])
        },
        ConformanceCase(
            "records/queries", for: [.s4: [1], .q3: [1]],
            "Records are filtered, sorted and paged by text, as models are."
        ) { t in
            let store = try await t.open(Person.self)
            try await store.insert(people)
            let select = store.select(Person.self) {
                $0.where { $0.city.name >= "c1" && $0.tags.contains("t0") }.order { $0.age.descending }.limit(4).offset(
                    1)
            }
            t.note(
                "try await store.records(\"Person\").where(text: …).order(text: \"age desc\").limit(4).offset(1).all()")
            let query = store.store.records("Person")
                .where(text: "city.name >= ? and tags contains 't0'", arguments: [.text("c1")]).order(text: "age desc")
            let records = try await query.limit(4).offset(1).all()
            try t.expect(records.map { $0.value("id") }, equals: try await select.keys().map { .int(Int64($0)) })
            try t.expect(
                try await query.count(),
                equals: people.count { ($0.city?.name ?? "") >= "c1" && $0.tags.contains("t0") })
            for text in ["nme = 'a'", "age >", "name > 5"] {
                try await t.expectError(.invalidQuery) {
                    try await store.store.records("Person").where(text: text).all()
                }
            }
            let nobody = try await t.expectError(.invalidQuery) { try await store.store.records("Nobody").all() }
            try t.expect(nobody.message.contains("it has Person"), "The error does not say what there is: \(nobody)")
            try await t.expectError(.invalidQuery) { try await store.store.records("Person").limit(-1).all() }
        },
    ]
}
