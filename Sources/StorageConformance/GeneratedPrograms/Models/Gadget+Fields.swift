internal import StorageAPI
internal import StorageSearch

extension Generated.Gadget: GeneratedModel {
    static let typeName = "Generated.Gadget"
    static let fields: [Field<Generated.Gadget>] = [
        Field("id", \.id),
        .scalar("flag", \.flag, column: \.flag),
        .number("small", \.small, column: \.small),
        .number("wide", \.wide, column: \.wide),
        .number("unsigned", \.unsigned, column: \.unsigned),
        .computed("real", \.real, column: \.real),
        .computed("single", \.single, column: \.single),
        .text("text", \.text, column: \.text),
        .text("note", \.note, column: \.note),
        .text("code", \.code, column: \.code).unique(\.code),
        .optionalNumber("number", \.number, column: \.number),
        .optionalNumber("ratio", \.ratio, column: \.ratio),
        .scalar("data", \.data, column: \.data),
        .ordered("date", \.date, column: \.date),
        .scalar("uuid", \.uuid, column: \.uuid),
        .computed("amount", \.amount, column: \.amount),
        .scalar("link", \.link, column: \.link),
        .ordered("wait", \.wait, column: \.wait),
        Field("spot", \.spot, column: \.spot),
        .array("words", \.words, column: \.words),
        .array("reals", \.reals, column: \.reals),
        .array("nested", \.nested, column: \.nested),
    ]
    static let conditions = allConditions()
    /// The distance from vectors that a plain loop finds too.
    private static let distances: [ConditionMaker<Generated.Gadget>] = [
        { generator, record in
            let other = Vector.random(&generator)
            let distance = Term<Generated.Gadget, Double>(
                "$0.spot.distance(to: \(other.swift), by: .euclidean)", written: nil,
                { $0.spot.distance(to: other, by: .euclidean) },
                { (record) throws(ExpectedError) in record.spot.naiveDistance(to: other) })
            return generator.one(of: distance.comparison + distance.equality)?(&generator, record)
        }
    ]

    /// Searches for words that some record has, which a scan of one record answers too.
    private static let searches: [ConditionMaker<Generated.Gadget>] = [
        { generator, record in
            let query = SearchWords.random(record.map { [$0.text, $0.note ?? ""] + $0.words }, &generator)
            let isTyping = generator.chance(20)
            return Condition(
                "$0.matches(\(query.swift)\(isTyping ? ", typing: true" : ""))",
                written: isTyping ? nil : Written("matches ?", [.text(query)]),
                { $0.matches(query, typing: isTyping) },
                { (record) throws(ExpectedError) in record.isFound(query, isTyping: isTyping) })
        },
        { generator, record in
            let query = SearchWords.random(record.map { [$0.text] }, &generator)
            return Condition(
                "$0.text.matches(\(query.swift))", { $0.text.matches(query) },
                { (record) throws(ExpectedError) in record.isFound(query, in: "text") })
        },
    ]

    /// Scans the texts of this record.
    private func isFound(_ text: String, isTyping: Bool = false, in property: String? = nil) -> Bool {
        let properties = ["text", "note", "words"].map { SearchProperty($0) }
        let names = properties.map(\.name)
        var query =
            isTyping ? SearchQuery(typing: text, properties: names) : SearchQuery(text, properties: names)
        if let property { query = query.restricted(to: property) }
        let texts = [[self.text], note.map { [$0] } ?? [], words]
        return !SearchScan([texts], properties: properties).matches(query).isEmpty
    }

    static let furtherConditions: [ConditionMaker<Generated.Gadget>] =
        // A search depends on all that was written before, so there are more of them.
        distances + (0..<10).flatMap { _ in searches }
        + Term("wide", \.wide, \.wide).comparison(with: Term("wide", \.wide, \.wide))
        + Term("text", \.text, \.text).comparison(with: Term("text", \.text, \.text))
        + Term("note", \.note, \.note).equality(with: Term("code", \.code, \.code))
        + Term("real", \.real, \.real).equality(with: Term("real", \.real, \.real))
        + Term("small", \.small, \.small).plainComparison + Term("wide", \.wide, \.wide).plainComparison
        + Term("unsigned", \.unsigned, \.unsigned).plainComparison + Term("id", \.id, \.id).equality
        + Term("id", \.id, \.id).optionalComparison()

    static let furtherAggregates: [AggregateMaker<Generated.Gadget>] = [
        Aggregate.groups("flag", \.flag, column: \.flag, summing: "wide", numberPath: \.wide, numberColumn: \.wide),
        Aggregate.groups("note", \.note, column: \.note, summing: "small", numberPath: \.small, numberColumn: \.small),
        Aggregate.tuples("$0.text, $0.words", { ($0.text, $0.words) }, { ($0.text, $0.words) }),
    ]

    static var table: FieldPath<World, ModelTable<Generated.Gadget>> { \.gadgets }
    static var assignsKeys: Bool { true }
    var keyOrNil: Int? { id }
    mutating func take(_ key: Int) { id = key }
    mutating func take(_ key: Int, _ generator: inout SeededGenerator) { id = generator.chance(30) ? nil : key }

    static func randomKey(_ generator: inout SeededGenerator) -> Int {
        generator.chance(96) ? 1 + generator.below(9) : generator.pick(0, -1, .min, 1 << 53, (1 << 53) + 1)
    }
}
