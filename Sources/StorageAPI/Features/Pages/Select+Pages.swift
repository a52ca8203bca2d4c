public import StorageDriver

extension Select where Source == Store {
    /// The first page of the query's records, in its order; records that are equal on all sort terms come by key.
    ///
    /// ```swift
    /// let people = store.select(Person.self).order { $0.name }
    /// var page = try await people.page(size: 50)
    /// while let next = page.next { page = try await people.page(after: next, size: 50) }
    /// ```
    ///
    /// Pages neither repeat nor skip a record that exists all the time and keeps its place, whatever is written between
    /// them. Where the key or an index has the order, a page looks at about as many rows as it returns, wherever it
    /// begins; any other order is sorted. `offset` reads all rows before it.
    ///
    /// - Parameter size: the maximum number of records, at least 1.
    /// - Throws: `invalidQuery` for another size, a query with a limit or an offset, or an order by relevance; errors of `all()`.
    public nonisolated(nonsending) func page(size: Int) async throws(StorageError) -> Store.Page<Model> {
        try await run { (reading) throws(StorageError) in try page(.first, size: size, in: reading) }
    }

    /// The page that begins at a position.
    ///
    /// - Parameters:
    ///   - token: `next` of the page before, or any token of the same model and order. The conditions may differ.
    ///   - size: the maximum number of records, at least 1.
    /// - Throws: `invalidValue` for a token of another model or order; errors of `page(size:)`.
    public nonisolated(nonsending) func page(
        after token: Store.PageToken, size: Int
    ) async throws(StorageError) -> Store.Page<Model> {
        try await run(takesSnapshot: true) { (reading) throws(StorageError) in
            try page(.after(token), size: size, in: reading)
        }
    }

    /// The page that ends at a position: its records come in the query's order too.
    ///
    /// SQLite and PostgreSQL read an index backwards for it. The archive and memory sort, except in the order of the key.
    ///
    /// - Parameters:
    ///   - token: `previous` of the page after, or any token of the same model and order.
    ///   - size: the maximum number of records, at least 1.
    /// - Throws: `invalidValue` for a token of another model or order; errors of `page(size:)`.
    public nonisolated(nonsending) func page(
        before token: Store.PageToken, size: Int
    ) async throws(StorageError) -> Store.Page<Model> {
        try await run(takesSnapshot: true) { (reading) throws(StorageError) in
            try page(.before(token), size: size, in: reading)
        }
    }

    /// The page that begins after a record, which is looked up by its key: its stored values decide, and one query more is needed
    /// than with a token.
    ///
    /// - Throws: `notFound` if no record has the key; errors of `page(size:)`.
    public nonisolated(nonsending) func page(
        after record: Model, size: Int
    ) async throws(StorageError) -> Store.Page<Model> {
        let key = try key(of: record)
        return try await run(takesSnapshot: true) { (reading) throws(StorageError) in
            try page(.afterKey(key), size: size, in: reading)
        }
    }
}

// The same calls without `async`.
extension Select where Source == Store.Session {
    /// The first page of the query's records, in its order.
    ///
    /// - Parameter size: the maximum number of records, at least 1.
    /// - Throws: `invalidQuery` for another size, a query with a limit or an offset, or an order by relevance; errors of `all()`.
    public func page(size: Int) throws(StorageError) -> Store.Page<Model> {
        try run { (reading) throws(StorageError) in try page(.first, size: size, in: reading) }
    }

    /// The page that begins at a position.
    ///
    /// - Throws: `invalidValue` for a token of another model or order; errors of `page(size:)`.
    public func page(after token: Store.PageToken, size: Int) throws(StorageError) -> Store.Page<Model> {
        try run(takesSnapshot: true) { (reading) throws(StorageError) in
            try page(.after(token), size: size, in: reading)
        }
    }

    /// The page that ends at a position.
    ///
    /// - Throws: `invalidValue` for a token of another model or order; errors of `page(size:)`.
    public func page(before token: Store.PageToken, size: Int) throws(StorageError) -> Store.Page<Model> {
        try run(takesSnapshot: true) { (reading) throws(StorageError) in
            try page(.before(token), size: size, in: reading)
        }
    }

    /// The page that begins after a record, which is looked up by its key.
    ///
    /// - Throws: `notFound` if no record has the key; errors of `page(size:)`.
    public func page(after record: Model, size: Int) throws(StorageError) -> Store.Page<Model> {
        let key = try key(of: record)
        return try run(takesSnapshot: true) { (reading) throws(StorageError) in
            try page(.afterKey(key), size: size, in: reading)
        }
    }
}

extension Select {
    fileprivate func page(
        _ start: PageStart, size: Int, in reading: RecordReader
    ) throws(StorageError) -> Store.Page<Model> {
        try reading.page(Model.self, selection, start: start, size: size)
    }

    fileprivate func key(of record: Model) throws(StorageError) -> [Value] {
        guard let key = Model.key(of: record) else {
            throw StorageError(
                .missingKey, "The record has no key yet; insert it, or continue after a page's token.",
                operation: "select", model: Model.schema.name)
        }
        return Model.values(of: key)
    }
}
