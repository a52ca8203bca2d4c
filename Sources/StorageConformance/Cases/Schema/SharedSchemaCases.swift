internal import StorageAPI

// S11: another program changes the schema of a store that is open.

extension Conformance {
    static let sharedSchemaCases: [ConformanceCase] = [
        ConformanceCase(
            "sharing/renamed", for: [.s11: [1, 2, 3]], needs: [.sharing],
            "A model that another program has renamed a property of is refused, naming it; other models go on."
        ) { t in try await renamed(t, hasBeenRead: true) },
        ConformanceCase(
            "sharing/renamed-unread", for: [.s11: [1, 3]], needs: [.sharing],
            "A rename by another program is noticed by a store that has read nothing yet."
        ) { t in try await renamed(t, hasBeenRead: false) },
        ConformanceCase(
            "sharing/renamed-owned", for: [.s11: [1, 3, 4]], needs: [.sharing],
            "Owned records that another program has renamed are neither read nor written under their former name."
        ) { t in
            let first = try await t.open(Versioned<Tags>.self)
            let record = Versioned<Tags>(1, .records([[1, "x"]]))
            try await first.insert(record)
            try t.expect(try await first.all(Versioned<Tags>.self), equals: [record])
            let second = try await t.open(Versioned<LabelsFromTags>.self)
            let errors = [
                try await t.expectError(.schemaMismatch) { try await first.all(Versioned<Tags>.self) },
                try await t.expectError(.schemaMismatch) { try await first.save(record) },
                try await t.expectError(.schemaMismatch) { try await first.delete(Versioned<Tags>.self, key: 1) },
            ]
            for error in errors { try t.expect(error.property, equals: "tags") }
            try t.expect(
                try await second.all(Versioned<LabelsFromTags>.self),
                equals: [Versioned<LabelsFromTags>(1, .records([[1, "x"]]))])
        },
        ConformanceCase(
            "sharing/renamed-while-reading", for: [.t3: [2], .s11: [3]], needs: [.sharing, .changingWhileReading],
            "A read block goes on in its snapshot while another program renames a property."
        ) { t in
            let first = try await t.open(Versioned<Title>.self)
            let record = Versioned<Title>(1, "a")
            try await first.insert(record)
            let other = try await t.open()
            try await first.read { snapshot in
                try t.expect(try snapshot.all(Versioned<Title>.self), equals: [record])
                _ = try other.blocking.count(Versioned<NameFromTitle>.self)
                try t.expect(try snapshot.all(Versioned<Title>.self), equals: [record])
            }
            try await t.expectError(.schemaMismatch) { try await first.all(Versioned<Title>.self) }
        },
        ConformanceCase(
            "sharing/added", for: [.s11: [2], .s7: [3]], needs: [.sharing],
            "What another program adds to an open store is no obstacle, and is kept by what is saved."
        ) { t in
            let first = try await t.open(Versioned<TitledTags>.self)
            let old = Versioned<TitledTags>(1, "a", .records([[1, "x"], [2, "y"]]))
            try await first.insert(old)
            try t.expect(try await first.all(Versioned<TitledTags>.self), equals: [old])
            let second = try await t.open(Versioned<SecretTags>.self)
            let secret = Versioned<SecretTags>(1, "b", .records([[1, "x", "s"], [2, "y", nil]]))
            try await second.save(secret)
            let read = Versioned<TitledTags>(1, "b", .records([[1, "x"], [2, "y"]]))
            try t.expect(try await first.all(Versioned<TitledTags>.self), equals: [read])
            try t.expect(try await first.find(Versioned<TitledTags>.self, key: 1), equals: read)
            try await first.save(Versioned<TitledTags>(1, "c", .records([[2, "y"], [1, "x"]])))
            try await first.transaction { _, tx in
                try tx.insert(Versioned<TitledTags>(2, "d", .records([[3, "z"]])))
            }
            let stored = [
                Versioned<SecretTags>(1, "c", .records([[2, "y", nil], [1, "x", "s"]])),
                Versioned<SecretTags>(2, "d", .records([[3, "z", nil]])),
            ]
            try t.expect(try await second.all(Versioned<SecretTags>.self), equals: stored)
        },
        ConformanceCase(
            "sharing/made-optional", for: [.s11: [2], .s7: [3]], needs: [.sharing],
            "A property that another program makes Optional is no obstacle, nor what it adds beside; a nil is its row's error."
        ) { t in
            let first = try await t.open(Versioned<RequiredTitle>.self)
            try await first.insert(Versioned<RequiredTitle>(1, "a"))
            try t.expect(try await first.find(Versioned<RequiredTitle>.self, key: 1), equals: .init(1, "a"))
            let second = try await t.open(Versioned<TitleAndSize>.self)
            try await second.insert([Versioned<TitleAndSize>(2, nil, 7), Versioned<TitleAndSize>(3, "c", 8)])
            try t.expect(try await first.find(Versioned<RequiredTitle>.self, key: 3), equals: .init(3, "c"))
            let errors = [
                try await t.expectError(.typeMismatch) { try await first.find(Versioned<RequiredTitle>.self, key: 2) },
                try await t.expectError(.typeMismatch) { try await first.all(Versioned<RequiredTitle>.self) },
            ]
            for error in errors { try t.expect(error.property, equals: "title") }
            try await first.insert(Versioned<RequiredTitle>(4, "d"))
            try await first.save([Versioned<RequiredTitle>(2, "b"), Versioned<RequiredTitle>(5, "e")])
            try await first.update(Versioned<RequiredTitle>(3, "f"))
            try await first.transaction { _, tx in try tx.insert(Versioned<RequiredTitle>(6, "g")) }
            try t.expect(try await first.select(Versioned<RequiredTitle>.self).count(), equals: 6)
            try t.expect(
                try await second.all(Versioned<TitleAndSize>.self),
                equals: [
                    .init(1, "a", 3), .init(2, "b", 7), .init(3, "f", 8), .init(4, "d", 3), .init(5, "e", 3),
                    .init(6, "g", 3),
                ])
        },
        ConformanceCase(
            "sharing/array-made-optional", for: [.s11: [3, 4]], needs: [.sharing],
            "An array of owned records that another program makes Optional is refused, since its nil is not an empty one."
        ) { t in
            let first = try await t.open(Versioned<Tags>.self)
            try await first.insert(Versioned<Tags>(1, .records([[1, "x"]])))
            try t.expect(try await first.select(Versioned<Tags>.self).count(), equals: 1)
            let second = try await t.open(Versioned<OptionalTags>.self)
            try await second.insert(Versioned<OptionalTags>(2, nil))
            let errors = [
                try await t.expectError(.schemaMismatch) { try await first.find(Versioned<Tags>.self, key: 2) },
                try await t.expectError(.schemaMismatch) {
                    try await first.save(Versioned<Tags>(2, .records([[2, "y"]])))
                },
            ]
            for error in errors { try t.expect(error.property, equals: "tags") }
            try t.expect(
                try await second.all(Versioned<OptionalTags>.self),
                equals: [.init(1, .records([[1, "x"]])), .init(2, nil)])
        },
        ConformanceCase(
            "sharing/added-owned", for: [.s11: [2], .s7: [2]], needs: [.sharing],
            "What another program lets a record own goes with the record, also where an open store does not know of it."
        ) { t in
            let first = try await t.open(Versioned<Title>.self)
            try await first.insert([Versioned<Title>(1, "a"), Versioned<Title>(2, "b")])
            let second = try await t.open(Versioned<TitleAndTags>.self)
            try await second.save([
                Versioned<TitleAndTags>(1, "a", .records([[7, "x"]])),
                Versioned<TitleAndTags>(2, "b", .records([[8, "y"]])),
            ])
            try await first.save(Versioned<Title>(1, "c"))
            try await first.delete(Versioned<Title>.self, key: 2)
            try await first.insert(Versioned<Title>(2, "new"))
            let stored = [
                Versioned<TitleAndTags>(1, "c", .records([[7, "x"]])), Versioned<TitleAndTags>(2, "new", .records([])),
            ]
            try t.expect(try await second.all(Versioned<TitleAndTags>.self), equals: stored)
        },
        ConformanceCase(
            "sharing/retyped", for: [.s11: [3, 4]], needs: [.sharing],
            "A property that another program has given another type is not read as what it was."
        ) { t in try await retyped(t, hasBeenRead: true) },
        ConformanceCase(
            "sharing/retyped-unread", for: [.s11: [1, 4]], needs: [.sharing],
            "Another type of a property is noticed by a store that has read nothing yet."
        ) { t in try await retyped(t, hasBeenRead: false) },
    ]

