import StorageDriver

/// The records that a write has updated, as they were before its first change of each.
struct ComparedRecords {
    /// The knowledge of a record as it was before its first change.
    enum State: Equatable {
        /// A digest is enough to know the record again, as long as its tables are the same.
        case digest(RowDigest.Result)
        /// The record was as before when its tables changed, and nothing has written it since.
        case same
        /// The record differed when its tables changed.
        case different
        /// The record was deleted: whatever has its key now is another one.
        case deleted
    }

    /// The start of what a savepoint may undo.
    struct Mark {
        fileprivate let changes: Int
    }

    /// By the model's stored name and the key.
    private var states: [StoredName: [[Value]: State]] = [:]
    /// The changes of the states in their order, each with the state before; nil for a record's first.
    private var changes: [(model: StoredName, key: [Value], before: State?)] = []

    var isEmpty: Bool { changes.isEmpty }
    var mark: Mark { Mark(changes: changes.count) }

    mutating func undo(to mark: Mark) {
        for (model, key, before) in changes[mark.changes...].reversed() { states[model]?[key] = before }
        changes.removeSubrange(mark.changes...)
    }

    /// Keeps a record that is about to be updated, with its digest, unless an earlier state is known.
    mutating func add(_ key: [Value], of model: StoredName, _ digest: RowDigest.Result) {
        let before = state(of: key, of: model)
        if before == nil || before == .same { set(.digest(digest), key, of: model, former: before) }
    }

    /// Marks a record that is about to be deleted, unless an earlier state is known.
    mutating func addDeleted(_ key: [Value], of model: StoredName) {
        let before = state(of: key, of: model)
        if before == nil || before == .same { set(.deleted, key, of: model, former: before) }
    }

    /// Notes a record whose tables are about to change.
    ///
    /// - Parameter digest: of the record as it is; nil if it is not stored.
    mutating func carryOver(_ key: [Value], of model: StoredName, _ digest: RowDigest.Result?) {
        guard let before = state(of: key, of: model), case .digest(let first) = before else { return }
        set(digest == first ? .same : .different, key, of: model, former: before)
    }

    private mutating func set(_ state: State, _ key: [Value], of model: StoredName, former before: State?) {
        states[model, default: [:]][key] = state
        changes.append((model, key, before))
    }

    func state(of key: [Value], of model: StoredName) -> State? { states[model]?[key] }

    /// The keys of the records of a model that are known by a digest.
    func keys(of model: StoredName) -> KeyList {
        var keys = KeyList()
        for (key, state) in states[model] ?? [:] {
            if case .digest = state { keys.append(key) }
        }
        return keys
    }
}
