import StorageDriver

/// Captures the changes of a transaction from the batches that it writes, and passes them to subscribers.
///
/// A batch names its table, whose path begins with the model, and each of its rows contains the key of its root. A root's
/// row is written before the rows that it owns, and deleted before them. So a batch of owned rows counts as a change only
/// if its roots were not in the previous batch of roots in the same call. Each call of a transaction is a savepoint.
///
/// Writes through ``writer`` are not captured: rows that belong to no model, and copies of whole models.
final class ChangeCapture: ForwardingWriter, TransactionCapture {
    let changes: ChangeSet
    var signature: CommitSignature { changes.signature }
    /// The subscribers, in the order in which they receive each change.
    private var subscribers: [any ChangeSubscriber]
    private let registry: ModelRegistry
    private var savepoints: [ChangeSet.Mark] = []
    private var roots = BatchRoots()
    /// Models with everything that the store has recorded about them, to read whole records.
    private var wholeModels: [StoredName: ModelHandle] = [:]

    init(
        _ writer: any StorageWriter, _ changes: ChangeSet, subscribers: [any ChangeSubscriber],
        registry: ModelRegistry
    ) {
        self.changes = changes
        self.subscribers = subscribers
        self.registry = registry
        super.init(writer)
    }

    override func subscriber<S: AnyObject>(_ type: S.Type) -> S? { subscribers.lazy.compactMap { $0 as? S }.first }

    func remove<S: AnyObject>(_ type: S.Type) { subscribers.removeAll { $0 is S } }

    // MARK: Batches

    override func write(_ batch: borrowing RowBatch) throws(StorageError) -> Int {
        let plan = batch.plan
        if let (model, detail) = interest(in: plan.table) {
            if plan.operation == .truncate {
                if plan.table.isRoot { try captureEverything(of: model, plan.table) }
            } else if detail == .any {
                changes.addEverything(of: model)
            } else {
                try capture(batch, of: model, detail)
            }
        }
        return try super.write(batch)
    }

    /// The model whose rows a table has, and the detail that is requested; nil if no detail is.
    private func interest(in table: TableSchema) -> (model: StoredName, detail: ChangeDetail)? {
        guard let model = table.storedPath.first, !model.text.isEmpty, !table.isStoresOwn else { return nil }
        return changes.interest.detail(of: model).map { (model, $0) }
    }

    private func capture(
        _ batch: borrowing RowBatch, of model: StoredName, _ detail: ChangeDetail
    ) throws(StorageError) {
        let keys = BatchRoots.keys(batch)
        let plan = batch.plan
        guard plan.table.isRoot else {
            if !roots.contains(keys, of: model) {
                try capture(.update, keys.distinct, of: model, detail: detail, by: plan)
            }
            return
        }
        // A subscriber may ignore a patch, and must then receive the changes that follow it.
        if plan.operation == .patch { roots.forget() } else { roots.remember(keys, of: model) }
        switch plan.operation {
        case .insert: try capture(.insert, keys, of: model, detail: detail, by: plan)
        case .upsert: try capture(.update, keys, of: model, detail: detail, by: plan, mayInsert: detail == .kinds)
        case .update, .patch: try capture(.update, keys, of: model, detail: detail, by: plan)
        case .delete where detail == .kinds: try captureDelete(keys, of: model, plan)
        case .delete: try add(.delete, keys, of: model, stored: nil, images: nil, by: plan)
        case .truncate: break
        }
    }

    /// Captures records that are about to be changed.
    ///
    /// - Parameter mayInsert: whether records that are not stored are inserted.
    private func capture(
        _ kind: ChangeKind, _ keys: KeyList, of model: StoredName, detail: ChangeDetail, by plan: WritePlan,
        mayInsert: Bool = false
    ) throws(StorageError) {
        let images = kind == .insert ? nil : try images(of: keys, in: model)
        let mustCompare = kind == .update && detail == .kinds
        let stored = mustCompare ? try compare(keys, of: model, with: images) : nil
        try add(kind, keys, of: model, stored: stored, images: images, by: plan, mayInsert: mayInsert)
    }

    /// Captures records that are about to be deleted, if they are stored.
    private func captureDelete(_ keys: KeyList, of model: StoredName, _ plan: WritePlan) throws(StorageError) {
        let images = try images(of: keys, in: model)
        let stored = if let images { Set(images.keys) } else { try self.stored(among: keys, of: model, plan.table) }
        changes.addDeleted(keys, of: model)
        try add(.delete, keys, of: model, stored: stored, images: images, by: plan)
    }

    /// The records with the keys, by their keys; nil if no subscriber needs them.
    private func images(of keys: KeyList, in model: StoredName) throws(StorageError) -> [[Value]: RecordImage]? {
        guard subscribers.contains(where: { $0.needsRecords(of: model) }) else { return nil }
        return try RecordImage.read(keys, whole(model), in: writer)
    }

