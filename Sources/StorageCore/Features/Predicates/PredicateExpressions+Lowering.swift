import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

// MARK: Leaves

extension PredicateExpressions.Variable: LowerablePredicate {
    func lower(_ lowering: inout PredicateLowering) throws(StorageError) -> PredicateTerm { try lowering.variable(key) }
}

extension PredicateExpressions.NilLiteral: LowerablePredicate {
    func lower(_: inout PredicateLowering) -> PredicateTerm { .node(.value(.null)) }
}

extension PredicateExpressions.Value: LowerablePredicate {
    func lower(_: inout PredicateLowering) throws(StorageError) -> PredicateTerm {
        guard let term = PredicateTerm(captured: value) else { throw PredicateLowering.unsupported(Self.self) }
        return term
    }
}

extension PredicateExpressions.KeyPath: LowerablePredicate {
    func lower(_ lowering: inout PredicateLowering) throws(StorageError) -> PredicateTerm {
        switch (kind, try lowering.term(root)) {
        case (.collectionCount?, .node(let node)): return .node(.count(node))
        case (.collectionCount?, .filtered(let path, let condition)): return .node(.childCount(path, condition))
        case (.collectionIsEmpty?, .node(let node)) where Root.Output.self == String.self:
            return .node(.comparison(.equal, node, .value(.text("")), []))
        case (.collectionIsEmpty?, .node(let node)):
            return .node(.comparison(.equal, .count(node), .value(.int(0)), []))
        case (.collectionIsEmpty?, .filtered(let path, let condition)):
            return .node(.not(.quantified(.any, path, condition)))
        // A reference to a record with a key of one value is compared as that.
        case (nil, .node(.property(let path))) where Root.Output.self is any CapturedReference.Type:
            guard let type = Root.Output.self as? any CapturedReference.Type, type.isKey(keyPath) else {
                throw PredicateLowering.unsupported(Self.self)
            }
            return .node(.property(path))
        case (nil, .node(.property(let path))):
            guard let model = Root.Output.self as? any Storable.Type, let ordinal = model.ordinal(ofAny: keyPath) else {
                throw PredicateLowering.unsupported(Self.self)
            }
            return .node(.property(path.appending(ordinal)))
        default: throw PredicateLowering.unsupported(Self.self)
        }
    }
}

extension Storable {
    /// The index of the property in the schema, for a key path whose root is not known to be this type.
    fileprivate static func ordinal(ofAny keyPath: AnyKeyPath) -> Int? {
        (keyPath as? PartialKeyPath<Self>).flatMap(ordinal(of:))
    }
}

extension PredicateTerm {
    /// A value that a predicate has captured.
    fileprivate init?(captured value: Any) {
        if let reference = value as? any CapturedReference {
            self = .reference(reference.parts)
        } else if let optional = value as? any OptionalValue, let reference = optional.wrapped as? any CapturedReference
        {
            self = .reference(reference.parts)
        } else if let references = value as? any CapturedReferences {
            let keys = references.keys
            self = .list { node in
                guard case .property(let path) = node else { return .invalid("A reference is compared as a property.") }
                return .refers(path, keys)
            }
        } else if let value = value as? Character {
            self = .node(.value(.text(String(value))))
        } else if let value = value as? any CapturedRange, let range = value.term {
            self = range
        } else if let value = value as? any ColumnValue {
            switch ArgumentNode(value) {
            case .node(let node): self = .node(node)
            case .list(let set): self = .list(set)
            }
        } else if let values = value as? any Collection, let list = Self.list(values) {
            self = .list { .isIn($0, list) }
        } else if let node = Self.scalar(value) {
            self = .node(node)
        } else {
            return nil
        }
    }

    private static func list(_ collection: any Collection) -> [Value]? {
        var values: [Value] = []
        for element in collection {
            guard case .value(let value)? = scalar(element) else { return nil }
            values.append(value)
        }
        return values
    }

    private static func scalar(_ value: Any) -> QueryNode? {
        if let value = value as? any ColumnValue { return value.node }
        if let optional = value as? any OptionalValue {
            guard let wrapped = optional.wrapped else { return .value(.null) }
            return scalar(wrapped)
        }
        guard let value = value as? any RawRepresentable else { return nil }
        return (value.rawValue as? any ScalarValue)?.node
    }
}

/// A reference that a predicate has captured, or that a property is.
private protocol CapturedReference {
    var parts: [Value] { get }
    /// Returns whether it is the path to a key of one value.
    static func isKey(_ keyPath: AnyKeyPath) -> Bool
}

extension Ref: CapturedReference {
    fileprivate var parts: [Value] { Model.values(of: key) }
    fileprivate static func isKey(_ keyPath: AnyKeyPath) -> Bool { keyPath == \Ref.key && Model._keyWidth == 1 }
}

/// References among which a predicate looks.
private protocol CapturedReferences { var keys: [[Value]] { get } }

