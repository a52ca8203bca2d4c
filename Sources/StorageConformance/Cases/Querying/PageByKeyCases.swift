internal import StorageAPI

extension Conformance {
    /// P1 and P2: pages that begin at a record.
    static let pageByKeyCases: [ConformanceCase] = [
        ConformanceCase(
            "pages/by-key", for: [.p1: [1], .v4: [10]],
            "Pages after and before a position are the parts of the whole list, in every order and in both directions."
        ) { t in
            let store = try await t.open(Person.self)
            try await store.insert(people)
            for (name, order) in orders {
                let query = order(store.store.select(Person.self))
                let all = try await query.all()
                for size in [1, 4, 29, 30, 100] {
                    let forwards = try await walk(query, size: size)
                    try t.expect(forwards.flatMap(\.records), equals: all, "\(name), forwards by \(size)")
                    try t.expect(forwards.count, equals: (all.count + size - 1) / size, "\(name), pages of \(size)")
                    guard let end = forwards.last?.records.last else { continue }
                    var backwards: [Person] = []
                    var page = try await query.page(after: end, size: size)
                    try t.expect(page.records.isEmpty && page.next == nil, "\(name): nothing follows the last record")
                    while let token = page.previous {
                        page = try await query.page(before: token, size: size)
                        backwards = page.records + backwards
                        try t.expect(page.records.count <= size, "\(name): at most \(size) records")
                    }
                    try t.expect(backwards, equals: all, "\(name), backwards by \(size)")
                }
            }
        },
        ConformanceCase(
            "pages/by-key-filtered", for: [.p1: [1]],
            "A query's conditions and records without types have pages too, and a session's are a store's."
        ) { t in
            let store = try await t.open(Person.self)
            try await store.insert(people)
            let query = store.store.select(Person.self).where { $0.age != 1 }.order { $0.nickname.descending }
            let all = try await query.all()
            try t.expect(try await walk(query, size: 3).flatMap(\.records), equals: all)
            let ids = try await store.store.read { reader throws(StorageError) in
                let query = reader.select(Person.self).where { $0.age != 1 }.order { $0.nickname.descending }
                var page = try query.page(size: 5)
                var ids = page.records.map(\.id)
                while let token = page.next {
                    page = try query.page(after: token, size: 5)
                    ids += page.records.map(\.id)
                }
                return ids
            }
            try t.expect(ids, equals: all.map(\.id))
            let records = store.store.records("Person").order(text: "age desc, nickname")
            let wanted = try await records.all().map(\.description)
            try t.expect(try await walk(records, size: 7).flatMap(\.records).map(\.description), equals: wanted)
        },
        ConformanceCase(
            "pages/by-key-through", for: [.p1: [1]],
            "Pages follow an order through a reference and by a computed value."
        ) { t in
            let store = try await t.open(Seat.self, Booking.self)
            try await store.insert((0..<12).map { Seat(bank: 1, letter: "s\($0)", price: Double($0 % 4)) })
            try await store.insert(
                (0..<30).map { id in
                    let seat = Ref<Seat>(key: (1, "s\(id * 7 % 12)"))
                    return Booking(id: id, seat: seat, other: seat, wishes: [], only: Ref(key: (1, "s\(id % 12)")))
                })
            let query = store.store.select(Booking.self).order { $0.seat.price.descending }
            let all = try await query.all().map(\.id)
            try t.expect(try await walk(query, size: 4).flatMap(\.records).map(\.id), equals: all)
            let computed = store.store.select(Booking.self).order { ($0.seat.price * 2).ascending }.order {
                $0.id.descending
            }
            let sorted = try await computed.all().map(\.id)
            try t.expect(try await walk(computed, size: 4).flatMap(\.records).map(\.id), equals: sorted)
            try await throughOptional(t, store)
            // The token is of the order, whatever the conditions are.
            let token = try t.required(try await computed.page(size: 4).next)
            let some = try await computed.where { $0.id > 3 && $0.id.isIn([5, 7, 11]) }.page(after: token, size: 4)
            try t.expect(some.records.map(\.id), equals: sorted.dropFirst(4).filter { [5, 7, 11].contains($0) })
            let other = store.store.select(Booking.self).order { ($0.seat.price * -2).ascending }.order {
                $0.id.descending
            }
            try await t.expectError(.invalidValue) { try await other.page(after: token, size: 4) }
        },
        ConformanceCase(
            "pages/by-key-while-written", for: [.p1: [2]],
            "Records that come and go between pages let no page repeat or skip a record that stays."
        ) { t in
            let store = try await t.open(Person.self)
            try await store.insert(people)
            let query = store.store.select(Person.self).order { $0.age }.order { $0.name.descending }
            let staying = Set(people.map(\.id).filter { $0 % 3 != 0 })
            var met: [Int] = []
            var page = try await query.page(size: 4)
            var round = 0
            while true {
                met += page.records.map(\.id).filter(staying.contains)
                // The record at which the next page begins may go too.
                if let last = page.records.last, last.id % 3 == 0 { try await store.delete(last) }
                try await store.save(Person(id: 100 + round, name: "n\(round)", age: round % 3))
                try await store.delete(Person.self, key: 3 * round)
                round += 1
                guard let next = page.next else { break }
                page = try await query.page(after: next, size: 4)
            }
            let wanted = try await query.all().map(\.id).filter(staying.contains)
            try t.expect(met, equals: wanted)
        },
        ConformanceCase(
            "pages/by-key-refused", for: [.p1: [3], .q6: [3]],
            "A token is text; one of another order is refused, as are sizes below 1, limits and records that are not stored."
        ) { t in
            let store = try await t.open(Person.self)
            try await store.insert(people)
            let query = store.store.select(Person.self).order { $0.name }
            let token = try t.required(try await query.page(size: 3).next)
            let read = try t.required(Store.PageToken(token.description))
            try t.expect(read, equals: token)
            try t.expect(
                try await query.page(after: read, size: 3).records,
                equals: try await query.page(after: token, size: 3).records)
            let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
            try t.expect(token.description.allSatisfy(allowed.contains), "The text fits into an address.")
            let text = token.description
            for damaged in ["", "x", String(text.dropFirst()), text + "=", text + "A", "…"] {
                try t.expect(Store.PageToken(damaged).map { $0 == token } ?? false, equals: false)
            }
            for other in [
                store.store.select(Person.self).order { $0.name.descending }, store.store.select(Person.self),
                store.store.select(Person.self).order { $0.nickname },
            ] {
                try await t.expectError(.invalidValue) { try await other.page(after: token, size: 3) }
                try await t.expectError(.invalidValue) { try await other.page(before: token, size: 3) }
            }
            for size in [0, -1, Int.min, Int.max] {
                try await t.expectError(.invalidQuery) { try await query.page(size: size) }
            }
            try await t.expectError(.invalidQuery) { try await query.limit(5).page(size: 3) }
            try await t.expectError(.invalidQuery) { try await query.offset(5).page(size: 3) }
            try await t.expectError(.notFound) { try await query.page(after: Person(id: 99), size: 3) }
        },
    ]

