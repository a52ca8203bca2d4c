internal import Foundation
internal import StorageAPI

extension Conformance {
    /// C1 to C3, C6, C7: owned records.
    static let childCases: [ConformanceCase] = [
        ConformanceCase(
            "children/load", for: [.c1: [1], .c2: [1], .v1: [16]],
            "Owned records of every kind come back with their owners, three levels deep."
        ) {
            t in
            let store = try await t.open(Person.self)
            let people = (1...40).map(Samples.person)
            try await store.insert(people.reversed())
            try t.expect(try await store.all(Person.self), equals: people)
            for person in people { try t.expect(try await store.find(Person.self, key: person.id), equals: person) }
        },
        ConformanceCase(
            "children/load-chosen-owners", for: [.c1: [1], .c6: [2]],
            "They come with filtered, sorted and limited owners too."
        ) {
            t in
            let store = try await t.open(Person.self)
            let people = (1...40).map(Samples.person)
            try await store.insert(people)
            try t.expect(try await store.all(Person.self) { $0.order { $0.id.descending } }, equals: people.reversed())
            try t.expect(
                try await store.all(Person.self) { $0.where { $0.id > 10 }.limit(5) }, equals: Array(people[10..<15]))
            try t.expect(try await store.all(Person.self) { $0.limit(7).offset(30) }, equals: Array(people[30..<37]))
            let last = try await store.select(Person.self) { $0.order { $0.id.descending } }.first()
            try t.expect(last, equals: people.last)
            try t.expect(try await store.select(Person.self).stream(), equals: people)
        },
        ConformanceCase(
            "children/save-replaces", for: [.c3: [2]], "After each save the stored children are exactly the given ones."
        ) {
            t in
            let store = try await t.open(Person.self)
            let neighbours = [Samples.person(1), Samples.person(3)]
            try await store.insert(neighbours)
            for (round, number) in [11, 59, 12, 60, 30, 47, 5, 58].enumerated() {
                var person = Samples.person(number)
                person.id = 2
                if round % 2 == 0 { try await store.save(person) } else { try await store.update(person) }
                try t.expect(try await store.find(Person.self, key: 2), equals: person)
                try t.expect(try await store.all(Person.self) { $0.where { $0.id != 2 } }, equals: neighbours)
            }
        },
        ConformanceCase(
            "children/reorder", for: [.c3: [1, 2]], "A reordered array is stored reordered, and loses nothing."
        ) { t in
            let store = try await t.open(Person.self)
            let pens = [3, 1, 2, 1].enumerated().map { Pen(id: $0.element, color: "p\($0.offset)") }
            for order in [pens, pens.reversed(), [pens[2], pens[0], pens[3], pens[1]]] {
                try await store.save(Person(id: 1, pens: order))
                try t.expect(try await store.find(Person.self, key: 1)?.pens, equals: order)
            }
        },
        ConformanceCase(
            "children/grow-shrink-clear", for: [.c3: [2]], "Arrays grow, shrink and become empty; what went stays away."
        ) { t in
            let store = try await t.open(Person.self)
            for count in [3, 4, 1, 0, 5, 2, 0] {
                let person = Person(
                    id: 1, pens: (0..<count).map { Pen(id: $0) }, spares: (0..<count).map { Pen(id: $0) })
                try await store.save(person)
                try t.expect(try await store.find(Person.self, key: 1), equals: person)
                let stored = try await store.select(Pen.self).run("owned(by: Person.self, \\.pens).count()") {
                    try await $0.owned(by: Person.self, \.pens).count()
                }
                try t.expect(stored, equals: count, "Other children are stored than the owner's.")
            }
        },
        ConformanceCase(
            "children/optional-one", for: [.c1: [1], .c3: [2], .v3: [1]],
            "An optional child comes, changes, goes and comes again."
        ) {
            t in
            let store = try await t.open(Person.self)
            let cities = [
                nil, City(id: 1, name: "a"), City(id: 1, name: "b", districts: [District(id: 1)]), nil, City(id: 2),
            ]
            for city in cities {
                try await store.save(Person(id: 1, city: city))
                try t.expect(try await store.find(Person.self, key: 1)?.city, equals: city)
            }
        },
        ConformanceCase(
            "children/optional-array", for: [.c3: [2], .v3: [1]],
            "nil and [] of an optional array are told apart through changes."
        ) {
            t in
            let store = try await t.open(Person.self)
            for spares in [nil, [], [Pen(id: 1)], nil, [Pen(id: 1), Pen(id: 2)], [], nil] as [[Pen]?] {
                try await store.save(Person(id: 1, spares: spares))
                try t.expect(try await store.find(Person.self, key: 1)?.spares, equals: spares)
            }
        },
        ConformanceCase(
            "children/required", for: [.c1: [1], .v1: [16]],
            "A child that is not optional is there, and changes with its owner."
        ) { t in
            let store = try await t.open(House.self)
            let houses = (1...5).map { House(id: $0, door: Pen(id: 1, color: "door \($0)")) }
            try await store.insert(houses)
            try await store.update(House(id: 3, door: Pen(id: 9, color: "new")))
            try t.expect(
                try await store.all(House.self).map(\.door.color),
                equals: ["door 1", "door 2", "new", "door 4", "door 5"])
        },
        ConformanceCase("children/properties-apart", for: [.c2: [4]], "Properties of one type never mix.") { t in
            let store = try await t.open(House.self)
            let houses = [
                House(
                    id: 1, door: Pen(id: 1, color: "d"), front: Pen(id: 1, color: "f"), back: nil, left: [],
                    right: [Pen(id: 1)]),
                House(
                    id: 2, door: Pen(id: 1), front: nil, back: Pen(id: 1, color: "b"), left: [Pen(id: 1), Pen(id: 2)]),
            ]
            try await store.insert(houses)
            try t.expect(try await store.all(House.self), equals: houses)
            var swapped = houses[0]
            swap(&swapped.left, &swapped.right)
            swap(&swapped.front, &swapped.back)
            try await store.save(swapped)
            try t.expect(try await store.all(House.self), equals: [swapped, houses[1]])
            let ids = try await store.select(House.self) { $0.where { $0.back.color == "f" } }.keys()
            try t.expect(ids, equals: [1])
        },
        ConformanceCase(
            "children/equal-ids", for: [.c2: [2], .c8: [2]],
            "A child's own id is data: one array and two owners may hold it often."
        ) { t in
            let store = try await t.open(Person.self)
            let same = (0..<4).map { Pen(id: 7, color: "p\($0)") }
            let people = [Person(id: 1, pens: same), Person(id: 2, pens: same.reversed(), spares: same)]
            try await store.insert(people)
            try t.expect(try await store.all(Person.self), equals: people)
            try await store.delete(Person.self, key: 1)
            try t.expect(try await store.all(Person.self), equals: [people[1]])
        },
        ConformanceCase(
            "children/moved", for: [.c2: [3]], "A child that is given to another owner belongs to that one alone."
        ) {
            t in
            let store = try await t.open(Person.self)
            let pen = Pen(id: 9, color: "moving")
            try await store.insert([Person(id: 1, pens: [pen]), Person(id: 2)])
            let after = [Person(id: 1), Person(id: 2, pens: [pen])]
            try await store.save(after)
            try t.expect(try await store.all(Person.self), equals: after)
            try await store.delete(after[0])
            try t.expect(try await store.all(Person.self), equals: [after[1]])
        },
        ConformanceCase(
            "children/failure-undone", for: [.c7: [1], .w4: [2]],
            "A failure anywhere in a graph leaves nothing of the call."
        ) { t in
            let store = try await t.open(Person.self)
            let old = Samples.person(7)
            try await store.insert(old)
            let people = (1...40).map(Samples.person)
            let error = try await t.expectError(.duplicateKey) { try await store.insert(people) }
            try t.expect(error.element, equals: 6)
            try await t.expectError(.notFound) { try await store.update(people) }
            try t.expect(try await store.all(Person.self), equals: [old])
            let kept = try await store.select(Pen.self).run("owned(by: Person.self, \\.pens).count()") {
                try await $0.owned(by: Person.self, \.pens).count()
            }
            try t.expect(kept, equals: old.pens.count, "Children of the undone call are stored.")
        },
        ConformanceCase(
            "children/failure-deep", for: [.c7: [1], .e1: [1]],
            "A child that cannot be stored undoes its owner's call, and is named."
        ) {
            t in
            let store = try await t.open(Owner<URL>.self)
            let base = try t.required(URL(string: "http://a/"))
            let relative = try t.required(URL(string: "b", relativeTo: base))
            let error = try await t.expectError(.invalidValue) {
                try await store.insert(
                    Owner(id: 1, many: [Holder(id: 1, value: base), Holder(id: 2, value: relative)]))
            }
            try t.expect(error.property?.contains("many") == true, "The error does not name the way to the child.")
            try t.expect(try await store.select(Owner<URL>.self).count(), equals: 0)
        },
        ConformanceCase(
            "children/200x100", for: [.c3: [2]], "200 owners with 100 children each are saved, changed and deleted."
        ) { t in
            let store = try await t.open(Account.self)
            let pens = (0..<100).map { Pen(id: $0) }
            var accounts = (0..<200).map { Account(id: $0, pens: pens) }
            try await store.insert(accounts)
            accounts[100].pens.removeFirst(50)
            try await store.save(accounts[100])
            let stored = try await store.all(Account.self)
            try t.expect(stored.map(\.pens.count), equals: accounts.map(\.pens.count))
            try t.expect(stored[100], equals: accounts[100])
            try t.expect(try await store.delete(accounts), equals: 200)
        },
    ]

