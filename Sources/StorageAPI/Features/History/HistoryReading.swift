import StorageDriver

/// Reads a store's history in one session.
struct HistoryReading {
    let tables: HistoryTables
    let session: any StorageSession

    init(_ tables: HistoryTables, _ session: any StorageSession) {
        self.tables = tables
        self.session = session
    }

    /// The number of changes that are read at a time.
    static let part = 256

    // MARK: Commits

    var last: CommitRow? { get throws(StorageError) { try header(tables.lastCommit, QueryArguments(limit: 1)) } }

    var first: CommitRow? { get throws(StorageError) { try header(tables.firstCommit, QueryArguments(limit: 1)) } }

    func commit(_ number: Int64) throws(StorageError) -> CommitRow? {
        guard number > 0 else { return nil }
        return try header(tables.commit, QueryArguments([.int(-number)]))
    }

    private func header(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> CommitRow? {
        var cursor = try session.rows(plan, arguments)
        return try cursor.next() ? CommitRow(cursor.cells, of: tables.commits) : nil
    }

    /// The kept commits with some numbers, the oldest first.
    func commits(_ numbers: some Sequence<Int64>) throws(StorageError) -> [CommitRow] {
        let keys = ValueList(width: 1, values: numbers.map { .int(-$0) })
        var cursor = try session.rows(tables.commitsByKey, QueryArguments(lists: [keys]))
        var found: [CommitRow] = []
        while try cursor.next() { found.append(try CommitRow(cursor.cells, of: tables.commits)) }
        return found.reversed()
    }

    /// - Throws: `invalidValue` for a commit that the history has not reached.
    func requireReached(_ number: Int64) throws(StorageError) {
        let last = try last?.number ?? 0
        guard number <= last, number >= 0 else {
            throw StorageError(.invalidValue, "The store's history has no commit \(number) yet; its last is \(last).")
        }
    }

    /// - Throws: `notKept` for a commit if its changes, or the changes of a later one, are no longer kept; `invalidValue` for
    ///   a commit that the history has not reached.
    func requireKept(after number: Int64) throws(StorageError) {
        try requireReached(number)
        let first = try first?.number ?? 1
        guard number >= first - 1 else {
            throw StorageError(
                .notKept,
                "The store's history begins after commit \(first - 1), and commit \(number) is older than what is kept. "
                    + "Read the records anew.")
        }
    }

    static func notKept(_ number: Int64) -> StorageError {
        StorageError(
            .notKept,
            "Commit \(number) is no longer kept, so its token cannot be told from others. Read the records again.")
    }

    // MARK: Changes

    /// The next changes after a place of a commit, in their order; of one model if it is named.
    ///
    /// - Throws: `corrupt` if they are not later changes, because reading on from them would never end.
    func changes(after commit: Int64, _ place: Int64, of model: StoredName?) throws(StorageError) -> [HistoryChange] {
        var found = try changes(of: commit, after: place, of: model)
        if found.count < Self.part {
            let arguments = [.int(commit)] + (model.map { [Value.text($0.text)] } ?? [])
            found += try changes(
                model == nil ? tables.changesAfter : tables.modelChangesAfter,
                QueryArguments(arguments, limit: Self.part - found.count))
        }
        return try checked(found, after: (commit, place))
    }

    private func checked(
        _ changes: [HistoryChange], after position: (commit: Int64, place: Int64)
    ) throws(StorageError) -> [HistoryChange] {
        var last = position
        for change in changes {
            guard (change.commit, change.place) > last else {
                throw StorageError(.corrupt, "The entries of the store's history are not in order; restore a backup.")
            }
            last = (change.commit, change.place)
        }
        return changes
    }

    /// The next changes of one commit after a place.
    func changes(
        of commit: Int64, after place: Int64, of model: StoredName? = nil
    ) throws(StorageError) -> [HistoryChange] {
        guard place < Int64.max else { return [] }
        let arguments = [.int(commit), .int(place)] + (model.map { [Value.text($0.text)] } ?? [])
        let found = try changes(
            model == nil ? tables.changesOfCommit : tables.modelChangesOfCommit,
            QueryArguments(arguments, limit: Self.part))
        return try checked(found, after: (commit, place))
    }

    /// Calls the body with the changes of one commit in their order; of one model if it is named. They are read a part at a
    /// time, so no cursor is open while the body runs.
    func forEachChange(
        of commit: Int64, in model: StoredName? = nil, _ body: (HistoryChange) throws(StorageError) -> Void
    ) throws(StorageError) {
        try forEachPart(of: commit, in: model) { (part) throws(StorageError) in
            for change in part { try body(change) }
        }
    }

    /// Calls the body with parts of the changes of one commit.
    func forEachPart(
        of commit: Int64, in model: StoredName? = nil, _ body: ([HistoryChange]) throws(StorageError) -> Void
    ) throws(StorageError) {
        var place: Int64 = 0
        var count = Self.part
        while count == Self.part {
            let part = try changes(of: commit, after: place, of: model)
            guard let last = part.last else { return }
            try body(part)
            place = last.place
            count = part.count
        }
    }

    /// The first change of a record, or of all records of its model, after a commit.
    func firstChange(of key: [Value], in model: StoredName, after commit: Int64) throws(StorageError) -> HistoryChange?
    {
        try changes(
            tables.firstChange,
            QueryArguments(
                [
                    .int(commit), .text(model.text), .blob(RecordImage.bytes(of: key)),
                    .int(HistoryKind.everything.rawValue),
                ], limit: 1)
        ).first
    }

    /// The changes at some places of commits.
    func changes(at places: KeyList) throws(StorageError) -> [HistoryChange] {
        try changes(tables.changesByKey, QueryArguments(lists: [places.list]))
    }

    private func changes(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> [HistoryChange] {
        var found: [HistoryChange] = []
        var cursor = try session.rows(plan, arguments)
        while try cursor.next() { found.append(try HistoryChange(cursor.cells)) }
        return found
    }
}

extension HistorySettings {
    /// - Throws: `configuration` if the model has no history.
    func required(_ model: StoredName) throws(StorageError) -> Model {
        guard let known = self.model(model) else {
            throw StorageError(
                .configuration,
                "The store keeps no history of \(model). A program turns it on when it opens the store with "
                    + "Store.Options(history:) and the model.", model: model)
        }
        return known
    }
}
