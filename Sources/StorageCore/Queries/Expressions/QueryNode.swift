import StorageDriver

/// A query's term before it meets a schema.
package indirect enum QueryNode: Sendable {
    case property(PropertyPath)
    case value(Value)
    /// A plain number with a fraction, an exponent or more than 64 bits, as canonical decimal digits. It takes the type
    /// of the other operand.
    case number(String)
    case arithmetic(Arithmetic, QueryNode, QueryNode)
    /// The number of elements of an array, or of children; nil if the array is nil.
    case count(QueryNode)
    /// The number of children that meet the condition; 0 if the array is nil.
    case childCount(PropertyPath, QueryNode)
    /// An aggregate of a term of the children.
    case childAggregate(AggregateFunction, PropertyPath, QueryNode)
    case choice(QueryNode, QueryNode, QueryNode)
    /// The distance of two vectors.
    case distance(VectorMetric, QueryNode, QueryNode)
    /// A part of a date in a time zone.
    case datePart(DatePart, QueryNode, DateZone)
    /// An element of an array of the record, or a term of the element, as an input of groups.
    case element(QueryNode, QueryNode?)
    /// An aggregate of a group's rows.
    case aggregate(AggregateFunction, QueryNode?)
    /// A group's key, by its index.
    case groupKey(Int)

    case comparison(Comparison, QueryNode, QueryNode, TextFolding)
    /// Among values, and numbers as ``number(_:)`` has them.
    case isIn(QueryNode, [Value], numbers: [String] = [])
    case isNil(QueryNode)
    /// Tests whether a reference is to one of the records with these keys, each of as many values as the key has parts.
    case refers(PropertyPath, [[Value]])
    case text(TextTest, QueryNode, QueryNode, TextFolding)
    case hasElement(QueryNode, Value)
    /// A search of the record at the path, or of one of its texts.
    case matches(PropertyPath, SearchText)
    /// The relevance of the record, by which a query may be ordered.
    case relevance
    case and([QueryNode])
    case or([QueryNode])
    case not(QueryNode)
    case quantified(Quantifier, PropertyPath, QueryNode)
    case constant(Bool)
    /// A comparison with the target of the path, for the elements of the first array in the path.
    case overPath(Quantifier, PropertyPath, @Sendable (QueryNode) -> QueryNode)
    /// A node with its position in a text, for errors.
    case placed(QueryNode, TextLocation)
    /// An error found while building; thrown when the query runs.
    case invalid(String, StorageError.Code = .invalidQuery)

    /// A node, and the number of levels below it.
    package typealias Nested = (node: QueryNode, depth: Int)

    /// The deepest nesting of nodes: releasing a node uses the stack once for each level. No query that can run is as
    /// deep.
    package static let deepest = 1000

    /// Long chains are stored in parts, so that they are not deep and each new condition copies little.
    private static let longestPart = 64

    static func and(_ left: Nested, _ right: Nested) -> Nested {
        if case .and(let parts) = left.node, parts.count < longestPart {
            return (.and(parts + [right.node]), max(left.depth, right.depth + 1))
        }
        if case .and(let parts) = right.node, parts.count < longestPart {
            return (.and([left.node] + parts), max(left.depth + 1, right.depth))
        }
        return (.and([left.node, right.node]), max(left.depth, right.depth) + 1)
    }

    static func or(_ left: Nested, _ right: Nested) -> Nested {
        if case .or(let parts) = left.node, parts.count < longestPart {
            return (.or(parts + [right.node]), max(left.depth, right.depth + 1))
        }
        if case .or(let parts) = right.node, parts.count < longestPart {
            return (.or([left.node] + parts), max(left.depth + 1, right.depth))
        }
        return (.or([left.node, right.node]), max(left.depth, right.depth) + 1)
    }

    var isPlain: Bool {
        switch self {
        case .value, .number: true
        default: false
        }
    }
}

/// Words to search for, as a person writes them.
package struct SearchText: Hashable, Sendable {
    package let text: String
    /// True if the last word stands for all that begin with it.
    package let isTyping: Bool
}

extension ColumnValue {
    /// The value without its Swift type; nil if no column can store it (``value`` is then null).
    package var storableValue: Value? {
        let value = value
        guard value.isNull else { return value }
        return Self.isOptional && (self as? any OptionalValue)?.isNothing == true ? value : nil
    }

    /// - Throws: `invalidValue` for a value that no column can store.
    func storable() throws(StorageError) -> Value {
        guard let value = storableValue else { throw StorageError(.invalidValue, unstorableReason) }
        return value
    }

    /// The value as a plain value of a query. If `save` would refuse it, the query throws when it runs.
    var node: QueryNode { storableValue.map(QueryNode.value) ?? unstorable }

    var unstorable: QueryNode { .invalid(unstorableReason, .invalidValue) }

    package var unstorableReason: String { TextForm.refusal(of: "\(self)") }
}

extension Sequence where Element: ColumnValue {
    /// The condition that a term is one of these.
    func contains(_ term: QueryNode) -> QueryNode {
        var values: [Value] = []
        values.reserveCapacity(underestimatedCount)
        for element in self {
            guard let value = element.storableValue else { return element.unstorable }
            values.append(value)
        }
        return .isIn(term, values)
    }
}