    /// C4, C5: types that own themselves, and types that are both root and owned.
    static let graphCases: [ConformanceCase] = [
        ConformanceCase("graphs/trees", for: [.c4: [1]], "Trees of one type come back, change and go.") { t in
            let store = try await t.open(Node.self)
            func tree(_ depth: Int) -> Node {
                Node(id: depth, name: "\(depth)", children: (0..<depth).map { tree($0) })
            }
            var trees = (0..<5).map { tree($0) }
            try await store.insert(trees)
            try t.expect(try await store.all(Node.self), equals: trees)
            trees[4].children[3].children.swapAt(0, 2)
            trees[4].children[3].children[1].name = "changed"
            trees[3].children.removeFirst()
            trees[2].children = []
            try await store.save(trees)
            try t.expect(try await store.all(Node.self), equals: trees)
            let deep = store.select(Node.self) {
                $0.where { $0.children.any { $0.children.any { $0.name == "changed" } && $0.children.count > 1 } }
            }
            try t.expect(try await deep.keys(), equals: [4])
            try t.expect(try await store.delete(trees[4]), equals: 1)
            try await store.insert(Node(id: 4))
            try t.expect(try await store.find(Node.self, key: 4), equals: Node(id: 4))
        },
        ConformanceCase("graphs/mutual", for: [.c4: [1]], "Two types that own each other come back.") { t in
            let store = try await t.open(Link.self)
            func link(_ depth: Int) -> Link {
                Link(id: depth, next: (0..<depth).map { Chain(id: $0, link: $0 == 1 ? nil : link($0)) })
            }
            let links = (0..<5).map { link($0) }
            try await store.insert(links)
            try t.expect(try await store.all(Link.self), equals: links)
            try await store.insert(Chain(id: 1, link: link(3)))
            try await store.update(Link(id: 4, next: [Chain(id: 1, link: link(2))]))
            try t.expect(try await store.find(Chain.self, key: 1), equals: Chain(id: 1, link: link(3)))
            try t.expect(
                try await store.all(Link.self),
                equals: links.dropLast() + [Link(id: 4, next: [Chain(id: 1, link: link(2))])])
        },
        ConformanceCase(
            "graphs/depth-limit", for: [.c4: [1], .e4: [2]],
            "The declared depth, at least 64, passes; one level more is limitExceeded."
        ) {
            t in
            let store = try await t.open(Node.self)
            let limit = store.info.limits.depth
            try t.expect(limit >= 64, "The declared depth is less than 64.")
            func chain(_ levels: Int) -> Node {
                var node = Node(id: levels)
                for level in (0..<levels).reversed() { node = Node(id: level, children: [node]) }
                return node
            }
            try await store.insert(chain(limit))
            try t.expect(try await store.find(Node.self, key: 0), equals: chain(limit))
            let error = try await t.expectError(.limitExceeded) {
                try await store.save([Node(id: 9), chain(limit + 1)])
            }
            try t.expect(error.element, equals: 1)
            try await t.expectError(.limitExceeded) { try await store.save(chain(1000)) }
            try t.expect(try await store.all(Node.self), equals: [chain(limit)])
        },
        ConformanceCase(
            "graphs/roots-and-owned", for: [.c5: [1, 2]], "Root records and owned records of one type are separate."
        ) {
            t in
            let store = try await t.open(Person.self, Pen.self)
            let person = Person(id: 1, pens: [Pen(id: 1, color: "owned")])
            try await store.insert(person)
            try t.expect(try await store.all(Pen.self), equals: [])
            try await store.insert(Pen(id: 1, color: "root"))
            try await store.update(Pen.self) { $0.set(\.color, to: "changed") }
            try t.expect(try await store.all(Person.self), equals: [person])
            try await store.truncate(Pen.self)
            try t.expect(try await store.all(Person.self), equals: [person])
        },
        ConformanceCase(
            "graphs/owned-query", for: [.c5: [3]],
            "Owned records are found with their owners' keys, filtered and sorted."
        ) {
            t in
            let store = try await t.open(Person.self)
            try await store.insert([
                Person(id: 2, pens: [Pen(id: 1, color: "red"), Pen(id: 1, color: "blue")]),
                Person(id: 1, city: City(id: 5, name: "c"), pens: [Pen(id: 9, color: "red")]), Person(id: 3),
            ])
            let all = try await store.select(Pen.self).run("owned(by: Person.self, \\.pens).all()") {
                try await $0.owned(by: Person.self, \.pens).all()
            }
            try t.expect(all.map(\.owner), equals: [1, 2, 2])
            try t.expect(all.map(\.value.color), equals: ["red", "red", "blue"])
            let red = try await store.select(Pen.self) { $0.where { $0.color == "red" }.order { $0.id.ascending } }
                .run("owned(by: Person.self, \\.pens).all()") { try await $0.owned(by: Person.self, \.pens).all() }
            try t.expect(red.map(\.owner), equals: [2, 1])
            let last = try await store.select(Pen.self) { $0.order { $0.id.descending }.limit(1) }
                .run("owned(by: Person.self, \\.pens).all()") { try await $0.owned(by: Person.self, \.pens).all() }
            try t.expect(last.map(\.owner), equals: [1])
            let city = try await store.select(City.self).run("owned(by: Person.self, \\.city).all()") {
                try await $0.owned(by: Person.self, \.city).all()
            }
            try t.expect(city.map(\.owner), equals: [1])
            let none = try await store.select(City.self) { $0.where { $0.districts.any { $0.id == 1 } } }
                .run("owned(by: Person.self, \\.city).count()") { try await $0.owned(by: Person.self, \.city).count() }
            try t.expect(none, equals: 0)
            try t.expect(
                try await store.store.transaction { tx in
                    try tx.select(Pen.self).owned(by: Person.self, \.pens).count()
                }, equals: 3)
        },
    ]
}