    private static func retyped(_ t: Trial, hasBeenRead: Bool) async throws {
        let first = try await t.open(IntItem.self)
        try await first.insert(IntItem(id: 1, value: 5))
        if hasBeenRead { try t.expect(try await first.all(IntItem.self), equals: [IntItem(id: 1, value: 5)]) }
        let second = try await t.open(Item<AsDouble>.self)
        try await second.insert(Item<AsDouble>(id: 2, value: 2.5))
        let errors = [
            try await t.expectError(.schemaMismatch) { try await first.all(IntItem.self) },
            try await t.expectError(.schemaMismatch) { try await first.find(IntItem.self, key: 2) },
            try await t.expectError(.schemaMismatch) { try await first.save(IntItem(id: 2, value: 5)) },
        ]
        for error in errors { try t.expect(error.property, equals: "value") }
        try t.expect(
            try await second.all(Item<AsDouble>.self),
            equals: [Item<AsDouble>(id: 1, value: 5), Item<AsDouble>(id: 2, value: 2.5)])
    }

    private static func renamed(_ t: Trial, hasBeenRead: Bool) async throws {
        typealias Old = Versioned<Title>
        typealias New = Versioned<NameFromTitle>
        let first = try await t.open(Old.self, Pen.self)
        if hasBeenRead {
            try await first.insert(Old(1, "a"))
            try await first.insert(Pen(id: 1))
            try t.expect(try await first.find(Old.self, key: 1), equals: Old(1, "a"))
            try t.expect(try await first.all(Old.self), equals: [Old(1, "a")])
        } else {
            // By another store, so that the first has compiled nothing yet.
            let filling = try await t.open(Pen.self)
            try await filling.insert(Pen(id: 1))
        }
        let second = try await t.open(New.self)
        try await second.save(New(2, "b"))
        var errors = [
            try await t.expectError(.schemaMismatch) { try await first.find(Old.self, key: 1) },
            try await t.expectError(.schemaMismatch) { try await first.all(Old.self) },
            try await t.expectError(.schemaMismatch) { try await first.select(Old.self).stream() },
            try await t.expectError(.schemaMismatch) { try await first.save(Old(1, "c")) },
            try await t.expectError(.schemaMismatch) { try await first.insert([Old(3, "c")]) },
            try await t.expectError(.schemaMismatch) { try await first.transaction { _, tx in try tx.all(Old.self) } },
        ]
        errors.append(
            try await t.expectError(.schemaMismatch) {
                try await first.transaction { _, tx in
                    try tx.insert(Pen(id: 9))
                    try tx.save(Old(1, "c"))
                }
            })
        for error in errors {
            try t.expect(error.model, equals: "Note")
            try t.expect(error.property, equals: "title", "The error does not name the property: \(error)")
        }
        try t.expect(try await first.select(Pen.self).keys(), equals: [1])
        try await first.insert(Pen(id: 2))
        try t.expect(try await first.store.records("Note").count(), equals: hasBeenRead ? 2 : 1)
        try t.expect(try await second.find(New.self, key: 2), equals: New(2, "b"))
    }
}
