#if Configuration
public import Configuration
public import StorageAPI

extension Store {
    /// Opens the store that a program's settings name.
    ///
    /// The settings are `storage.url`, or `storage.backend`, `storage.path` and `storage.<backend>.<option>`; in the
    /// environment `STORAGE_URL`, `STORAGE_BACKEND` and so on. They are read once, from one snapshot. The store logs
    /// the settings in effect at `info`, without secrets.
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
    ///   - names: the names of all settings, as the providers spell them, for example
    ///     `ProcessInfo.processInfo.environment.keys`. A name below `storage` that is neither read nor an option of
    ///     another backend is an error, so leave out those that are not meant for the store; other names are ignored.
    ///   - backends: the backends that the settings may name. There is no global registry.
    ///   - models: the types whose tables are created or updated now. Tables of other types are created or updated at
    ///     their first use.
    ///   - options: history, layers, instruments, clock and logger, which logs the settings in effect.
    /// - Throws: `configuration` if no store or more than one is named, or if a backend, an option or a value is
    ///   unknown; errors of opening.
    public convenience init(
        configuration: ConfigReader, checking names: some Sequence<String> = [String](),
        backends: [any StorageBackend.Type], models: any Storable.Type..., options: Options = Options()
    ) async throws(StorageError) {
        try await self.init(
            configuration: configuration, checking: names, backends: backends, models: models, options: options)
    }

    /// Opens the store that a program's settings name, with an array of models.
    public convenience init(
        configuration: ConfigReader, checking names: some Sequence<String> = [String](),
        backends: [any StorageBackend.Type], models: [any Storable.Type], options: Options = Options()
    ) async throws(StorageError) {
        let url = try StorageSettings(configuration, names: Array(names), backends: backends).url()
        try await self.init(at: url, backends: backends, models: models, options: options)
    }
}
#endif
