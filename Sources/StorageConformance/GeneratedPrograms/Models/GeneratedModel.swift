internal import StorageAPI

/// A struct with a simplest value, as printed programs make it: `Lid { $0.width = 3 }`.
public protocol PlainRecord {
    /// Every property has its simplest value.
    init()
}

extension PlainRecord {
    public init(_ change: (inout Self) -> Void) {
        self.init()
        change(&self)
    }
}

/// A struct that programs store, by itself or owned.
protocol GeneratedRecord: Storable, GeneratedValue, PlainRecord {
    static var typeName: String { get }
    /// All properties.
    static var fields: [Field<Self>] { get }
    /// The conditions on several properties.
    static var furtherConditions: [ConditionMaker<Self>] { get }
    /// The sort orders by several properties.
    static var furtherSortings: [Sorting<Self>] { get }
    /// The aggregates of several properties.
    static var furtherAggregates: [AggregateMaker<Self>] { get }
    /// All that can be asked.
    static var conditions: [ConditionMaker<Self>] { get }
}

extension GeneratedRecord {
    static var furtherConditions: [ConditionMaker<Self>] { [] }
    static var furtherSortings: [Sorting<Self>] { [] }
    static var furtherAggregates: [AggregateMaker<Self>] { [] }

    static func allConditions() -> [ConditionMaker<Self>] { fields.flatMap(\.conditions) + furtherConditions }

    /// Leaves some properties as they are in `init()`, so that defaults meet corners.
    static func random(_ generator: inout SeededGenerator) -> Self {
        var record = Self()
        for field in fields where generator.chance(60) { field.randomize(&record, &generator) }
        return record
    }

    func order(to other: Self) -> NaiveOrder {
        let (left, right) = (swift(.comparable), other.swift(.comparable))
        return NaiveOrder(left < right, left > right)
    }

    /// `Lid { $0.width = 3 }`, with what differs from `init()`.
    func swift(_ style: LiteralStyle) -> String {
        let plain = Self()
        let changes = Self.fields.compactMap { field in
            let text = field.swift(self, style)
            return text == field.swift(plain, style) ? nil : "$0.\(field.name) = \(text)"
        }
        return changes.isEmpty ? "\(Self.typeName)()" : "\(Self.typeName) { \(changes.joined(separator: "; ")) }"
    }

    /// The record with one property less, or with one simpler property.
    var simpler: [Self] {
        Self.fields.flatMap { field in
            var record = self
            field.reset(&record)
            return field.swift(record, .exact) == field.swift(self, .exact) ? [] : [record] + field.simpler(self)
        }
    }
}

/// A record that programs store by itself.
protocol GeneratedModel: GeneratedRecord {
    /// The table of the records in the model test.
    static var table: FieldPath<World, ModelTable<Self>> { get }
    /// The key; nil if the store is to assign one.
    var keyOrNil: Key? { get }
    /// One of few keys, so that programs meet the same one again.
    static func randomKey(_ generator: inout SeededGenerator) -> Key
    static func swift(ofKey key: Key) -> String
    static func order(_ left: Key, _ right: Key) -> NaiveOrder
    static var assignsKeys: Bool { get }
    mutating func take(_ key: Key)
    /// Takes a key, or now and then leaves it to the store.
    mutating func take(_ key: Key, _ generator: inout SeededGenerator)
    /// A query for what the model owns; nil if it owns nothing.
    static func randomOwned(_ generator: inout SeededGenerator) -> (any StorageOperation)?
}

extension GeneratedModel {
    static var assignsKeys: Bool { false }
    mutating func take(_ key: Key, _: inout SeededGenerator) { take(key) }
    static func randomOwned(_: inout SeededGenerator) -> (any StorageOperation)? { nil }
}

extension GeneratedModel where Key: GeneratedValue {
    static func swift(ofKey key: Key) -> String { key.swift }
    static func order(_ left: Key, _ right: Key) -> NaiveOrder { left.order(to: right) }
}
