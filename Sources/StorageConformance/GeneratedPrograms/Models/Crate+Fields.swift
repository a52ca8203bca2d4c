internal import StorageAPI

extension Generated.Crate: GeneratedModel {
    static let typeName = "Generated.Crate"
    static let fields: [Field<Generated.Crate>] = [
        .text("name", \.name, column: \.name).key,
        .number("size", \.size, column: \.size),
        Field("lid", \.lid),
        .child("spare", \.spare, column: \.spare),
        .children("items", \.items, column: \.items),
        .children("extras", \.extras, column: \.extras),
    ]
    static let conditions = allConditions()
    static let furtherConditions: [ConditionMaker<Generated.Crate>] =
        Term<Generated.Crate, Int>(through: "lid.width", { $0.lid.width }, { $0.lid.width }).comparison
        + Term<Generated.Crate, String?>(through: "lid.label", { $0.lid.label }, { $0.lid.label }).equality
        + Term<Generated.Crate, Int?>(through: "spare.width", { $0.spare.width }, { $0.spare?.width }).equality
        + Term<Generated.Crate, Int?>(through: "spare.width", { $0.spare.width }, { $0.spare?.width })
        .optionalComparison()
        + Term<Generated.Crate, String?>(through: "spare.label", { $0.spare.label }, { $0.spare?.label }).tests

    static let furtherSortings: [Sorting<Generated.Crate>] =
        Sorting.both("lid.width", { $0.lid.width }, { $0.lid.width })
        + Sorting.everyWay("spare.label", { $0.spare.label }, { $0.spare?.label })
    static let furtherAggregates: [AggregateMaker<Generated.Crate>] = [
        Aggregate.tuples("$0.name, $0.items", { ($0.name, $0.items) }, { ($0.name, $0.items) }),
        Aggregate.tuples(
            "$0.spare.width, $0.extras", { ($0.spare.width, $0.extras) }, { ($0.spare?.width, $0.extras) }),
    ]

    static var table: FieldPath<World, ModelTable<Generated.Crate>> { \.crates }
    var keyOrNil: String? { name }
    mutating func take(_ key: String) { name = key }

    static func randomKey(_ generator: inout SeededGenerator) -> String {
        generator.pick("", "a", "A", "a\0", "a\0b", "ab", "\u{E9}", "e\u{301}", "../x", "'", "\u{1F600}")
    }

    static func randomOwned(_ generator: inout SeededGenerator) -> (any StorageOperation)? {
        let counts = generator.chance(30)
        guard generator.chance(60) else {
            return OwnedOperation(
                question: generator.pick(.lid, .spare), query: .random(&generator), counts: counts)
        }
        return OwnedOperation(
            question: generator.pick(.items, .extras), query: .random(&generator), counts: counts)
    }
}

extension Generated.Lid: GeneratedRecord {
    static let typeName = "Generated.Lid"
    static let fields: [Field<Generated.Lid>] = [
        .number("id", \.id, column: \.id),
        .number("width", \.width, column: \.width),
        .text("label", \.label, column: \.label),
    ]
    static let conditions = allConditions()
}
