import StorageDriver

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension FilterBuilder {
    /// Keeps the records that meet a Foundation predicate; <doc:Queries> lists the supported expressions.
    ///
    /// ```swift
    /// store.select(Person.self).where(#Predicate { $0.age >= 28 && $0.pens.contains { $0.price > 9 } })
    /// ```
    ///
    /// Its meaning is the storage contract's: text is compared by UTF-8 bytes. An unsupported expression (a subscript,
    /// a regular expression, a cast, a property of a captured object) throws `invalidQuery` when the query runs, and
    /// the message names it.
    @_disfavoredOverload
    public func `where`(_ predicate: Predicate<Model>) -> Self {
        var builder = self
        do {
            builder.selection.add(try PredicateLowering.condition(predicate))
        } catch {
            builder.selection.problem = selection.problem ?? error
        }
        return builder
    }
}

/// Turns the expression of a predicate into a query's term.
struct PredicateLowering {
    private var variables: [PredicateExpressions.VariableID: PredicateTerm] = [:]
    private var depth = 0

    static func condition<M: Storable>(_ predicate: Predicate<M>) throws(StorageError) -> QueryNode {
        var lowering = PredicateLowering()
        lowering.variables[predicate.variable.key] = .node(.property(PropertyPath()))
        return try lowering.node(predicate.expression)
    }

    mutating func term<E: PredicateExpression>(_ expression: E) throws(StorageError) -> PredicateTerm {
        depth += 1
        defer { depth -= 1 }
        guard depth <= QueryLimits.levels else { throw QueryLimits.tooDeep }
        guard let lowerable = expression as? any LowerablePredicate else { throw Self.unsupported(E.self) }
        return try lowerable.lower(&self)
    }

    /// The expression as one value or condition.
    mutating func node<E: PredicateExpression>(_ expression: E) throws(StorageError) -> QueryNode {
        guard case .node(let node) = try term(expression) else { throw Self.unsupported(E.self) }
        return node
    }

    /// The expression as a path of properties.
    mutating func path<E: PredicateExpression>(_ expression: E) throws(StorageError) -> PropertyPath {
        guard case .property(let path) = try node(expression) else { throw Self.unsupported(E.self) }
        return path
    }

    func variable(_ id: PredicateExpressions.VariableID) throws(StorageError) -> PredicateTerm {
        guard let term = variables[id] else { throw Self.unsupported(PredicateExpressions.VariableID.self) }
        return term
    }

    /// An expression with a variable that means a term.
    mutating func node<E: PredicateExpression>(
        _ expression: E, where id: PredicateExpressions.VariableID, is term: QueryNode
    ) throws(StorageError) -> QueryNode {
        variables[id] = .node(term)
        return try node(expression)
    }

    /// A condition on the children at the end of a path.
    mutating func inside<E: PredicateExpression>(
        _ path: PropertyPath, _ id: PredicateExpressions.VariableID, condition: E
    ) throws(StorageError) -> QueryNode {
        try node(condition, where: id, is: .property(PropertyPath(scope: path.scope + 1)))
    }

    static func unsupported(_ type: Any.Type) -> StorageError {
        StorageError(
            .invalidQuery,
            "The predicate's expression \(type) has no counterpart in queries; write it with where { } or in Swift.")
    }
}

/// The meaning of an expression of a predicate.
enum PredicateTerm {
    case node(QueryNode)
    /// A captured reference, by the parts of its key.
    case reference([Value])
    /// Captured values to look among.
    case list(@Sendable (QueryNode) -> QueryNode)
    /// A range's bounds.
    case range(QueryNode, QueryNode, isClosed: Bool)
    /// The children that meet a condition.
    case filtered(PropertyPath, QueryNode)
}

/// An expression that queries support.
protocol LowerablePredicate {
    func lower(_ lowering: inout PredicateLowering) throws(StorageError) -> PredicateTerm
}
