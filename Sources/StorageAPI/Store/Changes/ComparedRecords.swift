import StorageDriver

/// The records that a write has updated, as they were before the first change of each.
struct ComparedRecords {
    /// The known state of a record before its first change.
    enum State: Equatable {
        /// A digest of the record, enough to recognise it as long as its tables are the same.
        case digest(RowDigest.Result)
        /// The record was unchanged when its tables changed, and no later write has touched it.
        case same
        /// The record differed when its tables changed.
        case different
        /// The record was deleted. A record that has its key now is another one.
        case deleted
    }

    /// The start of the states that a savepoint may undo.
    struct Mark {
        fileprivate let changes: Int
    }

    /// The states, by the model's stored name and the key.
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
    /// - Parameter digest: the digest of the current record; nil if it is not stored.
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