extension Array: CapturedReferences where Element: CapturedReference {
    fileprivate var keys: [[Value]] { map(\.parts) }
}

extension Set: CapturedReferences where Element: CapturedReference {
    fileprivate var keys: [[Value]] { map(\.parts) }
}

extension PredicateLowering {
    /// Tests whether two expressions are equal, where one may be a captured reference.
    fileprivate mutating func equality<L: PredicateExpression, R: PredicateExpression>(
        _ left: L, _ right: R, by comparison: Comparison
    ) throws(StorageError) -> QueryNode {
        switch (try term(left), try term(right)) {
        case (.node(.property(let path)), .reference(let key)), (.reference(let key), .node(.property(let path))):
            let refers = QueryNode.refers(path, [key])
            return comparison == .equal ? refers : .not(refers)
        case (.node(let left), .node(let right)): return .comparison(comparison, left, right, [])
        default: throw Self.unsupported(L.self)
        }
    }
}

/// A range that a predicate has captured.
private protocol CapturedRange { var term: PredicateTerm? { get } }

extension Range: CapturedRange {
    var term: PredicateTerm? { PredicateTerm(lowerBound, upperBound, isClosed: false) }
}

extension ClosedRange: CapturedRange {
    var term: PredicateTerm? { PredicateTerm(lowerBound, upperBound, isClosed: true) }
}

extension PredicateTerm {
    fileprivate init?(_ lower: Any, _ upper: Any, isClosed: Bool) {
        guard let lower = lower as? any ScalarValue, let upper = upper as? any ScalarValue else { return nil }
        self = .range(lower.node, upper.node, isClosed: isClosed)
    }
}

// MARK: Logic and comparison

extension PredicateExpressions.Conjunction: LowerablePredicate {
    func lower(_ lowering: inout PredicateLowering) throws(StorageError) -> PredicateTerm {
        .node(.and([try lowering.node(lhs), try lowering.node(rhs)]))
    }
}

extension PredicateExpressions.Disjunction: LowerablePredicate {
    func lower(_ lowering: inout PredicateLowering) throws(StorageError) -> PredicateTerm {
        .node(.or([try lowering.node(lhs), try lowering.node(rhs)]))
    }
}

extension PredicateExpressions.Negation: LowerablePredicate {
    func lower(_ lowering: inout PredicateLowering) throws(StorageError) -> PredicateTerm {
        .node(.not(try lowering.node(wrapped)))
    }
}

extension PredicateExpressions.Equal: LowerablePredicate {
    func lower(_ lowering: inout PredicateLowering) throws(StorageError) -> PredicateTerm {
        .node(try lowering.equality(lhs, rhs, by: .equal))
    }
}

extension PredicateExpressions.NotEqual: LowerablePredicate {
    func lower(_ lowering: inout PredicateLowering) throws(StorageError) -> PredicateTerm {
        .node(try lowering.equality(lhs, rhs, by: .notEqual))
    }
}

extension PredicateExpressions.Comparison: LowerablePredicate {
    func lower(_ lowering: inout PredicateLowering) throws(StorageError) -> PredicateTerm {
        let comparison: Comparison =
            switch op {
            case .lessThan: .less
            case .lessThanOrEqual: .lessOrEqual
            case .greaterThan: .greater
            case .greaterThanOrEqual: .greaterOrEqual
            @unknown default: throw PredicateLowering.unsupported(Self.self)
            }
        return .node(.comparison(comparison, try lowering.node(lhs), try lowering.node(rhs), []))
    }
}

// MARK: Numbers

extension PredicateExpressions.Arithmetic: LowerablePredicate {
    func lower(_ lowering: inout PredicateLowering) throws(StorageError) -> PredicateTerm {
        let operation: Arithmetic =
            switch op {
            case .add: .add
            case .subtract: .subtract
            case .multiply: .multiply
            @unknown default: throw PredicateLowering.unsupported(Self.self)
            }
        return .node(.arithmetic(operation, try lowering.node(lhs), try lowering.node(rhs)))
    }
}

extension PredicateExpressions.IntDivision: LowerablePredicate {
    func lower(_ lowering: inout PredicateLowering) throws(StorageError) -> PredicateTerm {
        .node(.arithmetic(.divide, try lowering.node(lhs), try lowering.node(rhs)))
    }
}

extension PredicateExpressions.FloatDivision: LowerablePredicate {
    func lower(_ lowering: inout PredicateLowering) throws(StorageError) -> PredicateTerm {
        .node(.arithmetic(.divide, try lowering.node(lhs), try lowering.node(rhs)))
    }
}

extension PredicateExpressions.IntRemainder: LowerablePredicate {
    func lower(_ lowering: inout PredicateLowering) throws(StorageError) -> PredicateTerm {
        .node(.arithmetic(.remainder, try lowering.node(lhs), try lowering.node(rhs)))
    }
}

