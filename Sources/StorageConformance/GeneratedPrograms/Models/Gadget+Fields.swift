internal import StorageAPI
internal import StorageSearch

extension Generated.Gadget: GeneratedModel {
    static let typeName = "Generated.Gadget"
    static let fields: [Field<Generated.Gadget>] = [
        Field("id", \.id),
        .scalar("flag", \.flag, \.flag),
        .number("small", \.small, \.small),
        .number("wide", \.wide, \.wide),
        .number("unsigned", \.unsigned, \.unsigned),
        .computed("real", \.real, \.real),
        .computed("single", \.single, \.single),
        .text("text", \.text, \.text),
        .text("note", \.note, \.note),
        .text("code", \.code, \.code).unique(\.code),
        .optionalNumber("number", \.number, \.number),
        .optionalNumber("ratio", \.ratio, \.ratio),
        .scalar("data", \.data, \.data),
        .ordered("date", \.date, \.date),
        .scalar("uuid", \.uuid, \.uuid),
        .computed("amount", \.amount, \.amount),
        .scalar("link", \.link, \.link),
        .ordered("wait", \.wait, \.wait),
        Field("spot", \.spot, \.spot),
        .array("words", \.words, \.words),
        .array("reals", \.reals, \.reals),
        .array("nested", \.nested, \.nested),
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
        Aggregate.groups("flag", \.flag, \.flag, summing: "wide", \.wide, \.wide),
        Aggregate.groups("note", \.note, \.note, summing: "small", \.small, \.small),
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
