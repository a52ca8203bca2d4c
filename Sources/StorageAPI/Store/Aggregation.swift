/// Folds the values of one property over the records of a query; nil is left out.
///
/// The values are read, one column of them; no record is loaded.
extension Reading {
    func sum<V: NumericValue>(_: V.Type, _ selection: Selection, _ property: QueryNode) throws(StorageError) -> V.Sum {
        var sum = V.zero
        try each(V.self, selection, property) { (value) throws(StorageError) in
            guard let next = value.added(to: sum) else {
                throw StorageError(
                    .overflow, "The sum is beyond the range of \(V.Sum.self); sum a part, or store Doubles.",
                    model: handle.name)
            }
            sum = next
        }
        return sum
    }

    func average<V: NumericValue>(
        _: V.Type, _ selection: Selection, _ property: QueryNode
    ) throws(StorageError) -> Double? {
        var sum = 0.0
        var count = 0
        try each(V.self, selection, property) { (value) throws(StorageError) in
            sum += value.double
            count += 1
        }
        return count == 0 ? nil : sum / Double(count)
    }

    /// The value that comes first, or last, in the order of the type.
    func extreme<V: ScalarValue>(
        _: V.Type, _ selection: Selection, _ property: QueryNode, _ wanted: ValueOrder
    ) throws(StorageError) -> V? {
        var best: (value: Value, decoded: V)?
        try values(selection, of: property) { (cell, type) throws(StorageError) in
            let value = cell.value
            if let best, value.order(to: best.value, as: type) != wanted { return }
            best = (value, try decode(V.self, cell, property))
        }
        return best?.decoded
    }

    private func each<V: ScalarValue>(
        _: V.Type, _ selection: Selection, _ property: QueryNode, _ body: (V) throws(StorageError) -> Void
    ) throws(StorageError) {
        try values(selection, of: property) { (cell, _) throws(StorageError) in
            try body(try decode(V.self, cell, property))
        }
    }

    private func decode<V: ScalarValue>(_: V.Type, _ cell: Cell, _ property: QueryNode) throws(StorageError) -> V {
        if let value = V.decode(cell) { return value }
        let column = try QueryLowering(handle.tables).column(property)
        throw StorageError(
            .typeMismatch, "The stored value is no \(V.self). Correct it, or declare a type that can hold it.",
            model: handle.name, property: handle.tables.root.schema.columns[column].property
        )
        .with { $0.storedValue = cell.value }
    }
}

/// The column of a closure like `{ $0.age }`.
private func node<M: Storable, V>(_: M.Type, _ term: (M.Columns) -> QueryExpression<V>) -> QueryNode {
    term(M.Columns(PropertyPath())).node
}

extension Select {
    /// The sum of a property, 0 over nothing; nil values are left out.
    ///
    /// - Throws: `overflow` where a sum of integers leaves the range of its type.
    public nonisolated(nonsending) func sum<V: NumericValue>(
        _ term: (Model.Columns) -> QueryExpression<V>
    ) async throws(StorageError) -> V.Sum {
        let node = node(Model.self, term)
        return try await run { (reading) throws(StorageError) in try reading.sum(V.self, selection, node) }
    }

    public nonisolated(nonsending) func sum<V: NumericValue>(
        _ term: (Model.Columns) -> QueryExpression<V?>
    ) async throws(StorageError) -> V.Sum {
        let node = node(Model.self, term)
        return try await run { (reading) throws(StorageError) in try reading.sum(V.self, selection, node) }
    }

    /// The mean of a property, nil over nothing; nil values are left out.
    public nonisolated(nonsending) func average<V: NumericValue>(
        _ term: (Model.Columns) -> QueryExpression<V>
    ) async throws(StorageError) -> Double? {
        let node = node(Model.self, term)
        return try await run { (reading) throws(StorageError) in try reading.average(V.self, selection, node) }
    }

    public nonisolated(nonsending) func average<V: NumericValue>(
        _ term: (Model.Columns) -> QueryExpression<V?>
    ) async throws(StorageError) -> Double? {
        let node = node(Model.self, term)
        return try await run { (reading) throws(StorageError) in try reading.average(V.self, selection, node) }
    }

