public import StorageDriver

/// A query of chosen properties, as tuples.
///
/// ```swift
/// let names = try await store.select(Person.self).only { ($0.id, $0.name, $0.pens) }.all()   // [(Int, String, [Pen])]
/// ```
///
/// Owned children are loaded where they are chosen, and only these. What is not chosen is not read.
public struct Projection<Model: Storable, Source, each V> {
    private var selection: Selection
    private let outputs: (repeat QueryExpression<each V>)
    private var isDistinct = false
    private var page = GroupSelection(rows: Selection())
    fileprivate let source: Source

    init(_ selection: Selection, _ source: Source, _ outputs: (Model.Columns) -> (repeat QueryExpression<each V>)) {
        self.selection = selection
        self.source = source
        self.outputs = outputs(Model.Columns(PropertyPath()))
    }

    /// Keeps one of equal tuples. They come in the order of their values, nil first.
    public func distinct() -> Self {
        var builder = self
        builder.isDistinct = true
        return builder
    }

    /// Takes at most so many tuples. A negative number is `invalidQuery` when the query runs.
    public func limit(_ count: Int) -> Self {
        var builder = self
        if isDistinct { builder.page.limit = count } else { builder.selection.limit = count }
        return builder
    }

    /// Passes over so many tuples first. A negative number is `invalidQuery` when the query runs.
    public func offset(_ count: Int) -> Self {
        var builder = self
        if isDistinct { builder.page.offset = count } else { builder.selection.offset = count }
        return builder
    }

    fileprivate var request: ResultRequest<repeat each V> {
        var nodes: [QueryNode] = []
        for output in repeat each outputs { nodes.append(output.node) }
        guard isDistinct else { return ResultRequest(.records(selection, nodes)) }
        var groups = page
        groups.rows = selection
        groups.keys = nodes
        groups.outputs = nodes.indices.map(QueryNode.groupKey)
        return ResultRequest(.groups(groups))
    }
}

extension Projection: Sendable where Source: Sendable {}

extension Projection where Source == Store {
    /// The tuples, in order.
    ///
    /// - Throws: `typeMismatch` where a stored value does not fit its property; `invalidQuery`; `closed`.
    public nonisolated(nonsending) func all() async throws(StorageError) -> [(repeat each V)] {
        let request = request
        return try await Select<Model>(store: source).run { (reading) throws(StorageError) in try request.rows(reading)
        }
    }
}

extension Projection where Source == BlockingSource {
    /// The tuples, in order.
    public func all() throws(StorageError) -> [(repeat each V)] {
        let request = request
        return try source.executor.reading("select", Model.self) { (reading) throws(StorageError) in
            try request.rows(reading)
        }
    }
}

extension Select {
    /// Asks for chosen properties alone: `{ $0.name }`, `{ ($0.id, $0.city.name, $0.pens) }`.
    public func only<each V>(
        _ properties: (Model.Columns) -> (repeat QueryExpression<each V>)
    ) -> Projection<Model, Store, repeat each V> { Projection(selection, store, properties) }
}

extension BlockingSelect {
    /// Asks for chosen properties alone.
    public func only<each V>(
        _ properties: (Model.Columns) -> (repeat QueryExpression<each V>)
    ) -> Projection<Model, BlockingSource, repeat each V> {
        Projection(selection, BlockingSource(executor: executor), properties)
    }
}
