internal import Foundation
internal import Logging
internal import StorageAPI
internal import Synchronization

extension Conformance {
    /// A case that stores with one version of Item and opens with another.
    private static func evolves<Old: Shape, New: Shape>(
        _ id: String, for proof: Proof, _ sentence: String, from _: Old.Type, storing old: [Old.Value], to _: New.Type,
        reading new: [New.Value]
    ) -> ConformanceCase {
        ConformanceCase(id, for: proof, needs: [.durability], sentence) { t in
            let store = try await t.open(Item<Old>.self)
            try await store.insert(old.enumerated().map { Item<Old>(id: $0.offset, value: $0.element) })
            try await store.close()
            for _ in 1...2 {
                let later = try await t.open(Item<New>.self)
                let wanted = new.enumerated().map { Item<New>(id: $0.offset, value: $0.element) }
                try t.expect(try await later.all(Item<New>.self), equals: wanted)
                try await later.close()
            }
        }
    }

    /// A case in which a version is refused, and the stored records stay as they are.
    private static func refused<Old: Shape, New: Storable>(
        _ id: String, _ sentence: String, from _: Old.Type, storing values: [Old.Value], to _: New.Type,
        property: String
    ) -> ConformanceCase {
        ConformanceCase(id, for: [.s3: [3]], needs: [.durability], sentence) { t in
            let store = try await t.open(Item<Old>.self)
            let items = values.enumerated().map { Item<Old>(id: $0.offset, value: $0.element) }
            try await store.insert(items)
            try await store.close()
            let error = try await t.expectError(.schemaMismatch) { try await t.open(New.self).info.name }
            try t.expect(error.model, equals: "Item", "The error does not name the model.")
            try t.expect(error.property, equals: property, "The error does not name the property.")
            let again = try await t.open(Item<Old>.self)
            try t.expect(
                try await again.all(Item<Old>.self), equals: items, "The refused version changed what is stored.")
        }
    }

