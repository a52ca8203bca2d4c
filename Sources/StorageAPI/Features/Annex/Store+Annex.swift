public import StorageDriver

extension Store {
    /// The number of bytes of UTF-8 that the name of an annex may have.
    public static var annexNameLimit: Int { 255 }

    /// The number of bytes that the key of an annex's row may have.
    public static var annexKeyLimit: Int { 1024 }

    /// The value of a row of an annex; nil if no row has the key.
    ///
    /// An annex has the rows of a library that works on the store, such as the state that a synchronisation or an outbox must
    /// keep together with the records. Its rows are bytes by keys of bytes, and they are committed with the transaction that writes
    /// them. Models, lists of models, copies, digests, comparisons, the history and observers do not have them. A
    /// backup has them, and so has a whole store that is moved.
    ///
    /// ```swift
    /// try await store.transaction { tx in
    ///     try tx.save(person)
    ///     try tx.setAnnex("com.example.outbox", key: Array("position".utf8), to: Array("42".utf8))
    /// }
    /// let position = try await store.annexValue("com.example.outbox", key: Array("position".utf8))
    /// ```
    ///
    /// Costs one look into an index.
    ///
    /// - Parameters:
    ///   - annex: the name of the annex, of 1 to ``annexNameLimit`` bytes of UTF-8. Use a name that is yours, such as a
    ///     reversed domain. Names are equal if their bytes are.
    ///   - key: at most ``annexKeyLimit`` bytes.
    /// - Throws: `invalidValue` for another name; `limitExceeded` for a longer key; `corrupt`; errors of the engine.
    public nonisolated(nonsending) func annexValue(
        _ annex: String, key: [UInt8]
    ) async throws(StorageError) -> [UInt8]? {
        try await readingAnnex(annex) { (rows, session) throws(StorageError) in
            try rows.value(of: key, in: session)
        }
    }

    /// The values of some rows of an annex, in the order of the given keys; nil where no row has the key.
    ///
    /// Costs a look into an index for each key, in one query for every 256 keys.
    ///
    /// - Throws: the errors of ``annexValue(_:key:)``.
    public nonisolated(nonsending) func annexValues(
        _ annex: String, keys: [[UInt8]]
    ) async throws(StorageError) -> [[UInt8]?] {
        try await readingAnnex(annex) { (rows, session) throws(StorageError) in
            try rows.values(of: keys, in: session)
        }
    }

    /// The rows of an annex in the order of their keys' bytes, as far as `limit` rows.
    ///
    /// Costs a range of an index of as many rows as it returns, and holds these in memory.
    ///
    /// - Parameters:
    ///   - annex: the name of the annex; see ``annexValue(_:key:)``.
    ///   - key: the key after which to begin, whether or not a row has it; nil for the first row.
    ///   - end: the key before which to end, whether or not a row has it; nil for the last row.
    ///   - limit: the number of rows to read, 1 or more.
    /// - Throws: `invalidQuery` for a limit below 1, and the errors of ``annexValue(_:key:)``.
    public nonisolated(nonsending) func annexRows(
        _ annex: String, after key: [UInt8]? = nil, before end: [UInt8]? = nil, limit: Int
    ) async throws(StorageError) -> [(key: [UInt8], value: [UInt8])] {
        try await readingAnnex(annex) { (rows, session) throws(StorageError) in
            try rows.rows(after: key, before: end, limit: limit, in: session)
        }
    }

    /// Sets the value of a row of an annex, or removes the row.
    ///
    /// The write is no change of a record: the history gets no commit from it, and observers of models are not told.
    ///
    /// - Parameters:
    ///   - annex: the name of the annex; see ``annexValue(_:key:)``.
    ///   - key: at most ``annexKeyLimit`` bytes.
    ///   - value: the value, which the engine's limit of bytes for one value bounds; nil removes the row.
    /// - Throws: `invalidValue` for a name that no annex can have; `limitExceeded` for a longer key or value; errors of the
    ///   engine.
    public nonisolated(nonsending) func setAnnex(
        _ annex: String, key: [UInt8], to value: [UInt8]?
    ) async throws(StorageError) {
        try await setAnnex(annex, rows: [(key, value)])
    }

    /// Sets and removes rows of an annex, all or none. Of rows with the same key the last one holds.
    ///
    /// - Parameters:
    ///   - annex: the name of the annex; see ``annexValue(_:key:)``.
    ///   - rows: keys with their values; nil removes a row.
    /// - Throws: the errors of ``setAnnex(_:key:to:)``.
    public nonisolated(nonsending) func setAnnex(
        _ annex: String, rows: [(key: [UInt8], value: [UInt8]?)]
    ) async throws(StorageError) {
        try await writing("setAnnex", isRepeatable: true) { context throws(StorageError) in
            try context.setAnnex(annex, rows, in: self)
        }
    }

