import StorageDriver

/// How exactly the changes of a model are asked for.
enum ChangeDetail: Comparable {
    /// Whether there are any.
    case any
    /// The keys of the records.
    case keys
    /// The keys, and whether each record is new, changed or gone. A save must look whether the record was there, and is
    /// another.
    case kinds
}

/// What all observers of a store ask for. A write notes nothing else.
final class AskedChanges: Sendable {
    /// Of every model; nil if nobody asks that.
    private let all: ChangeDetail?
    /// By the model's stored name. Names that are canonically equivalent count as one here, so too much may be noted.
    let models: [String: ChangeDetail]

    init(all: ChangeDetail?, models: [String: ChangeDetail]) {
        self.all = all
        self.models = models
    }

    /// What others ask for, and every change of some models.
    init(_ others: AskedChanges?, and models: [String]) {
        all = others?.all
        self.models = (others?.models ?? [:]).merging(models.map { ($0, .kinds) }) { max($0, $1) }
    }

    func detail(of model: String) -> ChangeDetail? {
        guard let detail = models[model] else { return all }
        return all.map { max($0, detail) } ?? detail
    }

    /// Whether what is asked of every model, beyond that by name, was asked before as well.
    func asksAll(ofAtMost before: AskedChanges?) -> Bool {
        guard let all else { return true }
        return before?.all.map { all <= $0 } ?? false
    }
}

/// What one write changed: of each model the keys, in the order of the writes. Undone with its savepoint.
final class NotedChanges {
    enum Kind {
        case insert, update, delete

        /// What became of a record; nil if nothing did.
        init?(wasThere: Bool, isThere: Bool) {
            switch (wasThere, isThere) {
            case (false, true): self = .insert
            case (true, true): self = .update
            case (true, false): self = .delete
            case (false, false): return nil
            }
        }
    }

    /// Where the changes that a savepoint may undo begin.
    struct Mark {
        fileprivate let steps: Int
        fileprivate let values: Int
        fileprivate let compared: Int
        fileprivate let history: HistoryLog.Mark?
    }

    private struct Step {
        let model: String
        /// Nil if any record may have changed.
        let kind: Kind?
        var keys: ValueList
    }

    /// What was asked for when the write began.
    let asked: AskedChanges
    /// Where the history of the write goes, while it runs; nil if the store keeps none.
    var history: HistoryLog?
    /// Who the transaction says that it is by, and why.
    var signature: CommitSignature?
    private var steps: [Step] = []
    /// What the records are compared with at the end.
    private var compared = ComparedRecords()

    init(_ asked: AskedChanges) { self.asked = asked }

    var mark: Mark {
        Mark(
            steps: steps.count, values: steps.last?.keys.values.count ?? 0, compared: compared.count,
            history: history?.mark)
    }

    func undo(to mark: Mark) {
        if let mark = mark.history { history?.undo(to: mark) }
        compared.undo(to: mark.compared)
        steps.removeSubrange(mark.steps...)
        guard let last = steps.indices.last else { return }
        let values = steps[last].keys.values
        steps[last].keys.values.removeSubrange(mark.values..<values.count)
    }

    func add(_ kind: Kind, _ keys: ValueList, of model: String) {
        guard keys.count > 0 else { return }
        if let last = steps.indices.last, steps[last].kind == kind, steps[last].model.isSame(as: model) {
            steps[last].keys.values += keys.values
        } else {
            steps.append(Step(model: model, kind: kind, keys: keys))
        }
    }

    /// Takes notice of a record as it was before an update, unless the write has changed it already.
    func compare(_ key: [Value], of model: String, with before: RecordImage) {
        compared.add(key, of: model, before.digest)
    }

    /// Takes notice of records that are deleted. Inserted again they count as updated, whatever they were.
    func deletes(_ keys: ValueList, of model: String) {
        for row in 0..<keys.count { compared.add(Array(keys[row]), of: model, nil) }
    }

    /// Takes the records that were written and are as they were out of the net effect.
    ///
    /// - Parameter images: the records with some keys, which a model has now.
    func settle(_ images: (ValueList, String) throws(StorageError) -> [[Value]: RecordImage]) throws(StorageError) {
        guard !compared.isEmpty else { return }
        for place in net.indices where !net[place].isEverything {
            let (model, updated) = (net[place].model, net[place].keys(.update))
            let known = updated.filter { compared.digest(of: $0, of: model) != nil }
            for start in stride(from: 0, to: known.count, by: Reading.partOfRecords) {
                let part = known[start..<min(start + Reading.partOfRecords, known.count)]
                let now = try images(ValueList(width: part.first?.count ?? 1, values: part.flatMap(\.self)), model)
                for key in part where now[key]?.digest == compared.digest(of: key, of: model) {
                    net[place].remove(key)
                    hasUnchanged = true
                }
            }
        }
        if hasUnchanged { net.removeAll(where: \.isEmpty) }
    }

    /// Whether some record was written and is as it was.
    private(set) var hasUnchanged = false

    /// Whether any record of some model may have changed.
    var hasEverything: Bool { steps.contains { $0.kind == nil } }

    /// Any record of the model may have changed.
    func addEverything(of model: String) {
        steps.append(Step(model: model, kind: nil, keys: ValueList(width: 1, values: [])))
    }

    /// The net effect on each model, once the write has ended: what was inserted and then deleted is no change, and what
    /// was deleted and then inserted is changed.
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
    /// By the model's stored name and the key; a digest is nil where the record was deleted first.
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

/// The net effect of a commit on one model.
struct NetChanges: Sendable {
    private struct Fate {
        let wasThere: Bool
        var isThere: Bool
    }

    let model: String
    /// Whether any record may have changed.
    private(set) var isEverything = false
    private var fates: [[Value]: Fate] = [:]
    /// The keys in the order of their first change.
    private var order: [[Value]] = []

    init(model: String) { self.model = model }

    mutating func add(_ kind: NotedChanges.Kind, _ key: [Value]) {
        guard !isEverything else { return }
        let isThere = kind != .delete
        if fates[key] == nil {
            order.append(key)
            fates[key] = Fate(wasThere: kind != .insert, isThere: isThere)
        } else {
            fates[key]?.isThere = isThere
        }
    }

    mutating func addEverything() {
        isEverything = true
        (fates, order) = ([:], [])
    }

    /// Takes a record out that is as it was.
    mutating func remove(_ key: [Value]) {
        fates[key] = nil
    }

    var isEmpty: Bool { !isEverything && !order.contains { kind(of: $0) != nil } }

    /// How many keys there are, for bounds on memory.
    var count: Int { order.count }

    /// The keys of the records that are new, changed or gone.
    func keys(_ wanted: NotedChanges.Kind) -> [[Value]] { order.filter { kind(of: $0) == wanted } }

    /// The keys of all records that were changed.
    var keys: [[Value]] { order.filter { kind(of: $0) != nil } }

    /// What became of a record; nil if nothing did.
    func kind(of key: [Value]) -> NotedChanges.Kind? {
        fates[key].flatMap { NotedChanges.Kind(wasThere: $0.wasThere, isThere: $0.isThere) }
    }
}
