internal import StorageAPI

extension Generated.Tree: GeneratedModel {
    static let typeName = "Generated.Tree"
    static let fields: [Field<Generated.Tree>] = [
        .text("area", \.area, column: \.area).key,
        .number("number", \.number, column: \.number).key,
        .text("title", \.title, column: \.title),
        .children("branches", \.branches, column: \.branches),
    ]
    static let conditions = allConditions()

    static var table: FieldPath<World, ModelTable<Generated.Tree>> { \.trees }
    var keyOrNil: Key? { (area: area, number: number) }
    mutating func take(_ key: Key) { (area, number) = key }

    static func randomKey(_ generator: inout SeededGenerator) -> Key {
        (area: generator.pick("ab", "a", "", "\0"), number: generator.pick(0, 1, -1, 10))
    }

    static func swift(ofKey key: Key) -> String { "(area: \(key.area.swift), number: \(key.number))" }

    static func order(_ left: Key, _ right: Key) -> NaiveOrder {
        let order = left.area.order(to: right.area)
        return order == .same ? left.number.order(to: right.number) : order
    }
}