    /// Removes all rows of an annex. An annex without rows stays as it is.
    ///
    /// Costs the same as to remove each row.
    ///
    /// - Throws: `invalidValue` for a name that no annex can have; errors of the engine.
    public nonisolated(nonsending) func removeAnnex(_ annex: String) async throws(StorageError) {
        try await writing("removeAnnex", isRepeatable: true) { context throws(StorageError) in
            try AnnexRows(annex, in: self).removeAll(in: context.innerWriter())
        }
    }

    private nonisolated(nonsending) func readingAnnex<T: Sendable>(
        _ annex: String, _ body: sending (AnnexRows, any StorageSession) throws(StorageError) -> T
    ) async throws(StorageError) -> T {
        try checkNotInTransaction("annex")
        return try await reads { () throws(StorageError) in
            try self.checkCancellation("annex")
            // Layers of expiry and search do not concern these rows.
            return try self.withReader("annex", .query, seesExpired: true) { (reader) throws(StorageError) in
                try body(AnnexRows(annex, in: self), reader)
            }
        }
    }
}

extension TransactionContext {
    fileprivate func setAnnex(
        _ annex: String, _ rows: [(key: [UInt8], value: [UInt8]?)], in store: Store
    ) throws(StorageError) {
        try AnnexRows(annex, in: store).set(rows, limit: store.opened.limits.valueBytes, in: innerWriter())
    }
}

// MARK: Sessions

extension ReadingVerbs where Self: ~Copyable {
    /// The value of a row of an annex, as `Store.annexValue(_:key:)` reads it, in the snapshot of the session.
    public func annexValue(_ annex: String, key: [UInt8]) throws(StorageError) -> [UInt8]? {
        try _session.target.readingAnnex(annex) { (rows, session) throws(StorageError) in
            try rows.value(of: key, in: session)
        }
    }

    /// The values of some rows of an annex, as `Store.annexValues(_:keys:)` reads them, in the snapshot of the session.
    public func annexValues(_ annex: String, keys: [[UInt8]]) throws(StorageError) -> [[UInt8]?] {
        try _session.target.readingAnnex(annex) { (rows, session) throws(StorageError) in
            try rows.values(of: keys, in: session)
        }
    }

    /// The rows of an annex in the order of their keys, as `Store.annexRows(_:after:before:limit:)` reads them, in the snapshot of
    /// the session.
    public func annexRows(
        _ annex: String, after key: [UInt8]? = nil, before end: [UInt8]? = nil, limit: Int
    ) throws(StorageError) -> [(key: [UInt8], value: [UInt8])] {
        try _session.target.readingAnnex(annex) { (rows, session) throws(StorageError) in
            try rows.rows(after: key, before: end, limit: limit, in: session)
        }
    }
}

extension WritingVerbs where Self: ~Copyable {
    /// Sets the value of a row of an annex or removes the row, as `Store.setAnnex(_:key:to:)` does. In a transaction the row is
    /// committed with it, and undone with its savepoint.
    public func setAnnex(_ annex: String, key: [UInt8], to value: [UInt8]?) throws(StorageError) {
        try setAnnex(annex, rows: [(key, value)])
    }

    /// Sets and removes rows of an annex, all or none, as `Store.setAnnex(_:rows:)` does.
    public func setAnnex(_ annex: String, rows: [(key: [UInt8], value: [UInt8]?)]) throws(StorageError) {
        let target = _session.target
        try target.performing("setAnnex", isRepeatable: true) { context throws(StorageError) in
            try context.setAnnex(annex, rows, in: target.home)
        }
    }

    /// Removes all rows of an annex, as `Store.removeAnnex(_:)` does.
    public func removeAnnex(_ annex: String) throws(StorageError) {
        let target = _session.target
        try target.performing("removeAnnex", isRepeatable: true) { context throws(StorageError) in
            try AnnexRows(annex, in: target.home).removeAll(in: context.innerWriter())
        }
    }
}

extension VerbTarget {
    fileprivate func readingAnnex<T>(
        _ annex: String, _ body: (AnnexRows, any StorageSession) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        try readingStore("annex") { (session, _) throws(StorageError) in
            try body(AnnexRows(annex, in: home), session)
        }
    }
}
