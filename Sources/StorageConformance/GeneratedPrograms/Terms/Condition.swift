internal import Foundation
internal import StorageAPI

/// A property, one of an owned child, or a computation, twice: as a term of queries and as the value that it has in
/// Swift.
struct Term<M: Storable, V>: Sendable {
    /// The term as it is written in a query: `$0.lid.width`.
    let text: String
    /// The term in a query's text; nil without a form there.
    let written: Written?
    let term: @Sendable (M.Columns) -> QueryExpression<V>
    let value: @Sendable (M) throws(ExpectedError) -> V
    /// The term in a predicate of Foundation's; nil without a form there.
    var predicate: (@Sendable (PredicateExpressions.Variable<M>) -> PropertyExpression)?

    typealias PropertyExpression = PredicateExpressions.KeyPath<PredicateExpressions.Variable<M>, V>

    init(
        _ text: String, written: Written? = nil, _ term: @escaping @Sendable (M.Columns) -> QueryExpression<V>,
        _ value: @escaping @Sendable (M) throws(ExpectedError) -> V
    ) {
        self.text = text
        self.written = written
        self.term = term
        self.value = value
    }

    /// A property of an owned child.
    init(
        through text: String, _ term: @escaping @Sendable (M.Columns) -> QueryExpression<V>,
        _ value: @escaping @Sendable (M) -> V
    ) {
        self.init("$0.\(text)", written: Written(text), term, value)
    }
}

/// A part of a query's text, with what stands for its question marks.
struct Written: Sendable {
    let text: String
    var arguments: [Value] = []

    init(_ text: String, _ arguments: [Value] = []) {
        self.text = text
        self.arguments = arguments
    }

    /// The parts with words between and around them.
    static func joined(_ parts: [Written], _ separator: String, open: String = "", close: String = "") -> Written {
        Written(open + parts.map(\.text).joined(separator: separator) + close, parts.flatMap(\.arguments))
    }

    /// The part, followed by an operator with an argument.
    func with(_ operation: String, _ argument: Value) -> Written {
        Written("\(text) \(operation) ?", arguments + [argument])
    }
}

/// A condition twice: as a term of queries and as the test that it is in Swift.
struct Condition<M: Storable>: Sendable {
    typealias Variable = PredicateExpressions.Variable<M>

    let text: String
    /// The condition in a query's text; nil without a form there.
    var written: Written?
    let term: @Sendable (M.Columns) -> QueryExpression<Bool>
    let holds: @Sendable (M) throws(ExpectedError) -> Bool
    /// The condition in a predicate of Foundation's; nil without a form there.
    var predicate: (@Sendable (Variable) -> any StandardPredicateExpression<Bool>)?
    private let makeSimpler: @Sendable () -> [Condition<M>]

    init(
        _ text: String, written: Written? = nil, simpler: @autoclosure @escaping @Sendable () -> [Condition<M>] = [],
        _ term: @escaping @Sendable (M.Columns) -> QueryExpression<Bool>,
        _ holds: @escaping @Sendable (M) throws(ExpectedError) -> Bool
    ) {
        self.text = text
        self.written = written
        self.term = term
        self.holds = holds
        makeSimpler = simpler
    }

    /// Conditions that are less, tried when a failing program is made smaller. Made when they are asked for: each has
    /// simpler ones in turn, and all of them together are more than memory holds.
    var simpler: [Condition<M>] { makeSimpler() }
}

extension Condition {
    /// Both conditions, the left one first.
    static func && (left: Condition, right: Condition) -> Condition {
        let written = left.written.flatMap { first in
            right.written.map { Written.joined([first, $0], " and ", open: "(", close: ")") }
        }
        return Condition(
            "(\(left.text) && \(right.text))", written: written, simpler: [left, right],
            { left.term($0) && right.term($0) },
            { (record) throws(ExpectedError) in
                guard try left.holds(record) else { return false }
                return try right.holds(record)
            })
    }
}

/// Makes a condition with a random operand, or with one that is taken from a record. Nil if no condition is possible.
typealias ConditionMaker<M: Storable> = @Sendable (inout SeededGenerator, _ from: M?) -> Condition<M>?
