import StorageDriver
import Synchronization

/// The layers of an application, as a store was opened with them.
final class ApplicationLayers: StoreFeature {
    /// A layer, and the stored names of its models; nil for every model.
    struct Entry<Layer: Sendable>: Sendable {
        let layer: Layer
        let models: [StoredName]?

        func follows(_ model: StoredName) -> Bool { models?.contains(model) ?? true }
    }

    /// The shape of a write plan.
    private struct Shape: Hashable {
        let operation: WriteOperation
        let table: TableSchema
        let columns: [Int]
    }

    private let rows: [Entry<any Store.RowLayer>]
    let deletions: [Entry<any Store.DeletionLayer>]
    let records: [Entry<any Store.RecordLayer>]
    private let commits: [Entry<any Store.CommitLayer>]
    private let registry: ModelRegistry
    private let timestamps: Timestamps
    private let plans = Mutex(RecentlyUsed<Shape, WritePlan>(maximum: 1000))

    init(_ layers: [any Store.Layer], _ registry: ModelRegistry, activity: FeatureActivity) {
        func entries<Layer: Sendable>(_ convert: (any Store.Layer) -> Layer?) -> [Entry<Layer>] {
            layers.compactMap { layer in
                convert(layer).map { Entry(layer: $0, models: layer.models?.map { StoredName($0.schema.name) }) }
            }
        }
        rows = entries { $0 as? any Store.RowLayer }
        deletions = entries { $0 as? any Store.DeletionLayer }
        records = entries { $0 as? any Store.RecordLayer }
        commits = entries { $0 as? any Store.CommitLayer }
        joinsAll = !rows.isEmpty || !deletions.isEmpty || !records.isEmpty
        timestamps = Timestamps(registry.stamps)
        self.registry = registry
        activity.followed.newPart().set(interest)
        if !commits.isEmpty { activity.beginFollowing() }
    }

    /// True if a layer may look at or change rows.
    private var hasRowLayers: Bool { !rows.isEmpty || timestamps.isUsed }

    /// True if the application has given a layer that takes part in writes.
    let joinsAll: Bool

    func join(_ parts: inout TransactionParts) {
        guard joinsAll || timestamps.isUsed else { return }
        let layered = LayeredTransaction(self, parts.store)
        parts.subscribers.append(layered)
        parts.hooks = layered
        if hasRowLayers { parts.layer = { RowLayerWriter($0, self, in: layered) } }
    }

    /// The row layers of a model in their order: timestamps first, so that the application's layers see them.
    func rowLayers(of model: StoredName) -> [any Store.RowLayer] {
        let own = rows.lazy.filter { $0.follows(model) }.map(\.layer)
        return timestamps.follows(model) ? [timestamps] + own : Array(own)
    }

    /// Checks that no layer must be asked about each change of a model's records. A commit layer needs not.
    ///
    /// - Throws: `unsupported` if one must.
    func requireKnown(_ model: StoredName) throws(StorageError) {
        guard takesPart(in: model) else { return }
        throw DatabaseReactions.refusal(model, "a layer of the application")
    }

    /// Returns whether a layer takes part in the writes to a model's records.
    func takesPart(in model: StoredName) -> Bool {
        rows.contains { $0.follows(model) } || deletions.contains { $0.follows(model) }
            || records.contains { $0.follows(model) }
    }

    func needsDeletions(of model: StoredName) -> Bool { takesPart(in: model) || commits.contains { $0.follows(model) } }

    /// The changes that record and commit layers follow; nil for none.
    private var interest: ChangeInterest? {
        let models = records.map(\.models) + commits.map(\.models)
        if models.isEmpty { return nil }
        let names = models.compactMap(\.self).flatMap(\.self).map { ($0, ChangeDetail.kinds) }
        return ChangeInterest(
            all: models.contains { $0 == nil } ? .kinds : nil, models: Dictionary(names) { $1 })
    }

    /// A plan for the rows of a table, the same each time.
    func plan(_ operation: WriteOperation, of table: TableSchema, columns: [Int]) -> WritePlan {
        plans.withLock { plans in
            plans.value(Shape(operation: operation, table: table, columns: columns)) { oldest in
                WritePlan(
                    id: oldest?.id ?? registry.directory.nextPlan(), operation: operation, table: table,
                    columns: columns)
            }
        }
    }

    /// Tells commit layers of a durable commit.
    func didEnd(_ transaction: WriteTransaction) {
        guard !commits.isEmpty, transaction.failure == nil else { return }
        for changes in [transaction.precedingChanges, transaction.changes] { if let changes { tell(changes) } }
    }

    private func tell(_ changes: ChangeSet) {
        let net = changes.net
        guard !net.isEmpty else { return }
        for entry in commits {
            let models = net.filter { entry.follows($0.model) }.map { changes in
                Store.ModelChanges(model: changes.model.text, changes: changes.told { $0 })
            }
            guard !models.isEmpty else { continue }
            entry.layer.didCommit(
                Store.Commit(
                    number: changes.signature.commit.map { Int($0) }, time: .now, author: changes.signature.author,
                    note: changes.signature.note, origin: changes.signature.origin, changes: models))
        }
    }
}
