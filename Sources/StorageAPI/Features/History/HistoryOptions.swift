import StorageDriver

extension Store {
    /// The models of which a store keeps a history, and the limit of that history.
    ///
    /// ```swift
    /// let store = try await Store(
    ///     SQLiteBackend(path: "people.db"), models: Person.self, Pen.self,
    ///     options: .init(history: .init(records: [Person.self], keys: [Pen.self], keeping: .days(30))))
    /// ```
    ///
    /// The options are recorded in the store, and bind every program that writes to it from then on, whether or not it
    /// asks too. A model that is not named stays as it is recorded.
    public struct HistoryOptions: Sendable {
        /// The models whose changes are recorded with the record as it was before. They can be undone.
        public var records: [any Storable.Type]
        /// The models of which only the keys of changed records are recorded.
        public var keys: [any Storable.Type]
        /// The models whose changes are no longer recorded. Their entries stay until they are too old.
        public var off: [any Storable.Type]
        /// The limit of the history; nil for the recorded limit, which at first is everything.
        public var keeping: HistoryLimit?
        /// The most history that a hold may keep beyond the limit; nil for the recorded bound, which at first is everything.
        public var holding: HistoryLimit?

        /// Creates options. The defaults leave the recorded options as they are.
        public init(
            records: [any Storable.Type] = [], keys: [any Storable.Type] = [], off: [any Storable.Type] = [],
            keeping: HistoryLimit? = nil, holding: HistoryLimit? = nil
        ) {
            self.records = records
            self.keys = keys
            self.off = off
            self.keeping = keeping
            self.holding = holding
        }
    }

    /// The minimum of history that a store keeps. Later commits remove the rest, a bounded number of rows with each, so
    /// the store keeps some more commits for a while. The last commit always stays.
    public struct HistoryLimit: Hashable, Sendable, Codable {
        /// The number of commits; nil for any number.
        public var commits: Int?
        /// The age of a commit in seconds; nil for any age.
        public var seconds: Double?

        /// The commits that are neither older than the age nor beyond the number.
        public init(commits: Int? = nil, seconds: Double? = nil) {
            self.commits = commits.map { max($0, 1) }
            self.seconds = seconds.map { max($0, 0) }
        }

        init(_ recorded: HistorySettings.Retention?) {
            self.init(commits: recorded?.commits, seconds: recorded?.seconds)
        }

        /// All commits.
        public static var everything: HistoryLimit { HistoryLimit() }

        /// The last commits.
        public static func commits(_ count: Int) -> HistoryLimit { HistoryLimit(commits: count) }

        /// The commits of the last days.
        public static func days(_ days: Double) -> HistoryLimit { HistoryLimit(seconds: days * 86_400) }
    }
}

extension Store {
    /// The part of each change of a model that a history keeps.
    public enum HistoryDetail: String, CaseIterable, Sendable {
        /// The key, and the record before with all that it owned: changes can be undone.
        case records
        /// The key.
        case keys
        /// Nothing any more. Entries stay until they are too old.
        case off
    }

    /// Sets the detail in which the open store keeps the changes of some models, for programs that have no types of them. A program that
    /// has types names them when it opens the store (``Options/history``).
    ///
    /// The settings are recorded in the store and bind every program that writes to it from its next write on. Other models stay
    /// as they are recorded. Costs a transaction.
    ///
    /// - Parameters:
    ///   - detail: how much is kept of each change.
    ///   - models: the stored names of the models.
    ///   - limit: the limit of the whole history; nil for the recorded one.
    /// - Throws: `invalidQuery` if the store has no model of a name; `unsupported` if it is open for reading.
    public nonisolated(nonsending) func keepHistory(
        _ detail: HistoryDetail, ofRecords models: Set<String>, keeping limit: HistoryLimit? = nil
    ) async throws(StorageError) {
        try await writing("keepHistory") { context throws(StorageError) in
            let names = models.sorted().map { StoredName($0) }
            for name in names { _ = try context.handle(.recorded(name)) }
            try self.keep(in: context) { settings, last in
                for name in names { settings.set(name, detail, after: last) }
                if let limit { settings.limit = HistorySettings.Retention(limit) }
            }
        }
    }

