internal import StorageAPI

/// A type whose values are generated, compared as the contract says, and written as Swift.
protocol GeneratedValue: Sendable {
    /// A value, more often one at the edge of the type than in its middle.
    static func random(_ generator: inout SeededGenerator) -> Self

    /// The order of clause V4, written down once more in plain Swift: an oracle that shared the library's own could not
    /// find it wrong.
    func order(to other: Self) -> NaiveOrder

    /// The value as Swift source.
    func swift(_ style: LiteralStyle) -> String

    /// Values that are less, tried when a failing program is made smaller.
    var simpler: [Self] { get }
}

/// The purpose of a literal.
enum LiteralStyle: Sendable {
    /// To be pasted: every bit counts.
    case exact
    /// To be compared: values that clause V2 lets a backend confuse have one text. That is 0.0 for -0.0.
    case comparable
}

enum NaiveOrder: Sendable {
    case before, same, after

    init(_ isBefore: Bool, _ isAfter: Bool) {
        self = isBefore ? .before : isAfter ? .after : .same
    }

    var reversed: NaiveOrder {
        switch self {
        case .before: .after
        case .same: .same
        case .after: .before
        }
    }

    /// The order of two sequences by their first difference; the shorter of two that agree comes first.
    static func of<S: Sequence>(
        _ left: S, _ right: S, by order: (S.Element, S.Element) -> NaiveOrder
    ) -> NaiveOrder {
        var others = right.makeIterator()
        for element in left {
            guard let other = others.next() else { return .after }
            let order = order(element, other)
            if order != .same { return order }
        }
        return others.next() == nil ? .same : .before
    }

    static func ofBytes<S: Sequence>(_ left: S, _ right: S) -> NaiveOrder where S.Element == UInt8 {
        of(left, right) { NaiveOrder($0 < $1, $0 > $1) }
    }
}

extension GeneratedValue where Self: Comparable {
    func order(to other: Self) -> NaiveOrder { NaiveOrder(self < other, self > other) }
}

extension GeneratedValue {
    var simpler: [Self] { [] }

    func isSame(as other: Self) -> Bool { order(to: other) == .same }

    var swift: String { swift(.exact) }
}

extension Optional: GeneratedValue where Wrapped: GeneratedValue {
    static func random(_ generator: inout SeededGenerator) -> Self {
        generator.chance(25) ? nil : Wrapped.random(&generator)
    }

    func order(to other: Self) -> NaiveOrder {
        switch (self, other) {
        case (nil, nil): .same
        case (nil, _): .before
        case (_, nil): .after
        case (let left?, let right?): left.order(to: right)
        }
    }

    func swift(_ style: LiteralStyle) -> String { map { $0.swift(style) } ?? "nil" }

    var simpler: [Self] { map { $0.simpler.map(Optional.some) } ?? [] }
}

extension Array: GeneratedValue where Element: GeneratedValue {
    /// Often empty, so that children of children come to an end.
    static func random(_ generator: inout SeededGenerator) -> Self {
        generator.chance(40) ? [] : generator.some(Element.self, upTo: 3)
    }

    func order(to other: Self) -> NaiveOrder { NaiveOrder.of(self, other) { $0.order(to: $1) } }

    func swift(_ style: LiteralStyle) -> String {
        "[" + map { $0.swift(style) }.joined(separator: ", ") + "]"
    }

    /// One element less, or one simpler element.
    var simpler: [Self] {
        indices.map { Array(self[..<$0] + self[($0 + 1)...]) }
            + indices.flatMap { index in
                self[index].simpler.map { Array(self[..<index] + [$0] + self[(index + 1)...]) }
            }
    }
}