    /// The least value of a property, nil over nothing.
    public nonisolated(nonsending) func min<V: SortableValue & ScalarValue>(
        _ term: (Model.Columns) -> QueryExpression<V>
    ) async throws(StorageError) -> V? {
        let node = node(Model.self, term)
        return try await run { (reading) throws(StorageError) in try reading.extreme(V.self, selection, node, .before) }
    }

    public nonisolated(nonsending) func min<V: SortableValue & ScalarValue>(
        _ term: (Model.Columns) -> QueryExpression<V?>
    ) async throws(StorageError) -> V? {
        let node = node(Model.self, term)
        return try await run { (reading) throws(StorageError) in try reading.extreme(V.self, selection, node, .before) }
    }

    /// The greatest value of a property, nil over nothing.
    public nonisolated(nonsending) func max<V: SortableValue & ScalarValue>(
        _ term: (Model.Columns) -> QueryExpression<V>
    ) async throws(StorageError) -> V? {
        let node = node(Model.self, term)
        return try await run { (reading) throws(StorageError) in try reading.extreme(V.self, selection, node, .after) }
    }

    public nonisolated(nonsending) func max<V: SortableValue & ScalarValue>(
        _ term: (Model.Columns) -> QueryExpression<V?>
    ) async throws(StorageError) -> V? {
        let node = node(Model.self, term)
        return try await run { (reading) throws(StorageError) in try reading.extreme(V.self, selection, node, .after) }
    }
}

extension BlockingSelect {
    /// The sum of a property, 0 over nothing; nil values are left out.
    ///
    /// - Throws: `overflow` where a sum of integers leaves the range of its type.
    public func sum<V: NumericValue>(
        _ term: (Model.Columns) -> QueryExpression<V>
    ) throws(StorageError) -> V.Sum {
        let node = node(Model.self, term)
        return try run { (reading) throws(StorageError) in try reading.sum(V.self, selection, node) }
    }

    public func sum<V: NumericValue>(
        _ term: (Model.Columns) -> QueryExpression<V?>
    ) throws(StorageError) -> V.Sum {
        let node = node(Model.self, term)
        return try run { (reading) throws(StorageError) in try reading.sum(V.self, selection, node) }
    }

    /// The mean of a property, nil over nothing; nil values are left out.
    public func average<V: NumericValue>(
        _ term: (Model.Columns) -> QueryExpression<V>
    ) throws(StorageError) -> Double? {
        let node = node(Model.self, term)
        return try run { (reading) throws(StorageError) in try reading.average(V.self, selection, node) }
    }

    public func average<V: NumericValue>(
        _ term: (Model.Columns) -> QueryExpression<V?>
    ) throws(StorageError) -> Double? {
        let node = node(Model.self, term)
        return try run { (reading) throws(StorageError) in try reading.average(V.self, selection, node) }
    }

    /// The least value of a property, nil over nothing.
    public func min<V: SortableValue & ScalarValue>(
        _ term: (Model.Columns) -> QueryExpression<V>
    ) throws(StorageError) -> V? {
        let node = node(Model.self, term)
        return try run { (reading) throws(StorageError) in try reading.extreme(V.self, selection, node, .before) }
    }

    public func min<V: SortableValue & ScalarValue>(
        _ term: (Model.Columns) -> QueryExpression<V?>
    ) throws(StorageError) -> V? {
        let node = node(Model.self, term)
        return try run { (reading) throws(StorageError) in try reading.extreme(V.self, selection, node, .before) }
    }

    /// The greatest value of a property, nil over nothing.
    public func max<V: SortableValue & ScalarValue>(
        _ term: (Model.Columns) -> QueryExpression<V>
    ) throws(StorageError) -> V? {
        let node = node(Model.self, term)
        return try run { (reading) throws(StorageError) in try reading.extreme(V.self, selection, node, .after) }
    }

    public func max<V: SortableValue & ScalarValue>(
        _ term: (Model.Columns) -> QueryExpression<V?>
    ) throws(StorageError) -> V? {
        let node = node(Model.self, term)
        return try run { (reading) throws(StorageError) in try reading.extreme(V.self, selection, node, .after) }
    }
}
