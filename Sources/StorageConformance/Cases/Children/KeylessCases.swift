internal import StorageAPI

// C8: owned types without a key.

extension Conformance {
    static let keylessCases: [ConformanceCase] = [
        ConformanceCase(
            "children/keyless", for: [.c8: [1]],
            "Owned records without a key, one, many and below each other, are stored, changed and loaded with their owner."
        ) { t in
            let store = try await t.open(Journey.self)
            try await store.insert(journeys)
            try t.expect(try await store.all(Journey.self), equals: journeys)
            try t.expect(try await store.find(Journey.self, key: 2), equals: journeys[1])
            var changed = journeys[0]
            changed.legs.reverse()
            changed.legs[0].stops.append(Halt(town: "Jena"))
            changed.legs[0].detour = nil
            changed.spare = nil
            try await store.save(changed)
            try await store.delete(Journey.self, key: 2)
            try t.expect(try await store.all(Journey.self), equals: [changed])
        },
        ConformanceCase(
            "children/keyless-queries", for: [.c8: [1], .c5: [3]],
            "Queries go through owned records without a key, and select all owners' records with their owners."
        ) { t in
            let store = try await t.open(Journey.self)
            try await store.insert(journeys)
            let byTown = try await store.all(Journey.self) {
                $0.where { $0.legs.any { $0.stops.any { $0.town == "Halle" } } }
            }
            try t.expect(byTown.map(\.id), equals: [1])
            let byDetour = try await store.all(Journey.self) { $0.where { $0.first.detour.minutes > 5 } }
            try t.expect(byDetour.map(\.id), equals: [2])
            let without = try await store.all(Journey.self) { $0.where { $0.first.detour == nil } }
            try t.expect(without.map(\.id), equals: [1])
            let spare = try await store.all(Journey.self) { $0.where { $0.spare != nil && $0.spare.detour == nil } }
            try t.expect(spare.map(\.id), equals: [1])
            let sorted = try await store.all(Journey.self) { $0.order { $0.first.detour.town.descending } }
            try t.expect(sorted.map(\.id), equals: [2, 1])
            let owned = try await store.select(Leg.self).run("owned(by: Journey.self, \\.legs).all()") {
                try await $0.owned(by: Journey.self, \.legs).all()
            }
            try t.expect(owned.map(\.owner), equals: [1, 1])
            try t.expect(owned.map(\.value), equals: journeys[0].legs)
        },
        ConformanceCase(
            "children/keyless-place", for: [.c8: [1], .s7: [3, 4]], needs: [.durability],
            "Owned records without a key keep what a program does not declare by their place, or the save is refused."
        ) { t in
            let newer = try await t.open(Versioned<SecretStops>.self)
            try await newer.insert(Versioned<SecretStops>(1, .records([["a", "s1"], ["b", "s2"]])))
            try await newer.close()
            let older = try await t.open(Versioned<Stops>.self)
            try await older.save(Versioned<Stops>(1, .records([["aa"], ["bb"]])))
            let error = try await t.expectError(.schemaNewer) {
                try await older.save(Versioned<Stops>(1, .records([["aa"]])))
            }
            try t.expect(error.property?.contains("secret") == true, "The error does not name secret: \(error)")
            try await older.close()
            let again = try await t.open(Versioned<SecretStops>.self)
            let stored = Versioned<SecretStops>(1, .records([["aa", "s1"], ["bb", "s2"]]))
            try t.expect(try await again.all(Versioned<SecretStops>.self), equals: [stored])
        },
        ConformanceCase(
            "children/keyless-root", for: [.c8: [3]],
            "A type without a key is refused as a model, naming it and what to do."
        ) { t in
            let store = try await t.open(Journey.self)
            try await store.insert(journeys)
            var errors = [
                try await t.expectError(.configuration) { try await store.insert(Halt(town: "Gera")) },
                try await t.expectError(.configuration) { try await store.all(Halt.self) },
                try await t.expectError(.configuration) { try await store.select(Halt.self).keys() },
            ]
            try t.expect(try await store.all(Journey.self), equals: journeys)
            try await store.close()
            errors.append(try await t.expectError(.configuration) { try await t.open(Halt.self).info.name })
            for error in errors {
                try t.expect(error.model, equals: "Halt")
                try t.expect(error.message.contains("@Key"), "The error does not say what to do: \(error)")
            }
        },
    ]

    private static let journeys = [
        Journey(
            id: 1, first: Leg(line: "S1", stops: [Halt(town: "Erfurt", minutes: 3), Halt(town: "Erfurt", minutes: 3)]),
            spare: Leg(),
            legs: [
                Leg(
                    line: "RE", stops: [Halt(town: "Halle"), Halt(town: "", minutes: 0)], detour: Halt(town: "Apolda")),
                Leg(line: "RE", stops: []),
            ]),
        Journey(id: 2, first: Leg(line: "U4", detour: Halt(town: "Weimar", minutes: 9))),
    ]
}
