import StorageDriver

/// The entries of a model's records that were removed at once, in the order of keys.
struct GoneRecords {
    private let history: HistoryReading
    private let commit: Int64
    private let model: StoredName
    private var part: ArraySlice<HistoryChange> = []
    /// The place after which the next part begins; nil after the last part.
    private var next: Int64?

    init(_ history: HistoryReading, of model: StoredName, in commit: Int64, after place: Int64?) {
        (self.history, self.commit, self.model, next) = (history, commit, model, place)
    }

    /// Returns the entry of a record, or nil. Call it with keys in ascending order.
    mutating func change(of key: [Value]) throws(StorageError) -> HistoryChange? {
        while let change = try first() {
            if change.kind == .deleted, change.key == key { return change }
            if change.kind == .deleted, key.lexicographicallyPrecedes(change.key) { return nil }
            part.removeFirst()
        }
        return nil
    }

    private mutating func first() throws(StorageError) -> HistoryChange? {
        if part.isEmpty, let place = next {
            part = try history.changes(of: commit, after: place, of: model)[...]
            next = part.count == HistoryReading.part ? part.last?.place : nil
        }
        return part.first
    }
}

/// A change to a commit's entries, as rows.
struct Correction {
    let commit: Int64
    private(set) var kinds: [Value] = []
    private(set) var gone: [Value] = []

    init(commit: Int64) { self.commit = commit }

    /// - Parameters:
    ///   - old: the kind that the entry's row has.
    ///   - kind: the kind of the change; nil if the record did not change.
    mutating func set(_ old: Int64, at place: Int64, to kind: ChangeKind?, byRule: Bool = false) {
        guard let kind else { return remove(place) }
        let code = HistoryKind(kind).code(byRule: byRule)
        if code != old { kinds += [.int(commit), .int(place), .int(code)] }
    }

    mutating func remove(_ place: Int64) { gone += [.int(commit), .int(place)] }
}
