/// A term to sort by, with its direction. By default nil comes first if ascending, and last if descending.
public struct OrderingTerm: Sendable {
    let node: QueryNode
    let isDescending: Bool
    private(set) var nullsFirst: Bool?

    package init(node: QueryNode, isDescending: Bool, nullsFirst: Bool? = nil) {
        self.node = node
        self.isDescending = isDescending
        self.nullsFirst = nullsFirst
    }

    /// True for the order by relevance.
    package func isRelevance(of model: ModelTables) -> Bool { node.isRelevance(of: model) }

    /// The same order, with nil before everything else.
    public var nilsFirst: OrderingTerm { OrderingTerm(node: node, isDescending: isDescending, nullsFirst: true) }
    /// The same order, with nil after everything else.
    public var nilsLast: OrderingTerm { OrderingTerm(node: node, isDescending: isDescending, nullsFirst: false) }
}

extension QueryNode {
    /// True for the relevance of a search. In a text the word stands for a property of this name if the model has one.
    func isRelevance(of model: ModelTables) -> Bool {
        switch self {
        case .relevance: true
        case .placed(let inner, _): inner.isRelevance(of: model)
        case .property(let path):
            path.names.map(\.text) == ["relevance"] && path.ordinals.isEmpty
                && model.root.ordinal(of: "relevance") == nil
        default: false
        }
    }
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
