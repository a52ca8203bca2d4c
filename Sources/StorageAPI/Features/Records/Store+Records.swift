public import StorageDriver

// Models that are named as the store has recorded them, without the program's types.

extension Store {
    /// Removes every record of a model with everything that it owns, and restarts assigned keys at 1.
    public nonisolated(nonsending) func truncate(_ model: String) async throws(StorageError) {
        try await writing("truncate", .recorded(StoredName(model))) { (writing) throws(StorageError) in
            try writing.truncate()
        }
    }

    /// Stores records of one model, each as the stored record that has the same values of some properties, or as a new
    /// record; as for typed models.
    ///
    /// - Parameters:
    ///   - records: the records.
    ///   - properties: the names of the properties.
    /// - Throws: `invalidQuery` also for a name that the model does not have, and for none.
    @discardableResult
    public nonisolated(nonsending) func save(
        _ records: [DynamicRecord], matching properties: [String]
    ) async throws(StorageError) -> [DynamicRecord] {
        guard let first = records.first else { return [] }
        return try await writing("save", ModelSource(first)) { (writing) throws(StorageError) in
            try writing.save(records, matching: writing.ordinals(of: properties))
        }
    }
}

extension WritingVerbs where Self: ~Copyable {
    /// Stores records of one model, each as the stored record that has the same values of some properties, or as a new
    /// record.
    @discardableResult
    public func save(
        _ records: [DynamicRecord], matching properties: [String]
    ) throws(StorageError) -> [DynamicRecord] {
        guard let first = records.first else { return [] }
        return try _session.target.writing("save", ModelSource(first)) { (writing) throws(StorageError) in
            try writing.save(records, matching: writing.ordinals(of: properties))
        }
    }

    /// Removes every record of a model with everything that it owns, and restarts assigned keys at 1.
    public func truncate(_ model: String) throws(StorageError) {
        try _session.target.writing("truncate", .recorded(StoredName(model))) { (writing) throws(StorageError) in
            try writing.truncate()
        }
    }
}
