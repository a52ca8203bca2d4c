import StorageDriver
import StorageSearch
import Synchronization

/// The search indexes of a store: the models that have one, and caches from earlier sessions.
final class StoreSearch: StoreFeature {
    private struct State {
        /// The models whose changes are captured, perhaps some more than have an index.
        var models: Set<StoredName> = []
        var tables: [Int: SearchTables] = [:]
        var caches: [Int: SearchCache] = [:]
        var settings: ReadSettings?
        var plans: [StoredName: DocumentPlans] = [:]
    }

    /// The settings as a session has read them last, so that others with the same text need not be decoded.
    private struct ReadSettings {
        let plan: QueryPlan
        let text: String
        let settings: SearchSettings
    }

    private let state = Mutex(State())
    private let hasModels = Atomic(false)
    let registry: ModelRegistry
    private let activity: FeatureActivity
    private let followed: FollowedChanges.Part
    /// Learns of the progress of indexes that opening makes.
    let progress: (@Sendable (Store.SearchProgress) -> Void)?

    init(
        _ registry: ModelRegistry, _ activity: FeatureActivity,
        progress: (@Sendable (Store.SearchProgress) -> Void)?
    ) {
        self.registry = registry
        self.activity = activity
        self.progress = progress
        followed = activity.followed.newPart()
        registry.directory.serve(search: self)
    }

    var directory: ModelDirectory { registry.directory }

    /// False for a store that has no index.
    var isUsed: Bool { hasModels.load(ordering: .acquiring) }

    func follows(_ model: StoredName) -> Bool { state.withLock { $0.models.contains(model) } }

    func needsDeletions(of model: StoredName) -> Bool { follows(model) }

    /// Finds the indexes that a session's store has.
    func find(in session: any StorageSession, isAgain: Bool) throws(StorageError) {
        activate(try recorded(in: session)?.models.map(\.name) ?? [])
    }

    /// Captures the changes of more models. No model is removed again, so an undone transaction cannot leave an index without
    /// changes.
    private func activate(_ models: [StoredName]) {
        state.withLock { state in
            if state.models.isSuperset(of: models) { return }
            state.models.formUnion(models)
            hasModels.store(true, ordering: .releasing)
            activity.setReadsIndexes()
            followed.set(state.models.sorted(), .keys)
        }
    }

    func join(_ parts: inout TransactionParts) {
        guard isUsed, parts.signature != nil else { return }
        let writer = parts.writer
        let shared = parts.group?.part { SearchRecorder(self, writer, isShared: true) }
        parts.subscribers.append(shared ?? SearchRecorder(self, writer))
    }

    // MARK: Settings

    /// The settings that a session's store has; nil if it has no index.
    ///
    /// - Throws: `corrupt`, and `schemaNewer` for settings of a later version.
    func recorded(in session: any StorageSession) throws(StorageError) -> SearchSettings? {
        guard let table = SearchSettings.table.find(in: try session.tables()) else { return nil }
        let known = state.withLock { $0.settings.flatMap { $0.plan.table == table ? $0 : nil } }
        var query = Query(.columns([1]))
        // The row is the only one, and a bounded query can be sent with others.
        query.isLimited = true
        let plan = known?.plan ?? directory.plan(query, of: table)
        let text = try SearchSettings.text(plan, in: session)
        if let known, known.text == text { return known.settings }
        let settings = try SearchSettings(text: text)
        state.withLock { $0.settings = ReadSettings(plan: plan, text: text, settings: settings) }
        return settings
    }

    // MARK: Indexes

    func tables(_ number: Int, in tables: [TableSchema]) throws(StorageError) -> SearchTables {
        if let known = state.withLock({ $0.tables[number] }), tables.contains(known.rows[0]) { return known }
        guard let found = SearchTables(number, in: tables, directory) else {
            throw StorageError(.corrupt, "A search index lacks a table; make it anew with rebuildSearch(of:).")
        }
        state.withLock { $0.tables[number] = found }
        return found
    }

    /// Remembers tables that a transaction has made.
    func add(_ tables: SearchTables) { state.withLock { $0.tables[tables.number] = tables } }

    /// The plans of a model's texts, which are kept so that an engine prepares them once.
    func plans(for model: SearchedModel) -> DocumentPlans {
        if let known = state.withLock({ $0.plans[model.name] }), known.fit(model) { return known }
        let plans = DocumentPlans(model, directory)
        state.withLock { $0.plans[model.name] = plans }
        return plans
    }

    /// The queries with which the indexes of a model begin, as far as they are known without asking.
    ///
    /// - Parameter keys: the changed records.
    func firstQueries(of model: StoredName, _ keys: [[Value]]) -> [QueryRequest] {
        state.withLock { state in
            guard let indexes = state.settings?.settings.model(model)?.indexes else { return [] }
            var queries: [QueryRequest] = []
            for number in indexes {
                guard let tables = state.tables[number], let cache = state.caches[number] else { continue }
                queries += tables.current(hasPending: cache.hasPending)
            }
            return queries + (state.plans[model]?.queries(keys) ?? [])
        }
    }

    /// The cached parts of an index: committed segments and commits never change.
    func cache(_ number: Int) -> SearchCache { state.withLock { $0.caches[number] ?? SearchCache() } }

    /// Keeps the committed segments and commits that a session has read.
    func keep(_ cache: SearchCache, _ number: Int) { state.withLock { $0.caches[number] = cache } }

