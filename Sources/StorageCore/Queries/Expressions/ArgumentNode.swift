import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The value of a query's argument: given for a question mark in a text, or captured by a predicate.
enum ArgumentNode: Sendable {
    case node(QueryNode)
    case list(@Sendable (QueryNode) -> QueryNode)

    init(_ argument: any ColumnValue) {
        if let list = (argument as? any ListValue)?.set {
            self = .list(list)
        } else {
            self = .node((argument as? Decimal)?.number ?? argument.node)
        }
    }
}

/// An array, whose elements can be a set; nil for bytes, which are a single value.
private protocol ListValue { var set: (@Sendable (QueryNode) -> QueryNode)? { get } }

extension Array: ListValue where Element: ColumnValue {
    var set: (@Sendable (QueryNode) -> QueryNode)? {
        if Element.self == UInt8.self { return nil }
        if let decimals = self as? [Decimal] {
            let numbers = decimals.compactMap(\.storedText)
            return { .isIn($0, [], numbers: numbers) }
        }
        return { contains($0) }
    }
}

extension Decimal {
    /// The number as a node that takes the type of the other operand.
    fileprivate var number: QueryNode? { storedText.map(QueryNode.number) }
}
