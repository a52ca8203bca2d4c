package import StorageDriver

extension Select where Model == DynamicRecord, Source == Store.Session {
    /// Computes terms, written as text, of each record of the query: properties, properties of records that it refers to, and
    /// values computed from them; and the relevance of a search. For the tool.
    ///
    /// - Parameter body: takes the terms' types and their values in one record, and returns whether it wants the next one.
    /// - Throws: `invalidQuery` for a text that is no term of values, and for relevance without a search; `overflow`; errors of
    ///   every query.
    package func forEach(
        computing terms: [String], _ body: ([ColumnType], [Value]) -> Bool
    ) throws(StorageError) {
        var nodes: [QueryNode] = []
        for term in terms { nodes.append(try TextParser.term(term)) }
        try run { (reading) throws(StorageError) in try reading.values(of: nodes, selection, body) }
    }
}
