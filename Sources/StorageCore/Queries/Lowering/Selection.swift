import StorageDriver

/// The content of a query builder: values only.
public struct Selection: Sendable {
    private(set) var filter: QueryNode?
    private(set) var depth = 0
    package var order: [OrderingTerm] = []
    package var limit: Int?
    package var offset = 0
    /// The error found while the query was built.
    package var problem: StorageError?

    package init() {}

    /// True if it selects all records in key order.
    var isEverything: Bool { filter == nil && order.isEmpty && limit == nil && offset == 0 && problem == nil }

    /// The same without limit and offset.
    var withoutPage: Selection {
        var selection = self
        (selection.limit, selection.offset) = (nil, 0)
        return selection
    }

    package mutating func add(_ condition: QueryNode, depth: Int = 0) { add((condition, depth)) }

    package mutating func add(_ condition: QueryNode.Nested) {
        let joined = filter.map { QueryNode.and(($0, depth), condition) } ?? condition
        guard joined.depth <= QueryNode.deepest else {
            problem = problem ?? QueryLimits.tooDeep
            return
        }
        (filter, depth) = joined
    }
}

/// A builder that selects records by conditions.
///
/// Builders are values: each call returns a new one. A builder does no work before a call such as `all()` or `run()`.
public protocol FilterBuilder<Model> {
    /// The model whose records are selected.
    associatedtype Model: Storable
    /// The query so far.
    var selection: Selection { get set }
}

extension FilterBuilder {
    /// Keeps the records that meet the condition. Several conditions must all be met.
    public func `where`(_ condition: (Model.Columns) -> QueryExpression<Bool>) -> Self {
        var builder = self
        builder.selection.add(condition(Model.Columns(PropertyPath())).nested)
        return builder
    }
}

/// A builder that also sorts its records and limits their number.
public protocol SelectionBuilder<Model>: FilterBuilder {}

extension SelectionBuilder {
    /// Sorts by a term and its direction. A later call sorts records that are equal so far; records that are equal on
    /// all terms are sorted by key.
    public func order(_ term: (Model.Columns) -> OrderingTerm) -> Self {
        var builder = self
        builder.selection.order.append(term(Model.Columns(PropertyPath())))
        return builder
    }

    /// Sorts ascending by a property.
    public func order<V: SortableValue>(_ term: (Model.Columns) -> QueryExpression<V>) -> Self {
        order { term($0).ascending }
    }

    /// Sorts ascending by an enum's raw value.
    public func order<V: RawRepresentable>(_ term: (Model.Columns) -> QueryExpression<V>) -> Self
    where V.RawValue: ScalarValue {
        order { term($0).ascending }
    }

    /// Returns at most so many records. A negative number throws `invalidQuery` when the query runs.
    public func limit(_ count: Int) -> Self {
        var builder = self
        builder.selection.limit = count
        return builder
    }

    /// Skips so many records first. A negative number throws `invalidQuery` when the query runs.
    public func offset(_ count: Int) -> Self {
        var builder = self
        builder.selection.offset = count
        return builder
    }
}

/// A change of a lowered query.
package typealias QueryChange = (inout Query, inout QueryArguments) -> Void

extension ModelHandle {
    /// The plan and the arguments for a selection from a table, by default the root's.
    ///
    /// - Parameters:
    ///   - keys: the keys of the rows in scope; nil for all rows.
    ///   - change: changes the lowered query, such as its filter.
    package func plan(
        _ selection: Selection, _ result: Query.Result, table: TableBinding? = nil, among keys: KeyList? = nil,
        in session: any StorageSession, change: QueryChange = { _, _ in }
    ) throws(StorageError) -> (QueryPlan, QueryArguments) {
        var lowering = QueryLowering(self, table: table, among: keys, in: session)
        var (query, arguments) = try query(selection, result, by: &lowering)
        change(&query, &arguments)
        return (plan(query, table: lowering.table.index, others: lowering.others), arguments)
    }

    /// The shape and the arguments of a selection; the other terms are already lowered.
    package func query(
        _ selection: Selection, _ result: Query.Result, by lowering: inout QueryLowering
    ) throws(StorageError) -> (Query, QueryArguments) {
        if let problem = selection.problem { throw problem.at(model: name) }
        try checkPage(selection.limit, selection.offset)
        var query = Query(result, scope: lowering.scope)
        if let filter = selection.filter { query.filter = try lowering.filter(filter) }
        for key in selection.order { query.order.append(try lowering.sortKey(key)) }
        switch result {
        // Limit and offset do not apply to these.
        case .count, .exists: break
        case .columns, .terms, .groups: query.isLimited = selection.limit != nil || selection.offset > 0
        }
        var arguments = lowering.arguments
        arguments.limit = selection.limit
        arguments.offset = selection.offset
        return (query, arguments)
    }

    func checkPage(_ limit: Int?, _ offset: Int) throws(StorageError) {
        for (part, value) in [("limit", limit ?? 0), ("offset", offset)] where value < 0 {
            throw StorageError(.invalidQuery, "The \(part) \(value) is negative; use 0 or more.", model: name)
        }
    }
}
