internal import StorageAPI

/// A property, or one of an owned child, twice: as a term of queries and as the value that it has in Swift.
struct Term<M: Storable, V>: Sendable {
    /// The term as it is written in a query: `$0.lid.width`.
    let text: String
    let term: @Sendable (M.Columns) -> QueryExpression<V>
    let value: @Sendable (M) -> V

    init(
        _ text: String, _ term: @escaping @Sendable (M.Columns) -> QueryExpression<V>,
        _ value: @escaping @Sendable (M) -> V
    ) {
        self.text = text
        self.term = term
        self.value = value
    }
}

/// A condition twice: as a term of queries and as the test that it is in Swift.
struct Condition<M: Storable>: Sendable {
    let text: String
    let term: @Sendable (M.Columns) -> QueryExpression<Bool>
    let holds: @Sendable (M) -> Bool
    /// Conditions that are less, tried when a failing program is made smaller.
    let simpler: [Condition<M>]

    init(
        _ text: String, simpler: [Condition<M>] = [],
        _ term: @escaping @Sendable (M.Columns) -> QueryExpression<Bool>, _ holds: @escaping @Sendable (M) -> Bool
    ) {
        self.text = text
        self.term = term
        self.holds = holds
        self.simpler = simpler
    }
}

/// Makes a condition with a random operand, or with one that is taken from a record.
/// Nil where there is nothing to ask.
typealias ConditionMaker<M: Storable> = @Sendable (inout SeededGenerator, _ from: M?) -> Condition<M>?

/// A tree of conditions.
indirect enum Filter<M: Storable>: Sendable {
    case condition(Condition<M>)
    case and(Filter, Filter)
    case or(Filter, Filter)
    case not(Filter)

    /// A tree of random conditions; nil where there is no way to make one.
    static func random(_ makers: [ConditionMaker<M>], depth: Int, _ generator: inout SeededGenerator) -> Filter? {
        guard depth > 0, generator.chance(60) else {
            return generator.one(of: makers).flatMap { $0(&generator, nil) }.map { .condition($0) }
        }
        guard let left = random(makers, depth: depth - 1, &generator) else { return nil }
        if generator.chance(33) { return .not(left) }
        guard let right = random(makers, depth: depth - 1, &generator) else { return nil }
        return generator.chance(50) ? .and(left, right) : .or(left, right)
    }

    /// A tree that is true of a record: random conditions, negated where they are not.
    static func random(
        trueOf record: M, _ makers: [ConditionMaker<M>], parts: Int, _ generator: inout SeededGenerator
    ) -> Filter? {
        let conditions = (0..<parts).compactMap { _ in generator.one(of: makers).flatMap { $0(&generator, record) } }
        let filters = conditions.map { $0.holds(record) ? Filter.condition($0) : .not(.condition($0)) }
        return filters.dropFirst().reduce(filters.first) { left, right in
            // The part after `or` may be anything.
            left.map { generator.chance(70) ? .and($0, right) : .or($0, right) }
        }
    }

    func term(_ columns: M.Columns) -> QueryExpression<Bool> {
        switch self {
        case .condition(let condition): condition.term(columns)
        case .and(let left, let right): left.term(columns) && right.term(columns)
        case .or(let left, let right): left.term(columns) || right.term(columns)
        case .not(let filter): !filter.term(columns)
        }
    }

    func holds(_ model: M) -> Bool {
        switch self {
        case .condition(let condition): condition.holds(model)
        case .and(let left, let right): left.holds(model) && right.holds(model)
        case .or(let left, let right): left.holds(model) || right.holds(model)
        case .not(let filter): !filter.holds(model)
        }
    }

    var text: String {
        switch self {
        case .condition(let condition): condition.text
        case .and(let left, let right): "(\(left.text) && \(right.text))"
        case .or(let left, let right): "(\(left.text) || \(right.text))"
        case .not(let filter): "!(\(filter.text))"
        }
    }

    /// An Optional filter as part of a call's text.
    static func clause(_ filter: Filter?) -> String { filter.map { ".where { \($0.text) }" } ?? "" }

    var simpler: [Filter] {
        switch self {
        case .condition(let condition): condition.simpler.map { .condition($0) }
        case .not(let filter): [filter] + filter.simpler.map { .not($0) }
        case .and(let left, let right):
            [left, right] + left.simpler.map { .and($0, right) } + right.simpler.map { .and(left, $0) }
        case .or(let left, let right):
            [left, right] + left.simpler.map { .or($0, right) } + right.simpler.map { .or(left, $0) }
        }
    }
}