    /// Records the models of which the store keeps a history, unless they are recorded already.
    nonisolated(nonsending) func keep(_ options: HistoryOptions) async throws(StorageError) {
        guard try !keeps(options) else { return }
        try await writing("open") { context throws(StorageError) in
            try self.keep(in: context) { $0 = $0.adding(options, after: $1) }
        }
    }

    func keepBlocking(_ options: HistoryOptions) throws(StorageError) {
        guard try !keeps(options) else { return }
        try writingBlocking("open") { context throws(StorageError) in
            try self.keep(in: context) { $0 = $0.adding(options, after: $1) }
        }
    }

    /// Returns whether the options are recorded already.
    private func keeps(_ options: HistoryOptions) throws(StorageError) -> Bool {
        try withReader("open", .snapshot, seesExpired: true) { (reader) throws(StorageError) in
            let kept = try ActiveHistory.recorded(in: reader, registry.directory)
            history.active = kept
            guard let kept else { return options.isNothing }
            return kept.settings == kept.settings.adding(options, after: 0).sinceOf(kept.settings)
        }
    }
}

extension Store.HistoryOptions {
    fileprivate var isNothing: Bool { records.isEmpty && keys.isEmpty && keeping == nil && holding == nil }

    /// The types that it names.
    var models: [any Storable.Type] { records + keys + off }
}

extension HistorySettings {
    /// These settings with a program's options.
    fileprivate func adding(_ options: Store.HistoryOptions, after last: Int64) -> HistorySettings {
        var settings = self
        for type in options.keys { settings.set(StoredName(type.schema.name), .keys, after: last) }
        for type in options.records { settings.set(StoredName(type.schema.name), .records, after: last) }
        for type in options.off { settings.set(StoredName(type.schema.name), .off, after: last) }
        if let limit = options.keeping { settings.limit = Retention(limit) }
        if let limit = options.holding { settings.holding = Retention(limit) }
        return settings
    }

    fileprivate mutating func set(_ name: StoredName, _ detail: Store.HistoryDetail, after last: Int64) {
        guard detail != .off else { return models.removeAll { $0.name == name } }
        let place = models.firstIndex { $0.name == name } ?? models.endIndex
        if place == models.endIndex { models.append(Model(name: name, since: last)) }
        models[place].recordsSince = detail == .records ? models[place].recordsSince ?? last : nil
    }

    /// The same with the beginnings that other settings have for the same models, to be compared with them.
    fileprivate func sinceOf(_ other: HistorySettings) -> HistorySettings {
        var settings = self
        for place in settings.models.indices {
            guard let model = other.model(settings.models[place].name) else { continue }
            settings.models[place].since = model.since
            if settings.models[place].recordsSince != nil, model.recordsSince != nil {
                settings.models[place].recordsSince = model.recordsSince
            }
        }
        return settings
    }
}

extension HistorySettings.Retention {
    fileprivate init(_ limit: Store.HistoryLimit) { self.init(commits: limit.commits, seconds: limit.seconds) }
}

extension Store {
    private func keep(
        in context: TransactionContext, _ change: (inout HistorySettings, _ last: Int64) -> Void
    ) throws(StorageError) {
        let writer = try context.openWriter()
        let directory = registry.directory
        var tables = HistoryTables(in: try writer.tables(), directory)
        var settings = try tables?.settings(in: writer) ?? HistorySettings()
        if tables == nil { tables = try HistoryTables.create(in: writer, directory) }
        guard let tables else { return }
        let last = try HistoryReading(tables, writer).last?.number ?? 0
        change(&settings, last)
        try settings.record(in: writer, directory)
        history.active = ActiveHistory(settings, tables)
    }
}
