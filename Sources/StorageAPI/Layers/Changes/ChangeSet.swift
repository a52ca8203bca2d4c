import StorageDriver

/// The changes of one write: of each model the keys, in the order of the writes.
final class ChangeSet {
    /// The start of the changes that a savepoint may undo.
    struct Mark {
        fileprivate let steps: Int
        fileprivate let values: Int
        fileprivate let compared: Int
    }

    private struct Step {
        let model: String
        /// Nil if any record may have changed.
        let kind: ChangeKind?
        var keys: ValueList
    }

    /// The changes that were asked for when the write began.
    let interest: ChangeInterest
    /// The author of the transaction, and its purpose.
    let signature = CommitSignature()
    private var steps: [Step] = []
    private var compared = ComparedRecords()
    /// True if some record was written without a change.
    private(set) var hasUnchanged = false

    init(_ interest: ChangeInterest) { self.interest = interest }

    var mark: Mark {
        Mark(steps: steps.count, values: steps.last?.keys.values.count ?? 0, compared: compared.count)
    }

    func undo(to mark: Mark) {
        compared.undo(to: mark.compared)
        steps.removeSubrange(mark.steps...)
        guard let last = steps.indices.last else { return }
        let values = steps[last].keys.values
        steps[last].keys.values.removeSubrange(mark.values..<values.count)
    }

    func add(_ kind: ChangeKind, _ keys: ValueList, of model: String) {
        guard keys.count > 0 else { return }
        if let last = steps.indices.last, steps[last].kind == kind, steps[last].model.isSame(as: model) {
            steps[last].keys.values += keys.values
        } else {
            steps.append(Step(model: model, kind: kind, keys: keys))
        }
    }

    /// Adds that any record of a model may have changed.
    func addEverything(of model: String) {
        if let last = steps.last, last.kind == nil, last.model.isSame(as: model) { return }
        steps.append(Step(model: model, kind: nil, keys: ValueList(width: 1, values: [])))
    }

    /// Keeps a record as it was before an update, unless the write has changed it already.
    func compare(_ key: [Value], of model: String, with before: RecordImage) {
        compared.add(key, of: model, before.digest)
    }

    /// Marks records as deleted: inserted again they count as updated, whatever they were.
    func addDeleted(_ keys: ValueList, of model: String) {
        for row in 0..<keys.count { compared.add(Array(keys[row]), of: model, nil) }
    }

    /// True if any record of some model may have changed.
    var hasEverything: Bool { steps.contains { $0.kind == nil } }

    /// Takes the records that were written and are as they were out of the net effect.
    ///
    /// - Parameter images: the records with some keys, which a model has now.
    func settle(_ images: (ValueList, String) throws(StorageError) -> [[Value]: RecordImage]) throws(StorageError) {
        guard !compared.isEmpty else { return }
        for place in net.indices where !net[place].isEverything {
            let (model, updated) = (net[place].model, net[place].keys(.update))
            let known = updated.filter { compared.digest(of: $0, of: model) != nil }
            for start in stride(from: 0, to: known.count, by: RecordReader.partOfRecords) {
                let part = known[start..<min(start + RecordReader.partOfRecords, known.count)]
                let now = try images(ValueList(width: part.first?.count ?? 1, values: part.flatMap(\.self)), model)
                for key in part where now[key]?.digest == compared.digest(of: key, of: model) {
                    net[place].remove(key)
                    hasUnchanged = true
                }
            }
        }
        if hasUnchanged { net.removeAll(where: \.isEmpty) }
    }

    /// The net effect on each model, once the write has ended: a record that was inserted and then deleted is no
    /// change, and one that was deleted and then inserted is changed.
    private(set) lazy var net: [NetChanges] = {
        var models: [NetChanges] = []
        for step in steps {
            let place = models.firstIndex { $0.model.isSame(as: step.model) } ?? models.endIndex
            if place == models.endIndex { models.append(NetChanges(model: step.model)) }
            guard let kind = step.kind else {
                models[place].addEverything()
                continue
            }
            for row in 0..<step.keys.count { models[place].add(kind, Array(step.keys[row])) }
        }
        return models.filter { !$0.isEmpty }
    }()
}

/// The records that a write has updated, as they were before its first change of each: a digest is enough to know them again.
private struct ComparedRecords {
    /// The digests by the model's stored name and the key. A digest is nil where the record was deleted first.
    private var digests: [String: [[Value]: RowDigest.Result?]] = [:]
    /// In the order in which they came.
    private var order: [(model: String, key: [Value])] = []

    var isEmpty: Bool { order.isEmpty }
    var count: Int { order.count }

    mutating func add(_ key: [Value], of model: String, _ digest: RowDigest.Result?) {
        guard digests[model]?[key] == nil else { return }
        digests[model, default: [:]].updateValue(digest, forKey: key)
        order.append((model, key))
    }

    mutating func undo(to count: Int) {
        for (model, key) in order[count...] { digests[model]?.removeValue(forKey: key) }
        order.removeSubrange(count...)
    }

    func digest(of key: [Value], of model: String) -> RowDigest.Result? { digests[model]?[key] ?? nil }
}
