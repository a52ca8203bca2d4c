import Logging
import StorageDriver
import Synchronization

/// Hides the records of a store that have expired from reads, and removes them before writes.
final class ExpiryLayer: StoreFeature {
    let registry: ModelRegistry
    let logger: Logger
    /// The records that could not be deleted.
    let unremoved = UnremovedRecords()
    /// How long records are kept that do not expire by themselves.
    let retention: [Store.Retention]
    private let clock: @Sendable () -> Double
    private let known = Mutex<(version: ModelRegistry.Version, models: ExpiringModels?)?>(nil)
    /// The number of the version at which no model's records expire, as in most stores they never do.
    private let withoutExpiry = Atomic(-1)

    /// The author of the commits that remove expired records.
    static var author: String { "storage: expiry" }

    /// - Parameter clock: the time in seconds since the reference date.
    init(
        _ registry: ModelRegistry, retention: [Store.Retention], logger: Logger, clock: @escaping @Sendable () -> Double
    ) {
        self.registry = registry
        self.retention = retention
        self.logger = logger
        self.clock = clock
    }

    var preparedModels: [any Storable.Type] { retention.compactMap(\.model) }

    func checkOptions() throws(StorageError) { for retention in retention { try retention.check() } }

    /// The time by which records expire, in seconds since the reference date.
    var seconds: Double { clock() }

    var now: Value { .double(seconds) }

    /// Returns whether it is known that no model's records expire.
    func isIdle(at version: ModelRegistry.Version) -> Bool {
        withoutExpiry.load(ordering: .acquiring) == version.number
    }

    /// The models whose records expire; nil if no model's records expire.
    ///
    /// - Parameter version: that of the session's tables, or an earlier one.
    func models(
        at version: ModelRegistry.Version, in session: any StorageSession
    ) throws(StorageError) -> ExpiringModels? {
        if let known = known.withLock({ $0 }), known.version == version { return known.models }
        let models = ExpiringModels(try session.tables(), declared: registry.declared, registry.directory)
        known.withLock { $0 = (version, models) }
        if models == nil { withoutExpiry.store(version.number, ordering: .releasing) }
        return models
    }

    /// A session in which expired records do not exist. Ends the given one if it throws.
    ///
    /// - Parameter version: that of the session's tables, or an earlier one.
    func wrap(
        _ reader: any StorageReader, at version: ModelRegistry.Version
    ) throws(StorageError) -> any StorageReader {
        do throws(StorageError) {
            guard let expiring = try models(at: version, in: reader) else { return reader }
            return UnexpiredReader(reader, expiring, now: now)
        } catch {
            reader.end()
            throw error
        }
    }

    /// Deletes expired records. A commit removes a bounded number.
    func work(
        before transaction: WriteTransaction, _ writer: any StorageWriter, in store: Store
    ) throws(StorageError) -> PrecedingCommit? {
        var capture: ChangeCapture?
        var removal = ExpiryRemoval(self, writer) {
            let (context, captured) = store.context(of: transaction, writer)
            capture = captured
            return context
        }
        defer { removal.context?.end() }
        try removal.run(at: store.tablesVersion)
        let isAtLimit = removal.removed >= ExpiringModels.part
        guard let context = removal.context else { return nil }
        _ = try store.finish(context, capture)
        return PrecedingCommit(changes: capture?.changes, isAtLimit: isAtLimit)
    }

    /// Reports references that deny the deletion of expiring records, and the expired records that could not be deleted.
    func verify(
        _ tables: [TableSchema], in reader: any StorageReader, _ report: @escaping (StoreProblem) -> Void
    ) throws(StorageError) {
        for denial in ExpiryDenial.all(in: tables) {
            report(StoreProblem(denial.message + ".", model: denial.model.text, property: denial.property.text))
        }
        for (model, key, reason) in unremoved.all {
            report(
                StoreProblem(
                    "The record has expired and cannot be deleted: \(reason?.message ?? "")", model: model.text,
                    key: key))
        }
    }
}
