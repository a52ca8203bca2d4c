public import StorageDriver

extension Store {
    /// Saves a record in place of the stored record with the same value of a property, such as an e-mail address, or as a
    /// new one if no record has that value.
    ///
    /// ```swift
    /// let saved = try await store.save(Person(id: 7, name: "Ann"), matching: \.name)
    /// ```
    /// A matching record keeps its key and takes everything else from the given record, which also replaces its owned
    /// records. If no record matches, the given record is inserted. A record matches several properties only if it matches
    /// all of them. A given record with nil in one of them matches no record.
    ///
    /// Costs one query, which uses an index if a property is unique or indexed, and otherwise reads all records.
    /// - Returns: the record as it is stored, with its key.
    /// - Throws: `invalidQuery` for a property that is the key, or owned; `constraint` if several stored records have the
    ///   values; `duplicateKey` if the record is inserted and its key is another record's; otherwise as for saving.
    @discardableResult
    public nonisolated(nonsending) func save<M: Storable>(
        _ model: M, matching property: PartialKeyPath<M>, _ others: PartialKeyPath<M>...
    ) async throws(StorageError) -> M {
        let properties = try M.ordinals(of: [property] + others)
        return try await writing("save", .type(M.self)) { (writing) throws(StorageError) in
            try writing.save(one: model, matching: properties)
        }
    }

    /// Saves records, each in place of the stored record with the same values of some properties, or as a new one if no
    /// record has them: all of them, or none if one fails. Of two with the same values the last is kept, under one key.
    ///
    /// Costs a query for each 256 records.
    /// - Returns: the records as they are stored, with their keys.
    /// - Throws: as for one record, with the index of the element.
    @discardableResult
    public nonisolated(nonsending) func save<M: Storable>(
        _ models: [M], matching property: PartialKeyPath<M>, _ others: PartialKeyPath<M>...
    ) async throws(StorageError) -> [M] {
        let properties = try M.ordinals(of: [property] + others)
        return try await writing("save", .type(M.self)) { (writing) throws(StorageError) in
            try writing.save(models, matching: properties)
        }
    }
}

extension WritingVerbs where Self: ~Copyable {
    /// Saves a record in place of the stored record with the same values of some properties, or as a new one if no record
    /// has them.
    @discardableResult
    public func save<M: Storable>(
        _ model: M, matching property: PartialKeyPath<M>, _ others: PartialKeyPath<M>...
    ) throws(StorageError) -> M {
        let properties = try M.ordinals(of: [property] + others)
        return try _session.target.writing("save", .type(M.self)) { (writing) throws(StorageError) in
            try writing.save(one: model, matching: properties)
        }
    }

    /// Saves records, each in place of the stored record with the same values of some properties, or as a new one if no
    /// record has them: all of them, or none if one fails.
    @discardableResult
    public func save<M: Storable>(
        _ models: [M], matching property: PartialKeyPath<M>, _ others: PartialKeyPath<M>...
    ) throws(StorageError) -> [M] {
        let properties = try M.ordinals(of: [property] + others)
        return try _session.target.writing("save", .type(M.self)) { (writing) throws(StorageError) in
            try writing.save(models, matching: properties)
        }
    }
}
