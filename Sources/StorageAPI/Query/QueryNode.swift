/// The place of a property in a query: the way from the model through owned children.
///
/// Made by the store and handed to a ``ColumnSet``; a property of it is `QueryExpression(path, ordinal)`.
public struct PropertyPath: Sendable {
    /// Which closure the way starts in: 0 for the query's own, one more for each `any`, `all`, `none` or `count` around
    /// it.
    let scope: Int
    let ordinals: [Int]
    /// The names that a text gives instead of places in the schema.
    var names: [Name] = []

    /// A property's name in a query's text.
    struct Name: Sendable {
        let text: String
        let place: TextPlace
    }

    init(scope: Int = 0, _ ordinals: [Int] = []) {
        self.scope = scope
        self.ordinals = ordinals
    }

    func appending(_ ordinal: Int) -> PropertyPath { PropertyPath(scope: scope, ordinals + [ordinal]) }
}

/// A model's properties as terms of queries; `@Storable` writes one as `Columns`.
///
/// ```swift
/// struct Columns: ColumnSet {
///     private let path: PropertyPath
///     init(_ path: PropertyPath) { self.path = path }
///     var id: QueryExpression<Int> { QueryExpression(path, 0) }        // the property's place in the schema
///     var color: QueryExpression<String> { QueryExpression(path, 1) }
/// }
/// ```
public protocol ColumnSet: Sendable {
    /// The properties of the model at the path.
    init(_ path: PropertyPath)
}

/// A query's term before it meets a schema.
indirect enum QueryNode: Sendable {
    case property(PropertyPath)
    case value(Value)
    case arithmetic(Arithmetic, QueryNode, QueryNode)
    /// How many elements an array has, or how many children; nil where there is no array.
    case count(QueryNode)
    /// How many children meet the condition; 0 where there is no array.
    case childCount(PropertyPath, QueryNode)
    case choice(QueryNode, QueryNode, QueryNode)
    /// Of a group's rows.
    case aggregate(AggregateFunction, QueryNode?)
    /// A group's key, by its index.
    case groupKey(Int)

    case comparison(Comparison, QueryNode, QueryNode, TextFolding)
    case isIn(QueryNode, [Value])
    case isNil(QueryNode)
    case text(TextTest, QueryNode, QueryNode, TextFolding)
    case hasElement(QueryNode, Value)
    case and(QueryNode, QueryNode)
    case or(QueryNode, QueryNode)
    case not(QueryNode)
    case quantified(Quantifier, PropertyPath, QueryNode)
    case constant(Bool)
    /// A comparison with what the path leads to, for the elements of the first array on the way.
    case overPath(Quantifier, PropertyPath, @Sendable (QueryNode) -> QueryNode)
    /// A node that stands at a place of a text, which errors name.
    case placed(QueryNode, TextPlace)
    /// Something that has no meaning, found while building; thrown when the query runs.
    case invalid(String)
}
