#if Configuration
public import Configuration
public import Logging
public import StorageAPI

extension Store {
    /// Opens the store that a program's settings name.
    ///
    /// The settings are `storage.url`, or `storage.backend`, `storage.path` and `storage.<backend>.<option>`; in the
    /// environment `STORAGE_URL`, `STORAGE_BACKEND` and so on. They are read once, all from one snapshot. The store logs
    /// what is in effect at `info`, without secrets.
    ///
    /// ```swift
    /// let settings = ConfigReader(providers: [
    ///     EnvironmentVariablesProvider(), try await FileProvider<JSONSnapshot>(filePath: "settings.json"),
    /// ])
    /// let store = try await Store(
    ///     configuration: settings, backends: [SQLiteBackend.self, ArchiveBackend.self], models: Person.self)
    /// ```
    ///
    /// A reader cannot list its keys, so a misspelt option is only found in a URL, or among `names`.
    ///
    /// - Parameters:
    ///   - configuration: the settings; a reader that is scoped gives keys below its scope.
    ///   - names: all that is set, as the providers spell it, like `ProcessInfo.processInfo.environment.keys`. What is
    ///     below `storage` and is neither read nor another backend's is an error; other names are passed over.
    ///   - backends: the backends that the settings may name. There is no global registry.
    ///   - models: the types whose tables are made, or brought up to date, now. Others are when they are first used.
    ///   - logger: takes the settings in effect and schema changes, and at `trace` every statement. Silent by default.
    /// - Throws: `configuration` where no store is named, or more than one, or a backend, an option or a value is unknown;
    ///   and what opening throws.
    public convenience init(
        configuration: ConfigReader, checking names: some Sequence<String> = [String](),
        backends: [any StorageBackend.Type], models: any Storable.Type..., logger: Logger = Logger.silent
    ) async throws(StorageError) {
        try await self.init(
            configuration: configuration, checking: names, backends: backends, models: models, logger: logger)
    }

    /// Opens the store that a program's settings name, with models that stand in an array.
    public convenience init(
        configuration: ConfigReader, checking names: some Sequence<String> = [String](),
        backends: [any StorageBackend.Type], models: [any Storable.Type], logger: Logger = Logger.silent
    ) async throws(StorageError) {
        let url = try StorageSettings(configuration, names: Array(names), backends: backends).url()
        try await self.init(at: url, backends: backends, models: models, logger: logger)
    }
}
#endif
