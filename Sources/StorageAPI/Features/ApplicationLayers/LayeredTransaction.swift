import StorageDriver

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The layers of an application in one transaction: collects the changes of each call, and passes them to record layers at
/// its end.
///
/// Only the thread that runs the transaction uses it.
final class LayeredTransaction: TransactionHooks, ChangeSubscriber {
    /// A change of a record, before the net effect of the call is known.
    private struct Step {
        let kind: ChangeKind
        let key: [Value]
        let model: StoredName
        let before: RecordImage?
        /// The number of the layer that has made the change; -1 for the call itself.
        let origin: Int
    }

    /// The maximum depth of decisions on deletions. Each takes a part of the thread's stack.
    private static let mostDecisions = 32

    private let layers: ApplicationLayers
    private let store: Store
    /// Nil before the transaction begins and after it has ended.
    private var context: TransactionContext?
    private var steps: [Step] = []
    private var savepoints: [Int] = []
    /// The layer that runs.
    private var running = -1
    /// True while layers may make calls. The ends of these calls are skipped: their changes belong to the surrounding call.
    private var isInLayer = false
    /// The records on which layers decide now. A layer of each has deleted the one after it.
    private var deciding: [(model: StoredName, key: [Value])] = []
    private(set) var hasChangedRows = false
    /// The time of the transaction, by the store's clock.
    private(set) lazy var time = store.clock()

    init(_ layers: ApplicationLayers, _ store: Store) { (self.layers, self.store) = (layers, store) }

    func begin(_ context: TransactionContext) { self.context = context }

    func end() { context = nil }

    /// True if a call of the program writes. Other records stay as they are, so no layer changes or keeps them (clause H9).
    var isCall: Bool { (context?.givenSignature?.origin ?? .call) == .call }

    /// Called when a layer has changed rows before they are written.
    func didChangeRows() { hasChangedRows = true }

    // MARK: Deletions

    func decidesDeletions(of model: StoredName) -> Bool {
        isCall && layers.deletions.contains { $0.follows(model) }
    }

    func deletable(_ keys: [[Value]], of model: ModelHandle) throws(StorageError) -> [[Value]] {
        guard let context else { return keys }
        // A layer's writes here belong to the call that deletes. Their changes are passed on when that call ends.
        let wasInLayer = isInLayer
        isInLayer = true
        defer { isInLayer = wasInLayer }
        let deciding = layers.deletions.filter { $0.follows(model.name) }
        let whole = try context.registry.whole(model.name, in: context.openWriter())
        var deletable: [[Value]] = []
        for part in KeyList(width: model.tables.rootKeyCount, keys).parts(of: RecordReader.partOfRecords) {
            let images = try RecordImage.read(part, whole, in: context.openWriter())
            for key in part {
                let record = Store.RecordChange(
                    storedModel: model.name, key: key, kind: .deleted, image: images[key], context: context)
                if try isDeletable(record, by: deciding, in: context) { deletable.append(key) }
            }
        }
        return deletable
    }

    private func isDeletable(
        _ record: Store.RecordChange, by layers: [ApplicationLayers.Entry<any Store.DeletionLayer>],
        in context: TransactionContext
    ) throws(StorageError) -> Bool {
        try checkNesting(record)
        deciding.append((record.storedModel, record.key))
        defer { deciding.removeLast() }
        for entry in layers {
            let transaction = Store.Transaction(context: context, store: store)
            if try entry.layer.willDelete(record, in: transaction) == .keep { return false }
        }
        return true
    }

    /// - Throws: `invalidQuery` for a record on which layers decide already: they would delete it again and again;
    ///   `limitExceeded` where each deletion leads to another one.
    private func checkNesting(_ record: Store.RecordChange) throws(StorageError) {
        let isRepeated = deciding.contains { $0.key == record.key && $0.model == record.storedModel }
        guard isRepeated || deciding.count >= Self.mostDecisions else { return }
        throw StorageError(
            isRepeated ? .invalidQuery : .limitExceeded,
            isRepeated
                ? "A layer deletes the record on whose deletion it decides, or another layer does so for it. Return .delete instead."
                : "Layers that decide on deletions delete other records, \(Self.mostDecisions) deep. Delete these in one call.",
            model: record.model, key: record.key)
    }

