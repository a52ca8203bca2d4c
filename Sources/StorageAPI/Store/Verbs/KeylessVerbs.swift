public import StorageDriver

// Verbs for a type without a key, so that the compiler warns that these calls would throw. Unavailable overloads would not
// work, because the compiler would then choose the general ones. A query is allowed, since `owned(by:_:)` may follow.

extension Store {
    /// Throws `configuration`, because a type without a key can only be owned by other records.
    @available(*, deprecated, message: "a type without a key has no records; name a property id, or mark one @Key")
    @discardableResult
    public nonisolated(nonsending) func insert<M: Storable>(_ model: M) async throws(StorageError) -> M
    where M.Key == Never { try await put(model, .insert) }

    /// Throws `configuration`, because a type without a key can only be owned by other records.
    @available(*, deprecated, message: "a type without a key has no records; name a property id, or mark one @Key")
    @discardableResult
    public nonisolated(nonsending) func insert<M: Storable>(_ models: [M]) async throws(StorageError) -> [M]
    where M.Key == Never { try await put(models, .insert) }

    /// Throws `configuration`, because a type without a key can only be owned by other records.
    @available(*, deprecated, message: "a type without a key has no records; name a property id, or mark one @Key")
    @discardableResult
    public nonisolated(nonsending) func save<M: Storable>(_ model: M) async throws(StorageError) -> M
    where M.Key == Never { try await put(model, .upsert) }

    /// Throws `configuration`, because a type without a key can only be owned by other records.
    @available(*, deprecated, message: "a type without a key has no records; name a property id, or mark one @Key")
    @discardableResult
    public nonisolated(nonsending) func save<M: Storable>(_ models: [M]) async throws(StorageError) -> [M]
    where M.Key == Never { try await put(models, .upsert) }
}

extension WritingVerbs where Self: ~Copyable {
    /// Throws `configuration`, because a type without a key can only be owned by other records.
    @available(*, deprecated, message: "a type without a key has no records; name a property id, or mark one @Key")
    @discardableResult
    public func insert<M: Storable>(_ model: M) throws(StorageError) -> M
    where M.Key == Never { try put(model, .insert) }

    /// Throws `configuration`, because a type without a key can only be owned by other records.
    @available(*, deprecated, message: "a type without a key has no records; name a property id, or mark one @Key")
    @discardableResult
    public func save<M: Storable>(_ model: M) throws(StorageError) -> M
    where M.Key == Never { try put(model, .upsert) }
}