    /// The settings of a model's index, of any format.
    ///
    /// - Throws: `invalidQuery` if the model has no index; `schemaNewer` if another version's analyzer has made it.
    func indexed(_ model: StoredName, in session: any StorageSession) throws(StorageError) -> SearchSettings.Model {
        guard let found = try recorded(in: session)?.model(model) else {
            throw StorageError(
                .invalidQuery, "\(model) has no property to search; mark some with @Searchable.", model: model)
        }
        try Self.check(found)
        return found
    }

    static func check(_ model: SearchSettings.Model) throws(StorageError) {
        guard model.isLater else { return }
        throw StorageError(
            .schemaNewer,
            "The search index is made by the analyzer \(model.analyzer), which this version of the library does not have; "
                + "use the later version.", model: model.name)
    }

    // MARK: Changes of the schema

    func didChange(_ change: SchemaChange, in context: TransactionContext) throws(StorageError) {
        // To look at all tables for each of many models would cost the square of their number.
        guard follows(change.model) || change.declaresSearch else { return }
        try adapt(change.model, from: change, in: context.innerWriter(change.model))
    }

    func didCreateTables(of model: StoredName, in context: TransactionContext) throws(StorageError) {
        try adapt(model, in: context.innerWriter(model))
    }

    /// Makes the index of a model match the declarations of the model's tables.
    ///
    /// - Parameter change: the change of the model's tables; nil if they have not changed.
    func adapt(_ model: StoredName, from change: SchemaChange? = nil, in writer: any StorageWriter) throws(StorageError)
    {
        let tables = try writer.tables()
        let recorded = try recorded(in: writer)
        let wanted = SearchedModel(model, in: tables)
        guard recorded != nil || wanted != nil else { return }
        var settings = recorded ?? SearchSettings()
        // The index of a model that is gone, or has another name now, is of no use.
        for gone in settings.models where SearchedModel(gone.name, in: tables) == nil {
            try drop(gone, in: writer)
            settings.models.removeAll { $0.name == gone.name }
        }
        // Programs without search, which are older, lose the marks of the properties, and leave the index as it is when they
        // write: one whose marks come back is built again. So is one whose properties have exchanged their names, or get their default in
        // rows that were written without them.
        if let change, let known = settings.model(model),
            known.numbered(in: change.tables) == nil || change.steps.contains(where: \.changesSearched)
        {
            try drop(known, in: writer)
            settings.models.removeAll { $0.name == known.name }
        }
        if let wanted { try adapt(wanted, &settings, in: writer) }
        guard settings != recorded else { return }
        try settings.record(in: writer, directory)
        activate(settings.models.map(\.name))
    }

    func adapt(
        _ wanted: SearchedModel, _ settings: inout SearchSettings, in writer: any StorageWriter
    ) throws(StorageError) {
        let known = settings.model(wanted.name)
        try wanted.requireIndexable(after: known)
        if let known {
            try Self.check(known)
            if known.isCurrent, wanted.numbered(as: known.properties) != nil { return }
            try drop(known, in: writer)
            settings.models.removeAll { $0.name == known.name }
        }
        var model = SearchSettings.Model(
            name: wanted.name, analyzer: Analyzer.words.name, properties: wanted.names)
        let number = try make(&settings, wanted, in: writer)
        // Also if no record exists yet: the transaction may write records that no layer of it follows.
        model.building = number
        settings.models.append(model)
        try begin(number, wanted, in: writer)
    }

    /// Makes the tables of a new index.
    func make(
        _ settings: inout SearchSettings, _ model: SearchedModel, in writer: any StorageWriter
    ) throws(StorageError) -> Int {
        let made = try SearchTables.create(settings.next, in: writer, directory)
        add(made)
        settings.next += 1
        return made.number
    }

    func begin(_ number: Int, _ model: SearchedModel, in writer: any StorageWriter) throws(StorageError) {
        let open = try OpenIndex(number, of: model, self, in: writer)
        try open.run { (index) throws(SearchFailure) in try index.beginBuild() }
    }

    private func drop(_ model: SearchSettings.Model, in writer: any StorageWriter) throws(StorageError) {
        for number in model.indexes { try drop(number, in: writer) }
    }

    /// Drops an index and its caches, which are read again if the transaction is undone.
    func drop(_ number: Int, in writer: any StorageWriter) throws(StorageError) {
        try SearchTables.drop(number, writer.tables(), in: writer)
        state.withLock { state in (state.tables[number], state.caches[number]) = (nil, nil) }
    }
}

/// An index in one session.
struct OpenIndex {
    let number: Int
    let model: SearchedModel
    let documents: SearchDocuments
    let index: SearchIndex<SearchRows>

    init(
        _ number: Int, of model: SearchedModel, _ search: StoreSearch, in session: any StorageSession
    ) throws(StorageError) {
        self.number = number
        self.model = model
        documents = SearchDocuments(model: model, plans: search.plans(for: model), session: session)
        let rows = SearchRows(
            try search.tables(number, in: session.tables()), in: session,
            waitsForServer: search.directory.waitsForServer)
        index = SearchIndex(rows, properties: model.properties, cache: search.cache(number))
    }

    /// Uses the index, with its failures as errors of the model.
    func run<T>(_ body: (SearchIndex<SearchRows>) throws(SearchFailure) -> T) throws(StorageError) -> T {
        do throws(SearchFailure) { return try body(index) } catch { throw error.error(of: model.name) }
    }

    /// The keys of documents, in the order of these.
    func keys(of documents: [Int]) throws(StorageError) -> [[Value]] {
        try run { (index) throws(SearchFailure) in try index.keys(of: documents) }.map { (bytes) throws(StorageError) in
            let key = try OrderedKey.key(of: bytes)
            guard key.count == model.root.key.count else { throw OrderedKey.broken }
            return key
        }
    }
}
