import StorageDriver

// Results other than models: groups, and chosen properties.
extension RecordReader {
    /// Calls the body with each row. Returns the positions of the rows in the result, if they came in another order.
    package func results(
        _ rows: ResultRows, _ body: (ResultRow) throws(StorageError) -> Void
    ) throws(StorageError) -> [Int]? {
        switch rows {
        case .groups(let groups):
            let result = try handle.plan(groups, in: session)
            try each(result, body)
            return nil
        case .records(let selection, let outputs):
            let result = try handle.plan(outputs, selection, in: session)
            guard !result.binding.relations.isEmpty else {
                try each(result, body)
                return nil
            }
            return try withChildren(result, isKeyOrder: selection.order.isEmpty, body)
        case .owned(let property, let keys):
            let result = try handle.plan([property], Selection(), keys: keys, in: session)
            guard !result.binding.relations.isEmpty else {
                throw StorageError(.invalidQuery, "Only an owned property is loaded later.", model: model.name)
            }
            return try withChildren(result, isKeyOrder: true, body)
        }
    }

    private func each(
        _ result: ResultPlan, _ body: (ResultRow) throws(StorageError) -> Void
    ) throws(StorageError) {
        let context = RowContext(model: model, table: result.binding)
        var cursor = try rows(result)
        while try cursor.next() { try body(ResultRow(cursor.cells, context, places: result.outputs)) }
    }

    /// Reads the rows first, and then the chosen children, of these rows alone and in key order.
    private func withChildren(
        _ result: ResultPlan, isKeyOrder: Bool, _ body: (ResultRow) throws(StorageError) -> Void
    ) throws(StorageError) -> [Int]? {
        let buffer = try session.rows(result.plan, result.arguments).buffered(width: result.binding.columns.count)
        guard buffer.count > 0 else { return nil }
        let keyCells = result.binding.keyCells
        let order = isKeyOrder ? Array(0..<buffer.count) : buffer.indices(sortedBy: keyCells)
        var keys = KeyList(width: keyCells.count)
        for row in order { keys.append(keyCells, of: buffer.row(row)) }
        let context = RowContext(model: model, table: result.binding)
        attachChildren(to: context, keys.scope, keys.scopeArguments)
        for row in order { try body(ResultRow(buffer.row(row), context)) }
        return isKeyOrder ? nil : places(of: order)
    }
}

extension ModelHandle {
    /// The plan for chosen properties of the records: the key first if children are among them, or keys are given.
    ///
    /// - Parameters:
    ///   - keys: of the only records that are wanted; nil for all.
    ///   - isTyped: whether the outputs' types are asked for.
    package func plan(
        _ outputs: [QueryNode], _ selection: Selection, keys: KeyList? = nil, isTyped: Bool = false,
        in session: any StorageSession
    ) throws(StorageError) -> ResultPlan {
        var lowering = QueryLowering(self, among: keys, in: session)
        var terms: [TypedTerm] = []
        var relations: [RelationBinding] = []
        for output in outputs {
            guard let (relation, presence) = try lowering.relation(output) else {
                terms.append(try lowering.typed(output))
                continue
            }
            relations.append(relation)
            if let presence { terms.append(TypedTerm(presence, .bool)) }
        }
        let schema = tables.root.schema
        let key =
            relations.isEmpty && keys == nil ? [] : schema.key.map { TypedTerm(.column($0), schema.columns[$0].type) }
        let all = key + terms
        let columns = all.compactMap { if case .column(let column) = $0.term { column } else { nil } }
        let result = columns.count == all.count ? Query.Result.columns(columns) : .terms(all)
        let (query, arguments) = try query(selection, result, by: &lowering)
        return ResultPlan(
            plan: plan(query, others: lowering.others), arguments: arguments,
            binding: tables.binding(of: all, key: key.count, relations: relations),
            types: isTyped ? terms.map(\.type) : [])
    }
}

extension QueryLowering {
    /// The relation that a node names, with the column that says whether its array is nil; nil for any other term.
    mutating func relation(_ node: QueryNode) throws(StorageError) -> (RelationBinding, QueryTerm?)? {
        guard case .property(let path) = node, case .rows(let joinPath) = try resolve(path, in: place) else {
            return nil
        }
        guard path.ordinals.count == 1, path.inverse == nil,
            case .relation(let index) = try model.member(path.ordinals[0], of: table)
        else {
            throw invalid("Children of children are loaded with their owner; choose the owner.")
        }
        return (table.relations[index], joinPath.presence)
    }
}
