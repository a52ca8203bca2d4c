import StorageDriver

/// The changes of a transaction whose records are asked for, and not known yet.
struct WaitingChanges {
    struct Change {
        let kind: ChangeKind
        let keys: KeyList
        let model: StoredName
        let plan: WritePlan
        /// True if records that are not stored are inserted.
        let mayInsert: Bool
        /// True if a rule of a reference makes the change.
        let byRule: Bool
        /// The records before the change; nil if only the keys matter.
        let images: AskedImages?
    }

    private var changes: [Change] = []
    /// The number of keys.
    private(set) var count = 0
    /// The updated records at the end of the transaction.
    var after: [StoredName: AskedImages] = [:]

    var isEmpty: Bool { changes.isEmpty }

    /// The bytes of the records that have arrived.
    var bytes: Int { changes.lazy.compactMap(\.images).reduce(0) { $0 + $1.bytes } }

    mutating func add(_ change: Change) {
        changes.append(change)
        count += change.keys.count
    }

    mutating func takeAll() -> [Change] {
        defer { changes = [] }
        return changes
    }

    /// The keys of the updated records by model, each once: an update may leave its record as it was.
    var compared: [StoredName: KeyList] {
        var keys: [StoredName: KeyList] = [:]
        for change in changes where change.kind == .update && change.images != nil {
            keys[change.model, default: KeyList(width: change.keys.width)].append(contentsOf: change.keys)
        }
        return keys.mapValues(\.distinct)
    }
}

/// Records that are read later, as they are when they are asked for.
struct AskedImages {
    fileprivate let keys: KeyList
    fileprivate let model: ModelHandle
    /// The rows of each table of the model.
    fileprivate let answers: [any DeferredAnswer]

    /// The bytes of the rows that have arrived.
    var bytes: Int { answers.reduce(0) { $0 + $1.bytes } }

    /// The records by their keys. They are read once.
    func read() throws(StorageError) -> [[Value]: RecordImage] {
        try RecordImage.read(keys, model) { table throws(StorageError) in try answers[table.index].rows() }
    }
}

extension RecordImage {
    /// Asks for the records with the keys.
    ///
    /// - Parameter model: the model with everything that is recorded.
    /// - Returns: nil if the session cannot answer later.
    static func ask(
        _ keys: KeyList, _ model: ModelHandle, in session: any DeferringWriter
    ) throws(StorageError) -> AskedImages? {
        var answers: [any DeferredAnswer] = []
        for table in model.tables.tables {
            let query = QueryRequest(plan: model.plan(rowsOf: table.index, keys.scope), arguments: keys.scopeArguments)
            guard let answer = try session.later(query) else { return nil }
            answers.append(answer)
        }
        return AskedImages(keys: keys, model: model, answers: answers)
    }
}