    /// S1 to S3: versions of a model.
    static let schemaCases: [ConformanceCase] = [
        ConformanceCase(
            "schema/open-again", for: [.s1: [2]], needs: [.durability], "Opening a model again changes nothing."
        ) {
            t in
            for round in 1...3 {
                let store = try await t.open(Person.self)
                try await store.insert(Samples.person(round))
                try t.expect(try await store.all(Person.self), equals: (1...round).map(Samples.person))
                try await store.close()
            }
        },
        ConformanceCase(
            "schema/first-use", for: [.s1: [1]], "A model is stored at its first use, without being named at opening."
        ) { t in
            let store = try await t.open()
            try t.expect(try await store.select(Pen.self).count(), equals: 0)
            try await store.insert(City(id: 1, districts: [District(id: 1)]))
            try t.expect(try await store.all(City.self), equals: [City(id: 1, districts: [District(id: 1)])])
        },
        ConformanceCase(
            "schema/add-optional", for: [.s2: [1, 2]], needs: [.durability],
            "A new optional property reads nil in old records, in filters too."
        ) {
            t in
            let store = try await t.open(BareItem.self)
            try await store.insert([BareItem(id: 1), BareItem(id: 2)])
            try await store.close()
            let later = try await t.open(Item<AsOptionalInt>.self)
            try t.expect(try await later.all(Item<AsOptionalInt>.self).map(\.value), equals: [nil, nil])
            try await later.save(Item<AsOptionalInt>(id: 2, value: 5))
            try t.expect(
                try await later.select(Item<AsOptionalInt>.self) { $0.where { $0.value == nil } }.keys(), equals: [1])
        },
        ConformanceCase(
            "schema/add-default", for: [.s2: [1, 2]], needs: [.durability],
            "A new property with a default reads it in old records, in filters too."
        ) {
            t in
            let store = try await t.open(BareItem.self)
            try await store.insert([BareItem(id: 1), BareItem(id: 2)])
            try await store.close()
            let later = try await t.open(Item<WithDefault>.self)
            try await later.insert(Item<WithDefault>(id: 3, value: 8))
            try t.expect(try await later.all(Item<WithDefault>.self).map(\.value), equals: [7, 7, 8])
            try t.expect(
                try await later.select(Item<WithDefault>.self) { $0.where { $0.value == 7 } }.keys(), equals: [1, 2])
        },
        ConformanceCase(
            "schema/add-required", for: [.s3: [3]], needs: [.durability],
            "A new property without a default is schemaMismatch where records are."
        ) {
            t in
            let store = try await t.open(BareItem.self)
            try await store.insert(BareItem(id: 1))
            try await store.close()
            try await t.expectError(.schemaMismatch) { try await t.open(IntItem.self).info.name }
            let again = try await t.open(BareItem.self)
            try t.expect(try await again.all(BareItem.self), equals: [BareItem(id: 1)])
        },
        ConformanceCase(
            "schema/remove", for: [.s2: [3]], needs: [.durability],
            "A removed property keeps its data, which comes back with it."
        ) { t in
            let store = try await t.open(IntItem.self)
            try await store.insert([IntItem(id: 1, value: 10), IntItem(id: 2, value: 20)])
            try await store.close()
            let without = try await t.open(BareItem.self)
            try t.expect(try await without.all(BareItem.self), equals: [BareItem(id: 1), BareItem(id: 2)])
            try await without.update(BareItem(id: 1))
            try await without.close()
            let again = try await t.open(IntItem.self)
            try t.expect(try await again.all(IntItem.self).map(\.value), equals: [10, 20])
        },
        ConformanceCase(
            "schema/noted", for: [.s2: [4]], needs: [.durability],
            "The log says which property was added by itself, and which was removed."
        ) { t in
            let store = try await t.open(IntItem.self)
            try await store.insert(IntItem(id: 1, value: 10))
            try await store.close()
            for (model, property) in [(BareItem.self, "value"), (Item<AddedNote>.self, "note")]
                as [(any Storable.Type, String)]
            {
                let log = NotedLines()
                let logger = Logger(label: "storage", factory: { _ in log })
                t.note("let later = try await Store(backend, models: \(model).self, options: .init(logger: logger))")
                try await Store(t.place.backend(), models: [model], options: .init(logger: logger)).close()
                let notes = log.lines.filter { $0.contains("Item") && $0.contains(property) }
                try t.expect(notes.count, equals: 1, "The log does not name \(property): \(log.lines)")
            }
        },
        evolves(
            "schema/rename", for: [.s3: [1]], "A declared rename moves the data.", from: AsInt.self,
            storing: [1, 2, .max],
            to: Renamed.self, reading: [1, 2, .max]),
        evolves(
            "schema/rename-and-widen", for: [.s3: [1, 2]],
            "A rename and a conversion that loses nothing are done together.",
            from: AsInt.self,
            storing: [1, -2], to: RenamedAndWidened.self, reading: [1.0, -2.0]),
        evolves(
            "schema/int-to-double", for: [.s3: [2]], "Integers within 2^53 become Doubles.", from: AsInt.self,
            storing: [0, -1, 1 << 53, -(1 << 53)], to: AsDouble.self,
            reading: [0, -1, 9_007_199_254_740_992, -9_007_199_254_740_992]),
        evolves(
            "schema/widen-integer", for: [.s3: [2]], "A narrower integer becomes a wider one.", from: AsInt8.self,
            storing: [-128, 0, 127],
            to: AsInt.self, reading: [-128, 0, 127]),
        evolves(
            "schema/to-optional", for: [.s3: [2]], "What was not optional becomes optional.", from: AsInt.self,
            storing: [0, 5],
            to: AsOptionalInt.self, reading: [0, 5]),
        evolves(
            "schema/to-required", for: [.s3: [2]], "What was optional and is nowhere nil becomes required.",
            from: AsOptionalInt.self,
            storing: [0, 5], to: AsInt.self, reading: [0, 5]),
        evolves(
            "schema/add-index", for: [.s1: [2]], "An index may be added to what is stored.", from: AsInt.self,
            storing: [3, 1, 3],
            to: Indexed.self, reading: [3, 1, 3]),
        evolves(
            "schema/widen-array", for: [.s3: [2]], "The elements of an array become Doubles, each as it is alone.",
            from: AsList.self, storing: [[], [1, -2], [0, 1 << 53]], to: AsDoubles.self,
            reading: [[], [1, -2], [0, 9_007_199_254_740_992]]),
        evolves(
            "schema/widen-nested-array", for: [.s3: [2]], "So do elements of nested arrays.", from: AsNested.self,
            storing: [[[1, nil], []], []], to: AsNestedDoubles.self, reading: [[[1, nil], []], []]),
        evolves(
            "schema/narrow-array", for: [.s3: [2]], "An array becomes one of narrower integers that hold each element.",
            from: AsList.self, storing: [[-128, 127], []], to: AsInt8s.self, reading: [[-128, 127], []]),
        refused(
            "schema/lossy-array", "An array with an integer beyond 2^53 does not become one of Doubles.",
            from: AsList.self,
            storing: [[1], [2, (1 << 53) + 1]], to: Item<AsDoubles>.self, property: "value"),
        refused(
            "schema/narrowed-array", "Nor does one become an array of integers that cannot hold each element.",
            from: AsList.self, storing: [[1], [2, 1000]], to: Item<AsInt8s>.self, property: "value"),
        refused(
            "schema/lossy-double", "Integers beyond 2^53 do not become Doubles.", from: AsInt.self,
            storing: [1, (1 << 53) + 1],
            to: Item<AsDouble>.self, property: "value"),
        refused(
            "schema/int-to-text", "Integers do not become texts.", from: AsInt.self, storing: [1], to: TextItem.self,
            property: "value"),
        refused(
            "schema/text-to-int", "Texts do not become integers.", from: AsText.self, storing: ["1"], to: IntItem.self,
            property: "value"),
        refused(
            "schema/nil-to-required", "What is somewhere nil does not become required.", from: AsOptionalInt.self,
            storing: [1, nil],
            to: IntItem.self,
            property: "value"),
        refused(
            "schema/narrowed", "What a narrower integer cannot hold does not become one.", from: AsInt.self,
            storing: [1, 1000],
            to: Item<AsInt8>.self, property: "value"),
        refused(
            "schema/scalar-to-array", "A value does not become an array.", from: AsInt.self, storing: [1],
            to: Item<AsList>.self,
            property: "value"),
        refused(
            "schema/another-key", "A property does not become a part of the key.", from: AsInt.self, storing: [1, 2],
            to: Item<AsKeyPart>.self, property: "id"),
        ConformanceCase(
            "schema/add-unique", for: [.w13: [1], .s3: [3]], needs: [.durability],
            "Uniqueness is added where values differ, and refused where not."
        ) {
            t in
            let store = try await t.open(IntItem.self)
            try await store.insert([IntItem(id: 1, value: 77), IntItem(id: 2, value: 77)])
            try await store.close()
            do {
                _ = try await t.open(Item<Unique>.self)
                try t.expect(false, "Equal values were accepted as unique.")
            } catch let error as StorageError {
                try t.expect(
                    [.constraint, .schemaMismatch].contains(error.code), "Refused with another error: \(error)")
                try t.expect(error.model, equals: "Item", "The error does not name the model.")
                try t.expect(error.property, equals: "value", "The error does not name the property.")
                try t.expect(error.message.contains("77"), "The error does not name the value: \(error)")
            }
            let again = try await t.open(IntItem.self)
            try await again.update(IntItem(id: 2, value: 2))
            try await again.close()
            let unique = try await t.open(Item<Unique>.self)
            try await t.expectError(.constraint) { try await unique.insert(Item<Unique>(id: 3, value: 2)) }
        },
        ConformanceCase(
            "schema/assigned-keys-stay", for: [.k2: [1], .s3: [2]], needs: [.durability],
            "A conversion does not let assigned keys begin again."
        ) {
            t in
            let store = try await t.open(Counted<AsInt8>.self)
            try await store.insert([Counted<AsInt8>(value: 1), Counted(value: 2), Counted(value: 3)])
            try await store.delete(Counted<AsInt8>.self, keys: [2, 3])
            try await store.close()
            let wide = try await t.open(Counted<AsInt>.self)
            try t.expect(try await wide.insert(Counted<AsInt>(value: 9)).id, equals: 4)
            try t.expect(try await wide.all(Counted<AsInt>.self).map(\.value), equals: [1, 9])
        },
        ConformanceCase(
            "schema/assigned-keys-beside", for: [.k2: [1], .s3: [2]], needs: [.durability],
            "Nor does it where other properties are unique, or not every text and bytes are values of theirs."
        ) { t in
            let store = try await t.open(Ledger<AsInt8>.self)
            try await store.insert(["", "[]", "0"].map { Ledger<AsInt8>(code: $0, value: 1) })
            try await store.delete(Ledger<AsInt8>.self, keys: [3])
            try await store.close()
            let wide = try await t.open(Ledger<AsInt>.self)
            try t.expect(try await wide.insert(Ledger<AsInt>(code: "0", value: 9)).id, equals: 4)
            try t.expect(try await wide.all(Ledger<AsInt>.self).map(\.code), equals: ["", "[]", "0"])
        },
        ConformanceCase("schema/128-properties", for: [.s1: [1]], "A model of 128 properties comes back.") { t in
            let store = try await t.open(WideItem<Columns128>.self)
            let items = (0..<3).map { id in WideItem<Columns128>(id: id, values: (0..<127).map { $0 * id }) }
            try await store.insert(items)
            try t.expect(try await store.all(WideItem<Columns128>.self), equals: items)
            try t.expect(
                try await store.select(WideItem<Columns128>.self) { $0.where { $0.last == 126 } }.keys(), equals: [1])
        },
        ConformanceCase(
            "schema/recorded", for: [.s4: [1]],
            "The store records its tables: an engine lists them with no model in sight."
        ) { t in
            let store = try await t.open(Person.self, Account.self)
            try await store.insert(Samples.person(3))
            try await store.close()
            guard store.info.has(.durability) else { return }
            let engine = try await t.place.backend().open(logger: .silent)
            let reader = try engine.reader(.query)
            let paths = try reader.tables().map(\.path)
            reader.end()
            try engine.close()
            for path in [["Person"], ["Person", "pens"], ["Account"]] {
                try t.expect(paths.contains(path), "The recorded tables do not have \(path): \(paths)")
            }
        },
    ]
}

/// A property that a later version adds.
private enum AddedNote: Shape {
    typealias Value = String?
    static var property: Property { Property("note", String?.self) }
}

/// The lines that are logged at notice and above.
private final class NotedLines: LogHandler {
    private let all = Mutex<[String]>([])
    var lines: [String] { all.withLock { $0 } }

    var logLevel: Logger.Level {
        get { .notice }
        set {}
    }

    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }

    subscript(metadataKey _: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {
        all.withLock { $0.append("\(event.message) \(event.metadata?.description ?? "")") }
    }
}
