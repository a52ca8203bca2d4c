import Logging
public import StorageDriver

// The ways to open a store.

extension Store {
    /// Opens a store.
    ///
    /// - Parameters:
    ///   - backend: the engine, as configured.
    ///   - models: the types whose tables are created or updated now. Tables of other types are created or updated at
    ///     their first use.
    ///   - options: history, layers, instruments, clock and logger.
    /// - Throws: errors of opening the engine; `schemaMismatch` or `schemaNewer` if a model does not fit the stored data,
    ///   and then the store is unchanged; `configuration` if a model cannot be stored.
    public convenience init(
        _ backend: some StorageBackend, models: any Storable.Type..., options: Options = Options()
    ) async throws(StorageError) {
        try await self.init(backend, models: models, options: options)
    }

    /// Opens a store with an array of models.
    public convenience init(
        _ backend: some StorageBackend, models: [any Storable.Type], options: Options = Options()
    ) async throws(StorageError) {
        try self.init(opening: backend, options)
        try await prepareOrClose(models)
    }

    /// Opens a store at a URL: `sqlite:people.db`.
    ///
    /// - Parameters:
    ///   - url: the scheme of a backend, its path, and its options: see `StorageURL`.
    ///   - backends: the backends that the URL may name. The library has no global registry.
    ///   - models: the types whose tables are created or updated now. Tables of other types are created or updated at
    ///     their first use.
    ///   - options: as for a store that is opened with a backend.
    /// - Throws: `configuration` if no backend has the URL's scheme, or if one of its options is unknown.
    public convenience init(
        url: String, backends: [any StorageBackend.Type], models: any Storable.Type..., options: Options = Options()
    ) async throws(StorageError) {
        try await self.init(at: StorageURL(url), backends: backends, models: models, options: options)
    }

    /// Opens a store at a URL, with an array of models.
    public convenience init(
        url: String, backends: [any StorageBackend.Type], models: [any Storable.Type], options: Options = Options()
    ) async throws(StorageError) {
        try await self.init(at: StorageURL(url), backends: backends, models: models, options: options)
    }

    /// Opens the store at a parsed URL, whose options may come from settings.
    package convenience init(
        at url: StorageURL, backends: [any StorageBackend.Type], models: [any Storable.Type], options: Options
    ) async throws(StorageError) {
        try self.init(opening: try Self.backend(url, backends, logger: options.logger), options)
        try await prepareOrClose(models)
    }

    /// Opens the engine, and makes a store with all features.
    convenience init(opening backend: any StorageBackend, _ options: Options) throws(StorageError) {
        let engine: any StorageEngine
        do {
            engine = try backend.open(logger: options.logger)
        } catch {
            throw error.at(operation: "open", backend: type(of: backend).scheme)
        }
        self.init(
            engine, clock: options.clock, author: options.author, logger: options.logger,
            models: { SchemaEvolution($0, engine.info, logger: options.logger, removals: options.removals) },
            features: options.features)
    }

    private static func backend(
        _ url: StorageURL, _ backends: [any StorageBackend.Type], logger: Logger
    ) throws(StorageError) -> any StorageBackend {
        guard let backend = backends.first(where: { $0.scheme == url.scheme }) else {
            throw BackendProduct.error(url.scheme, backends.map { $0.scheme })
        }
        var url = url
        url.logger = logger
        return try backend.init(url: url)
    }

    /// Prepares the models of a store that is being opened. If that fails, the store's file is free when this throws,
    /// even if a thread still has the engine.
    private nonisolated(nonsending) func prepareOrClose(
        _ models: [any Storable.Type]
    ) async throws(StorageError) {
        do {
            try await prepare(models + features.all.flatMap(\.preparedModels), isOpening: true)
            for feature in features.all { try await feature.didOpen(self) }
        } catch {
            // The first error is thrown.
            try? closeNow()
            throw error
        }
    }
}

extension Store.Blocking {
    /// Opens a store without `async`, with the same options as the initialisers that suspend.
    public static func open(
        _ backend: some StorageBackend, models: any Storable.Type..., options: Store.Options = Store.Options()
    ) throws(StorageError) -> Store {
        try open(backend, models: models, options: options)
    }

    /// Opens a store without `async`, with an array of models.
    public static func open(
        _ backend: some StorageBackend, models: [any Storable.Type], options: Store.Options = Store.Options()
    ) throws(StorageError) -> Store {
        let store = try Store(opening: backend, options)
        do {
            let models = models + store.features.all.flatMap(\.preparedModels)
            try store.prepareBlocking(models, isOpening: true)
            for feature in store.features.all { try feature.didOpenBlocking(store) }
        } catch {
            // The first error is thrown.
            try? store.closeNow()
            throw error
        }
        return store
    }
}
