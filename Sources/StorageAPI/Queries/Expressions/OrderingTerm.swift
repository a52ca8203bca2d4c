/// A term to sort by, with its direction. By default nil comes first if ascending, and last if descending.
public struct OrderingTerm: Sendable {
    let node: QueryNode
    let isDescending: Bool
    private(set) var nullsFirst: Bool?

    init(node: QueryNode, isDescending: Bool, nullsFirst: Bool? = nil) {
        self.node = node
        self.isDescending = isDescending
        self.nullsFirst = nullsFirst
    }

    /// The same order, with nil before everything else.
    public var nilsFirst: OrderingTerm { OrderingTerm(node: node, isDescending: isDescending, nullsFirst: true) }
    /// The same order, with nil after everything else.
    public var nilsLast: OrderingTerm { OrderingTerm(node: node, isDescending: isDescending, nullsFirst: false) }
}

extension QueryExpression where V: SortableValue {
    /// Lesser values first, and nil before them.
    public var ascending: OrderingTerm { OrderingTerm(node: node, isDescending: false) }
    /// Greater values first, and nil after them.
    public var descending: OrderingTerm { OrderingTerm(node: node, isDescending: true) }
}

// Enums sort by their raw values.
extension QueryExpression where V: RawRepresentable, V.RawValue: ScalarValue {
    /// Lesser values first, and nil before them.
    public var ascending: OrderingTerm { OrderingTerm(node: node, isDescending: false) }
    /// Greater values first, and nil after them.
    public var descending: OrderingTerm { OrderingTerm(node: node, isDescending: true) }
}
