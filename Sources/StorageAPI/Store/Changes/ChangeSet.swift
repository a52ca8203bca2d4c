import StorageDriver

/// The changes of one write: of each model the keys, in the order of the writes.
final class ChangeSet {
    /// The start of the changes that a savepoint may undo.
    struct Mark {
        fileprivate let steps: Int
        fileprivate let keys: Int
        fileprivate let compared: ComparedRecords.Mark
    }

    private enum StepKind: Equatable {
        /// A change of single records.
        case records(ChangeKind)
        /// All records of a model were removed or replaced at once, or the database has changed some by itself.
        case everything
        /// A model's tables were replaced, and perhaps its records.
        case tables
    }

    private struct Step {
        let model: StoredName
        let kind: StepKind
        var keys: KeyList
    }

    /// The changes that were requested when the write began.
    let interest: ChangeInterest
    /// The transaction's author and note.
    let signature = CommitSignature()
    /// Actions of subscribers, to run after the commit.
    var afterCommit: [() -> Void] = []
    private var steps: [Step] = []
    private var compared = ComparedRecords()
    /// True if some record was written without a change.
    private(set) var hasUnchanged = false

    init(_ interest: ChangeInterest) { self.interest = interest }

    var mark: Mark {
        Mark(steps: steps.count, keys: steps.last?.keys.count ?? 0, compared: compared.mark)
    }

    func undo(to mark: Mark) {
        compared.undo(to: mark.compared)
        steps.removeSubrange(mark.steps...)
        if let last = steps.indices.last { steps[last].keys.removeAll(from: mark.keys) }
    }

    func add(_ kind: ChangeKind, _ keys: KeyList, of model: StoredName) {
        guard keys.count > 0 else { return }
        let kind = StepKind.records(kind)
        if let last = steps.indices.last, steps[last].kind == kind, steps[last].model == model {
            steps[last].keys.append(contentsOf: keys)
        } else {
            steps.append(Step(model: model, kind: kind, keys: keys))
        }
    }

    /// Records that any record of a model may have changed.
    func addEverything(of model: StoredName) { add(.everything, of: model) }

    /// Records that the tables of a model have changed, and perhaps its records.
    func addTables(of model: StoredName) { add(.tables, of: model) }

    private func add(_ kind: StepKind, of model: StoredName) {
        if let last = steps.last, last.kind == kind, last.model == model { return }
        steps.append(Step(model: model, kind: kind, keys: KeyList()))
    }

    /// Keeps a record as it was before an update, unless the write has changed it already.
    func compare(_ key: [Value], of model: StoredName, with before: RecordImage) {
        compared.add(key, of: model, before.digest)
    }

    /// Marks records as deleted. If they are inserted again, they count as updated, even with the same values.
    func addDeleted(_ keys: KeyList, of model: StoredName) {
        for key in keys { compared.addDeleted(key, of: model) }
    }

    /// True if all records of some model were removed or replaced at once, or the database has changed some by itself.
    var hasEverything: Bool { steps.contains { $0.kind == .everything } }

    /// Compares the records of a model whose tables are about to change, since later images of them have other columns. A
    /// record that is unchanged since the first write is also unchanged in the new tables.
    ///
    /// - Parameter images: the records with some keys, which a model has now.
    func willChangeTables(
        of model: StoredName, _ images: (KeyList, StoredName) throws(StorageError) -> [[Value]: RecordImage]
    ) throws(StorageError) {
        for part in compared.keys(of: model).parts(of: RecordReader.partOfRecords) {
            let now = try images(part, model)
            for key in part { compared.carryOver(key, of: model, now[key]?.digest) }
        }
    }

    /// The updated records of a model that differed from their state before the write when its tables changed. Their
    /// digests can no longer tell whether they still differ.
    func undecided(of model: StoredName) -> KeyList {
        var keys = KeyList()
        guard steps.contains(where: { $0.kind == .tables }),
            let changes = net.first(where: { $0.model == model })
        else { return keys }
        for key in changes.keys(.update) where compared.state(of: key, of: model) == .different { keys.append(key) }
        return keys
    }

    /// Removes records from the net effect that were written but are unchanged.
    ///
    /// - Parameter images: the records with some keys, which a model has now.
    func settle(_ images: (KeyList, StoredName) throws(StorageError) -> [[Value]: RecordImage]) throws(StorageError) {
        guard !compared.isEmpty else { return }
        for place in net.indices where !net[place].isReplaced {
            let model = net[place].model
            var known = KeyList()
            for key in net[place].keys(.update) {
                switch compared.state(of: key, of: model) {
                case .same: remove(key, at: place)
                case .digest: known.append(key)
                case .different, .deleted, nil: break
                }
            }
            for part in known.parts(of: RecordReader.partOfRecords) {
                let now = try images(part, model)
                for key in part {
                    guard let digest = now[key]?.digest else { continue }
                    if compared.state(of: key, of: model) == .digest(digest) { remove(key, at: place) }
                }
            }
        }
        if hasUnchanged { net.removeAll(where: \.isEmpty) }
    }

    /// Removes records from the net effect that turned out to be unchanged.
    func remove(_ keys: [[Value]], of model: StoredName) {
        guard let place = net.firstIndex(where: { $0.model == model }) else { return }
        for key in keys { remove(key, at: place) }
        net.removeAll(where: \.isEmpty)
    }

    private func remove(_ key: [Value], at place: Int) {
        net[place].remove(key)
        hasUnchanged = true
    }

    /// The net effect on each model, once the write has ended. A record that was inserted and then deleted counts as
    /// unchanged, and a record that was deleted and then inserted as changed.
    private(set) lazy var net: [NetChanges] = {
        var models: [NetChanges] = []
        for step in steps {
            let place = models.firstIndex { $0.model == step.model } ?? models.endIndex
            if place == models.endIndex { models.append(NetChanges(model: step.model)) }
            switch step.kind {
            case .everything: models[place].addEverything()
            case .tables: models[place].addTables()
            case .records(let kind):
                for key in step.keys { models[place].add(kind, key) }
            }
        }
        return models.filter { !$0.isEmpty }
    }()
}
