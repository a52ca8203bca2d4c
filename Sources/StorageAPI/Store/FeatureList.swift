import StorageDriver
import Synchronization

/// The features of a store, which its calls use without naming any.
struct FeatureList: Sendable {
    /// The features, in the order in which they are called.
    let all: [any StoreFeature]
    let activity: FeatureActivity
    /// Measures calls; nil if the store has no instruments.
    let meter: (any CallMeasuring)?
    /// True if a feature joins every transaction.
    let joinsAll: Bool

    init(_ all: [any StoreFeature], _ activity: FeatureActivity, meter: (any CallMeasuring)?) {
        self.all = all
        self.activity = activity
        self.meter = meter
        joinsAll = all.contains { $0.joinsAll }
    }

    /// The feature of a type, for the verbs of its room.
    func feature<F: StoreFeature>(_ type: F.Type = F.self) -> F {
        for case let feature as F in all { return feature }
        preconditionFailure("\(type) is missing from the list that opens every store.")
    }

    /// Wraps a reading session so that it shows the records as the features do. Called when a read begins, unless all
    /// features are idle. Ends the given session if it throws.
    @inline(never)
    func wrap(_ reader: any StorageReader, at version: ModelRegistry.Version) throws(StorageError) -> any StorageReader
    {
        var reader = reader
        for feature in all { reader = try feature.wrap(reader, at: version) }
        noteIdle(at: version)
        return reader
    }

    /// Lets the features work before a transaction's body, until one of them makes a commit. Not called while all features
    /// are idle.
    @inline(never)
    func work(
        before transaction: WriteTransaction, _ writer: any StorageWriter, in store: Store
    ) throws(StorageError) -> PrecedingCommit? {
        try requireWritable(writer)
        for feature in all {
            if let commit = try feature.work(before: transaction, writer, in: store) { return commit }
        }
        noteIdle(at: store.tablesVersion)
        return nil
    }

    /// Returns whether a feature closes the store to writers.
    func closesStore(_ session: any StorageSession) throws(StorageError) -> Bool {
        for feature in all where try feature.closesStore(session) { return true }
        return false
    }

    /// Checks that the store takes writes. Called by transactions before which no features work.
    ///
    /// - Throws: `moved` if the store is closed to writers.
    func requireWritable(_ writer: any StorageWriter) throws(StorageError) {
        for feature in all { try feature.requireWritable(writer) }
    }

    private func noteIdle(at version: ModelRegistry.Version) {
        if all.allSatisfy({ $0.isIdle(at: version) }) { activity.setIdle(at: version) }
    }

    /// Lets each feature find its tables and settings in a session's store. Called before models are prepared, and again
    /// when another process may have changed the tables, or when a copy of a history has failed.
    func find(in session: any StorageSession, isAgain: Bool = false) throws(StorageError) {
        for feature in all { try feature.find(in: session, isAgain: isAgain) }
    }

    /// The name of a step that the store must run to open; nil if no step is pending. Called while the store opens.
    func pendingStep(in session: any StorageSession) throws(StorageError) -> String? {
        for feature in all { if let step = try feature.pendingStep(in: session) { return step } }
        return nil
    }

    func takePart(in model: StoredName) -> Bool { all.contains { $0.takesPart(in: model) } }
}

/// The current activity of a store's features, for the checks that every call makes.
final class FeatureActivity: Sendable {
    /// The changes that features follow, which transactions capture.
    let followed = FollowedChanges()
    /// The version number of the tables at which no feature wraps readers or works before writes.
    private let idleVersion = Atomic(-1)
    /// The number of features that follow commits.
    private let followers = Atomic(0)
    /// True if a feature reads index tables to answer a query.
    private let hasIndexes = Atomic(false)

    /// Returns whether no feature wraps readers or works before writes at a version of the tables.
    func isIdle(at version: ModelRegistry.Version) -> Bool {
        idleVersion.load(ordering: .acquiring) == version.number
    }

    func setIdle(at version: ModelRegistry.Version) { idleVersion.store(version.number, ordering: .releasing) }

    /// True if a feature follows commits.
    var isFollowed: Bool { followers.load(ordering: .acquiring) > 0 }

    func beginFollowing() { followers.add(1, ordering: .releasing) }
    func endFollowing() { followers.subtract(1, ordering: .releasing) }

    /// True if a feature reads index tables to answer a query, which then needs a snapshot.
    var readsIndexes: Bool { hasIndexes.load(ordering: .acquiring) }

    func setReadsIndexes() { hasIndexes.store(true, ordering: .releasing) }
}

extension Store {
    /// A reading session of the engine that shows the records as the features do.
    func visibleReader(_ scope: ReadScope) throws(StorageError) -> any StorageReader {
        // Read before the snapshot begins, so the snapshot has these tables or later ones.
        let version = tablesVersion
        let reader = try engine.reader(scope)
        return features.activity.isIdle(at: version) ? reader : try features.wrap(reader, at: version)
    }

    /// The version of the known models and their tables.
    var tablesVersion: ModelRegistry.Version {
        ModelRegistry.Version(
            models: registry.schemaVersion.load(ordering: .acquiring), tables: sharedTables?.tablesVersion ?? 0)
    }

    /// Lets each feature complete its data for prepared models. Called after a call has prepared them.
    nonisolated(nonsending) func complete(_ models: [StoredName], isCommitted: Bool = false) async throws(StorageError)
    {
        for feature in features.all { try await feature.complete(models, in: self, isCommitted: isCommitted) }
    }

    func completeBlocking(_ models: [StoredName], isCommitted: Bool = false) throws(StorageError) {
        for feature in features.all { try feature.completeBlocking(models, in: self, isCommitted: isCommitted) }
    }
}
