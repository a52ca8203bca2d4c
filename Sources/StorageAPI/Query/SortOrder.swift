/// A type whose values have an order to sort by: every scalar, and Optionals of them, but no array.
public protocol SortableValue: ColumnValue {
    /// The type without its Optional.
    associatedtype Scalar: ScalarValue = Self
}

extension Optional: SortableValue where Wrapped: SortableValue & ScalarValue {
    /// What is sorted where there is a value.
    public typealias Scalar = Wrapped
}

/// A term to sort by, with its direction. nil comes first ascending and last descending, unless it is said otherwise.
public struct SortOrder: Sendable {
    let node: QueryNode
    let isDescending: Bool
    private(set) var nullsFirst: Bool?

    init(node: QueryNode, isDescending: Bool, nullsFirst: Bool? = nil) {
        self.node = node
        self.isDescending = isDescending
        self.nullsFirst = nullsFirst
    }

    /// The same order, with nil before everything else.
    public var nilsFirst: SortOrder { SortOrder(node: node, isDescending: isDescending, nullsFirst: true) }
    /// The same order, with nil after everything else.
    public var nilsLast: SortOrder { SortOrder(node: node, isDescending: isDescending, nullsFirst: false) }
}

extension QueryExpression where V: SortableValue {
    /// Lesser values first, and nil before them.
    public var ascending: SortOrder { SortOrder(node: node, isDescending: false) }
    /// Greater values first, and nil after them.
    public var descending: SortOrder { SortOrder(node: node, isDescending: true) }
}

// Enums sort by their raw values.
extension QueryExpression where V: RawRepresentable, V.RawValue: ScalarValue {
    /// Lesser values first, and nil before them.
    public var ascending: SortOrder { SortOrder(node: node, isDescending: false) }
    /// Greater values first, and nil after them.
    public var descending: SortOrder { SortOrder(node: node, isDescending: true) }
}