    private func stored(
        among keys: KeyList, of model: StoredName, _ root: TableSchema
    ) throws(StorageError) -> Set<[Value]> {
        // The tables of other software are not recorded in the store.
        let query = Query(.columns(root.key), scope: keys.scope)
        let plan =
            root.isForeign
            ? QueryPlan(id: nil, query: query, table: root, tables: [root]) : try whole(model).plan(query)
        return try keys.rows(plan, in: writer)
    }

    /// - Parameters:
    ///   - stored: the keys of the records that are stored; nil if it does not matter.
    ///   - images: the records before the change, if a subscriber needs them.
    private func add(
        _ kind: ChangeKind, _ keys: KeyList, of model: StoredName, stored: Set<[Value]>?,
        images: [[Value]: RecordImage]?, by plan: WritePlan, mayInsert: Bool = false
    ) throws(StorageError) {
        let followers = subscribers.filter { $0.follows(model) && $0.follows(plan) }
        if stored == nil, followers.isEmpty { return changes.add(kind, keys, of: model) }
        for key in keys {
            let isThere = stored?.contains(key) ?? true
            if !isThere, !mayInsert { continue }
            let kind = isThere ? kind : .insert
            changes.add(kind, KeyList(width: keys.width, [key]), of: model)
            for follower in followers { follower.willChange(kind, key, of: model, before: images?[key]) }
        }
        for follower in followers { try follower.willWrite() }
    }

    /// Keeps records as they are before an update, so that unchanged records do not count as changes. Returns their keys.
    ///
    /// - Parameter images: the records, if they were already read.
    private func compare(
        _ keys: KeyList, of model: StoredName, with images: [[Value]: RecordImage]?
    ) throws(StorageError) -> Set<[Value]> {
        var stored: Set<[Value]> = []
        func take(_ images: [[Value]: RecordImage]) {
            for (key, image) in images {
                changes.compare(key, of: model, with: image)
                stored.insert(key)
            }
        }
        if let images {
            take(images)
            return stored
        }
        for part in keys.parts(of: RecordReader.partOfRecords) { take(try recordsNow(part, model)) }
        return stored
    }

    private func recordsNow(
        _ keys: KeyList, _ model: StoredName
    ) throws(StorageError) -> [[Value]: RecordImage] {
        try RecordImage.read(keys, whole(model), in: writer)
    }

    /// A model with everything that is recorded, as the transaction first finds it.
    private func whole(_ model: StoredName) throws(StorageError) -> ModelHandle {
        if let known = wholeModels[model] { return known }
        let handle = try registry.whole(model, in: writer)
        wholeModels[model] = handle
        return handle
    }

    // MARK: Whole models

    /// Captures that all records of a model are about to be removed, if it has any.
    private func captureEverything(of model: StoredName, _ root: TableSchema) throws(StorageError) {
        let plan = QueryPlan(id: nil, query: Query(.exists), table: root, tables: [root])
        var cursor = try writer.rows(plan, QueryArguments())
        guard try cursor.next(), cursor.cells[0].int != 0 else { return }
        try willReplaceAll(of: model)
    }

    func willReplaceAll(of model: StoredName) throws(StorageError) {
        guard changes.interest.detail(of: model) != nil else { return }
        changes.addEverything(of: model)
        for subscriber in subscribers { try subscriber.willReplaceAll(of: model) }
    }

    func didReplaceAll(of model: StoredName) throws(StorageError) {
        wholeModels = [:]
        for subscriber in subscribers { try subscriber.didReplaceAll(of: model) }
    }

    /// Captures that the database has changed records of a model by itself.
    func didReact(in model: StoredName) throws(StorageError) {
        guard changes.interest.detail(of: model) != nil else { return }
        changes.addEverything(of: model)
        for subscriber in subscribers where subscriber.follows(model) { try subscriber.didReact(in: model) }
    }

    override func change(_ change: TableChange) throws(StorageError) {
        let model = interest(in: change.table)?.model
        if let model { try changes.willChangeTables(of: model, recordsNow) }
        try super.change(change)
        wholeModels = [:]
        for subscriber in subscribers { subscriber.didChangeTables() }
        if let model { changes.addTables(of: model) }
    }

    // MARK: The transaction

    override func beginSavepoint() {
        roots.forget()
        savepoints.append(changes.mark)
        for subscriber in subscribers { subscriber.beginSavepoint() }
    }

    override func endSavepoint(isUndone: Bool) {
        roots.forget()
        for subscriber in subscribers { subscriber.endSavepoint(isUndone: isUndone) }
        guard let mark = savepoints.popLast(), isUndone else { return }
        changes.undo(to: mark)
        wholeModels = [:]
    }

    /// Finds the net effect of the transaction, and lets subscribers finish.
    func willCommit() throws(StorageError) {
        try changes.settle(recordsNow)
        for subscriber in subscribers { try subscriber.willCommit(changes) }
        changes.afterCommit = subscribers.compactMap(\.afterCommit)
        // The changes outlive the transaction, but the subscribers do not.
        subscribers = []
    }
}
