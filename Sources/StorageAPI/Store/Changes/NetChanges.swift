import StorageDriver

/// The kind of a record's change.
enum ChangeKind {
    case insert, update, delete

    /// Creates the net change of a record; nil for none.
    init?(wasThere: Bool, isThere: Bool) {
        switch (wasThere, isThere) {
        case (false, true): self = .insert
        case (true, true): self = .update
        case (true, false): self = .delete
        case (false, false): return nil
        }
    }
}

/// The net effect of a commit on one model.
struct NetChanges: Sendable {
    private struct Transition {
        let wasThere: Bool
        var isThere: Bool
    }

    let model: StoredName
    /// True if all records were removed or replaced at once, or the database has changed some by itself, so that the
    /// changes of single records are unknown.
    private(set) var isReplaced = false
    /// True if the model's tables have changed. The changes that writes made to single records are still known.
    private var hasOtherTables = false
    private var transitions: [[Value]: Transition] = [:]
    /// The keys in the order of their first change.
    private var order: [[Value]] = []

    init(model: StoredName) { self.model = model }

    mutating func add(_ kind: ChangeKind, _ key: [Value]) {
        guard !isReplaced else { return }
        let isThere = kind != .delete
        if transitions[key] == nil {
            order.append(key)
            transitions[key] = Transition(wasThere: kind != .insert, isThere: isThere)
        } else {
            transitions[key]?.isThere = isThere
        }
    }

    mutating func addEverything() {
        isReplaced = true
        (transitions, order) = ([:], [])
    }

    mutating func addTables() { hasOtherTables = true }

    /// Removes a record that is unchanged.
    mutating func remove(_ key: [Value]) {
        transitions[key] = nil
    }

    /// True if any record may have changed.
    var isEverything: Bool { isReplaced || hasOtherTables }

    var isEmpty: Bool { !isEverything && !order.contains { kind(of: $0) != nil } }

    /// The number of keys, for bounds on memory.
    var count: Int { order.count }

    /// The keys of the records that are new, changed or gone.
    func keys(_ wanted: ChangeKind) -> [[Value]] { order.filter { kind(of: $0) == wanted } }

    /// The keys of all records that were changed.
    var keys: [[Value]] { order.filter { kind(of: $0) != nil } }

    /// Returns the net change of a record; nil for none.
    func kind(of key: [Value]) -> ChangeKind? {
        transitions[key].flatMap { ChangeKind(wasThere: $0.wasThere, isThere: $0.isThere) }
    }
}
