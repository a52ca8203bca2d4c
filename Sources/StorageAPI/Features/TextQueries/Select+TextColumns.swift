package import StorageDriver

extension Select where Model == DynamicRecord, Source == Store.Session {
    /// Computes terms, written as text, of each record of the query: properties, properties of records that it refers to, and
    /// values computed from them. For the tool.
    ///
    /// - Parameter body: takes the terms' types and their values in one record, and returns whether it wants the next one.
    /// - Throws: `invalidQuery` for a text that is no term of values; `overflow`; errors of every query.
    package func forEach(
        computing terms: [String], _ body: ([ColumnType], [Value]) -> Bool
    ) throws(StorageError) {
        var nodes: [QueryNode] = []
        for term in terms { nodes.append(try TextParser.term(term)) }
        try run { (reading) throws(StorageError) in
            let plan = try reading.handle.plan(nodes, selection, isTyped: true, in: reading.session)
            guard plan.binding.relations.isEmpty else {
                throw StorageError(
                    .invalidQuery, "What records own is no value of theirs; leave it out, or print it alone.",
                    model: reading.model.name)
            }
            var cursor = try reading.session.rows(plan.plan, plan.arguments)
            while try cursor.next() {
                guard body(plan.types, nodes.indices.map { cursor.cells[$0].value }) else { return }
            }
        }
    }
}