    // MARK: Changes

    func follows(_ model: StoredName) -> Bool { layers.records.contains { $0.follows(model) } }

    func needsRecords(of model: StoredName) -> Bool {
        layers.records.contains { $0.follows(model) && $0.layer.needsFormerRecords }
    }

    func willChange(_ kind: ChangeKind, _ key: [Value], of model: StoredName, before: RecordImage?) {
        steps.append(Step(kind: kind, key: key, model: model, before: before, origin: running))
    }

    func willWrite() {}

    func willReplaceAll(of model: StoredName) throws(StorageError) {
        try addAll(.delete, of: model, withImages: needsRecords(of: model))
    }

    func didReplaceAll(of model: StoredName) throws(StorageError) { try addAll(.insert, of: model, withImages: false) }

    /// Adds a change of each record of a model.
    private func addAll(_ kind: ChangeKind, of model: StoredName, withImages: Bool) throws(StorageError) {
        guard follows(model), let context else { return }
        let writer = try context.openWriter()
        // A model that has no table yet has no records.
        guard try writer.tables().contains(where: { $0.isRoot(of: model) }) else { return }
        let handle = try context.registry.whole(model, in: writer)
        let writing = RecordWriter(handle: handle, writer: writer, context: context)
        _ = try writing.eachPart(of: Selection()) { (keys) throws(StorageError) in
            let images = withImages ? try RecordImage.read(keys, handle, in: writer) : [:]
            for key in keys { willChange(kind, key, of: model, before: images[key]) }
            return keys.count
        }
    }

    func didReact(in model: StoredName) {}

    func didChangeTables() {}

    func beginSavepoint() { savepoints.append(steps.count) }

    func endSavepoint(isUndone: Bool) {
        guard let count = savepoints.popLast(), isUndone, count < steps.count else { return }
        steps.removeSubrange(count...)
    }

    func willCommit(_ changes: ChangeSet) {}

    func callWillEnd() throws(StorageError) {
        hasChangedRows = false
        guard !isInLayer, !steps.isEmpty, let context else { return }
        isInLayer = true
        defer {
            (isInLayer, running) = (false, -1)
            steps = []
        }
        for (number, entry) in layers.records.enumerated() {
            // The writes of later layers are not known yet, and a layer does not see its writes.
            let changes = netChanges(entry, before: number, context)
            running = number
            for change in changes {
                try entry.layer.didChange(change, in: Store.Transaction(context: context, store: store))
            }
        }
    }

    /// The net effect on each record, in the order of the first changes.
    private func netChanges(
        _ entry: ApplicationLayers.Entry<any Store.RecordLayer>, before number: Int, _ context: TransactionContext
    ) -> [Store.RecordChange] {
        var order: [Step] = []
        var places: [StoredName: [[Value]: Int]] = [:]
        var isThere: [Bool] = []
        for step in steps where step.origin < number && entry.follows(step.model) {
            if let place = places[step.model]?[step.key] {
                isThere[place] = step.kind != .delete
            } else {
                places[step.model, default: [:]][step.key] = order.count
                order.append(step)
                isThere.append(step.kind != .delete)
            }
        }
        return zip(order, isThere).compactMap { step, isThere in
            ChangeKind(wasThere: step.kind != .insert, isThere: isThere).map { kind in
                Store.RecordChange(
                    storedModel: step.model, key: step.key, kind: Store.RecordChange.Kind(kind),
                    image: entry.layer.needsFormerRecords ? step.before : nil, context: context)
            }
        }
    }
}

extension Store.RecordChange.Kind {
    fileprivate init(_ kind: ChangeKind) {
        self =
            switch kind {
            case .insert: .inserted
            case .update: .updated
            case .delete: .deleted
            }
    }
}
