internal import StorageAPI

extension Generated.Item: GeneratedModel {
    static let typeName = "Generated.Item"
    static let fields: [Field<Generated.Item>] = [
        .number("id", \.id, column: \.id).key,
        .text("label", \.label, column: \.label),
        .ordered("weight", \.weight, column: \.weight),
        .children("tags", \.tags, column: \.tags),
    ]
    static let conditions = allConditions()

    static var table: FieldPath<World, ModelTable<Generated.Item>> { \.items }
    var keyOrNil: Int? { id }
    mutating func take(_ key: Int) { id = key }

    static func randomKey(_ generator: inout SeededGenerator) -> Int { generator.below(6) - 1 }
}

extension Generated.Tag: GeneratedRecord {
    static let typeName = "Generated.Tag"
    static let fields: [Field<Generated.Tag>] = [
        .number("id", \.id, column: \.id),
        .text("text", \.text, column: \.text),
    ]
    static let conditions = allConditions()
}
