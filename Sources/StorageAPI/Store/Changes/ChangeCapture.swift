import StorageDriver

/// Captures the changes of a transaction from the batches that it writes, and passes them to subscribers.
///
/// A batch names its table, whose path begins with the model, and each of its rows contains the key of its root. A root's
/// row is written before the rows that it owns, and deleted before them. So a batch of owned rows counts as a change only
/// if its roots were not in the previous batch of roots in the same call. Each call of a transaction is a savepoint.
///
/// Writes through ``writer`` are not captured: rows that belong to no model, and copies of whole models.
///
/// In a group, the records before a change are asked for in their place among the batches, and the change is known when all
/// transactions of the group have run (``CommitGroup``).
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
    /// The group in which changes may wait; nil outside a group, or if the transaction no longer waits.
    private var group: CommitGroup?
    /// The session that answers later; nil if changes are known at once.
    private let asking: (any DeferringWriter)?
    private var waiting = WaitingChanges()
    /// An error of the work that was due before a savepoint.
    private var failure: StorageError?

    init(
        _ writer: any StorageWriter, _ changes: ChangeSet, subscribers: [any ChangeSubscriber],
        registry: ModelRegistry, group: CommitGroup? = nil, canWait: Bool = true
    ) {
        self.changes = changes
        self.subscribers = subscribers
        self.registry = registry
        self.group = group
        asking =
            group != nil && canWait && subscribers.allSatisfy(\.canWait) ? writer as? any DeferringWriter : nil
        super.init(writer)
        if asking != nil { for subscriber in subscribers { subscriber.setWaiting(true) } }
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
        case .delete:
            if group != nil, try wait(.delete, keys, of: model, detail: detail, by: plan) { return }
            try add(.delete, keys, of: model, stored: nil, images: nil, by: plan)
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
        if group != nil, try wait(kind, keys, of: model, detail: detail, by: plan, mayInsert: mayInsert) { return }
        let images = kind == .insert ? nil : try images(of: keys, in: model)
        let mustCompare = kind == .update && detail == .kinds
        let stored = mustCompare ? try compare(keys, of: model, with: images) : nil
        try add(kind, keys, of: model, stored: stored, images: images, by: plan, mayInsert: mayInsert)
    }

    /// Captures records that are about to be deleted, if they are stored.
    private func captureDelete(_ keys: KeyList, of model: StoredName, _ plan: WritePlan) throws(StorageError) {
        if group != nil, try wait(.delete, keys, of: model, detail: .kinds, by: plan) { return }
        let images = try images(of: keys, in: model)
        let stored = if let images { Set(images.keys) } else { try self.stored(among: keys, of: model, plan.table) }
        changes.addDeleted(keys, of: model)
        try add(.delete, keys, of: model, stored: stored, images: images, by: plan)
    }

    /// The records with the keys, by their keys; nil if no subscriber needs them.
    private func images(of keys: KeyList, in model: StoredName) throws(StorageError) -> [[Value]: RecordImage]? {
        guard needsRecords(of: model) else { return nil }
        return try RecordImage.read(keys, whole(model), in: writer)
    }

    private func needsRecords(of model: StoredName) -> Bool { subscribers.contains { $0.needsRecords(of: model) } }

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
        images: [[Value]: RecordImage]?, by plan: WritePlan, mayInsert: Bool = false, wasWaiting: Bool = false
    ) throws(StorageError) {
        let followers = subscribers.filter {
            !(wasWaiting && $0.isToldEarly) && $0.follows(model) && $0.follows(plan)
        }
        if stored == nil { changes.add(kind, keys, of: model) }
        if stored == nil, followers.isEmpty { return }
        for key in keys {
            var kind = kind
            if let stored {
                let isThere = stored.contains(key)
                if !isThere, !mayInsert { continue }
                if !isThere { kind = .insert }
                changes.add(kind, KeyList(width: keys.width, [key]), of: model)
            }
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
        try stopWaiting()
        changes.addEverything(of: model)
        for subscriber in subscribers { try subscriber.willReplaceAll(of: model) }
    }

    func didReplaceAll(of model: StoredName) throws(StorageError) {
        try stopWaiting()
        wholeModels = [:]
        for subscriber in subscribers { try subscriber.didReplaceAll(of: model) }
    }

    /// Captures that the database has changed records of a model by itself.
    func didReact(in model: StoredName) throws(StorageError) {
        guard changes.interest.detail(of: model) != nil else { return }
        try stopWaiting()
        changes.addEverything(of: model)
        for subscriber in subscribers where subscriber.follows(model) { try subscriber.didReact(in: model) }
    }

    override func change(_ change: TableChange) throws(StorageError) {
        try stopWaiting()
        let model = interest(in: change.table)?.model
        if let model { try changes.willChangeTables(of: model, recordsNow) }
        try super.change(change)
        wholeModels = [:]
        for subscriber in subscribers { subscriber.didChangeTables() }
        if let model { changes.addTables(of: model) }
    }

    // MARK: The transaction

    override func beginSavepoint() {
        // A savepoint that is undone must not take the history of earlier transactions with it.
        do throws(StorageError) { try stopWaiting() } catch { failure = failure ?? error }
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
        if let failure { throw failure }
        if !waiting.isEmpty, try waitForEnd() { return }
        try complete(recordsNow)
    }

    /// - Parameter now: the records with some keys, as the transaction has left them.
    private func complete(
        _ now: (KeyList, StoredName) throws(StorageError) -> [[Value]: RecordImage]
    ) throws(StorageError) {
        try changes.settle(now)
        for subscriber in subscribers { try subscriber.willCommit(changes) }
        changes.afterCommit = subscribers.compactMap(\.afterCommit)
        // The changes outlive the transaction, but the subscribers do not.
        subscribers = []
    }

    // MARK: Waiting

    /// Keeps a change until its records are known.
    ///
    /// - Returns: false if the change is to be captured at once.
    private func wait(
        _ kind: ChangeKind, _ keys: KeyList, of model: StoredName, detail: ChangeDetail, by plan: WritePlan,
        mayInsert: Bool = false
    ) throws(StorageError) -> Bool {
        // A change of which only the key matters is known, unless others before it wait.
        if detail != .kinds, waiting.isEmpty { return false }
        // The tables of other software are not recorded, and a deletion needs keys alone unless a subscriber needs the records.
        let canAsk = !plan.table.isForeign && (kind != .delete || detail != .kinds || needsRecords(of: model))
        guard let asking, canAsk, waiting.count + keys.count <= CommitGroup.mostRecords else {
            try stopWaiting()
            return false
        }
        for subscriber in subscribers where subscriber.follows(model) {
            guard try subscriber.willWait() else {
                try stopWaiting()
                return false
            }
        }
        var images: AskedImages?
        if kind != .insert, detail == .kinds {
            images = try RecordImage.ask(keys, whole(model), in: asking)
            guard images != nil else {
                try stopWaiting()
                return false
            }
        }
        waiting.add(
            WaitingChanges.Change(
                kind: kind, keys: keys, model: model, plan: plan, mayInsert: mayInsert, byRule: signature.isByRule,
                images: images))
        for subscriber in subscribers where subscriber.isToldEarly {
            guard subscriber.follows(model), subscriber.follows(plan) else { continue }
            for key in keys { subscriber.willChange(kind, key, of: model, before: nil) }
            try subscriber.willWrite()
        }
        return true
    }

    /// Asks for the updated records as they are at the end of the transaction, and leaves it to its group.
    ///
    /// - Returns: false if the records cannot be asked for now.
    private func waitForEnd() throws(StorageError) -> Bool {
        guard let group, let asking else { return false }
        for (model, keys) in waiting.compared {
            guard let images = try RecordImage.ask(keys, whole(model), in: asking) else {
                try stopWaiting()
                return false
            }
            waiting.after[model] = images
        }
        self.group = nil
        try group.add(self, waitingFor: waiting.count)
        return true
    }

    /// The bytes of the records that have arrived while the transaction waits.
    var waitingBytes: Int { waiting.bytes }

    /// Completes a transaction of a group.
    func settle() throws(StorageError) {
        try resolve()
        var after: [StoredName: [[Value]: RecordImage]] = [:]
        for (model, images) in waiting.after { after[model] = try images.read() }
        try complete { keys, model in after[model] ?? [:] }
    }

    /// Captures further changes at once. The changes that have waited become known, after earlier transactions of the group.
    private func stopWaiting() throws(StorageError) {
        guard let group else { return }
        self.group = nil
        for subscriber in subscribers { subscriber.setWaiting(false) }
        try group.settle()
        try resolve()
    }

    /// Captures the changes that have waited, in their order.
    private func resolve() throws(StorageError) {
        let isByRule = signature.isByRule
        defer { signature.isByRule = isByRule }
        for change in waiting.takeAll() {
            signature.isByRule = change.byRule
            let (keys, model) = (change.keys, change.model)
            let images = try change.images?.read()
            var stored: Set<[Value]>?
            if let images, change.kind == .update { stored = try compare(keys, of: model, with: images) }
            if let images, change.kind == .delete {
                stored = Set(images.keys)
                changes.addDeleted(keys, of: model)
            }
            try add(
                change.kind, keys, of: model, stored: stored, images: needsRecords(of: model) ? images : nil,
                by: change.plan, mayInsert: change.mayInsert, wasWaiting: true)
        }
    }
}