    /// Pages through a reference that some records do not have, and through two references at once.
    private static func throughOptional(_ t: Trial, _ store: RecordedStore) async throws {
        try await store.save(
            (0..<30).map { id in
                let seat = Ref<Seat>(key: (1, "s\(id * 7 % 12)"))
                let other: Ref<Seat>? = id % 3 == 0 ? nil : Ref(key: (1, "s\(id * 5 % 12)"))
                return Booking(id: id, seat: seat, other: other, wishes: [])
            })
        func seat(_ id: Int) -> Int { id * 7 % 12 }
        func price(_ id: Int) -> Int? { id % 3 == 0 ? nil : id * 5 % 12 % 4 }
        let query = store.store.select(Booking.self)
        let orders: [(String, Select<Booking, Store>, (Int) -> [Int])] = [
            ("nil first", query.order { $0.other.price }, { [price($0) ?? -1, $0] }),
            ("nil last", query.order { $0.other.price.ascending.nilsLast }, { [price($0) ?? 9, $0] }),
            ("descending", query.order { $0.other.price.descending }, { [-(price($0) ?? -1), $0] }),
            (
                "by two references", query.order { $0.seat.price.descending }.order { $0.other.price },
                { [-(seat($0) % 4), price($0) ?? -1, $0] }
            ),
        ]
        for (name, query, key) in orders {
            let wanted = (0..<30).sorted { key($0).lexicographicallyPrecedes(key($1)) }
            try t.expect(try await query.all().map(\.id), equals: wanted, name)
            try t.expect(try await walk(query, size: 7).flatMap(\.records).map(\.id), equals: wanted, "\(name), pages")
            let some = query.where { $0.other.price != 2 && $0.id < 20 }
            let left = wanted.filter { price($0) != 2 && $0 < 20 }
            try t.expect(try await walk(some, size: 3).flatMap(\.records).map(\.id), equals: left, "\(name), some")
        }
    }

    private static let people: [Person] = (0..<29).map { id in
        let nickname = id % 4 == 0 ? nil : "k\(id % 6)"
        return Person(id: id, name: "n\(id * 5 % 7)", age: id % 3, height: Double(id * 11 % 13) - 6, nickname: nickname)
    }

    private typealias PersonQuery = Select<Person, Store>

    private static var orders: [(String, (PersonQuery) -> PersonQuery)] {
        [
            ("by key", { $0 }),
            ("by key, descending", { $0.order { $0.id.descending } }),
            ("by an index", { $0.order { $0.name } }),
            ("by an index, descending", { $0.order { $0.name.descending } }),
            ("by two terms", { $0.order { $0.age.descending }.order { $0.name } }),
            ("by three terms", { $0.order { $0.isMember }.order { $0.height.descending }.order { $0.age } }),
            ("by an optional", { $0.order { $0.nickname } }),
            ("by an optional, descending", { $0.order { $0.nickname.descending } }),
            ("nil last", { $0.order { $0.nickname.ascending.nilsLast }.order { $0.age } }),
            ("nil first", { $0.order { $0.nickname.descending.nilsFirst }.order { $0.name.descending } }),
            ("an optional second", { $0.order { $0.age }.order { $0.nickname.ascending.nilsLast } }),
            ("an optional second, descending", { $0.order { $0.age }.order { $0.nickname.descending.nilsFirst } }),
        ]
    }

    /// All pages of a query, the first one first.
    private static func walk<Model>(
        _ query: Select<Model, Store>, size: Int
    ) async throws -> [Store.Page<Model>] where Model: Sendable {
        var pages = [try await query.page(size: size)]
        while let next = pages.last?.next { pages.append(try await query.page(after: next, size: size)) }
        return pages
    }
}
