internal import StorageDriver

extension PostgreSQLWriter {
    /// A query that waits among the batches.
    final class Question: DeferredAnswer {
        private let writer: PostgreSQLWriter
        private let query: PreparedQuery
        var result: StatementResult?

        init(_ query: PreparedQuery, _ writer: PostgreSQLWriter) {
            (self.query, self.writer) = (query, writer)
        }

        var bytes: Int { result?.size ?? 0 }

        func rows() throws(StorageError) -> Cursor {
            if result == nil { try writer.flush() }
            // The answer of an undone transaction never comes.
            guard let result else { throw Catalog.damaged }
            return ResultRows(result, query.compiled.forms).cursor()
        }
    }

    func later(_ query: QueryRequest) throws(StorageError) -> (any DeferredAnswer)? {
        guard isDeferring, query.plan.id != nil, !query.plan.table.isForeign else { return nil }
        let prepared = try prepared(query.plan, query.arguments)
        let compiled = prepared.compiled
        guard compiled.isFullyCompiled, !compiled.isSliced, !isLong(prepared, query.arguments) else { return nil }
        let question = Question(prepared, self)
        let statement = Statement(compiled.sql, name: prepared.name, compiled.bind(query.arguments))
        try later(Deferred(statement: statement, question: question), isInsert: false)
        return question
    }
}
