import StorageDriver
import StorageSearch

extension StoreSearch: SearchIndexes {
    func keys(
        _ search: SearchText, of model: ModelTables, _ column: (table: TableSchema, column: Int)?,
        in session: any StorageSession
    ) throws(StorageError) -> [[Value]] {
        let open = try index(of: model, in: session)
        let query = try open.query(search, column)
        let documents = try open.run { (index) throws(SearchFailure) in try index.search(query) }
        defer { read(open, session) }
        return try open.keys(of: documents)
    }

    func hits(
        _ search: SearchText, of model: ModelTables, _ column: (table: TableSchema, column: Int)?, best count: Int?,
        in session: any StorageSession
    ) throws(StorageError) -> [SearchHit] {
        let open = try index(of: model, in: session)
        let query = try open.query(search, column)
        let found = try open.run { (index) throws(SearchFailure) in
            if let count { return try index.best(count, query) }
            let documents = try index.search(query)
            return zip(documents, try index.rank(documents, query)).map { (document: $0, relevance: $1) }
        }
        defer { read(open, session) }
        let keys = try open.keys(of: found.map(\.document))
        return zip(keys, found).map { SearchHit(key: $0, relevance: $1.relevance) }
    }

    /// Keeps the parts of the index that a reader has read. A transaction's parts are not kept, because it may be undone.
    private func read(_ open: OpenIndex, _ session: any StorageSession) {
        if !(session is any StorageWriter) { keep(open.index.cache, open.number) }
    }

    /// The index that answers queries of a model, with all that the session's transaction has changed.
    ///
    /// - Throws: `invalidQuery` if the model has no index, and `schemaMismatch` if the program declares one; `schemaNewer` if another
    ///   version's analyzer has made it; `busy` until it is complete.
    private func index(of model: ModelTables, in session: any StorageSession) throws(StorageError) -> OpenIndex {
        let base = (session as? any ReadTrackingSession)?.untracked(reading: model.name) ?? session
        let settings: SearchSettings.Model
        do throws(StorageError) {
            settings = try indexed(model.name, in: base)
        } catch {
            guard error.code == .invalidQuery, model.declaresSearch else { throw error }
            throw StorageError(
                .schemaMismatch,
                "Another process has removed the search of \(model.name). Update the program, or close the store and open it "
                    + "again.", model: model.name)
        }
        guard let searched = settings.searched(in: try base.tables()) else { throw SearchSettings.outdated(model.name) }
        guard let ready = settings.ready else { throw SearchSettings.unfinished(model.name) }
        if let recorder = (base as? ForwardingWriter)?.subscriber(SearchRecorder.self) {
            for open in try recorder.index(model.name) where open.number == ready { return open }
        }
        return try OpenIndex(ready, of: searched, self, in: base)
    }
}

extension OpenIndex {
    /// The query of a search, perhaps of one property alone.
    fileprivate func query(
        _ search: SearchText, _ column: (table: TableSchema, column: Int)?
    ) throws(StorageError) -> SearchQuery {
        let names = model.names.map(\.text)
        let query =
            search.isTyping
            ? SearchQuery(typing: search.text, properties: names) : SearchQuery(search.text, properties: names)
        guard let column else { return query }
        // By name: the table may have been rebuilt since the program was opened.
        let name = column.table.columns[column.column].name
        guard
            let property = model.columns.first(where: {
                $0.table.name == column.table.name && $0.table.columns[$0.column].name == name
            })
        else {
            let name = column.table.columns[column.column].property
            throw StorageError(
                .invalidQuery, "\(name) is not searched; mark it with @Searchable.", model: model.name, property: name)
        }
        return query.restricted(to: property.name.text)
    }
}
