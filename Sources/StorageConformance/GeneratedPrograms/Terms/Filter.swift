internal import Foundation
internal import StorageAPI

/// A tree of conditions.
indirect enum Filter<M: Storable>: Sendable {
    case condition(Condition<M>)
    case and(Filter, Filter)
    case or(Filter, Filter)
    case not(Filter)

    /// A tree of random conditions; nil if there is no way to make one.
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
        // What fails for the record decides nothing about it.
        let filters = conditions.compactMap { condition in
            (try? condition.holds(record)).map { $0 ? Filter.condition(condition) : .not(.condition(condition)) }
        }
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

    /// Looks at conditions from left to right, as far as they decide.
    func holds(_ model: M) throws(ExpectedError) -> Bool {
        switch self {
        case .condition(let condition): return try condition.holds(model)
        case .and(let left, let right):
            guard try left.holds(model) else { return false }
            return try right.holds(model)
        case .or(let left, let right):
            guard try !left.holds(model) else { return true }
            return try right.holds(model)
        case .not(let filter): return try !filter.holds(model)
        }
    }

    /// The elements that meet the filter.
    func chosen<R>(of rows: some Sequence<R>, _ record: (R) -> M) throws(ExpectedError) -> [R] {
        var chosen: [R] = []
        for row in rows where try holds(record(row)) { chosen.append(row) }
        return chosen
    }

    /// The filter in a query's text; nil if a part has no such form.
    var written: Written? {
        switch self {
        case .condition(let condition): condition.written
        case .and(let left, let right): Self.joined(left, by: "and", right)
        case .or(let left, let right): Self.joined(left, by: "or", right)
        case .not(let filter): filter.written.map { Written.joined([$0], "", open: "not (", close: ")") }
        }
    }

    private static func joined(_ left: Filter, by word: String, _ right: Filter) -> Written? {
        guard let left = left.written, let right = right.written else { return nil }
        return Written.joined([left, right], ") \(word) (", open: "(", close: ")")
    }

    /// The filter as a predicate of Foundation's; nil if a part has no such form.
    var predicate: Predicate<M>? {
        guard isPredicate else { return nil }
        return Predicate { expression($0) }
    }

    private var isPredicate: Bool {
        switch self {
        case .condition(let condition): condition.predicate != nil
        case .and(let left, let right), .or(let left, let right): left.isPredicate && right.isPredicate
        case .not(let filter): filter.isPredicate
        }
    }

    private func expression(_ variable: Condition<M>.Variable) -> any StandardPredicateExpression<Bool> {
        switch self {
        case .condition(let condition): condition.predicate?(variable) ?? PredicateExpressions.Value(false)
        case .and(let left, let right): Self.and(left.expression(variable), right.expression(variable))
        case .or(let left, let right): Self.or(left.expression(variable), right.expression(variable))
        case .not(let filter): Self.not(filter.expression(variable))
        }
    }

    private static func and(
        _ left: some StandardPredicateExpression<Bool>, _ right: some StandardPredicateExpression<Bool>
    ) -> any StandardPredicateExpression<Bool> { PredicateExpressions.build_Conjunction(lhs: left, rhs: right) }

    private static func or(
        _ left: some StandardPredicateExpression<Bool>, _ right: some StandardPredicateExpression<Bool>
    ) -> any StandardPredicateExpression<Bool> { PredicateExpressions.build_Disjunction(lhs: left, rhs: right) }

    private static func not(
        _ filter: some StandardPredicateExpression<Bool>
    ) -> any StandardPredicateExpression<Bool> { PredicateExpressions.build_Negation(filter) }

    var text: String {
        switch self {
        case .condition(let condition): condition.text
        case .and(let left, let right): "(\(left.text) && \(right.text))"
        case .or(let left, let right): "(\(left.text) || \(right.text))"
        case .not(let filter): "!(\(filter.text))"
        }
    }

    /// An Optional filter as part of a call's text.
    static func clause(_ filter: Filter?, _ syntax: QuerySyntax = .builder) -> String {
        guard let filter else { return "" }
        if syntax == .text, let written = filter.written {
            return
                ".where(text: \(written.text.swift), arguments: [\(written.arguments.map(\.swift).joined(separator: ", "))])"
        }
        return syntax == .predicate && filter.isPredicate
            ? ".where(#Predicate { \(filter.text) })" : ".where { \(filter.text) }"
    }

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

/// The form in which a query gives a condition. A condition that has no such syntax is given by the builder.
enum QuerySyntax: Sendable {
    case builder, text, predicate
}

extension FilterBuilder {
    /// Keeps the records that meet the filter, which is given in a syntax.
    func `where`(_ filter: Filter<Model>?, _ syntax: QuerySyntax = .builder) -> Self {
        guard let filter else { return self }
        if syntax == .text, let written = filter.written {
            return self.where(text: written.text, arguments: written.arguments)
        }
        if syntax == .predicate, let predicate = filter.predicate { return self.where(predicate) }
        return self.where { filter.term($0) }
    }
}

extension Value {
    /// The value as Swift source.
    var swift: String {
        switch self {
        case .null: ".null"
        case .int(let value): ".int(\(value))"
        case .unsigned(let value): ".unsigned(\(value))"
        case .double(let value): ".double(\(value.swift))"
        case .text(let value): ".text(\(value.swift))"
        case .blob(let value): ".blob(\(value))"
        }
    }
}