extension PredicateExpressions.UnaryMinus: LowerablePredicate {
    func lower(_ lowering: inout PredicateLowering) throws(StorageError) -> PredicateTerm {
        .node(.arithmetic(.subtract, .value(.int(0)), try lowering.node(wrapped)))
    }
}

// MARK: Optionals and choices

extension PredicateExpressions.OptionalFlatMap: LowerablePredicate {
    func lower(_ lowering: inout PredicateLowering) throws(StorageError) -> PredicateTerm {
        let optional = try lowering.node(wrapped)
        let result = try lowering.node(transform, where: variable.key, is: optional)
        // A child's property is nil if the child is nil; so is everything that is computed from nil.
        if case .property = result { return .node(result) }
        return .node(.choice(.isNil(optional), .value(.null), result))
    }
}

extension PredicateExpressions.NilCoalesce: LowerablePredicate {
    func lower(_ lowering: inout PredicateLowering) throws(StorageError) -> PredicateTerm {
        let optional = try lowering.node(lhs)
        return .node(.choice(.isNil(optional), try lowering.node(rhs), optional))
    }
}

/// nil stays nil; plain Swift would end the program.
extension PredicateExpressions.ForcedUnwrap: LowerablePredicate {
    func lower(_ lowering: inout PredicateLowering) throws(StorageError) -> PredicateTerm { try lowering.term(inner) }
}

extension PredicateExpressions.Conditional: LowerablePredicate {
    func lower(_ lowering: inout PredicateLowering) throws(StorageError) -> PredicateTerm {
        .node(.choice(try lowering.node(test), try lowering.node(trueBranch), try lowering.node(falseBranch)))
    }
}

// MARK: Collections and text

extension PredicateExpressions.Range: LowerablePredicate {
    func lower(_ lowering: inout PredicateLowering) throws(StorageError) -> PredicateTerm {
        .range(try lowering.node(lower), try lowering.node(upper), isClosed: false)
    }
}

extension PredicateExpressions.ClosedRange: LowerablePredicate {
    func lower(_ lowering: inout PredicateLowering) throws(StorageError) -> PredicateTerm {
        .range(try lowering.node(lower), try lowering.node(upper), isClosed: true)
    }
}

extension PredicateExpressions.RangeExpressionContains: LowerablePredicate {
    func lower(_ lowering: inout PredicateLowering) throws(StorageError) -> PredicateTerm {
        guard case .range(let lower, let upper, let isClosed) = try lowering.term(range) else {
            throw PredicateLowering.unsupported(Self.self)
        }
        let element = try lowering.node(element)
        return .node(
            .and([
                .comparison(.greaterOrEqual, element, lower, []),
                .comparison(isClosed ? .lessOrEqual : .less, element, upper, []),
            ]))
    }
}

extension PredicateExpressions.SequenceContains: LowerablePredicate {
    func lower(_ lowering: inout PredicateLowering) throws(StorageError) -> PredicateTerm {
        let sequence = try lowering.term(sequence)
        if case .reference(let key) = try lowering.term(element), case .node(.property(let path)) = sequence {
            return .node(.refers(path, [key]))
        }
        let element = try lowering.node(element)
        switch sequence {
        case .list(let set): return .node(set(element))
        case .node(let node): return .node(.text(.contains, node, element, []))
        case .range, .filtered, .reference: throw PredicateLowering.unsupported(Self.self)
        }
    }
}

extension PredicateExpressions.CollectionContainsCollection: LowerablePredicate {
    func lower(_ lowering: inout PredicateLowering) throws(StorageError) -> PredicateTerm {
        guard Base.Output.self == String.self else { throw PredicateLowering.unsupported(Self.self) }
        return .node(.text(.contains, try lowering.node(base), try lowering.node(other), []))
    }
}

extension PredicateExpressions.SequenceStartsWith: LowerablePredicate {
    func lower(_ lowering: inout PredicateLowering) throws(StorageError) -> PredicateTerm {
        guard Base.Output.self == String.self else { throw PredicateLowering.unsupported(Self.self) }
        return .node(.text(.hasPrefix, try lowering.node(base), try lowering.node(prefix), []))
    }
}

extension PredicateExpressions.SequenceContainsWhere: LowerablePredicate {
    func lower(_ lowering: inout PredicateLowering) throws(StorageError) -> PredicateTerm {
        let path = try lowering.path(sequence)
        return .node(.quantified(.any, path, try lowering.inside(path, variable.key, condition: test)))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: LowerablePredicate {
    func lower(_ lowering: inout PredicateLowering) throws(StorageError) -> PredicateTerm {
        let path = try lowering.path(sequence)
        return .node(.quantified(.all, path, try lowering.inside(path, variable.key, condition: test)))
    }
}

extension PredicateExpressions.Filter: LowerablePredicate {
    func lower(_ lowering: inout PredicateLowering) throws(StorageError) -> PredicateTerm {
        let path = try lowering.path(sequence)
        return .filtered(path, try lowering.inside(path, variable.key, condition: filter))
    }
}
